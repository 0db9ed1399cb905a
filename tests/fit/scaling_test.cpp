// Measured (instances, time) points, fitted.
#include "fit/scaling.hpp"

#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/allreduce.hpp"

using namespace feedrate;

namespace {

using Points = std::vector<std::pair<double, Duration>>;

Points points_of(const ScalingFit& law, const std::vector<double>& instances) {
  Points points;
  for (const double n : instances) points.emplace_back(n, hours(5.0) * resolve::from_fit(law, n));
  return points;
}

}  // namespace

TEST_CASE("scaling: points that follow the law are reproduced, whichever of its terms made them") {
  for (const double bandwidth : {0.0, 0.02, 0.3}) {
    for (const double latency : {0.0, 0.004, 0.5}) {
      const ScalingFit law{bandwidth, latency, 0.0};
      INFO(bandwidth << " " << latency);
      const ScalingFit found = fit::fit_scaling(points_of(law, {1.0, 2.0, 4.0, 16.0}));
      CHECK(found.worst_error < 1e-6);
      CHECK(found.bandwidth == Approx(bandwidth).margin(1e-6));
      CHECK(found.latency == Approx(latency).margin(1e-6));
      // Two points fit the bandwidth alone, if one instance is among them.
      if (latency > 0.0) continue;
      const ScalingFit two = fit::fit_scaling(points_of(law, {1.0, 8.0}));
      CHECK(two.worst_error < 1e-6);
      CHECK(two.bandwidth == Approx(bandwidth).margin(1e-6));
    }
  }
}

TEST_CASE("scaling: a term that grows with the instances needs three points") {
  const ScalingFit law{0.02, 0.01, 0.0};
  const ScalingFit two = fit::fit_scaling(points_of(law, {1.0, 8.0}));
  CHECK(two.sizes == 2.0);
  CHECK(two.latency == 0.0);
  CHECK(fit::fit_scaling(points_of(law, {2.0, 4.0, 8.0})).latency == Approx(0.01).margin(1e-6));
}

TEST_CASE("scaling: two points without one instance leave its time open, from end to end") {
  // 636 and 684 instance-seconds: 600 (1 + 0.01 * 2 (N - 1)), or 348 (1 + b * 2 (N - 1)/N).
  const ScalingFit open = fit::fit_scaling(Points{{4.0, seconds(159.0)}, {8.0, seconds(85.5)}});
  CHECK(open.worst_error < 1e-9);
  CHECK(open.latency == Approx(0.01));
  const auto efficiency = [&](double growth, double n) {
    return 1.0 / n / resolve::from_fit(resolve::with_growth(open, growth), n);
  };
  CHECK(efficiency(1.0, 4.0) == Approx(600.0 / 636.0));
  CHECK(efficiency(1.2, 4.0) == Approx(600.0 / 636.0));
  CHECK(efficiency(1.0, 2.0) == Approx(1.0 / 1.02));
  CHECK(efficiency(0.0, 4.0) == Approx(348.0 / 636.0));
  CHECK(efficiency(0.0, 8.0) == Approx(348.0 / 684.0));
  // (7/3)^0.65 = 1.734540 times the loss: 48/636 / (1.734540 - 684/636) = 0.114513 on 4.
  CHECK(efficiency(0.65, 4.0) == Approx(1.0 / 1.114513).epsilon(1e-5));
  for (const double growth : {0.0, 0.2, 0.65, 1.0}) {
    const ScalingFit chosen = resolve::with_growth(open, growth);
    CHECK(resolve::from_fit(chosen, 8.0) / resolve::from_fit(chosen, 4.0) == Approx(85.5 / 159.0));
    CHECK(chosen.bandwidth >= 0.0);
    CHECK(chosen.latency >= 0.0);
  }
  // Any law that made two points lies between the ends.
  for (const double bandwidth : {0.0, 0.02, 0.3}) {
    for (const double latency : {0.002, 0.05}) {
      const ScalingFit law{bandwidth, latency, 0.0};
      const ScalingFit two = fit::fit_scaling(points_of(law, {2.0, 8.0}));
      const double lost = law.lost(2.0);
      INFO(bandwidth << " " << latency);
      CHECK(resolve::with_growth(two, 1.0).lost(2.0) <= lost * (1.0 + 1e-9));
      CHECK(resolve::with_growth(two, 0.0).lost(2.0) >= lost * (1.0 - 1e-9));
    }
  }
  // Ring bandwidth alone would leave no time for one instance: it has two fifths of that of four.
  const ScalingFit steep = fit::fit_scaling(Points{{4.0, seconds(172.5)}, {8.0, seconds(101.25)}});
  CHECK(resolve::with_growth(steep, 1.0).lost(4.0) == Approx(0.15));
  CHECK(resolve::with_growth(steep, 0.0).lost(4.0) == Approx(9.0));
  // What more instances do not lose, none of them loses.
  CHECK(fit::fit_scaling(Points{{4.0, seconds(80.0)}, {8.0, seconds(40.0)}}).fewest == 0.0);
}

