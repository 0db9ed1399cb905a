#include "cli/default_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace feedrate::cli {
namespace {

// A point of more events than this takes a tenth of a second.
constexpr double many_events = 200'000.0;

std::vector<std::string> texts(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<std::string> out;
  for (const double number : numbers) out.push_back(fmt::format("{}", number));
  return out;
}

}  // namespace

std::vector<api::Vary> first_points(const Scenario& scenario) {
  const double own = scenario.cluster.instances;
  if (!scenario.cluster.unequal_gpus.empty()) return {{"instances", texts({own})}};
  return {{"instances", {fmt::format("{}", own), fmt::format("{}", 2.0 * own)}}};
}

std::vector<api::Vary> more_points(const Scenario& scenario, const Result& base) {
  constexpr std::size_t most_doublings = 12;
  if (base.effort.events > many_events) return {};
  const double own = scenario.cluster.instances;
  std::vector<double> instances = {own};
  // Of unequal instances no other number says how many GPUs each has.
  const double last = scenario.cluster.unequal_gpus.empty() ? std::max(16.0, 2.0 * own) : 0.0;
  for (double n = last > 4096.0 ? own / 4.0 : 1.0; n <= last && instances.size() < most_doublings;
       n *= 2.0) {
    instances.push_back(n);
  }
  std::vector<api::Vary> varied = {{"instances", texts(instances)}};
  if (const auto& efficiency = scenario.job.efficiency) {
    varied.push_back({"efficiency", texts({0.5, 0.6, 0.7, 0.8, 0.9, 1.0, *efficiency})});
  }
  return varied;
}

}  // namespace feedrate::cli
