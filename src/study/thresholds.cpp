#include "study/thresholds.hpp"

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
#include "base/unit_text.hpp"
#include "model/stage.hpp"
#include "study/metrics.hpp"

namespace feedrate::study {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> aliases = {
    {{"cost", "money_usd"}, {"total_cost", "total_usd"}, {"time", "total_s"}}};

// Longer ones first: "<=" starts with "<".
constexpr std::array<std::pair<std::string_view, Comparison>, 6> operators = {
    {{"<=", Comparison::less_equal},
     {">=", Comparison::greater_equal},
     {"==", Comparison::equal},
     {"!=", Comparison::unequal},
     {"<", Comparison::less},
     {">", Comparison::greater}}};

constexpr std::string_view bottleneck_prefix = "bottleneck is ";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

[[noreturn]] void refuse(const std::string& message) {
  throw InputError(message);
}

std::string metric_named(std::string_view word) {
  for (const auto& [alias, metric] : aliases) {
    if (word == alias) return std::string(metric);
  }
  std::vector<std::string> names = metric_names();
  std::erase_if(names, [](const std::string& name) { return name.starts_with(bottleneck_prefix); });
  if (std::find(names.begin(), names.end(), word) != names.end()) return std::string(word);
  for (const auto& [alias, metric] : aliases) names.emplace_back(alias);
  refuse(fmt::format("expected a metric such as money_usd, total_s or gpu_busy, got {}{}",
                     in_quotes(word), did_you_mean(word, names)));
}

void read_bound(Limit& limit, std::string_view text) {
  const std::string_view unit = unit_of(limit.metric);
  const auto expected = [&] {
    const std::string own = unit.empty() ? "" : fmt::format(", or with a unit ({})", unit);
    return fmt::format("expected a number{}{}, got {}", own,
                       limit.of == LimitOf::value ? "" : ", or a percentage", in_quotes(text));
  };
  const auto number = leading_number(text);
  if (!number) refuse(expected());
  limit.bound = number->value;
  const std::string_view behind = trimmed(number->rest);
  if (behind.empty()) return;
  if (behind == "%") {
    limit.bound /= 100.0;
    limit.relative = limit.of != LimitOf::value;
    // A share is a fraction of 1 itself; a percentage of dollars needs something to be a part of.
    if (!limit.relative && !unit.empty()) {
      refuse(
          fmt::format("expected an amount such as \"{} < 120 {}\" or an increase such as "
                      "\"{} increase < 5%\", got {}",
                      limit.metric, unit, limit.metric, in_quotes(text)));
    }
    return;
  }
  std::optional<Dimension> dimension;
  if (unit == "USD") dimension = dimension_of(Money{});
  if (unit == "s" || unit == "ms" || unit == "h") dimension = dimension_of(Duration{});
  if (unit == "samples/s") dimension = dimension_of(Throughput{});
  if (!dimension) refuse(expected());
  const ParsedQuantity parsed = parse_quantity(text, *dimension);
  if (!parsed.ok()) refuse(parsed.problem);
  limit.bound = parsed.base;
  if (unit == "ms") limit.bound *= 1e3;
  if (unit == "h") limit.bound /= 3600.0;
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
    refuse(fmt::format("expected a stage ({}), got {}{}", fmt::join(stages, ", "), in_quotes(stage),
                       did_you_mean(stage, stages)));
  }
  limit.metric = std::string(bottleneck_prefix) + std::string(stage);
  return limit;
}

}  // namespace

bool more_is_better(std::string_view metric) {
  return metric == "gpu_busy" || metric == "efficiency" || metric == "throughput_samples_per_s";
}

std::string_view unit_of(std::string_view metric) {
  if (metric == "throughput_samples_per_s") return "samples/s";
  if (metric == "hours") return "h";
  if (metric == "step_ms") return "ms";
  if (metric.ends_with("_usd")) return "USD";
  if (metric.ends_with("_s") || metric.starts_with("stall_s.")) return "s";
  return "";
}

Limit parse_limit(std::string_view text) {
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
    refuse(
        fmt::format("expected a threshold such as \"money_usd < 120\" or \"total_s increase < "
                    "5%\", got {}",
                    in_quotes(text)));
  }
  Limit limit;
  limit.comparison = op->second;
  std::string_view left = trimmed(rest.substr(0, at));
  if (left.ends_with(" increase")) limit.of = LimitOf::increase;
  if (left.ends_with(" decrease")) limit.of = LimitOf::decrease;
  if (limit.of != LimitOf::value) left = trimmed(left.substr(0, left.size() - 9));
  limit.metric = metric_named(left);
  read_bound(limit, trimmed(rest.substr(at + op->first.size())));
  return finished(std::move(limit));
}

std::vector<Limit> parse_max_increase(std::string_view text) {
  std::vector<Limit> limits;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = trimmed(rest.substr(0, comma));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      refuse(fmt::format("expected METRIC=LIMIT such as \"cost=5%,time=10%\", got {}",
                         in_quotes(item)));
    }
    Limit limit;
    limit.text = item;
    limit.metric = metric_named(trimmed(item.substr(0, equals)));
    if (more_is_better(limit.metric)) {
      refuse(
          fmt::format("expected a metric of which less is better, got {}: write --threshold "
                      "\"{} decrease < 5%\"",
                      in_quotes(limit.metric), limit.metric));
    }
    limit.of = LimitOf::increase;
    limit.comparison = Comparison::less_equal;
    read_bound(limit, trimmed(item.substr(equals + 1)));
    limits.push_back(std::move(limit));
    if (comma == std::string_view::npos) return limits;
    rest = rest.substr(comma + 1);
  }
}

std::vector<Limit> default_limits() {
  std::vector<Limit> limits = parse_max_increase("cost=5%,total_cost=5%,time=5%");
  for (Limit& limit : limits) {
    limit.text += " (default)";
    limit.file = "default";
  }
  return limits;
}

}  // namespace feedrate::study
