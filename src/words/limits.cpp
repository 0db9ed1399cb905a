#include "words/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/trimmed.hpp"
#include "base/unit_text.hpp"
#include "model/metrics.hpp"
#include "model/stage.hpp"

namespace feedrate::words {
namespace {

// Longer ones first: "<=" starts with "<".
constexpr std::array<std::pair<std::string_view, Comparison>, 6> operators = {
    {{"<=", Comparison::less_equal},
     {">=", Comparison::greater_equal},
     {"==", Comparison::equal},
     {"!=", Comparison::unequal},
     {"<", Comparison::less},
     {">", Comparison::greater}}};

std::string metric_named(std::string_view word) {
  for (const Figure& figure : all_figures()) {
    if (!figure.alias.empty() && word == figure.alias) return std::string(figure.name);
  }
  std::vector<std::string> names = metric_names();
  std::erase_if(names, [](const std::string& name) { return name.starts_with(bottleneck_prefix); });
  if (std::find(names.begin(), names.end(), word) != names.end()) return std::string(word);
  for (const Figure& figure : all_figures()) {
    if (!figure.alias.empty()) names.emplace_back(figure.alias);
  }
  throw InputError(fmt::format("expected a metric such as {}, {} or {}, got {}{}",
                               name_of(FigureId::money), name_of(FigureId::total_time),
                               name_of(FigureId::gpu_busy), in_quotes(word),
                               did_you_mean(word, names)));
}

/// What a text for the unit must be, and one of the unit in base units; 0: it has none.
std::pair<Dimension, double> measure_of(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::seconds: return {dimension_of(Duration{}), 1.0};
    case FigureUnit::milliseconds: return {dimension_of(Duration{}), 1e-3};
    case FigureUnit::hours: return {dimension_of(Duration{}), 3600.0};
    case FigureUnit::dollars: return {dimension_of(Money{}), 1.0};
    case FigureUnit::samples_per_second: return {dimension_of(Throughput{}), 1.0};
    case FigureUnit::share:
    case FigureUnit::count: break;
  }
  return {{}, 0.0};
}

/// A number without a unit stands where it cannot be another's: "cost=5" may be dollars or per
/// cent. `before` is what was written in front of it; `named` whether that ends in the unit.
void refuse_doubtful(const Limit& limit, std::string_view before, std::string_view number,
                     bool named) {
  const FigureUnit counted_in = unit_of(limit.metric);
  const std::string_view unit = unit_text(counted_in);
  if (counted_in == FigureUnit::share && limit.bound > 1.0) {
    throw InputError(
        fmt::format("expected a share from 0 to 1 or a percentage, got {}: write \"{}{}%\"",
                    in_quotes(number), before, number));
  }
  if (unit.empty() || limit.bound == 0.0) return;
  if (limit.of != LimitOf::value) {
    throw InputError(
        fmt::format("expected a limit with its unit, got {0}: {1} % or {1} {2}? write "
                    "\"{3}{1}%\" or \"{3}{1} {2}\"",
                    in_quotes(number), number, unit, before));
  }
  // There is one unit of money, and many of time.
  if (named || counted_in == FigureUnit::dollars) return;
  throw InputError(fmt::format("expected a limit with its unit, got {0}: write \"{1}{2} {3}\"",
                               in_quotes(number), before, number, unit));
}

/// `before`: what stands in front of the bound; `named`: whether that ends in the figure's unit.
void read_bound(Limit& limit, std::string_view text, std::string_view before, bool named,
                const std::optional<Currency>& own = {}) {
  const FigureUnit counted_in = unit_of(limit.metric);
  const std::string_view unit = unit_text(counted_in);
  const auto expected = [&] {
    const std::string with_unit = unit.empty() ? "" : fmt::format(", or with a unit ({})", unit);
    return fmt::format("expected a number{}{}, got {}", with_unit,
                       limit.of == LimitOf::value ? "" : ", or a percentage", in_quotes(text));
  };
  const auto number = leading_number(text);
  if (!number) throw InputError(expected());
  limit.bound = number->value;
  const std::string_view behind = trimmed(number->rest);
  if (behind.empty()) return refuse_doubtful(limit, before, text, named);
  if (behind == "%") {
    limit.bound /= 100.0;
    limit.relative = limit.of != LimitOf::value;
    // A share is a fraction of 1 itself; a percentage of dollars needs something to be a part of.
    if (!limit.relative && !unit.empty()) {
      throw InputError(
          fmt::format("expected an amount such as \"{} < 120 {}\" or an increase such as "
                      "\"{} increase < 5%\", got {}",
                      limit.metric, unit, limit.metric, in_quotes(text)));
    }
    return;
  }
  const auto [dimension, base] = measure_of(counted_in);
  if (base == 0.0) throw InputError(expected());
  if (own && counted_in == FigureUnit::dollars && behind == own->code) {
    limit.bound *= own->usd;
    limit.currency = own;
    return;
  }
  const ParsedQuantity parsed = parse_quantity(text, dimension);
  if (!parsed.ok()) throw InputError(parsed.problem);
  limit.bound = parsed.base / base;
}

/// "bottleneck is [not] STAGE".
Limit bottleneck_limit(std::string_view stage) {
  Limit limit;
  limit.comparison = Comparison::equal;
  limit.bound = 1.0;
  if (stage.starts_with("not ")) {
    stage = trimmed(stage.substr(4));
    limit.bound = 0.0;
  }
  const std::vector<std::string> stages(stage_names.begin(), stage_names.end());
  if (std::find(stages.begin(), stages.end(), stage) == stages.end()) {
    throw InputError(fmt::format("expected a stage ({}), got {}{}", fmt::join(stages, ", "),
                                 in_quotes(stage), did_you_mean(stage, stages)));
  }
  limit.metric = std::string(bottleneck_prefix) + std::string(stage);
  return limit;
}

}  // namespace

