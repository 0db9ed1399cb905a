#include "queueing/pace.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "base/random.hpp"
#include "catch.hpp"

using namespace feedrate::queueing;

namespace {

/// Of coefficient of variation `cv`.
double lognormal(feedrate::Random& random, double mean, double cv) {
  return mean * random.lognormal(std::sqrt(std::log1p(cv * cv)));
}

/// `ranks` loaders of `workers` each make batches in `load` seconds a rank; each rank's GPU takes
/// them in order through a launch queue of one, `step` seconds each, and all meet after each.
double simulated_period(int ranks, int workers, int prefetch, double load, double cv, double step,
                        int steps) {
  feedrate::Random random(5, 0);
  const auto n = static_cast<std::size_t>(ranks);
  const auto w = static_cast<std::size_t>(workers);
  const auto held = w * static_cast<std::size_t>(prefetch);
  std::vector<std::vector<double>> done(n, std::vector<double>(w));
  std::vector<std::vector<double>> taken(n, std::vector<double>(held));
  std::vector<double> gpu(n), put(n), started(n);
  double warm = 0.0;
  const auto latest = [&] { return *std::max_element(gpu.begin(), gpu.end()); };
  for (int k = 0; k < steps; ++k) {
    const auto b = static_cast<std::size_t>(k);
    for (std::size_t r = 0; r < n; ++r) {
      const double begin = std::max(done[r][b % w], b >= held ? taken[r][b % held] : 0.0);
      done[r][b % w] = begin + lognormal(random, workers * load, cv);
      taken[r][b % held] = std::max(done[r][b % w], put[r]);
      put[r] = std::max(taken[r][b % held], started[r]);
      started[r] = std::max(put[r], gpu[r]);
      gpu[r] = started[r] + step;
    }
    std::fill(gpu.begin(), gpu.end(), latest());
    if (k == steps / 10) warm = latest();
  }
  return (latest() - warm) / (steps - 1 - steps / 10);
}

/// As pipeline/mean.cpp puts it together.
double predicted_period(int ranks, int workers, int prefetch, double load, double cv, double step) {
  const double buffer = prefetch - 0.5 + 2.2 / (workers * std::sqrt(workers));
  const double slower = load * (1.0 + barrier_loss(ranks * workers, cv * cv, buffer));
  return slower_of(slower, step, cv * cv, buffer);
}

}  // namespace

TEST_CASE("pace: the largest of n normal-like times by known values") {
  CHECK(largest_of(1.0, 0.3).mean == 1.0);
  CHECK(largest_of(64.0, 0.0).mean == 1.0);
  // Of two: mean + cv/sqrt(pi) for small cv; of 64: 2.344 deviations (tables of order statistics).
  CHECK(largest_of(2.0, 0.01).mean == Approx(1.0 + 0.01 / std::sqrt(M_PI)).epsilon(1e-5));
  CHECK(largest_of(64.0, 0.001).mean == Approx(1.0 + 0.001 * 2.3437).epsilon(1e-5));
  CHECK(largest_of(1.0, 0.3).deviation == 0.3);
  double before = 1.0;
  for (double n = 2.0; n < 10000.0; n *= 3.0) {
    CHECK(largest_of(n, 0.2).mean > before);
    before = largest_of(n, 0.2).mean;
  }
}

TEST_CASE("pace: the largest of n is what drawing says") {
  feedrate::Random random(5, 0);
  for (const int n : {2, 8, 100}) {
    double sum = 0.0;
    constexpr int draws = 20000;
    for (int i = 0; i < draws; ++i) {
      double most = 0.0;
      for (int k = 0; k < n; ++k) most = std::max(most, lognormal(random, 1.0, 0.3));
      sum += most;
    }
    const Largest largest = largest_of(n, 0.3);
    CHECK(sum / draws == Approx(largest.mean).margin(5.0 * largest.deviation / std::sqrt(draws)));
  }
}

