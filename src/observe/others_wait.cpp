#include "observe/others_wait.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/portable_math.hpp"
#include "base/statistics.hpp"

namespace feedrate::observe {
namespace {

/// Where every rank tells the wait of each step: how much longer than the first one's the longest
/// of a step is. Means over steps do not tell who waited in which.
std::optional<double> told_by_all(const StepSamples& told, double ranks) {
  const auto waits = told.find(MetricId::data_wait);
  if (waits == told.end() || waits->second.empty()) return std::nullopt;
  struct OfStep {
    std::optional<double> own{};
    double longest = 0.0;
    std::set<std::string> ranks{};
  };
  using Key = std::pair<std::int64_t, std::int64_t>;
  std::map<Key, OfStep> steps;
  std::map<std::string, std::int64_t> places;
  const std::string& first = waits->second.front().name;
  for (const Sample& s : waits->second) {
    if (s.steps != 1.0) continue;
    OfStep& step = steps[{s.epoch.value_or(0), s.step.value_or(places[s.name]++)}];
    if (s.name == first) step.own = s.value;
    step.longest = std::max(step.longest, s.value);
    step.ranks.insert(s.name);
  }
  std::vector<double> more;
  for (const auto& [key, step] : steps) {
    if (step.own && static_cast<double>(step.ranks.size()) >= ranks) {
      more.push_back(step.longest - *step.own);
    }
  }
  constexpr std::size_t least = 10;
  return more.size() < least ? std::nullopt : std::optional(mean(more));
}

/// What a rank tells of its steps, each by itself or means of some.
struct ToldSteps {
  std::vector<double> waits, rests;
  bool means = false;

  [[nodiscard]] bool enough() const { return rests.size() >= 10; }
};

ToldSteps steps_told(const std::vector<Run>& runs, bool means) {
  ToldSteps told;
  told.means = means;
  for (const Run& run : runs) {
    for (const SeenStep& step : run) {
      if (!step.wait || (step.steps != 1.0 && !means)) continue;
      told.waits.push_back(*step.wait);
      told.rests.push_back(std::max(0.0, step.length - *step.wait));
    }
  }
  return told;
}

/// Of the steps that wait longest for their own batch the middle rest: this rank's batch is then
/// the one that all wait for.
double rest_of_latest(const ToldSteps& told, double ranks) {
  std::vector<std::size_t> order(told.waits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return told.waits[a] > told.waits[b]; });
  const auto some = static_cast<std::size_t>(static_cast<double>(order.size()) / (2.0 * ranks));
  order.resize(std::min(order.size(), std::max<std::size_t>(5, some)));
  std::vector<double> rests;
  for (const std::size_t i : order) rests.push_back(told.rests[i]);
  return median(std::move(rests));
}

/// Logarithm of the largest over the least, halved: 90 % of simulated jobs had their step within
/// 1.6 of these.
double half_spread(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  constexpr double widest = 1.0;
  if (*least <= 0.0) return *most > 0.0 ? widest : 0.0;
  return std::min(widest, 0.5 * portable::log(*most / *least));
}

}  // namespace

void tell_others_wait(ObservedJob& job, const StepSamples& told, const std::vector<Run>& runs) {
  const double ranks = job.gpus * job.instances;
  if (ranks < 2.0 || !job.wait) return;
  const double interval = job.interval.value;
  const double rest = interval - job.wait->value;
  const auto separate = [&](double others, double error) {
    job.rest_error = std::max(job.rest_error.value_or(job.interval.relative_error), error);
    constexpr double rounding = 1e-9;  // of sums
    if (others <= rounding * interval) return;
    // All waits together are what the step leaves.
    const double of_all =
        portable::hypot(job.interval.relative_error * interval, *job.rest_error * (rest - others));
    job.others_wait = ObservedNumber{
        others, portable::hypot(of_all, job.wait->relative_error * job.wait->value) / others,
        job.wait->count, job.wait->what};
  };
  if (const auto more = told_by_all(told, ranks)) return separate(std::min(*more, rest), 0.0);

  // A hand-over is waited for by each step; of ranks that are alike all wait where one does.
  constexpr double longest_handover = 0.02;
  constexpr double waits_at_all = 0.005;
  const double late =
      job.wait->value - std::min(job.least_wait.value_or(0.0), longest_handover * interval);
  const bool waits = late > waits_at_all * interval;
  ToldSteps steps = steps_told(runs, false);
  if (!steps.enough()) steps = steps_told(runs, true);
  if (!steps.enough()) {
    // In each step some rank waits all of the time, so that it is no more than these times as long
    // as the wait of one.
    const double least = std::max(0.25 * rest, interval - ranks * late);
    return separate(0.0, waits ? half_spread({least, rest}) : 0.0);
  }
  const double densest = half_sample_mode(steps.rests);
  if (!waits) return separate(0.0, half_spread({densest, rest}));
  const double latest = rest_of_latest(steps, ranks);
  const double low = value_at_share(steps.rests, 0.5 / ranks);
  // Of means each holds waiting, the least of them least.
  const double own = std::min({densest, latest, steps.means ? low : densest});
  // By luck a rank may wait less than its share for long, but not for ever.
  constexpr double luck = 10.0;
  const double others = std::clamp(rest - own, 0.0, luck * (ranks - 1.0) * late);
  constexpr double of_means = 0.2;
  separate(others, std::max(half_spread({densest, latest, low, rest - others}),
                            steps.means ? of_means : 0.0));
}

}  // namespace feedrate::observe
