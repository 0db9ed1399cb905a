// Unknowns of models whose answers are known: what is found, how sure it is, and what cannot be
// told.
#include "fit/unknowns.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "catch.hpp"
#include "pipeline/generated.hpp"

using namespace feedrate::fit;
using feedrate::pipeline::Generator;

namespace {

using Values = std::vector<double>;

Unknown factor(double low, double high, std::optional<double> start = {}) {
  return {low, high, true, start};
}
Unknown share(std::optional<double> start = {}) {
  return {0.0, 1.0, false, start};
}

std::vector<Measured> measured_of(const Values& values, std::optional<double> error = {}) {
  std::vector<Measured> all;
  for (const double value : values) all.push_back({value, false, error});
  return all;
}

/// The slower of a shared CPU and a step, as an epoch of a loader with so many workers is.
double epoch(double cpu, double step, double workers) {
  const double made = cpu / workers;
  // A soft maximum: the mean over what varies has no corner either.
  return std::pow(std::pow(made, 12.0) + std::pow(step, 12.0), 1.0 / 12.0);
}

Values epochs(std::span<const double> values) {
  return {epoch(values[0], values[1], 1.0), epoch(values[0], values[1], 2.0),
          epoch(values[0], values[1], 4.0), epoch(values[0], values[1], 8.0)};
}

const std::vector<Unknown> two = {factor(1e-5, 10.0), factor(1e-5, 10.0)};

}  // namespace

TEST_CASE("fit: planted values come back, wherever the start") {
  Generator random(7);
  for (int trial = 0; trial < 40; ++trial) {
    const Values planted = {random.log_uniform(1e-3, 3e-3), random.log_uniform(0.5e-3, 0.9e-3)};
    std::vector<Unknown> unknowns = two;
    if (trial % 2 == 0) {
      unknowns[0].start = random.log_uniform(1e-4, 1.0);
      unknowns[1].start = random.log_uniform(1e-4, 1.0);
    }
    const auto found = fit_unknowns(unknowns, measured_of(epochs(planted)), epochs);
    REQUIRE(found);
    INFO("trial " << trial);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(found->unknowns[k].value == Approx(planted[k]).epsilon(1e-4));
      CHECK(found->unknowns[k].determined);
    }
    CHECK(found->tangles.empty());
    CHECK(found->alternatives.empty());
  }
}

TEST_CASE("fit: never worse than the start, and never outside the range") {
  Generator random(8);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Unknown> unknowns = two;
    for (Unknown& unknown : unknowns) {
      unknown.low = random.log_uniform(1e-4, 1e-3);
      unknown.high = unknown.low * random.log_uniform(2.0, 100.0);
      unknown.start = random.log_uniform(unknown.low, unknown.high);
    }
    Values figures;
    for (int i = 0; i < 4; ++i) figures.push_back(random.log_uniform(1e-4, 1e-1));
    const auto found = fit_unknowns(unknowns, measured_of(figures), epochs);
    REQUIRE(found);
    CHECK(found->squares <= found->squares_before);
    for (std::size_t k = 0; k < 2; ++k) {
      const Estimated& one = found->unknowns[k];
      CHECK(std::isfinite(one.value));
      CHECK(one.value >= unknowns[k].low);
      CHECK(one.value <= unknowns[k].high);
      if (one.low) CHECK(*one.low <= one.value * 1.0001);
      if (one.high) CHECK(*one.high >= one.value * 0.9999);
    }
  }
}

TEST_CASE("fit: a start outside the range that fits better is no answer") {
  const Values planted = {2e-3, 0.7e-3};
  const std::vector<Unknown> unknowns = {factor(1e-4, 1e-3, 2e-3), factor(1e-5, 10.0, 0.7e-3)};
  const auto found = fit_unknowns(unknowns, measured_of(epochs(planted)), epochs);
  REQUIRE(found);
  CHECK(found->unknowns[0].value <= 1e-3);
  CHECK(found->unknowns[0].value == Approx(1e-3));
  CHECK(found->unknowns[0].at_high);
  CHECK(found->squares > found->squares_before);
}

