#pragma once
// The best of up to a million settings, each simulated.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/optimum.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"
#include "study/sweep.hpp"

namespace feedrate::study {

/// One key and the values that the grid gives it.
struct Axis {
  std::string key;
  std::vector<std::string> values;
  /// What each of them sets: the key, and those that change along with it.
  std::function<Setting(std::size_t value)> setting;
};

/// All combinations, the last axis varying fastest.
struct Axes {
  std::vector<Axis> axes;
  /// The scenario of a point. Called from several threads; an InputError of it ends the search and
  /// names the point by itself.
  std::function<Scenario(std::size_t point)> scenario;
  /// Any other setting of the same scenario.
  MakeScenario make;

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] Setting at(std::size_t point) const;
  /// Which of its values each axis has at the point.
  [[nodiscard]] std::vector<std::size_t> values_at(std::size_t point) const;
};

struct OptimizeOptions {
  Minimized minimized = Minimized::total;
  Constraints constraints;
  RunOptions run;   ///< of the winner; of the others `exact` and `seed` count
  int draws = 100;  ///< of the uncertain inputs
  int jobs = 0;     ///< 0: one a hardware thread; no result depends on it
};

/// The point with the least of what is minimized among those that keep the constraints; of equal
/// ones the one with the least of the others too, then the one that changes fewest keys, then the
/// first. Values that agree to twelve digits are equal. Keeps 24 bytes of a point. Points that
/// cannot be simulated or priced are counted; InputError where none can.
Optimum optimize(const Axes& axes, const Catalog& catalog, const HostProfile* host,
                 const OptimizeOptions& options, const SweepProgress& progress = {});

}  // namespace feedrate::study
