#include "fit/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/errors.hpp"
#include "fit/nnls.hpp"

namespace feedrate::fit {
namespace {

/// With the time of one instance and these of the other terms.
ScalingFit fitted(const std::vector<Equation>& all, const std::vector<std::size_t>& terms) {
  std::vector<Equation> equations = all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    equations[i].columns = {all[i].columns[0]};
    for (const std::size_t term : terms) equations[i].columns.push_back(all[i].columns[term]);
  }
  const std::vector<double> found = non_negative_least_squares(equations);
  std::vector<double> c(3, 0.0);
  c[0] = found[0];
  for (std::size_t i = 0; i < terms.size(); ++i) c[terms[i]] = found[i + 1];
  ScalingFit fit;
  fit.bandwidth = c[1] / c[0];
  fit.latency = c[2] / c[0];
  for (const Equation& e : all) {
    double predicted = 0.0;
    for (std::size_t j = 0; j < e.columns.size(); ++j) predicted += e.columns[j] * c[j];
    fit.worst_error = std::max(fit.worst_error, std::abs(predicted / e.target - 1.0));
  }
  return fit;
}

}  // namespace

ScalingFit fit_scaling(std::span<const std::pair<double, Duration>> points) {
  std::vector<Equation> equations;
  std::vector<double> sizes;
  for (const auto& [instances, time] : points) {
    const double work = instances * time.base();
    equations.push_back(
        {{1.0, 2.0 * (instances - 1.0) / instances, 2.0 * (instances - 1.0)}, work, 1.0 / work});
    sizes.push_back(instances);
  }
  std::sort(sizes.begin(), sizes.end());
  const auto different = std::unique(sizes.begin(), sizes.end()) - sizes.begin();
  if (different < 2) {
    throw InputError(std::vector<Problem>{
        {"", 0, "/job/scaling", "expected points at two or more numbers of instances, got one"}});
  }
  // Two sizes cannot tell bandwidth from latency: the one of them that fits better is taken, the
  // bandwidth where both do.
  if (different > 2) return fitted(equations, {1, 2});
  const ScalingFit by_bandwidth = fitted(equations, {1});
  const ScalingFit by_latency = fitted(equations, {2});
  constexpr double as_good = 1e-6;
  return by_latency.worst_error + as_good < by_bandwidth.worst_error ? by_latency : by_bandwidth;
}

}  // namespace feedrate::fit