TEST_CASE("fit: a narrow valley beside a wide plain is found, and one unknown more fits no worse") {
  // Workers on a link that each of them hardly notices, and a server that answers so often.
  Generator random(31);
  for (int trial = 0; trial < 40; ++trial) {
    const double each = 66.0;
    const double served = random.log_uniform(3.1 * each, 5.5 * each);
    const auto rates = [&](double most, double link) {
      Values all;
      for (double workers = 1.0; workers < 7.0; workers += 1.0) {
        const double asked = workers / (1.0 / each + 1.0 / link);
        all.push_back(std::min(asked, most));
      }
      return all;
    };
    Values noisy = rates(served, 1e6);
    for (double& value : noisy) value *= random.log_uniform(0.97, 1.03);
    const std::vector<Measured> measured = measured_of(noisy);
    const std::vector<Unknown> both = {factor(0.1, 1e7), factor(1e3, 1e6, 1e6)};
    const auto alone = fit_unknowns({both.data(), 1}, measured,
                                    [&](std::span<const double> at) { return rates(at[0], 1e6); });
    const auto together = fit_unknowns(
        both, measured, [&](std::span<const double> at) { return rates(at[0], at[1]); });
    REQUIRE(alone);
    REQUIRE(together);
    INFO("trial " << trial << ", served " << served);
    CHECK(alone->unknowns[0].determined);
    CHECK(alone->unknowns[0].value == Approx(served).epsilon(0.1));
    CHECK(together->squares <= alone->squares * 1.01);
    CHECK(together->unknowns[0].determined);
  }
}

TEST_CASE("fit: the order of unknowns and of measurements does not matter") {
  const Values planted = {4e-3, 0.8e-3};
  Values figures = epochs(planted);
  for (std::size_t i = 0; i < figures.size(); ++i)
    figures[i] *= 1.0 + 0.02 * std::sin(5.0 + static_cast<double>(i));
  const auto found = fit_unknowns(two, measured_of(figures), epochs);
  const Predict turned = [](std::span<const double> v) {
    Values all = epochs(std::vector{v[1], v[0]});
    std::reverse(all.begin(), all.end());
    return all;
  };
  const auto other = fit_unknowns(two, measured_of({figures.rbegin(), figures.rend()}), turned);
  REQUIRE(found);
  REQUIRE(other);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(other->unknowns[1 - k].value == Approx(found->unknowns[k].value).epsilon(1e-6));
    CHECK(*other->unknowns[1 - k].low == Approx(*found->unknowns[k].low).epsilon(1e-4));
  }
}

TEST_CASE("fit: times that are measured in another unit change unknowns by the same factor") {
  Values figures = epochs(Values{4e-3, 0.8e-3});
  figures[1] *= 1.03;
  Values slower = figures;
  for (double& figure : slower) figure *= 2.0;
  const auto found = fit_unknowns(two, measured_of(figures), epochs);
  const auto twice = fit_unknowns(two, measured_of(slower), epochs);
  REQUIRE(found);
  REQUIRE(twice);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(twice->unknowns[k].value == Approx(2.0 * found->unknowns[k].value).epsilon(1e-5));
  }
}

TEST_CASE("fit: two that only add up cannot be told apart, others beside them can") {
  const Predict sums = [](std::span<const double> v) {
    return Values{v[0] + v[1], 2.0 * (v[0] + v[1]) + v[2], v[2]};
  };
  const std::vector<Unknown> unknowns = {factor(1e-4, 1.0, 2e-3), factor(1e-4, 1.0, 5e-3),
                                         factor(1e-4, 1.0, 1e-2)};
  const auto found = fit_unknowns(unknowns, measured_of(sums(Values{4e-3, 6e-3, 2e-2})), sums);
  REQUIRE(found);
  REQUIRE(found->tangles.size() == 1);
  CHECK(found->tangles[0].unknowns == std::vector<std::size_t>{0, 1});
  REQUIRE(found->tangles[0].fixed.size() == 2);
  CHECK(found->unknowns[0].value + found->unknowns[1].value == Approx(1e-2).epsilon(1e-4));
  // By their logarithms predictions change as the values themselves are.
  CHECK(found->tangles[0].fixed[0] / found->tangles[0].fixed[1] ==
        Approx(found->unknowns[0].value / found->unknowns[1].value).epsilon(1e-2));
  CHECK_FALSE(found->unknowns[0].determined);
  CHECK_FALSE(found->unknowns[1].determined);
  CHECK(found->unknowns[2].determined);
  CHECK(found->unknowns[2].value == Approx(2e-2).epsilon(1e-4));
  CHECK(found->alternatives.empty());  // one valley, not several answers
}

