#include "words/readings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/trimmed.hpp"
#include "base/unit_text.hpp"

namespace feedrate::words {
namespace {

using enum ReadingKind;

double share_of(std::string_view text, const std::string& flag) {
  std::string_view number = trimmed(text);
  if (number.ends_with('%')) number = trimmed(number.substr(0, number.size() - 1));
  const auto percent = number_of(number);
  if (!percent) {
    refuse_flag(
        flag, fmt::format("expected a percentage such as 35 or \"35 %\", got {}", in_quotes(text)));
  }
  if (*percent < 0.0 || *percent > 100.0) {
    refuse_flag(
        flag,
        fmt::format(
            "expected a percentage from 0 to 100, got {}{}", in_quotes(text),
            *percent > 100.0 ? "; a sum over CPUs or GPUs has to be divided by their number" : ""));
  }
  return *percent / 100.0;
}

double mean_share(std::string_view text, const std::string& flag) {
  double sum = 0.0;
  double count = 0.0;
  bool percent = text.find('%') != std::string_view::npos;
  std::string_view fraction;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view one = trimmed(text.substr(begin, end - begin));
    const double share = share_of(one, flag);
    percent = percent || share >= 0.01;
    if (share > 0.0 && fraction.empty()) fraction = one;
    sum += share;
    count += 1.0;
    begin = end + 1;
  }
  // Monitors count to a hundred, programs often to one: nothing here tells which was meant.
  if (!percent && !fraction.empty()) {
    const std::string hundred = three_digits(1e4 * share_of(fraction, flag));
    refuse_flag(flag,
                fmt::format("expected a percentage such as 35 or \"35 %\", got {}: is that {} "
                            "%? Write {} or {}%",
                            in_quotes(fraction), hundred, hundred, fraction));
  }
  return sum / count;
}

void set_threshold(Thresholds& thresholds, std::string_view one, const std::string& flag) {
  const auto refuse = [&](std::string message) {
    throw InputError({{.file = "", .line = 0, .pointer = flag, .message = std::move(message)}});
  };
  const std::size_t equals = one.find('=');
  if (equals == std::string_view::npos) {
    refuse(fmt::format("expected NAME=VALUE such as low=20%, got {}", in_quotes(one)));
  }
  const std::string_view name = one.substr(0, equals);
  const std::span<const ThresholdRow> rows = all_thresholds();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const ThresholdRow& row) { return row.name == name; });
  if (found == rows.end()) {
    std::vector<std::string> names;
    for (const ThresholdRow& row : rows) names.emplace_back(row.name);
    refuse(fmt::format("there is no threshold {}{}; they are {}", in_quotes(name),
                       did_you_mean(name, names), fmt::join(names, ", ")));
  }
  const ReadingRow as{ReadingId::gpu, found->name, found->kind, "", "", ""};
  thresholds[found->id] =
      parse_reading(as, one.substr(equals + 1), fmt::format("{} {}", flag, name));
}

}  // namespace

double parse_reading(const ReadingRow& row, std::string_view text, const std::string& flag) {
  if (row.kind == share) return mean_share(text, flag);
  if (row.kind == time) {
    const ParsedQuantity parsed = parse_quantity(text, dimension_of(Duration{}));
    if (!parsed.ok()) refuse_flag(flag, parsed.problem);
    if (parsed.base < 0.0) {
      refuse_flag(flag, fmt::format("expected a time of 0 s or more, got {}", in_quotes(text)));
    }
    return parsed.base;
  }
  const auto number = number_of(trimmed(text));
  const bool whole = row.kind == steps;
  const bool fine =
      number && (whole ? *number >= 1.0 && *number == std::floor(*number) : *number >= 0.0);
  if (!fine) {
    refuse_flag(flag, fmt::format("expected {}, got {}",
                                  whole ? "a whole number of steps, 1 or more"
                                        : "a ratio such as 1.8, 0 or more",
                                  in_quotes(text)));
  }
  return *number;
}

void set_thresholds(Thresholds& thresholds, std::string_view text, const std::string& flag) {
  std::vector<Problem> problems;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    try {
      set_threshold(thresholds, text.substr(begin, end - begin), flag);
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
    begin = end + 1;
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

std::string reading_text(ReadingKind kind, double value) {
  if (kind == share) {
    const double percent = 100.0 * value;
    if (percent == 0.0) return "0 %";
    return percent >= 9.95 ? fmt::format("{:.0f} %", percent) : fmt::format("{:.1f} %", percent);
  }
  if (kind == time) {
    return value >= 120.0 ? three_digits(value / 60.0) + " min" : three_digits(value) + " s";
  }
  return three_digits(value);
}

std::pair<std::string, std::string> told_apart(ReadingKind kind, double value, double limit) {
  std::string text = reading_text(kind, value);
  const std::string of_limit = reading_text(kind, limit);
  if (text != of_limit || value == limit) return {std::move(text), of_limit};
  // In the unit of the other, which is near.
  const std::string_view unit = std::string_view(of_limit).substr(of_limit.find(' ') + 1);
  const double times = kind == share ? 100.0 : unit == "min" ? 1.0 / 60.0 : 1.0;
  for (int digits = 1; digits <= 9; ++digits) {
    const std::string number = fmt::format("{:.{}f}", times * value, digits);
    if (number == fmt::format("{:.{}f}", times * limit, digits)) continue;
    text = of_limit.find(' ') == std::string::npos ? number : fmt::format("{} {}", number, unit);
    break;
  }
  return {std::move(text), of_limit};
}

std::string read_in_typical_time(const std::string& path, Duration of, std::size_t left_out) {
  return fmt::format(
      "{}: read in the {} in which the job goes on as it does in the long run; {} samples of its "
      "start, of the filling of its pipeline and of the first epoch are left out",
      path, reading_text(time, of.base()), left_out);
}

std::string read_as_one(const ReadingRow& row, const std::string& one, double share,
                        const std::string& other, double other_share) {
  return fmt::format(
      "{} is the mean of {} ({}) and {} ({}): if they are of two machines, diagnose each apart",
      row.title, one, reading_text(row.kind, share), other, reading_text(row.kind, other_share));
}

std::string judged_in_typical_time(Duration of) {
  return fmt::format(
      "the rules judge the {} in which the job goes on as it does in the long run, without its "
      "start, the filling of its pipeline and the first epoch",
      reading_text(time, of.base()));
}

std::string judged_first_part() {
  return "the rules judge the first part alone: the observation has more steps and samples of "
         "workers than fit into memory, and what comes after them is only shown";
}

}  // namespace feedrate::words
