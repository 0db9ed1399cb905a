#include "fit/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/errors.hpp"
#include "fit/nnls.hpp"

namespace feedrate::fit {

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
  // Two points cannot tell bandwidth from latency: the bandwidth term alone is fitted.
  if (different == 2) {
    for (Equation& equation : equations) equation.columns.pop_back();
  }
  std::vector<double> c = non_negative_least_squares(equations);
  c.resize(3, 0.0);
  ScalingFit fit;
  fit.bandwidth = c[1] / c[0];
  fit.latency = c[2] / c[0];
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Equation& e = equations[i];
    double predicted = 0.0;
    for (std::size_t j = 0; j < e.columns.size(); ++j) predicted += e.columns[j] * c[j];
    fit.worst_error = std::max(fit.worst_error, std::abs(predicted / e.target - 1.0));
  }
  return fit;
}

}  // namespace feedrate::fit
