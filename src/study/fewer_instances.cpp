// Fewer instances: how many of them cost least.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/parallel.hpp"
#include "study/remedy.hpp"
#include "study/run.hpp"
#include "study/scale.hpp"
#include "words/remedies.hpp"

namespace feedrate::study {
namespace {

/// The job's costs by its number of instances, on as many samples.
class Costs {
 public:
  explicit Costs(const Situation& s) : s_(s) {
    const Duration now = s.result.times.total;
    const auto& deadline = s.constraints.deadline;
    longest_ = deadline && now <= *deadline ? *deadline : little_longer * now;
  }

  /// The cheapest of these; of equal ones the first. Empty where none can run or is soon enough.
  [[nodiscard]] std::optional<double> cheapest(const std::vector<double>& numbers) const {
    std::vector<double> costs(numbers.size());
    for_each_index(numbers.size(), 0, [&](std::size_t i) { costs[i] = cost(numbers[i]); });
    const auto least = std::min_element(costs.begin(), costs.end());
    if (!std::isfinite(*least)) return std::nullopt;
    return numbers[static_cast<std::size_t>(least - costs.begin())];
  }

 private:
  [[nodiscard]] double cost(double instances) const {
    Scenario job = s_.scenario;
    job.cluster.instances = instances;
    if (job.job.steps) {
      job.job.steps = steps_of_as_many(*job.job.steps, s_.inputs().cluster_instances(), instances);
    }
    RunOptions options;
    options.list_inputs = false;
    options.gains = Gains::none;
    options.refuse_unheld = true;
    try {
      const Result result = run(job, s_.catalog, s_.host, options);
      if (result.times.total > longest_) return std::numeric_limits<double>::infinity();
      return s_.priced ? result.bill.total.base() : result.times.total.base();
    } catch (const InputError&) {
      return std::numeric_limits<double>::infinity();
    }
  }

  const Situation& s_;
  Duration longest_;
};

/// Half as many, a quarter, and so on.
std::vector<double> halves(double now) {
  std::vector<double> list;
  for (double n = now; n > 1.0;) {
    n = std::ceil(n / 2.0);
    list.push_back(n);
  }
  return list;
}

/// The cheapest near the cheapest of the `halves`: in ever finer steps between its neighbours, as
/// what binds up to some number of instances sets the price of all beyond it. Empty where none of
/// these is soon enough: what is barely so would stand in the place of what saves most.
std::optional<double> cheapest_near(const Costs& costs, const std::vector<double>& halves,
                                    double now) {
  constexpr double parts = 8.0;
  std::optional<double> best = costs.cheapest(halves);
  if (!best) return best;
  double low = std::max(1.0, std::floor(*best / 2.0)), high = std::min(now - 1.0, 2.0 * *best);
  for (;;) {
    const double step = std::max(1.0, std::floor((high - low) / parts));
    std::vector<double> numbers{*best};
    for (double n = high; n >= low; n -= step) {
      if (n != *best) numbers.push_back(n);
    }
    best = costs.cheapest(numbers);
    if (!best || step <= 1.0) return best;
    low = std::max(low, *best - step);
    high = std::min(high, *best + step);
  }
}

}  // namespace

std::vector<Change> fewer_instances(const Situation& s) {
  const double now = s.inputs().cluster_instances();
  const std::vector<double> half = halves(now);
  if (half.empty()) return {};
  std::set<double, std::greater<>> numbers(half.begin(), half.end());
  if (const auto best = cheapest_near(Costs(s), half, now)) numbers.insert(*best);
  std::vector<Change> list;
  for (const double n : numbers) {
    Change change{{{"instances", exact_text(n)}},
                  words::number_of(n, n > 1.0 ? "instances" : "instance")};
    keep_samples_of_steps(s, now, n, change);
    list.push_back(std::move(change));
  }
  return list;
}

}  // namespace feedrate::study