Limit parse_limit(std::string_view text, const std::optional<Currency>& own) {
  std::string_view rest = trimmed(text);
  Level level = Level::fail;
  if (rest.starts_with("warn:")) level = Level::warn;
  if (rest.starts_with("warn:") || rest.starts_with("fail:")) rest = trimmed(rest.substr(5));
  const auto finished = [&](Limit limit) {
    limit.level = level;
    limit.text = trimmed(text);
    return limit;
  };
  if (rest.starts_with(bottleneck_prefix)) {
    return finished(bottleneck_limit(trimmed(rest.substr(bottleneck_prefix.size()))));
  }
  const std::size_t at = rest.find_first_of("<>=!");
  const auto op = std::find_if(operators.begin(), operators.end(), [&](const auto& candidate) {
    return at != std::string_view::npos && rest.substr(at).starts_with(candidate.first);
  });
  if (op == operators.end()) {
    throw InputError(
        fmt::format("expected a threshold such as \"{} < 120\" or \"{} increase < 5%\", got {}",
                    name_of(FigureId::money), name_of(FigureId::total_time), in_quotes(text)));
  }
  Limit limit;
  limit.comparison = op->second;
  std::string_view left = trimmed(rest.substr(0, at));
  if (left.ends_with(" increase")) limit.of = LimitOf::increase;
  if (left.ends_with(" decrease")) limit.of = LimitOf::decrease;
  if (left.ends_with(" change")) limit.of = LimitOf::change;
  if (limit.of != LimitOf::value) left = trimmed(left.substr(0, left.rfind(' ')));
  limit.metric = metric_named(left);
  const std::size_t behind = at + op->first.size();
  read_bound(limit, trimmed(rest.substr(behind)),
             fmt::format("{} ", trimmed(rest.substr(0, behind))), left == limit.metric, own);
  return finished(std::move(limit));
}

namespace {

/// METRIC=LIMIT,… on what `of` says.
std::vector<Limit> parse_changes(std::string_view text, LimitOf of) {
  std::vector<Limit> limits;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = trimmed(rest.substr(0, comma));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw InputError(fmt::format("expected METRIC=LIMIT such as \"cost=5%,time=10%\", got {}",
                                   in_quotes(item)));
    }
    Limit limit;
    limit.text = item;
    const std::string_view name = trimmed(item.substr(0, equals));
    const bool all = of == LimitOf::change && name == every_figure;
    limit.metric = all ? std::string(name) : metric_named(name);
    if (all && !item.ends_with('%')) {
      throw InputError(fmt::format(
          "expected a percentage of each figure such as \"all=0.0001%\", got {}", in_quotes(item)));
    }
    if (of == LimitOf::increase && better_of(limit.metric) == Better::more) {
      throw InputError(
          fmt::format("expected a metric of which less is better, got {}: write --threshold "
                      "\"{} decrease < 5%\"",
                      in_quotes(limit.metric), limit.metric));
    }
    limit.of = of;
    limit.comparison = Comparison::less_equal;
    read_bound(limit, trimmed(item.substr(equals + 1)), item.substr(0, equals + 1), false);
    limits.push_back(std::move(limit));
    if (comma == std::string_view::npos) return limits;
    rest = rest.substr(comma + 1);
  }
}

}  // namespace

std::vector<Limit> parse_max_increase(std::string_view text) {
  return parse_changes(text, LimitOf::increase);
}

std::vector<Limit> parse_max_change(std::string_view text) {
  return parse_changes(text, LimitOf::change);
}

std::vector<Limit> default_limits() {
  std::vector<Limit> limits;
  for (const FigureId id : main_figures) {
    if (figure(id).better != Better::less) continue;
    limits.push_back(parse_max_increase(fmt::format("{}=5%", figure(id).alias)).front());
    limits.back().text += " (default)";
    limits.back().file = "default";
  }
  return limits;
}

}  // namespace feedrate::words