TEST_CASE("scaling: as long on eight instances as on four and two is no gain at all") {
  const ScalingFit found =
      fit::fit_scaling(Points{{2.0, minutes(10.0)}, {4.0, minutes(10.0)}, {8.0, minutes(10.0)}});
  CHECK(found.worst_error < 1e-6);
  CHECK(1.0 / (8.0 * resolve::from_fit(found, 8.0)) == Approx(0.125));
}

TEST_CASE("scaling: points that give one instance next to no time are refused by name") {
  const auto refusal = [](const Points& points) -> std::string {
    try {
      fit::fit_scaling(points);
    } catch (const InputError& error) {
      return error.problems().front().message;
    }
    return "";
  };
  // 20 and 56 instance-minutes: what they share with 2 (N - 1) leaves 2 for one instance.
  const std::string text = refusal({{2.0, minutes(10.0)}, {4.0, minutes(14.0)}});
  CHECK_THAT(text, Catch::Contains("120 s, less than the 600 s of 2 instances"));
  CHECK_THAT(refusal({{2.0, minutes(10.0)}, {4.0, minutes(16.0)}}),
             Catch::Contains("one instance"));
  CHECK(refusal({{2.0, minutes(10.0)}, {4.0, minutes(12.0)}}).empty());  // 6 min
  CHECK(refusal({{2.0, minutes(10.0)}, {8.0, minutes(4.5)}}).empty());
  CHECK(refusal({{1.0, minutes(10.0)}, {2.0, minutes(12.0)}}).empty());  // measured
}

TEST_CASE("scaling: batches that grow with the instances exchange as much less often") {
  const std::vector<std::pair<double, double>> batches = {
      {1.0, 32.0}, {2.0, 64.0}, {4.0, 128.0}, {8.0, 128.0}};
  for (const double bandwidth : {0.02, 0.3}) {
    for (const double latency : {0.0, 0.01}) {
      const ScalingFit law{bandwidth, latency, 0.0, 32.0, 4.0};
      Points points;
      for (const auto& [n, batch] : batches) {
        points.emplace_back(n, hours(5.0) * resolve::from_fit(law, n, batch));
      }
      const ScalingFit found = fit::fit_scaling(points, batches);
      CHECK(found.worst_error < 1e-6);
      CHECK(found.batch_size == 32.0);
      CHECK(found.bandwidth == Approx(bandwidth).margin(1e-6));
      CHECK(found.latency == Approx(latency).margin(1e-6));
      // A batch half as large exchanges twice as often.
      const double large = resolve::from_fit(found, 8.0, 128.0) * 8.0 - 1.0;
      const double small = resolve::from_fit(found, 8.0, 64.0) * 8.0 - 1.0;
      CHECK(small == Approx(2.0 * large));
    }
  }
}

TEST_CASE("scaling: points that the law cannot follow say by how much it misses them") {
  // Longer on more instances is fine for the latency term; shorter than linear is not.
  const ScalingFit found =
      fit::fit_scaling(Points{{1.0, hours(8.0)}, {2.0, hours(3.0)}, {4.0, hours(1.2)}});
  CHECK(found.worst_error > 0.1);
}