TEST_CASE("fit: an unknown that nothing depends on stays as it is, and is said") {
  const Predict first_only = [](std::span<const double> v) { return Values{v[0], 2.0 * v[0]}; };
  const std::vector<Unknown> unknowns = {factor(1e-3, 1.0), factor(1e-3, 1.0, 0.25)};
  const auto found = fit_unknowns(unknowns, measured_of({0.1, 0.2}), first_only);
  REQUIRE(found);
  CHECK(found->unknowns[0].used);
  CHECK(found->unknowns[0].determined);
  CHECK_FALSE(found->unknowns[1].used);
  CHECK_FALSE(found->unknowns[1].determined);
  CHECK(found->unknowns[1].value == Approx(0.25));
  CHECK(found->tangles.empty());
}

TEST_CASE("fit: what is only hidden behind something slower is bounded on one side") {
  // Steps of 10 ms: anything that takes less is not seen.
  const Predict hidden = [](std::span<const double> v) {
    return Values{epoch(v[0], 0.01, 1.0), epoch(v[0], 0.01, 2.0)};
  };
  const std::vector<Unknown> unknowns = {factor(1e-5, 1.0, 1e-3)};
  const auto found = fit_unknowns(unknowns, measured_of({0.01, 0.01}, 0.01), hidden);
  REQUIRE(found);
  const Estimated& one = found->unknowns[0];
  CHECK(one.used);
  CHECK_FALSE(one.determined);
  CHECK_FALSE(one.low);
  REQUIRE(one.high);
  CHECK(*one.high > 5e-3);
  CHECK(*one.high < 0.012);
}

TEST_CASE("fit: answers that are equally good and far apart are all told") {
  const Predict parabola = [](std::span<const double> v) {
    const double x = std::log(v[0] / 0.1);
    return Values{1.0 + x * x, 2.0 + 2.0 * x * x};
  };
  const std::vector<Unknown> unknowns = {factor(1e-3, 10.0, 0.05)};
  const auto found = fit_unknowns(unknowns, measured_of({2.0, 4.0}), parabola);
  REQUIRE(found);
  CHECK(found->unknowns[0].value == Approx(0.1 / std::exp(1.0)).epsilon(1e-4));
  REQUIRE(found->alternatives.size() == 1);
  CHECK(found->alternatives[0][0] == Approx(0.1 * std::exp(1.0)).epsilon(1e-3));
}

TEST_CASE("fit: what would leave its range stays at its end, which is said") {
  const Predict itself = [](std::span<const double> v) { return Values{v[0], v[0]}; };
  const auto found = fit_unknowns(std::vector{share(0.5)}, measured_of({1.2, 1.3}), itself);
  REQUIRE(found);
  CHECK(found->unknowns[0].value == Approx(1.0));
  CHECK(found->unknowns[0].at_high);
  CHECK_FALSE(found->unknowns[0].at_low);
}

TEST_CASE("fit: as many unknowns as measurements have error bars where those state errors only") {
  const Predict itself = [](std::span<const double> v) { return Values{v[0]}; };
  const std::vector<Unknown> one = {factor(1e-3, 1e3)};
  const auto silent = fit_unknowns(one, measured_of({5.0}), itself);
  REQUIRE(silent);
  CHECK(silent->errors == ErrorsFrom::none);
  CHECK_FALSE(silent->unknowns[0].low);
  CHECK(silent->unknowns[0].determined);
  CHECK_FALSE(silent->left_out[0]);
  const auto stated = fit_unknowns(one, measured_of({5.0}, 0.02), itself);
  REQUIRE(stated);
  CHECK(stated->errors == ErrorsFrom::stated);
  CHECK(*stated->unknowns[0].high == Approx(5.0 * std::exp(1.645 * 0.02)).epsilon(1e-3));
}

