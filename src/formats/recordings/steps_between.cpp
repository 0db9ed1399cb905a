#include "formats/recordings/steps_between.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace feedrate::formats {
namespace {

/// A line, and what it says of all steps until its own.
struct ToldLine {
  std::size_t index = 0;            ///< in the steps of all files
  double done = 0.0;                ///< steps
  double sum = 0.0;                 ///< of all steps until then, from some start on
  double rounding = 0.0;            ///< of `sum`
  double sum_of_alone = 0.0;        ///< of the steps that have a line, until then
  double sum_of_waits = 0.0;        ///< s, of all steps until then
  double sum_of_alone_waits = 0.0;  ///< s
};

/// What lines tell a sum of.
enum class Sums { times, times_and_waits, seconds_a_sample, time_of_day };

/// The lines of a rank in an epoch, in the order of their steps.
class SampledLines {
 public:
  SampledLines(const std::vector<TimedStep>& steps, const std::vector<std::size_t>& indices,
               double first)
      : steps_(steps), before_first_(first == 1.0 ? 0.0 : 1.0) {
    const auto all = [&](auto has) {
      return std::all_of(indices.begin(), indices.end(),
                         [&](std::size_t i) { return has(steps[i].record); });
    };
    using R = StepRecord;
    if (all([](const R& r) { return r.time && r.mean_so_far; })) {
      const bool waits = all([](const R& r) { return r.wait && r.wait_so_far; });
      sums_ = waits ? Sums::times_and_waits : Sums::times;
    } else if (all([](const R& r) {
                 return r.samples_per_s.value_or(0.0) > 0.0 && r.rate_so_far.value_or(0.0) > 0.0;
               })) {
      sums_ = Sums::seconds_a_sample;
    } else if (all([](const R& r) { return r.time && r.at; })) {
      sums_ = Sums::time_of_day;
      to_the_second_ = all([](const R& r) { return *r.at == std::floor(*r.at); });
    } else {
      return;
    }
    for (const std::size_t i : indices) take(i);
  }

  void tell(std::vector<std::optional<StepsBetween>>& between) const {
    // Means of something else than all steps until then: of an epoch that was resumed, a meter
    // begins anew.
    for (std::size_t i = 1; i < lines_.size(); ++i) {
      const double rounding = lines_[i - 1].rounding + lines_[i].rounding;
      if (sums_ != Sums::time_of_day && rest(i - 1, i) < -rounding) return;
    }
    std::size_t from = 0;
    std::optional<std::size_t> before;  // where the last stretch begins that ends at `from`
    for (std::size_t to = 1; to < lines_.size(); ++to) {
      if (pauses(to)) {
        from = to;
        before.reset();
        continue;
      }
      constexpr double fine = 0.05;
      constexpr double coarse = 0.25;
      const bool last = to + 1 == lines_.size() || pauses(to + 1);
      // Lines that come in one go after a while tell nothing but all together.
      if (rounding(from, to) <= fine && rest(from, to) >= 0.0) {
        stretch(from, to, between);
        before = from;
        from = to;
      } else if (last && before) {
        stretch(*before, to, between);
      } else if (last && rounding(from, to) <= coarse) {
        stretch(from, to, between);
      }
    }
  }

 private:
  void take(std::size_t index) {
    const StepRecord& r = steps_[index].record;
    double alone = 0.0;  // of its own step, in the unit of the sums
    double wait = 0.0;
    ToldLine line;
    line.index = index;
    line.done = *r.step + before_first_;
    switch (sums_) {
      case Sums::times_and_waits:
        wait = *r.wait;
        line.sum_of_waits = *r.wait_so_far * line.done;
        [[fallthrough]];
      case Sums::times: {
        constexpr double half_a_digit = 0.0005;  // they are printed with three
        alone = *r.time;
        line.sum = *r.mean_so_far * line.done;
        line.rounding = half_a_digit * line.done;
        break;
      }
      case Sums::seconds_a_sample:
        if (*r.step <= 2.0) return;  // DeepSpeed's mean begins with the third step
        alone = 1.0 / *r.samples_per_s;
        line.sum = (*r.step - 2.0) / *r.rate_so_far;
        break;
      case Sums::time_of_day:
        alone = *r.time;
        line.sum = *r.at;
        line.rounding = to_the_second_ ? 0.5 : 0.0005;
        longest_ = std::max(longest_, alone);
        break;
    }
    if (!lines_.empty()) {
      line.sum_of_alone = lines_.back().sum_of_alone;
      line.sum_of_alone_waits = lines_.back().sum_of_alone_waits;
    }
    line.sum_of_alone += alone;
    line.sum_of_alone_waits += wait;
    lines_.push_back(line);
  }

  /// Whether the time before a line is not of its steps: somebody stopped the job, or went on
  /// with it later.
  [[nodiscard]] bool pauses(std::size_t to) const {
    if (sums_ != Sums::time_of_day) return false;
    const ToldLine& a = lines_[to - 1];
    const ToldLine& b = lines_[to];
    constexpr double minute = 60.0;
    constexpr double slower = 20.0;
    return b.sum < a.sum || b.sum - a.sum > minute + slower * longest_ * (b.done - a.done);
  }

