#include "study/price_age.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/append_once.hpp"
#include "base/errors.hpp"
#include "base/unit_text.hpp"

namespace feedrate::study {
namespace {

constexpr double day_seconds = 86400.0;

/// The number of `length` digits at the start of `text`, or -1.
int digits(std::string_view text, std::size_t length) {
  if (text.size() < length) return -1;
  int value = 0;
  for (const char c : text.substr(0, length)) {
    if (c < '0' || c > '9') return -1;
    value = 10 * value + (c - '0');
  }
  return value;
}

void append(std::string& list, const UsedPrice& price) {
  std::string from = price.source;
  // A source's own words mostly end with its date.
  if (from.find(price.date) == std::string::npos) {
    from += (from.empty() ? "" : ", ") + price.date;
  }
  list += fmt::format("{}{}{}{}{}", list.empty() ? "" : "; ", price.what,
                      price.price.empty() ? "" : " at ", price.price,
                      from.empty() ? "" : " (" + from + ")");
}

}  // namespace

std::optional<std::int64_t> last_day(std::string_view date) {
  using namespace std::chrono;
  int y = digits(date, 4);
  if (y < 1970) return std::nullopt;
  const std::string_view rest = date.substr(4);
  const bool range = rest.starts_with('-') && digits(rest.substr(1), 4) >= 1970;
  const int m = !range && rest.starts_with('-') ? digits(rest.substr(1), 2) : -1;
  const int d = m > 0 && rest.size() > 3 && rest[3] == '-' ? digits(rest.substr(4), 2) : -1;
  if (range) y = digits(rest.substr(1), 4);
  const year_month_day day(year(y), month(static_cast<unsigned>(m > 0 ? m : 12)),
                           std::chrono::day(static_cast<unsigned>(d > 0 ? d : 1)));
  const year_month_day last =
      d > 0 ? day : year_month_day(day.year() / day.month() / std::chrono::last);
  if (!last.ok()) return std::nullopt;
  return sys_days(last).time_since_epoch().count();
}

Limit parse_max_price_age(std::string_view text) {
  Limit limit;
  std::string_view age = text;
  if (age.starts_with("warn:")) limit.level = Level::warn;
  if (age.starts_with("warn:") || age.starts_with("fail:")) age.remove_prefix(5);
  const ParsedQuantity parsed = parse_quantity(age, dimension_of(Duration{}), {"an age", "180d"});
  if (!parsed.ok()) throw InputError(parsed.problem);
  if (parsed.base < 0.0) throw InputError("expected an age such as \"180d\", got a negative one");
  limit.text = fmt::format("price age <= {}", age);
  limit.metric = "price_age_days";
  limit.comparison = Comparison::less_equal;
  limit.bound = parsed.base / day_seconds;
  limit.file = "--max-price-age";
  return limit;
}

std::vector<UsedPrice> used_prices(const Bill& bill) {
  std::vector<UsedPrice> prices;
  for (const BillLine& line : bill.lines) {
    if (line.from.origin == Origin::given || line.amount <= Money{}) continue;
    const std::size_t count = line.what.find(" x ");
    const std::string what = count == std::string::npos ? line.what : line.what.substr(count + 3);
    append_once(prices, UsedPrice{what, line.price, line.from.date, line.from.source});
  }
  return prices;
}

Judgement judge_price_age(const Limit& limit, const std::vector<UsedPrice>& prices,
                          std::int64_t today) {
  Judgement out;
  out.limit = limit;
  std::string old, undated;
  for (const UsedPrice& price : prices) {
    const auto day = last_day(price.date);
    if (!day) {
      append(undated, price);
      continue;
    }
    const auto age = static_cast<double>(std::max<std::int64_t>(0, today - *day));
    out.now = std::max(out.now.value_or(0.0), age);
    if (age > limit.bound) append(old, price);
  }
  if (!undated.empty()) {
    out.level = Level::warn;
    out.message = "prices without a date: " + undated;
  }
  if (!old.empty()) {
    out.level = limit.level;
    out.message = fmt::format("prices older than {:g} days: {}{}{}", limit.bound, old,
                              undated.empty() ? "" : "; without a date: ", undated);
  }
  if (out.message.empty()) {
    out.message = fmt::format("no price on the bill is older than {:g} days", limit.bound);
  }
  return out;
}

}  // namespace feedrate::study
