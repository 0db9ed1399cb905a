#include "study/price_age.hpp"

#include <algorithm>
#include <chrono>

#include "base/append_once.hpp"
#include "words/bill.hpp"
#include "words/checks.hpp"

namespace feedrate::study {
namespace {

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

std::vector<UsedPrice> used_prices(const Bill& bill) {
  std::vector<UsedPrice> prices;
  for (const BillLine& line : bill.lines) {
    if (line.from.origin == Origin::given || line.amount <= Money{}) continue;
    append_once(prices, UsedPrice{line.of, words::price(line), line.from.date, line.from.source});
  }
  return prices;
}

Judgement judge_price_age(const Limit& limit, const std::vector<UsedPrice>& prices,
                          std::int64_t today) {
  Judgement out;
  out.limit = limit;
  std::vector<UsedPrice> old, undated;
  for (const UsedPrice& price : prices) {
    const auto day = last_day(price.date);
    if (!day) {
      undated.push_back(price);
      continue;
    }
    const auto age = static_cast<double>(std::max<std::int64_t>(0, today - *day));
    out.now = std::max(out.now.value_or(0.0), age);
    if (age > limit.bound) old.push_back(price);
  }
  if (!undated.empty()) out.level = Level::warn;
  if (!old.empty()) out.level = limit.level;
  out.message = words::old_prices(limit, words::price_list(old), words::price_list(undated));
  return out;
}

}  // namespace feedrate::study