  [[nodiscard]] double rounding(std::size_t from, std::size_t to) const {
    const ToldLine& a = lines_[from];
    const ToldLine& b = lines_[to];
    return b.sum > a.sum ? (a.rounding + b.rounding) / (b.sum - a.sum) : 1.0;
  }

  /// Of a stretch, what the lines' own steps leave.
  [[nodiscard]] double rest(std::size_t from, std::size_t to) const {
    const ToldLine& a = lines_[from];
    const ToldLine& b = lines_[to];
    return b.sum - a.sum - (b.sum_of_alone - a.sum_of_alone);
  }

  void stretch(std::size_t from, std::size_t to,
               std::vector<std::optional<StepsBetween>>& between) const {
    const ToldLine& a = lines_[from];
    const ToldLine& b = lines_[to];
    const double unseen = b.done - a.done - static_cast<double>(to - from);
    const double waits_between =
        b.sum_of_waits - a.sum_of_waits - (b.sum_of_alone_waits - a.sum_of_alone_waits);
    if (unseen < 1.0 || rest(from, to) < 0.0) return;
    if (!std::isfinite(rest(from, to) + waits_between)) return;
    const double mean = rest(from, to) / unseen;
    for (std::size_t i = from + 1; i <= to; ++i) {
      StepsBetween made;
      made.steps = lines_[i].done - lines_[i - 1].done - 1.0;
      if (made.steps < 1.0) continue;
      if (sums_ == Sums::seconds_a_sample) {
        if (!std::isfinite(1.0 / mean)) continue;
        made.samples_per_s = 1.0 / mean;
      } else {
        made.time = mean;
      }
      if (sums_ == Sums::times_and_waits) {
        made.wait = std::clamp(waits_between / unseen, 0.0, mean);
      }
      between[lines_[i].index] = made;
    }
  }

  const std::vector<TimedStep>& steps_;
  double before_first_ = 0.0;  ///< steps done at the one that has number 0
  std::vector<ToldLine> lines_;
  Sums sums_{};
  bool to_the_second_ = false;
  double longest_ = 0.0;  ///< s, of the steps that lines tell
};

bool is_of_one_step(const StepRecord& record) {
  constexpr double most = 9e15;
  return !record.since_before && record.steps == 1.0 && record.step && *record.step >= 0.0 &&
         *record.step <= most && *record.step == std::floor(*record.step);
}

}  // namespace

std::map<FormatId, double> first_steps(const std::vector<TimedStep>& steps) {
  std::map<FormatId, double> all;
  for (const TimedStep& timed : steps) {
    const double step = timed.record.step.value_or(0.0);
    const auto [first, fresh] = all.try_emplace(timed.format, step);
    first->second = std::min(first->second, step);
  }
  return all;
}

LineSpacing::LineSpacing(const std::vector<TimedStep>& steps) {
  struct OfFormat {
    std::map<double, int> gaps;  // from line to line, and how often
    double least_first = 0.0;
    int rounds = 0;
  };
  std::map<FormatId, OfFormat> formats;
  std::map<double, double> last;  // step of each rank in the round
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const TimedStep& timed = steps[i];
    const bool begins =
        i == 0 || steps[i - 1].format != timed.format || steps[i - 1].round != timed.round;
    if (begins) last.clear();
    if (!timed.record.step) continue;
    const double step = *timed.record.step;
    OfFormat& of = formats[timed.format];
    const bool first = last.empty();
    const auto [before, fresh] = last.try_emplace(timed.record.rank.value_or(-1.0), step);
    if (first) {
      of.least_first = of.rounds++ == 0 ? step : std::min(of.least_first, step);
    } else if (!fresh && step > before->second) {
      ++of.gaps[step - before->second];
      before->second = step;
    }
  }
  for (const auto& [format, of] : formats) {
    double usual = 0.0;  // of those that are as often the longest
    int often = 0;
    int gaps = 0;
    for (const auto& [gap, count] : of.gaps) {
      gaps += count;
      if (count >= often) usual = gap;
      often = std::max(often, count);
    }
    // A round alone, of two lines, may be an epoch that ends soon after its first line.
    if (of.rounds > 1) most_[format] = std::max(usual, of.least_first);
    if (of.rounds == 1 && gaps > 1) most_[format] = usual;
  }
}

double LineSpacing::before_first(FormatId format, double steps) const {
  const auto most = most_.find(format);
  return std::max(1.0, most == most_.end() ? steps : std::min(steps, most->second));
}

std::vector<std::optional<StepsBetween>> steps_between(const std::vector<TimedStep>& steps,
                                                       const std::map<FormatId, double>& first) {
  std::vector<std::optional<StepsBetween>> between(steps.size());
  std::map<double, std::vector<std::size_t>> ranks;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const TimedStep& step = steps[i];
    if (is_of_one_step(step.record)) {
      auto& lines = ranks[step.record.rank.value_or(-1.0)];
      if (lines.empty() || steps[lines.back()].record.step != step.record.step) lines.push_back(i);
    }
    const bool last = i + 1 == steps.size() || steps[i + 1].format != step.format ||
                      steps[i + 1].round != step.round;
    if (!last) continue;
    for (const auto& [rank, lines] : ranks) {
      if (lines.size() > 1) SampledLines(steps, lines, first.at(step.format)).tell(between);
    }
    ranks.clear();
  }
  return between;
}

}  // namespace feedrate::formats
