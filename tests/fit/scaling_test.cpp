// Measured (instances, time) points, fitted.
#include "fit/scaling.hpp"

#include <utility>
#include <vector>

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
      if (bandwidth > 0.0 && latency > 0.0) continue;
      CHECK(fit::fit_scaling(points_of(law, {2.0, 8.0})).worst_error < 1e-6);
    }
  }
}

TEST_CASE("scaling: as long on eight instances as on two is no gain at all") {
  const ScalingFit found = fit::fit_scaling(Points{{2.0, minutes(10.0)}, {8.0, minutes(10.0)}});
  CHECK(found.worst_error < 1e-6);
  CHECK(resolve::from_fit(found, 8.0) == Approx(resolve::from_fit(found, 2.0)));
  CHECK(1.0 / (8.0 * resolve::from_fit(found, 8.0)) == Approx(0.125));
}

TEST_CASE("scaling: points that the law cannot follow say by how much it misses them") {
  // Longer on more instances is fine for the latency term; shorter than linear is not.
  const ScalingFit found =
      fit::fit_scaling(Points{{1.0, hours(8.0)}, {2.0, hours(3.0)}, {4.0, hours(1.2)}});
  CHECK(found.worst_error > 0.1);
}
