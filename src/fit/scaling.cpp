#include "fit/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/number_text.hpp"
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

/// Points that lack one instance leave its time to the fit: far less than of the fewest is a law
/// that they do not follow.
void expect_one_instance(const ScalingFit& fit, double fewest, Duration time) {
  const double loss = fit.lost(fewest);
  // Of the time of the fewest; a fit without a time of one instance has no finite loss.
  const double of_one = std::isfinite(loss) ? fewest / (1.0 + loss) : 0.0;
  if (fewest <= 1.0 || of_one >= ScalingFit::least_of_one) return;
  throw InputError(std::vector<Problem>{
      {"", 0, "/job/scaling",
       fmt::format(
           "expected points from which the time of one instance can be told; by these it "
           "would be {} s, less than the {} s of {:g} instances: add a point of one instance",
           three_digits(of_one * time.base()), three_digits(time.base()), fewest)}});
}

}  // namespace

ScalingFit fit_scaling(std::span<const std::pair<double, Duration>> points,
                       std::span<const std::pair<double, double>> batch_sizes) {
  const auto fewest = std::min_element(batch_sizes.begin(), batch_sizes.end());
  const double reference = fewest != batch_sizes.end() ? fewest->second : 0.0;
  // Exchanges for as many samples, against those of the reference.
  const auto exchanges = [&](double instances) {
    for (const auto& [n, batch] : batch_sizes) {
      if (n == instances) return reference / batch;
    }
    return 1.0;
  };
  std::vector<Equation> equations;
  std::vector<double> sizes;
  for (const auto& [instances, time] : points) {
    const double work = instances * time.base();
    const double more = exchanges(instances);
    equations.push_back(
        {{1.0, more * 2.0 * (instances - 1.0) / instances, more * 2.0 * (instances - 1.0)},
         work,
         1.0 / work});
    sizes.push_back(instances);
  }
  std::sort(sizes.begin(), sizes.end());
  const auto different = std::unique(sizes.begin(), sizes.end()) - sizes.begin();
  if (different < 2) {
    throw InputError(std::vector<Problem>{
        {"", 0, "/job/scaling", "expected points at two or more numbers of instances, got one"}});
  }
  // Of two numbers of instances beside one that was not measured, latency alone leaves that the
  // longest time of all terms.
  const bool open = different == 2 && sizes.front() > 1.0 && batch_sizes.empty();
  ScalingFit fit = different > 2 ? fitted(equations, {1, 2})
                   : open        ? fitted(equations, {2})
                                 : fitted(equations, {1});
  const auto first = std::min_element(points.begin(), points.end());
  expect_one_instance(fit, first->first, first->second);
  fit.batch_size = reference;
  fit.sizes = static_cast<double>(different);
  fit.most = sizes[static_cast<std::size_t>(different) - 1];
  const auto last = std::max_element(points.begin(), points.end());
  const double more_work = last->first * last->second / (first->first * first->second);
  if (open && more_work > 1.0) {
    fit.fewest = first->first;
    fit.more_work = more_work;
  } else if (different == 2) {
    // Of the loss alone, without what batches that change with the instances make of it.
    fit.slope = (fit.lost(fit.most) - fit.lost(sizes.front())) / (fit.most - sizes.front());
  }
  return fit;
}

}  // namespace feedrate::fit