TEST_CASE("fit: 90 % intervals hold the planted value in about 90 of 100 noisy repetitions") {
  std::mt19937 random(11);
  std::normal_distribution<double> noise(0.0, 0.02);
  const Values planted = {4e-3, 0.8e-3};
  // With its standard deviation stated, and from the scatter of two degrees of freedom alone.
  for (const bool stated : {true, false}) {
    int inside = 0;
    int all = 0;
    for (int repetition = 0; repetition < 150; ++repetition) {
      Values figures = epochs(planted);
      for (double& figure : figures) figure *= std::exp(noise(random));
      const auto found = fit_unknowns(
          two, measured_of(figures, stated ? std::optional(0.02) : std::nullopt), epochs, {}, 1);
      REQUIRE(found);
      for (std::size_t k = 0; k < 2; ++k) {
        const Estimated& one = found->unknowns[k];
        if (!one.low || !one.high) continue;
        ++all;
        inside += *one.low <= planted[k] && planted[k] <= *one.high ? 1 : 0;
      }
    }
    const double coverage = static_cast<double>(inside) / all;
    INFO("stated: " << stated << ", " << inside << " of " << all);
    CHECK(all > 280);
    // Three standard deviations of a share of 300 at 90 %; stated errors are raised, never lowered.
    CHECK(coverage > 0.848);
    CHECK(coverage < (stated ? 0.985 : 0.952));
  }
}

TEST_CASE("fit: errors of few repeats have Student's interval, several Welch and Satterthwaite's") {
  const Predict itself = [](std::span<const double> v) { return Values(2, v[0]); };
  const std::vector<Unknown> one = {factor(1e-3, 1e3)};
  const auto half = [&](double error, double degrees, double other_error, double other_degrees) {
    const std::vector<Measured> measured = {{5.0, false, error, degrees},
                                            {5.0, false, other_error, other_degrees}};
    const auto found = fit_unknowns(one, measured, itself);
    REQUIRE(found);
    CHECK(found->errors == ErrorsFrom::stated);
    const double deviation = 1.0 / std::hypot(1.0 / error, 1.0 / other_error);
    return std::log(*found->unknowns[0].high / 5.0) / deviation;
  };
  const double known = std::numeric_limits<double>::infinity();
  // Tables of Student's distribution; the other measurement hardly counts.
  CHECK(half(0.005, 1.0, 5.0, 1.0) == Approx(6.314).epsilon(0.01));
  CHECK(half(0.005, 2.0, 5.0, 1.0) == Approx(2.920).epsilon(0.01));
  CHECK(half(0.005, 3.0, 5.0, 1.0) == Approx(2.353).epsilon(0.01));
  CHECK(half(0.005, known, 5.0, 1.0) == Approx(1.645).epsilon(0.01));
  // Two of the same error have twice the degrees of freedom of each; beside a known one, four
  // times.
  CHECK(half(0.005, 1.0, 0.005, 1.0) == Approx(2.920).epsilon(0.01));
  CHECK(half(0.005, 1.0, 0.005, known) == Approx(2.132).epsilon(0.01));
  // Between two degrees of freedom the interval is between theirs.
  CHECK(half(0.005, 1.5, 5.0, 1.0) < 6.0);
  CHECK(half(0.005, 1.5, 5.0, 1.0) > 3.1);
}

TEST_CASE("fit: intervals of two and three repeats hold the planted value in about 90 of 100") {
  std::mt19937 random(12);
  std::normal_distribution<double> noise(0.0, 0.02);
  const Predict itself = [](std::span<const double> v) { return Values{v[0]}; };
  const std::vector<Unknown> one = {factor(1e-3, 1e3)};
  for (const int repeats : {2, 3}) {
    int inside = 0;
    constexpr int trials = 400;
    for (int trial = 0; trial < trials; ++trial) {
      Values figures;
      for (int i = 0; i < repeats; ++i) figures.push_back(5.0 * (1.0 + noise(random)));
      double mean = 0.0;
      for (const double figure : figures) mean += figure / repeats;
      double squares = 0.0;
      for (const double figure : figures) squares += (figure - mean) * (figure - mean);
      const double error = std::sqrt(squares / (repeats - 1.0) / repeats) / mean;
      const std::vector<Measured> measured = {{mean, false, error, repeats - 1.0}};
      const auto found = fit_unknowns(one, measured, itself, {}, 1);
      REQUIRE(found);
      inside += *found->unknowns[0].low <= 5.0 && 5.0 <= *found->unknowns[0].high ? 1 : 0;
    }
    INFO(repeats << " repeats: " << inside << " of " << trials);
    // Three standard deviations of a share of 400 at 90 %.
    CHECK(inside > 342);
    CHECK(inside < 378);
  }
}