TEST_CASE("pace: the slower of two is at least the maximum, monotone, and scales") {
  std::mt19937 bits(3);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 8U) / 16777216.0);
  };
  for (int i = 0; i < 2000; ++i) {
    const double a = std::exp(uniform(-9.0, 3.0));
    const double b = std::exp(uniform(-9.0, 3.0));
    const double variance = uniform(0.0, 0.5);
    const double buffer = uniform(0.5, 40.0);
    const double period = slower_of(a, b, variance, buffer);
    // As its definition has it, as far as doubles go.
    const double power = std::log(2.0) / std::log1p(variance / (2.0 * buffer));
    const double most = std::max(a, b);
    const double norm = most * std::pow(1.0 + std::pow(std::min(a, b) / most, power), 1.0 / power);
    REQUIRE(period == Approx(norm).epsilon(1e-12));
    REQUIRE(period >= std::max(a, b));
    REQUIRE(period <= std::max(a, b) * (1.0 + variance / (2.0 * buffer) + 1e-9));
    REQUIRE(slower_of(a * 1.001, b, variance, buffer) >= period);
    REQUIRE(slower_of(a, b * 1.001, variance, buffer) >= period);
    REQUIRE(slower_of(a, b, variance + 0.01, buffer) >= period);
    REQUIRE(slower_of(a, b, variance, buffer * 1.1) <= period);
    REQUIRE(slower_of(3.0 * a, 3.0 * b, variance, buffer) == Approx(3.0 * period).epsilon(1e-12));
  }
  CHECK(slower_of(2.0, 1.0, 0.0, 1.0) == 2.0);
  CHECK(slower_of(0.0, 1.0, 0.3, 1.0) == 1.0);
  CHECK(slower_of(1.0, 1.0, 0.3, 2.0) == Approx(1.0 + 0.3 / 4.0).epsilon(1e-12));
}

TEST_CASE("pace: the largest of n exceeds the mean by a smooth number of deviations") {
  for (double n = 1.0; n <= 100.0; n += 1.0) {
    const double found = deviations_of_largest(n);
    CHECK(found == Approx(std::sqrt(0.95 * 0.95 + 2.0 * std::log(n)) - 0.95).margin(1e-12));
    constexpr double cv = 1e-3;  // hardly any skew
    CHECK(std::abs(found - (largest_of(n, cv).mean - 1.0) / cv) < 0.3);
  }
}

TEST_CASE("pace: sources that wait for each other lose variance · H(n-1) / (2 buffer)") {
  CHECK(barrier_loss(1.0, 0.1, 2.0) == 0.0);
  CHECK(barrier_loss(2.0, 0.1, 2.0) == Approx(0.1 / 4.0).epsilon(1e-9));
  CHECK(barrier_loss(4.0, 0.1, 2.0) == Approx(0.1 * (1.0 + 0.5 + 1.0 / 3.0) / 4.0).epsilon(1e-9));
  double harmonic = 0.0;
  for (double n = 2.0; n < 200.0; n += 1.0) {
    harmonic += 1.0 / (n - 1.0);
    CHECK(barrier_loss(n, 0.1, 2.0) == Approx(0.1 * harmonic / 4.0).epsilon(1e-12));
    // Between whole numbers H(x) = H(x − 1) + 1/x as well.
    const double x = n - 0.7;
    CHECK(barrier_loss(x + 1.0, 1.0, 0.5) - barrier_loss(x, 1.0, 0.5) ==
          Approx(1.0 / x).epsilon(1e-9));
  }
}

TEST_CASE("pace: simulated chains of workers and ranks are within 2 % of the law") {
  struct Setting {
    int ranks, workers, prefetch;
    double cv;
  };
  for (const Setting& s : {Setting{1, 1, 2, 0.3},
                           {1, 4, 2, 0.1},
                           {1, 8, 2, 0.1},
                           {1, 8, 4, 0.3},
                           {4, 1, 1, 0.3},
                           {8, 1, 2, 0.3},
                           {8, 2, 2, 0.1},
                           {8, 4, 2, 0.3},
                           {8, 8, 4, 0.1},
                           {64, 1, 2, 0.1},
                           {64, 4, 2, 0.1}}) {
    for (const double step : {0.01, 0.9, 1.0, 1.3}) {
      const int steps = s.ranks > 8 ? 4000 : 20000;
      const double simulated =
          simulated_period(s.ranks, s.workers, s.prefetch, 1.0, s.cv, step, steps);
      INFO(s.ranks << " ranks of " << s.workers << " workers, prefetch " << s.prefetch << ", cv "
                   << s.cv << ", step " << step);
      CHECK(predicted_period(s.ranks, s.workers, s.prefetch, 1.0, s.cv, step) ==
            Approx(simulated).epsilon(0.02));
    }
  }
}
