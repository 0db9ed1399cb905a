#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/errors.hpp"
#include "base/number_chars.hpp"
#include "base/number_text.hpp"
#include "study/optimize_parts.hpp"

namespace feedrate::study {
namespace {

struct NumberWithUnit {
  double number = 0.0;
  std::string_view unit;  // with the space before it; "" for a plain number
};

std::optional<NumberWithUnit> number_of(std::string_view text) {
  NumberWithUnit read;
  const auto [end, error] = read_double(text.data(), text.data() + text.size(), read.number);
  if (error != std::errc() || !std::isfinite(read.number)) return std::nullopt;
  read.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return read;
}

/// Numbers of one unit, each above or each below the one before: their end is one of a range.
std::optional<std::vector<NumberWithUnit>> range_of(const std::vector<std::string>& values) {
  if (values.size() < 2) return std::nullopt;
  std::vector<NumberWithUnit> numbers;
  for (const std::string& value : values) {
    const auto number = number_of(value);
    if (!number || (!numbers.empty() && number->unit != numbers.front().unit)) return std::nullopt;
    numbers.push_back(*number);
  }
  const bool rising = numbers[1].number > numbers[0].number;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const double step = numbers[i].number - numbers[i - 1].number;
    if (rising ? !(step > 0.0) : !(step < 0.0)) return std::nullopt;
  }
  return numbers;
}

/// The value after `last`, as the three before it go on: by a factor where they have one, else by
/// the last step.
double next_of(double third, double second, double last) {
  const bool by_factor = second != 0.0 && third != 0.0 && last / second > 0.0 &&
                         std::abs(last / second - second / third) < 1e-9 * (last / second) &&
                         std::abs((last - second) - (second - third)) > 1e-9 * std::abs(last);
  const double next = by_factor ? last * (last / second) : last + (last - second);
  // Twelve digits hide what binary fractions add.
  return with_digits(next, 12);
}

}  // namespace

std::vector<RangeEnd> range_ends(const Field& field, std::size_t best, const Catalog& catalog,
                                 const HostProfile* host) {
  const Axes& axes = field.axes();
  const std::vector<std::size_t> at = axes.values_at(best);
  const OptimizeOptions& options = field.options();
  std::vector<RangeEnd> list;
  std::size_t stride = axes.size();
  for (std::size_t i = 0; i < axes.axes.size(); ++i) {
    const Axis& axis = axes.axes[i];
    const std::size_t count = axis.values.size();
    stride /= count;
    const bool last = at[i] + 1 == count;
    if (!last && at[i] != 0) continue;
    const auto numbers = range_of(axis.values);
    if (!numbers) continue;
    // A step back must lose: else the end is where the range happens to touch the best.
    const std::size_t back = last ? best - stride : best + stride;
    if (!field.answered(back) || field.rank(back)[0] <= field.rank(best)[0]) continue;
    const auto from_end = [&](std::size_t steps) {
      return (*numbers)[last ? count - 1 - steps : steps].number;
    };
    const double third = count > 2 ? from_end(2) : from_end(0);
    const double next = count > 2 ? next_of(third, from_end(1), from_end(0))
                                  : from_end(0) + (from_end(0) - from_end(1));
    RangeEnd& end = list.emplace_back();
    end.key = axis.key;
    end.value = axis.values[at[i]];
    end.last = last;
    end.beyond = exact_text(next) + std::string(numbers->front().unit);
    Setting set;
    for (std::size_t j = 0; j < axes.axes.size(); ++j) {
      for (auto& one : axes.axes[j].setting(at[j])) set.push_back(std::move(one));
    }
    for (auto& [key, value] : set) {
      if (key == axis.key) value = end.beyond;
    }
    try {
      end.outlay = outlay_of(axes.make(set), catalog, host, options.run);
      end.better = options.constraints.met(end.outlay.time, end.outlay.money) &&
                   rank_of(end.outlay, options.minimized)[0] < field.rank(best)[0];
    } catch (const InputError&) {
      // Where nothing can be beyond the end (one instance, no worker), the end binds nobody.
      list.pop_back();
    }
  }
  return list;
}

}  // namespace feedrate::study
