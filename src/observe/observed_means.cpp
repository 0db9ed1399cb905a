#include "observe/observed_means.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/statistics.hpp"

namespace feedrate::observe {

Moments moments_of(const std::vector<double>& values) {
  Moments m;
  m.count = static_cast<double>(values.size());
  if (values.empty()) return m;
  m.mean = mean(values);
  if (values.size() > 1) m.sd = standard_deviation(values);
  return m;
}

double error_of_mean(const std::vector<double>& values) {
  return error_of_mean(values, std::vector<double>(values.size(), 1.0));
}

double error_of_mean(const std::vector<double>& values, const std::vector<double>& weights) {
  const std::size_t blocks = std::min<std::size_t>(10, values.size());
  if (blocks < 2) return 0.0;
  std::vector<double> means;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t from = b * values.size() / blocks;
    const std::size_t to = (b + 1) * values.size() / blocks;
    double sum = 0.0;
    double weight = 0.0;
    for (std::size_t i = from; i < to; ++i) {
      sum += values[i] * weights[i];
      weight += weights[i];
    }
    means.push_back(sum / weight);
  }
  const Moments m = moments_of(means);
  return m.mean > 0.0 ? m.sd / std::sqrt(m.count) / m.mean : 0.0;
}

ObservedNumber number_of(const std::vector<double>& values, const char* what) {
  return {moments_of(values).mean, error_of_mean(values), static_cast<double>(values.size()), what};
}

}  // namespace feedrate::observe
