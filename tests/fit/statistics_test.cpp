#include "fit/statistics.hpp"

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "fit/robust.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::fit;

namespace {

TEST_CASE("statistics: mean, error and spread of plain samples") {
  const Estimate e = estimate(std::vector<double>{9.0, 10.0, 11.0, 10.0});
  CHECK(e.value == Approx(10.0));
  CHECK(e.count == 4);
  // A mean square of 2/4, from three different samples.
  CHECK(e.relative_error == Approx(std::sqrt(0.5 / 2.0) * student_factor(2) / 10.0));
  CHECK(estimate(std::vector<double>{3.0}).relative_error == 0.0);
  CHECK(estimate(std::vector<double>{3.0, 3.0, 3.0}).spread == 0.0);
}

TEST_CASE("statistics: Student's factor is the ratio of quantiles in tables") {
  CHECK(student_factor(1) == Approx(1.837).epsilon(0.015));
  CHECK(student_factor(2) == Approx(1.321).epsilon(0.002));
  CHECK(student_factor(4) == Approx(1.142).epsilon(0.002));
  CHECK(student_factor(7) == Approx(1.077).epsilon(0.002));
  CHECK(student_factor(1000) == Approx(1.0).epsilon(0.001));
  CHECK(student_factor(2, 1.645) == Approx(2.920 / 1.645).epsilon(0.015));
  CHECK(student_factor(4, 1.645) == Approx(2.132 / 1.645).epsilon(0.005));
}

TEST_CASE("statistics: of a mean, fitting again without each sample gives its standard error") {
  Random random(5, 0);
  for (std::size_t n = 2; n <= 30; ++n) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(3.0 + random.normal());
    std::vector<Refit> refits;
    for (const double value : values) {
      refits.push_back(
          {0, (mean(values) * static_cast<double>(n) - value) / static_cast<double>(n - 1)});
    }
    const double expected =
        standard_deviation(values) / std::sqrt(static_cast<double>(n)) * student_factor(n - 1);
    CHECK(jackknife(mean(values), refits) == Approx(expected));
  }
}

TEST_CASE("statistics: rounds lie apart by their drift, not by the noise of their samples") {
  // Noise of 20 % makes means of four samples differ by 10 %.
  const auto middle = [](double drift, std::size_t samples) {
    std::vector<double> found;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Random random(seed, 5);
      std::vector<RoundSamples> rounds(8);
      for (RoundSamples& round : rounds) {
        const double level = 1.0 + drift * random.normal();
        for (std::size_t i = 0; i < samples; ++i) {
          round.samples.push_back(level + 0.2 * random.normal());
        }
      }
      const Apart one = apart(rounds);
      CHECK(one.noise_known == (samples > 1));
      found.push_back(one.relative);
    }
    return median(found);
  };
  CHECK(middle(0.0, 4) < 0.05);
  CHECK(middle(0.3, 4) == Approx(0.3).epsilon(0.1));
  // Of one sample a round nothing tells them apart.
  CHECK(middle(0.0, 1) == Approx(0.2).epsilon(0.1));
}

TEST_CASE("statistics: one stalled sample of twenty moves the estimate by less than a deviation") {
  Random random(7, 0);
  std::vector<double> samples;
  for (int i = 0; i < 19; ++i) samples.push_back(1.0 + 0.01 * random.normal());
  samples.push_back(100.0);
  const Estimate e = estimate(samples);
  CHECK(e.value == Approx(1.0).margin(0.01));
  CHECK(e.relative_error < 0.02);
}

TEST_CASE("statistics: what differs by nature keeps its mean") {
  // Lognormal as file sizes are, with half the mean as deviation: the mean is paid, not the median.
  Random random(3, 0);
  const double sigma = std::sqrt(std::log1p(0.25));
  std::vector<double> samples;
  for (int i = 0; i < 20000; ++i) samples.push_back(std::exp(sigma * random.normal()));
  CHECK(estimate(samples).value == Approx(std::exp(sigma * sigma / 2.0)).epsilon(0.01));
}

TEST_CASE("statistics: a shape is seen in bows and drifts, not in alternation") {
  CHECK(has_shape(std::vector<double>{0.1, -0.1, -0.2, 0.1}));
  CHECK(has_shape(std::vector<double>{-0.1, 0.1, 0.2, 0.1, -0.1}));
  CHECK(has_shape(std::vector<double>{1, 1, 1, 1, 1, -1, -1, -1, -1, -1}));
  CHECK_FALSE(has_shape(std::vector<double>{1, -1, 1, -1, 1, -1, 1, -1, 1, -1}));
  CHECK_FALSE(has_shape(std::vector<double>{1, -1, -1, 1, 1, -1, 1, -1, -1, 1}));
  CHECK_FALSE(has_shape(std::vector<double>{0.1, -0.1, 0.1}));
  CHECK_FALSE(has_shape(std::vector<double>{0.0, 0.0, 0.0, 0.0}));
}

