// How single steps of a GPU vary, as they were measured.
#include <algorithm>

#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {
namespace {

using Counted = std::vector<std::pair<double, Duration>>;

std::shared_ptr<const StepTimes> made(const Counted& counted, double accumulation) {
  std::vector<std::pair<double, double>> plain;
  for (const auto& [count, time] : counted) plain.emplace_back(count, time.base());
  queueing::Empirical step(std::move(plain));
  queueing::Empirical group = step.mean_of(std::max(1.0, accumulation));
  return std::make_shared<const StepTimes>(StepTimes{std::move(step), std::move(group)});
}

}  // namespace

std::shared_ptr<const StepTimes> step_times_of(const Counted& counted, double accumulation) {
  if (std::all_of(counted.begin(), counted.end(),
                  [&](const auto& one) { return one.second == counted.front().second; })) {
    return nullptr;
  }
  // The points of a sweep ask the same again and again, and sums of many steps take milliseconds.
  struct Last {
    Counted counted;
    double accumulation = 0.0;
    std::shared_ptr<const StepTimes> times;
  };
  static thread_local Last last;
  if (!last.times || last.accumulation != accumulation || last.counted != counted) {
    last = {counted, accumulation, made(counted, accumulation)};
  }
  return last.times;
}

}  // namespace feedrate::pipeline