TEST_CASE("fit: each measurement is predicted by a fit without it") {
  const Predict itself = [](std::span<const double> v) { return Values{v[0], v[0], v[0], v[1]}; };
  const std::vector<Unknown> unknowns = {factor(0.1, 10.0), factor(0.1, 10.0)};
  const auto found = fit_unknowns(unknowns, measured_of({1.0, 1.0, 1.21, 3.0}), itself);
  REQUIRE(found);
  REQUIRE(found->left_out.size() == 4);
  CHECK(*found->left_out[2] == Approx(1.0).epsilon(1e-4));
  CHECK(*found->left_out[0] == Approx(std::sqrt(1.21)).epsilon(1e-4));
  CHECK_FALSE(found->left_out[3]);  // nothing else fixes the second unknown
}

TEST_CASE("fit: the measurement that tells two apart is the one to make next") {
  const Predict sums = [](std::span<const double> v) { return Values{v[0] + v[1]}; };
  const std::vector<Unknown> unknowns = {factor(1e-2, 100.0, 1.0), factor(1e-2, 100.0, 1.0)};
  const std::vector<Measured> figures = measured_of({3.0}, 0.02);
  const auto found = fit_unknowns(unknowns, figures, sums);
  REQUIRE(found);
  const PredictEach candidates = [](std::span<const double> v) {
    return std::vector<std::optional<double>>{std::nullopt, 2.0 * (v[0] + v[1]), v[0] + 0.1 * v[1],
                                              7.0};
  };
  const std::vector<Measured> like(4);
  const auto next = most_telling(*found, unknowns, figures, like, candidates);
  REQUIRE(next);
  CHECK(next->candidate == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(next->deviations_after[k] < 0.2 * next->deviations_before[k]);
  }
  const PredictEach useless = [](std::span<const double>) {
    return std::vector<std::optional<double>>{7.0, std::nullopt};
  };
  CHECK_FALSE(most_telling(*found, unknowns, figures, std::vector<Measured>(2), useless));
}

TEST_CASE("fit: a model without an answer anywhere is no fit") {
  const Predict never = [](std::span<const double>) { return Values{}; };
  CHECK_FALSE(fit_unknowns(two, measured_of({1.0, 2.0}), never));
  // With one in part of the range, that part is searched.
  const Predict some = [](std::span<const double> v) {
    return v[0] > 0.5 ? Values{} : Values{v[0], v[0]};
  };
  const auto found =
      fit_unknowns(std::vector{factor(1e-3, 10.0, 5.0)}, measured_of({0.2, 0.2}), some);
  REQUIRE(found);
  CHECK(found->unknowns[0].value == Approx(0.2).epsilon(1e-4));
}

TEST_CASE("fit: where a stage begins to matter, intervals of noisy epochs hold what made them") {
  // The slower of both, with the corner: below it a fit is as good at any value.
  const auto corner = [](double cpu, double step, double workers) {
    return std::max(cpu / workers, step);
  };
  const std::vector<double> workers = {1.0, 2.0, 2.0, 4.0, 8.0};
  const Predict predict = [&](std::span<const double> values) {
    Values all;
    for (const double w : workers) all.push_back(corner(values[0], values[1], w));
    return all;
  };
  std::mt19937_64 engine(11);
  std::normal_distribution<double> noise(0.0, 0.025);
  Generator random(12);
  int told = 0;
  int held = 0;
  for (int trial = 0; trial < 120; ++trial) {
    // From far below the corner of one worker to beyond that of four.
    const Values planted = {random.log_uniform(0.3e-3, 6e-3), 1e-3};
    Values measured = predict(planted);
    for (double& one : measured) one *= 1.0 + noise(engine);
    const std::vector<Unknown> unknowns = {factor(1e-5, 10.0, random.log_uniform(1e-4, 1e-1)),
                                           factor(1e-5, 10.0, random.log_uniform(1e-4, 1e-1))};
    const auto found = fit_unknowns(unknowns, measured_of(measured), predict);
    REQUIRE(found);
    for (std::size_t k = 0; k < 2; ++k) {
      const Estimated& one = found->unknowns[k];
      if (!one.used) continue;
      ++told;
      const bool above = !one.low || planted[k] >= *one.low;
      const bool below = !one.high || planted[k] <= *one.high;
      held += above && below ? 1 : 0;
    }
  }
  INFO(held << " of " << told);
  CHECK(told > 150);
  CHECK(held >= 0.86 * told);
  CHECK(held <= 0.99 * told);
}