TEST_CASE("robust: a line through exact points is found exactly, and one bad point is ignored") {
  std::vector<Observation> points;
  for (const double x : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
    points.push_back({{1.0, x}, 3.0 + 2.0 * x, 0.0});
  }
  const RobustFit exact = robust_non_negative(points);
  CHECK(exact.coefficients[0] == Approx(3.0));
  CHECK(exact.coefficients[1] == Approx(2.0));
  CHECK(exact.standard_errors[1] < 1e-9);
  points[3].target *= 5.0;
  const RobustFit bent = robust_non_negative(points);
  CHECK(bent.coefficients[0] == Approx(3.0).epsilon(0.05));
  CHECK(bent.coefficients[1] == Approx(2.0).epsilon(0.05));
  CHECK(bent.residuals[3] == Approx(4.0).epsilon(0.1));
}

TEST_CASE("robust: a point far off pulls as if it were 1.345 errors away") {
  // The others are the same, so that none of them is any number of errors away, and each point's
  // error is the least that is believed, a hundredth of it: 9·100²(m − 1) = 1.345·100/target.
  constexpr double others = 9.0;
  for (const double far : {1.5, 2.0, 8.0}) {
    std::vector<Observation> points(static_cast<std::size_t>(others), {{1.0}, 1.0, 0.0});
    points.push_back({{1.0}, far, 0.0});
    const double pulled = robust_non_negative(points).coefficients[0] - 1.0;
    CHECK(pulled == Approx(1.345 / far / (others * 100.0)).epsilon(1e-3));
  }
}

TEST_CASE("robust: the standard error covers the truth about as often as it says") {
  int covered = 0;
  constexpr int trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(11, static_cast<std::uint64_t>(trial));
    std::vector<Observation> points;
    for (double x = 1.0; x <= 512.0; x *= 2.0) {
      points.push_back({{1.0, x}, (3.0 + 2.0 * x) * (1.0 + 0.05 * random.normal()), 0.05});
    }
    const RobustFit fit = robust_non_negative(points);
    if (std::abs(fit.coefficients[1] - 2.0) < 2.0 * fit.standard_errors[1]) ++covered;
  }
  CHECK(covered > 0.90 * trials);
  CHECK(covered < trials);
}

TEST_CASE("concave: what is concave stays as it is") {
  const ConcaveFit fit = concave_curve({{1, 1.0}, {2, 1.9}, {4, 3.0}, {8, 3.0}});
  REQUIRE(fit.points.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(fit.residuals[i]) < 1e-9);
  CHECK(fit.points[2].total == Approx(3.0));
  CHECK(fit.uncertainty.sampling < 1e-9);
}

TEST_CASE("concave: falls become flat, rises that steepen become straight") {
  // More users were slower: the best flat line between two equally known totals.
  const ConcaveFit falling = concave_curve({{1, 10.0}, {2, 9.0}});
  CHECK(falling.points[0].total == Approx(falling.points[1].total));
  CHECK(falling.points[0].total > 9.0);
  CHECK(falling.points[0].total < 10.0);
  // Twice the users more than doubled it: the straight line through the origin.
  const ConcaveFit steep = concave_curve({{1, 1.0}, {2, 2.2}});
  CHECK(steep.points[1].total == Approx(2.0 * steep.points[0].total));
  // And nothing ever falls or bends upwards.
  const ConcaveFit noisy =
      concave_curve({{1, 1.1}, {2, 1.9}, {3, 3.2}, {4, 3.1}, {6, 4.5}, {8, 4.2}, {16, 4.9}});
  double slope = 1e9;
  double before = 0.0;
  double users = 0.0;
  for (const RatePoint& point : noisy.points) {
    const double now = (point.total - before) / (point.users - users);
    CHECK(now <= slope + 1e-9);
    CHECK(now >= -1e-9);
    slope = now;
    before = point.total;
    users = point.users;
  }
  CHECK(noisy.uncertainty.sampling > 0.01);
}

TEST_CASE("concave: two measurements of one number of users are one point between them") {
  const ConcaveFit fit = concave_curve({{2, 10.0}, {2, 12.0}});
  REQUIRE(fit.points.size() == 1);
  CHECK(fit.points[0].total > 10.0);
  CHECK(fit.points[0].total < 12.0);
}

}  // namespace
