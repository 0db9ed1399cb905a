#pragma once
// A measured case and what was predicted for it.
#include <cstddef>
#include <string>

#include "model/scenario.hpp"

namespace feedrate {

struct CaseResult {
  Case what;
  double predicted = 0.0;
  double error = 0.0;      ///< predicted/measured − 1; predicted − measured where measured is 0
  bool within = true;      ///< |error| ≤ tolerance, or no tolerance stated
  std::string bottleneck;  ///< of the run; "" for none and for searches
};

/// A scenario and what its measured cases came to.
struct ScenarioCases {
  std::string file;  ///< as the user gave it
  Scenario scenario;
  std::vector<CaseResult> cases;
};

/// How wrong the predictions of times were, and how often the bottleneck was right.
struct Validation {
  std::size_t times = 0;  ///< predictions of a measured figure
  double mean = 0.0;      ///< of the errors' sizes: the MAPE
  double median = 0.0;    ///< of the errors' sizes
  double worst = 0.0;     ///< the largest of the errors' sizes
  double bias = 0.0;      ///< mean of the signed errors
  std::size_t bottlenecks = 0;
  std::size_t bottlenecks_right = 0;
};

}  // namespace feedrate
