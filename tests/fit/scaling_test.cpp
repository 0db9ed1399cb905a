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
      // Two points fit the bandwidth alone.
      if (latency > 0.0) continue;
      CHECK(fit::fit_scaling(points_of(law, {2.0, 8.0})).worst_error < 1e-6);
    }
  }
}

TEST_CASE("scaling: a term that grows with the instances needs three points") {
  const ScalingFit law{0.02, 0.01, 0.0};
  const ScalingFit two = fit::fit_scaling(points_of(law, {2.0, 8.0}));
  CHECK(two.sizes == 2.0);
  CHECK(two.latency == 0.0);
  // Without it more instances look better than they are.
  CHECK(resolve::from_fit(two, 64.0) < resolve::from_fit(law, 64.0));
  CHECK(fit::fit_scaling(points_of(law, {2.0, 4.0, 8.0})).latency == Approx(0.01).margin(1e-6));
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
  // 20 and 34.4 instance-minutes: what they share with 2 (N - 1)/N leaves 0.8 for one instance.
  const std::string text = refusal({{2.0, minutes(10.0)}, {8.0, minutes(4.3)}});
  CHECK_THAT(text, Catch::Contains("48 s, less than the 600 s of 2 instances"));
  CHECK_THAT(refusal({{2.0, minutes(10.0)}, {8.0, minutes(4.5)}}), Catch::Contains("one instance"));
  CHECK(refusal({{2.0, minutes(17.0)}, {8.0, minutes(5.2)}}).empty());  // 14 min
  CHECK(refusal({{2.0, minutes(10.0)}, {8.0, minutes(3.4)}}).empty());
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
