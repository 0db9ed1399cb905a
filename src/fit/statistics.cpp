#include "fit/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace feedrate::fit {
namespace {

constexpr double fence = 8.0;         ///< deviations beyond which a sample is pulled in
constexpr double least_scale = 0.01;  ///< of the median: clocks make samples equal
/// Neighbouring samples share what the machine did meanwhile: more of them in one stretch tell no
/// more of its level.
constexpr std::size_t most_independent = 8;
constexpr double unlikely = 0.1 + 1e-9;

double choose(std::size_t n, std::size_t k) {
  if (k > n) return 0.0;
  const auto a = static_cast<double>(n);
  const auto b = static_cast<double>(k);
  return std::round(
      std::exp(std::lgamma(a + 1.0) - std::lgamma(b + 1.0) - std::lgamma(a - b + 1.0)));
}

/// Chance of at most `runs` runs among `plus` and `minus` signs in random order.
double chance_of_runs(std::size_t runs, std::size_t plus, std::size_t minus) {
  double ways = 0.0;
  for (std::size_t r = 2; r <= runs; ++r) {
    const std::size_t k = r / 2;
    if (r % 2 == 0) {
      ways += 2.0 * choose(plus - 1, k - 1) * choose(minus - 1, k - 1);
    } else {
      ways += choose(plus - 1, k) * choose(minus - 1, k - 1) +
              choose(plus - 1, k - 1) * choose(minus - 1, k);
    }
  }
  return ways / choose(plus + minus, plus);
}

/// Samples with the far ones pulled in.
struct Pulled {
  double mean = 0.0;
  double mean_square = 0.0;  ///< deviation from the mean
  double spread = 0.0;
};

Pulled pull(std::span<const double> samples) {
  Pulled pulled;
  const double middle = median(std::vector<double>(samples.begin(), samples.end()));
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(sample - middle);
  const double deviation = robust_deviation(deviations);
  if (middle != 0.0) pulled.spread = deviation / std::abs(middle);
  const double reach = fence * std::max(deviation, least_scale * std::abs(middle));
  double sum = 0.0;
  double squares = 0.0;
  for (const double d : deviations) {
    const double kept = std::clamp(d, -reach, reach);
    sum += kept;
    squares += kept * kept;
  }
  const auto n = static_cast<double>(samples.size());
  pulled.mean = middle + sum / n;
  pulled.mean_square = std::max(0.0, squares - sum * sum / n) / n;
  return pulled;
}

double square(double value) {
  return value * value;
}

std::size_t different(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

double error_of_mean(std::span<const double> values) {
  return standard_deviation(values) / std::sqrt(static_cast<double>(values.size())) *
         student_factor(values.size() - 1);
}

}  // namespace

double robust_deviation(std::span<const double> values) {
  std::vector<double> sizes;
  for (const double value : values) sizes.push_back(std::abs(value));
  return sizes.empty() ? 0.0 : 1.4826 * median(std::move(sizes));
}

double student_factor(std::size_t degrees, double deviations) {
  const double n = static_cast<double>(degrees);
  const double z = deviations * deviations;
  return 1.0 + (z + 1.0) / (4.0 * n) + ((5.0 * z + 16.0) * z + 3.0) / (96.0 * n * n) +
         (((3.0 * z + 19.0) * z + 17.0) * z - 15.0) / (384.0 * n * n * n);
}

Estimate estimate(std::span<const double> samples) {
  const Pulled pulled = pull(samples);
  Estimate e;
  e.count = samples.size();
  e.value = pulled.mean;
  e.spread = pulled.spread;
  const std::size_t independent = std::min(different(samples), most_independent);
  if (independent < 2 || e.value == 0.0) return e;
  e.relative_error = std::sqrt(pulled.mean_square / static_cast<double>(independent - 1)) *
                     student_factor(independent - 1) / std::abs(e.value);
  return e;
}

Estimate estimate(std::span<const RoundSamples> rounds) {
  if (rounds.size() == 1) return estimate(std::span<const double>(rounds.front().samples));
  std::map<std::size_t, std::vector<const RoundSamples*>> calibrations;
  std::vector<double> all;
  for (const RoundSamples& round : rounds) {
    calibrations[round.calibration].push_back(&round);
    all.insert(all.end(), round.samples.begin(), round.samples.end());
  }
  std::vector<double> levels;
  double within = 0.0;  // sum of squared errors
  for (const auto& [number, members] : calibrations) {
    std::vector<double> means;
    for (const RoundSamples* round : members) means.push_back(pull(round->samples).mean);
    levels.push_back(mean(means));
    if (means.size() > 1) {
      within += square(error_of_mean(means));
    } else {
      const Estimate alone = estimate(std::span<const double>(members.front()->samples));
      within += square(alone.relative_error * alone.value);
    }
  }
  Estimate e = {mean(levels), 0.0, pull(all).spread, all.size()};
  if (e.value == 0.0) return e;
  const double error = std::max(std::sqrt(within) / static_cast<double>(levels.size()),
                                levels.size() > 1 ? error_of_mean(levels) : 0.0);
  e.relative_error = error / std::abs(e.value);
  return e;
}

Apart apart(std::span<const RoundSamples> rounds) {
  std::vector<double> means;
  std::vector<double> noises;  // squares of the standard error of a round's mean
  for (const RoundSamples& round : rounds) {
    const Pulled pulled = pull(round.samples);
    means.push_back(pulled.mean);
    if (round.samples.size() < 2) continue;
    noises.push_back(pulled.mean_square / static_cast<double>(round.samples.size() - 1));
  }
  const double middle = mean(means);
  if (middle == 0.0) return {};
  const double deviation = standard_deviation(means);
  const double noise = noises.empty() ? 0.0 : mean(noises);
  return {std::sqrt(std::max(0.0, deviation * deviation - noise)) / std::abs(middle) *
              student_factor(means.size() - 1),
          2 * noises.size() > means.size()};
}

double jackknife(double whole, std::span<const Refit> refits) {
  struct Stratum {
    double squares = 0.0;
    std::size_t units = 0;
  };
  std::map<std::size_t, Stratum> strata;
  for (const Refit& refit : refits) {
    Stratum& stratum = strata[refit.stratum];
    stratum.squares += square(refit.number - whole);
    ++stratum.units;
  }
  double variance = 0.0;
  std::size_t degrees = 0;
  for (const auto& [number, stratum] : strata) {
    if (stratum.units < 2) continue;
    const auto units = static_cast<double>(stratum.units);
    variance += (units - 1.0) / units * stratum.squares;
    degrees += stratum.units - 1;
  }
  return degrees == 0 ? 0.0 : std::sqrt(variance) * student_factor(degrees);
}

bool has_shape(std::span<const double> residuals) {
  const bool rises = std::is_sorted(residuals.begin(), residuals.end());
  const bool falls = std::is_sorted(residuals.rbegin(), residuals.rend());
  if (residuals.size() >= 5 && rises != falls) return true;
  std::vector<bool> signs;
  for (const double r : residuals) {
    if (r != 0.0) signs.push_back(r > 0.0);
  }
  if (signs.size() < 4) return false;
  std::size_t runs = 1;
  for (std::size_t i = 1; i < signs.size(); ++i) runs += signs[i] != signs[i - 1] ? 1 : 0;
  if (signs.size() <= 7 && runs == 3 && signs.front() == signs.back()) {
    const bool bow = std::all_of(signs.begin() + 1, signs.end() - 1,
                                 [&](bool sign) { return sign != signs.front(); });
    if (bow) return true;
  }
  const auto plus = static_cast<std::size_t>(std::count(signs.begin(), signs.end(), true));
  const std::size_t minus = signs.size() - plus;
  if (plus == 0 || minus == 0) return signs.size() >= 6;
  return chance_of_runs(runs, plus, minus) <= unlikely;
}

}  // namespace feedrate::fit
