#include "base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/units.hpp"
#include "catch.hpp"

using namespace feedrate;

namespace {

/// Few different ones among many, so that some are equal.
std::vector<double> drawn(std::mt19937_64& random, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<double>(random() % 40) - 20.0);
  return values;
}

template <class Law>
void for_all(Law law) {
  std::mt19937_64 random(23);
  for (int trial = 0; trial < 400; ++trial) law(drawn(random, 1 + random() % 30), random);
}

TEST_CASE("statistics: as many values lie above the median as below it") {
  for_all([](const std::vector<double>& values, auto&) {
    const double middle = median(values);
    const auto below =
        std::count_if(values.begin(), values.end(), [&](double v) { return v < middle; });
    const auto above =
        std::count_if(values.begin(), values.end(), [&](double v) { return v > middle; });
    const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
    CHECK(below <= half);
    CHECK(above <= half);
    CHECK(median(values) == quantile(values, 0.5));
  });
}

TEST_CASE("statistics: no order of the values matters to a median or a quantile") {
  for_all([](std::vector<double> values, std::mt19937_64& random) {
    const double middle = median(values), tenth = quantile(values, 0.1);
    const double one = value_at_share(values, 0.7);
    std::shuffle(values.begin(), values.end(), random);
    CHECK(median(values) == middle);
    CHECK(quantile(values, 0.1) == tenth);
    CHECK(value_at_share(values, 0.7) == one);
  });
}

TEST_CASE("statistics: one further draw lies below a quantile of draws as often as it says") {
  std::mt19937_64 random(26120102);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (const std::size_t count : {19U, 40U, 100U}) {
    for (const double share : {0.05, 0.25, 0.5, 0.9, 0.95}) {
      // Of uniform draws, what lies below a value is the value; its mean over many is known to
      // √(p (1 - p)/(n + 2)/trials).
      constexpr int trials = 4000;
      double sum = 0.0;
      for (int i = 0; i < trials; ++i) {
        std::vector<double> values(count);
        for (double& value : values) value = uniform(random);
        std::sort(values.begin(), values.end());
        sum += quantile_of_draws(values, share);
      }
      INFO(count << " draws, " << share);
      const double error =
          std::sqrt(share * (1.0 - share) / (static_cast<double>(count) + 2.0) / trials);
      CHECK(sum / trials == Approx(share).margin(5.0 * error));
    }
  }
  const std::vector<double> few = {1.0, 2.0, 4.0};
  CHECK(quantile_of_draws(few, 0.05) == 1.0);
  CHECK(quantile_of_draws(few, 0.5) == 2.0);
  CHECK(quantile_of_draws(few, 0.95) == 4.0);
  CHECK(quantile_of_draws(std::vector<double>{3.0}, 0.95) == 3.0);
}

TEST_CASE("statistics: quantiles rise from the least value to the largest") {
  for_all([](const std::vector<double>& values, auto&) {
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    CHECK(quantile(values, 0.0) == *least);
    CHECK(quantile(values, 1.0) == *largest);
    double before = *least;
    for (int percent = 0; percent <= 100; ++percent) {
      const double now = quantile(values, percent / 100.0);
      CHECK(now >= before);
      before = now;
    }
  });
  CHECK(quantile({10.0, 20.0, 40.0}, 0.75) == 30.0);
}

TEST_CASE(
    "statistics: a value at a share is one of the values, and no more than that share is below") {
  for_all([](const std::vector<double>& values, std::mt19937_64& random) {
    const double p = static_cast<double>(random() % 101) / 100.0;
    const double found = value_at_share(values, p);
    CHECK(std::count(values.begin(), values.end(), found) >= 1);
    const auto below =
        std::count_if(values.begin(), values.end(), [&](double v) { return v < found; });
    CHECK(static_cast<double>(below) <= p * static_cast<double>(values.size() - 1));
    CHECK(found <= quantile(values, p));
  });
}

TEST_CASE(
    "statistics: mean and median move with the values and grow with them, a deviation only grows") {
  for_all([](std::vector<double> values, auto&) {
    values.push_back(3.0);
    std::vector<double> moved = values;
    for (double& value : moved) value = 4.0 * value + 64.0;
    CHECK(mean(moved) == Approx(4.0 * mean(values) + 64.0));
    CHECK(median(moved) == 4.0 * median(values) + 64.0);
    CHECK(quantile(moved, 0.25) == Approx(4.0 * quantile(values, 0.25) + 64.0));
    CHECK(standard_deviation(moved) == Approx(4.0 * standard_deviation(values)));
  });
  CHECK(standard_deviation(std::vector<double>{1.0, 3.0}) == Approx(std::sqrt(2.0)));
}

TEST_CASE("statistics: of quantities as of numbers, and what is infinite stays so") {
  CHECK(median(std::vector<Duration>{seconds(4.0), seconds(1.0), seconds(2.0), seconds(3.0)}) ==
        seconds(2.5));
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(median(std::vector<double>{infinity, 1.0, infinity}) == infinity);
  CHECK(median(std::vector<double>{infinity, infinity}) == infinity);
}

}  // namespace
