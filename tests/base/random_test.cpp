#include "base/random.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"

using feedrate::Random;

namespace {

constexpr int draw_count = 1'000'000;

// Largest distance between the empirical and the true distribution, times the square root of the
// number of draws. Under the hypothesis 2.2 is exceeded once in 8,000 times (Kolmogorov).
template <class Sample, class Distribution>
double kolmogorov(Sample&& sample, Distribution&& distribution) {
  std::vector<double> x(draw_count);
  std::generate(x.begin(), x.end(), sample);
  std::sort(x.begin(), x.end());
  double worst = 0;
  for (int i = 0; i < draw_count; ++i) {
    const double f = distribution(x[static_cast<std::size_t>(i)]);
    worst = std::max({worst, f - i / double(draw_count), (i + 1) / double(draw_count) - f});
  }
  return worst * std::sqrt(double(draw_count));
}

}  // namespace

TEST_CASE("random: the exponential and normal draws have their distributions") {
  Random random(5, 0);
  CHECK(kolmogorov([&] { return random.exponential(); }, [](double x) { return -std::expm1(-x); }) <
        2.2);
  CHECK(kolmogorov([&] { return random.normal(); },
                   [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }) < 2.2);
}

TEST_CASE("random: the tails beyond the ziggurat's layers are there, in their measure") {
  // P(exponential > 7.7) = 4.5e-4, P(|normal| > 3.66) = 2.5e-4: 2,260 and 1,260 of 5 million,
  // standard deviations 48 and 36; four of them allowed.
  Random random(6, 0);
  int far_exponential = 0;
  int far_normal = 0;
  for (int i = 0; i < 5'000'000; ++i) {
    if (random.exponential() > 7.7) ++far_exponential;
    if (std::abs(random.normal()) > 3.66) ++far_normal;
  }
  const double e = 5e6 * std::exp(-7.7);
  const double n = 5e6 * std::erfc(3.66 / std::sqrt(2.0));
  CHECK(std::abs(far_exponential - e) < 4 * std::sqrt(e));
  CHECK(std::abs(far_normal - n) < 4 * std::sqrt(n));
}

TEST_CASE("random: a lognormal number has mean 1 and the coefficient of variation asked for") {
  for (const double cv : {0.1, 0.5, 1.0}) {
    Random random(7, 0);
    const double sigma = std::sqrt(std::log1p(cv * cv));
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < draw_count; ++i) {
      const double x = random.lognormal(sigma);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / draw_count;
    CHECK(std::abs(mean - 1) < 4 * cv / 1e3);
    // The variance's own standard error, from the fourth moment of a lognormal with cv 1, is under
    // 0.7 %.
    CHECK(std::sqrt(squares / draw_count - mean * mean) == Approx(cv).epsilon(0.02));
  }
}
