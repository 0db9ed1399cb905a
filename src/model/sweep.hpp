#pragma once
// Several results beside each other: the points of a sweep, or the scenarios of a comparison.
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/result.hpp"

namespace feedrate {

/// One point of a sweep: what was set, as for --set, and what came out.
struct SweepPoint {
  std::vector<std::pair<std::string, std::string>> set;  ///< KEY, VALUE
  Result result;
};

/// A sweep over the product of all varied keys; points in the order of the command line, the last
/// key varying fastest. Indices are into `points`; both are 0 when there is one point.
struct Sweep {
  std::vector<SweepPoint> points;
  std::vector<std::size_t> pareto;  ///< no other point is both faster and cheaper; ascending time
  std::size_t fastest = 0;          ///< least total time
  std::size_t cheapest = 0;         ///< least total cost (money + hours × value of an hour)
  std::optional<double> break_even_efficiency;  ///< S* = (P + w/N)/(P + w), where it applies
};

/// A scenario and its result; in a comparison the first is the reference.
struct NamedResult {
  std::string name;  ///< of the scenario
  std::string file;  ///< as the user gave it; "" when there is none
  Result result;
};

}  // namespace feedrate