TEST_CASE(
    "fit: an interval is that of a straight line only where both sides of the best are alike") {
  // A logarithm that is a line of slope 1 but near the best value, 1: there it rises on one side
  // `ratio` times as fast as on the other, by 1 in the middle. What is left of that further out
  // moves the line, whose intervals the ends of the profile know.
  constexpr double near = 0.01;
  constexpr double error = 0.05;
  for (const bool steep_above : {false, true}) {
    for (const double ratio : {0.0, 0.29, 0.31, 0.8, 1.0}) {
      const double steep = 2.0 / (1.0 + ratio);
      const double beside = near * (steep - 1.0);
      const auto line = [&](double x) {
        const double at = steep_above ? x : -x;
        const double y =
            std::abs(at) > near ? at + beside : at * (at > 0.0 ? steep : ratio * steep);
        return steep_above ? y : -y;
      };
      const Predict predict = [&](std::span<const double> values) {
        return Values(3, std::exp(line(std::log(values[0]))));
      };
      const double from = steep_above ? 2.0 : 0.5;  // the steeper side
      const std::vector<Unknown> unknowns = {factor(1e-2, 100.0, from)};
      const auto found = fit_unknowns(unknowns, measured_of({1.0, 1.0, 1.0}, error), predict);
      REQUIRE(found);
      const Estimated& one = found->unknowns[0];
      INFO(ratio << ", steep above: " << steep_above);
      CHECK(one.value == Approx(1.0).epsilon(1e-6));
      REQUIRE(one.low);
      REQUIRE(one.high);
      const double width = 1.6448536269514722 * error / std::sqrt(3.0);
      const double moved = ratio < 0.3 ? (steep_above ? -beside : beside) : 0.0;
      CHECK(std::log(*one.low) == Approx(moved - width).epsilon(0.01));
      CHECK(std::log(*one.high) == Approx(moved + width).epsilon(0.01));
    }
  }
}

TEST_CASE("fit: what no value reproduces is said, and what noise leaves is not") {
  const std::vector<Unknown> one = {factor(1e-3, 1e3)};
  const Predict alike = [](std::span<const double> v) { return Values{v[0], v[0], v[0], v[0]}; };
  // Four times the same by the model, and measured from 1 to 3: the model lacks what makes them.
  const Values apart = {1.0, 1.5, 2.2, 3.0};
  for (const std::optional<double> error : {std::optional<double>(), std::optional(0.05)}) {
    const auto found = fit_unknowns(one, measured_of(apart, error), alike);
    REQUIRE(found);
    CHECK_FALSE(found->reproduced);
  }
  // Whoever states such errors has them explained.
  const auto wide = fit_unknowns(one, measured_of(apart, 0.4), alike);
  REQUIRE(wide);
  CHECK(wide->reproduced);
  // A tolerance of a tenth of a percent does not make a model wrong that is 2 % off.
  const auto exact = fit_unknowns(one, measured_of({1.0, 1.02, 0.98, 1.0}, 0.001), alike);
  REQUIRE(exact);
  CHECK(exact->reproduced);
  std::mt19937 random(91);
  std::normal_distribution<double> noise(0.0, 0.05);
  for (int trial = 0; trial < 60; ++trial) {
    Values noisy;
    for (int i = 0; i < 4; ++i) noisy.push_back(std::exp(noise(random)));
    const auto found = fit_unknowns(one, measured_of(noisy), alike);
    REQUIRE(found);
    CHECK(found->reproduced);
  }
}
