#include "api/sweep.hpp"

#include "study/decision.hpp"

namespace feedrate::api {

void conclude(Sweep& sweep, std::span<const study::SweepInput> points, const Catalog& catalog,
              const HostProfile* host, std::uint64_t seed, const Constraints& constraints) {
  sweep.decision = study::decide(sweep, points, catalog, host, seed);
  study::hold_against(sweep, constraints);
}

}  // namespace feedrate::api
