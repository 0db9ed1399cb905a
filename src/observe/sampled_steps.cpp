#include "observe/sampled_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "base/number_text.hpp"
#include "base/statistics.hpp"
#include "observe/observed_means.hpp"

namespace feedrate::observe {
namespace {

/// From one step that is told to the next, as most of them are apart, where most steps are not
/// told; else 1.
std::int64_t stride(const std::vector<Sample>& times) {
  std::map<std::int64_t, int> gaps;
  double told = 0.0;
  double all = 0.0;
  const Sample* before = nullptr;
  for (const Sample& s : times) {
    if (s.name != times.front().name || !s.step) continue;
    if (before != nullptr && before->epoch == s.epoch && *s.step > *before->step) {
      const std::int64_t gap = *s.step - *before->step;
      ++gaps[gap];
      told += s.steps;
      all += static_cast<double>(gap);
    }
    before = &s;
  }
  if (gaps.empty() || told > 0.5 * all) return 1;
  return std::max_element(gaps.begin(), gaps.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace

std::optional<std::string> why_unsure(const StepSamples& told, const ObservationHeader& header,
                                      double workers, const std::string& source) {
  const auto times = told.find(MetricId::step_time);
  if (times == told.end() || workers < 2.0) return std::nullopt;
  constexpr const char* settles =
      "--throughput, samples over time by the clock, settles what all of them are";
  if (header.source.find(source_of_medians) != std::string::npos) {
    return fmt::format(
        "{} tells medians of 20 steps: where one step in {:.0f} waits for its worker, they "
        "leave it out; {}",
        source, workers, settles);
  }
  const std::int64_t apart = stride(times->second);
  if (std::gcd(apart, static_cast<std::int64_t>(workers)) < 2) return std::nullopt;
  return fmt::format(
      "{} tells one step in {}, and {:.0f} workers take turns: the steps between may wait more, or "
      "less; {}",
      source, apart, workers, settles);
}

void tell_unsure(ObservedJob& job, const std::string& why, const std::optional<double>& throughput,
                 double samples) {
  const double rest = job.interval.value - (job.wait ? job.wait->value : 0.0);
  if (job.wait && !job.rest_error) job.rest_error = job.interval.relative_error;
  if (throughput) {
    job.interval = {samples / *throughput, 0.0, 0.0, "told"};
    constexpr double rounding = 0.02;
    if (job.wait && rest > (1.0 + rounding) * job.interval.value) {
      job.notes.push_back(fmt::format(
          "--throughput leaves a step {} ms, but by the lines one takes {} ms without its wait: "
          "--throughput counts",
          three_digits(1e3 * job.interval.value), three_digits(1e3 * rest)));
    }
  } else {
    // Loaders whose workers take turns were simulated: where a log of every 10th step shows those
    // of one worker, it had them up to 1.6 times as fast as they were, or 0.4 times.
    constexpr double wide = 0.4;
    job.interval.relative_error = std::max(job.interval.relative_error, wide);
    job.notes.push_back(why);
  }
  if (!job.wait) return;
  ObservedNumber& wait = *job.wait;
  if (!throughput) {
    wait.relative_error = std::max(wait.relative_error, job.interval.relative_error);
    return;
  }
  wait.value = std::max(0.0, job.interval.value - rest);
  wait.relative_error = wait.value > 0.0 ? *job.rest_error * rest / wait.value : 0.0;
}

std::optional<ObservedNumber> mean_rate(const std::vector<Sample>& rates) {
  std::vector<double> times;
  std::vector<double> steps;
  double work = 0.0;
  double time = 0.0;
  for (const Sample& s : rates) {
    if (!(s.value > 0.0)) continue;
    times.push_back(1.0 / s.value);
    steps.push_back(s.steps);
    work += s.steps;
    time += s.steps / s.value;
  }
  if (times.empty()) return std::nullopt;
  const bool of_steps = rates.front().step.has_value();
  return ObservedNumber{work / time, error_of_mean(times, steps),
                        of_steps ? work : static_cast<double>(times.size()),
                        of_steps ? "steps" : "samples"};
}

std::optional<double> batch_of_lines(const StepSamples& told, const std::vector<Sample>& rates) {
  const auto times = told.find(MetricId::step_time);
  if (times == told.end()) return std::nullopt;
  using Key = std::pair<std::int64_t, std::int64_t>;
  std::map<Key, double> time_of;
  for (const Sample& s : times->second) {
    time_of.try_emplace({s.epoch.value_or(0), s.step.value_or(-1)}, s.value);
  }
  std::vector<double> batches;
  for (const Sample& s : rates) {
    const auto time = time_of.find({s.epoch.value_or(0), s.step.value_or(-1)});
    if (time != time_of.end() && time->second > 0.0) batches.push_back(s.value * time->second);
  }
  if (batches.empty()) return std::nullopt;
  return median(std::move(batches));
}

}  // namespace feedrate::observe
