#include "words/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "model/metrics.hpp"

namespace feedrate::words {
namespace {

constexpr double day_seconds = 86400.0;

std::string four_digits(double value) {
  return std::fabs(value) < 9999.5 ? fmt::format("{:.4g}", value) : three_digits(value);
}

std::string amount(std::string_view metric, double value) {
  const FigureUnit counted_in = unit_of(metric);
  if (counted_in == FigureUnit::dollars) return "$" + with_thousands(fmt::format("{:.2f}", value));
  if (counted_in == FigureUnit::share) return fmt::format("{:.1f} %", 100.0 * value);
  if (counted_in == FigureUnit::seconds && std::fabs(value) >= 7200.0) {
    return four_digits(value / 3600.0) + " h";
  }
  const std::string_view unit = unit_text(counted_in);
  return fmt::format("{}{}{}", four_digits(value), unit.empty() ? "" : " ", unit);
}

/// Money in the currency of the limit, so that a line has one.
std::string amount(const Limit& limit, double value) {
  if (!limit.currency || unit_of(limit.metric) != FigureUnit::dollars) {
    return amount(limit.metric, value);
  }
  const double own = value / limit.currency->usd;
  return fmt::format("{} {}", with_thousands(fmt::format("{:.2f}", own)), limit.currency->code);
}

/// "total cost" for "total_usd": what limits call a figure as well, where they do.
std::string said(std::string_view metric) {
  const Figure* const known = find_figure(metric);
  if (known == nullptr || known->alias.empty()) return std::string(metric);
  std::string text(known->alias);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// By how much a figure changed. Shares differ in points, so that the two kinds of percent are told
/// apart.
std::string difference(const Limit& limit, double before, double now, double change) {
  const bool share = unit_of(limit.metric) == FigureUnit::share;
  const std::string points =
      share ? fmt::format("{:+.1f} percentage points", 100.0 * (now - before)) : "";
  if (limit.relative && std::isfinite(change)) {
    const double sign = limit.of == LimitOf::decrease ? -1.0 : 1.0;
    const double size = limit.of == LimitOf::change ? std::copysign(100.0 * change, now - before)
                                                    : sign * 100.0 * change;
    const bool fine = limit.of == LimitOf::change && std::fabs(size) < 0.1;
    const std::string percent = fmt::format("{:+.{}f} %", size, fine ? 6 : 1);
    return share ? fmt::format("{} ({} of what it was)", points, percent) : percent;
  }
  if (share) return points;
  return (now >= before ? "+" : "-") + amount(limit, std::fabs(now - before));
}

std::string days(double n) {
  return fmt::format("{:g} day{}", n, n == 1.0 ? "" : "s");
}

}  // namespace

std::string no_figure(const Limit& limit) {
  const bool of_month = limit.metric == name_of(FigureId::month);
  return fmt::format("the result has no {}{}", limit.metric,
                     of_month ? ": give /accounting/runs_per_month" : "");
}

std::string no_figure_before(const Limit& limit) {
  const Figure* known = find_figure(limit.metric);
  return fmt::format("the baseline has no {} to compare with{}", limit.metric,
                     known == nullptr ? "" : fmt::format(" (known since {})", known->since));
}

std::string judged(const Limit& limit, double before, double now, double change) {
  if (const auto stage = asked_bottleneck(limit.metric)) {
    return fmt::format("the bottleneck {} {}", now == 1.0 ? "is" : "is not", name_of(*stage));
  }
  if (limit.of == LimitOf::value)
    return fmt::format("{} is {}", said(limit.metric), amount(limit, now));
  return fmt::format("{} {}: {} -> {}", said(limit.metric), difference(limit, before, now, change),
                     amount(limit, before), amount(limit, now));
}

std::string no_change(const Limit& limit) {
  return fmt::format("no figure changed by more than {:g} %", 100.0 * limit.bound);
}

std::string other_bottleneck(std::string_view before, std::string_view now) {
  return fmt::format("the bottleneck was {} and is {}", before, now);
}

std::string line_limit(std::string_view line) {
  return fmt::format("on the bill: {}", line);
}

std::string lost_line(std::string_view line, double before, bool listed) {
  return fmt::format(
      "{}, where it was {}: the line \"{}\"",
      listed ? "a line of the bill costs nothing any more" : "a line is no longer on the bill",
      amount(name_of(FigureId::money), before), line);
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

std::string price_list(std::span<const UsedPrice> prices) {
  std::string list;
  for (const UsedPrice& price : prices) {
    std::string from = price.source;
    // A source's own words mostly end with its date.
    if (from.find(price.date) == std::string::npos) {
      from += (from.empty() ? "" : ", ") + price.date;
    }
    list += fmt::format("{}{}{}{}{}", list.empty() ? "" : "; ", price.what,
                        price.price.empty() ? "" : " at ", price.price,
                        from.empty() ? "" : " (" + from + ")");
  }
  return list;
}

std::string old_prices(const Limit& limit, std::string_view old, std::string_view undated) {
  if (!old.empty()) {
    return fmt::format("prices older than {}: {}{}{}", days(limit.bound), old,
                       undated.empty() ? "" : "; without a date: ", undated);
  }
  if (!undated.empty()) return fmt::format("prices without a date: {}", undated);
  return fmt::format("no price on the bill is older than {}", days(limit.bound));
}

std::string old_profile(std::int64_t age) {
  return fmt::format("the host profile is {} old: calibrate again, or set --max-age",
                     days(static_cast<double>(age)));
}

std::string other_system(std::string_view what, std::string_view then, std::string_view now) {
  return fmt::format("the host profile was made with {} {}, this machine has {}: calibrate again",
                     what, then, now);
}

std::string other_speed(double times) {
  return fmt::format("this machine is {:.0f} % {} than when the host profile was made",
                     100.0 * std::abs(times - 1.0), times > 1.0 ? "slower" : "faster");
}

}  // namespace feedrate::words
