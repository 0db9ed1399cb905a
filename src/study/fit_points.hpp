#pragma once
// The measured figures that the unknowns of a scenario can be fitted to, how exactly they were
// measured, and what else could be measured.
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// A measured case as a point to fit to.
struct FitPoint {
  std::size_t index = 0;    ///< of the case in the scenario's list
  bool difference = false;  ///< compared by difference, not by ratio
  /// Standard deviation of that difference or ratio: with repeats that of their
  /// mean, else from the tolerance, which is taken for half of a 90 % interval. At least half a
  /// percent, because no simulation is better. Empty: the case states neither.
  std::optional<double> error;
  /// Degrees of freedom that `error` was found with, at least 1: of n repeats n − 1, more where
  /// that half percent outweighs what they tell. Infinite: from the tolerance.
  double degrees = std::numeric_limits<double>::infinity();
  std::string unused;  ///< why the case cannot be used for fitting; "" where it can
};

/// One point for each case. InputError for an unknown metric.
std::vector<FitPoint> fit_points(const Scenario& scenario);

/// Predicts figures of a scenario with some keys set; a run that several figures share is made
/// once.
class FigurePredictor {
 public:
  struct Figure {
    Setting set;
    Setting relative_to;  ///< empty: the figure itself, not its change
    std::string metric;
    std::string pointer;  ///< named in error messages
  };
  explicit FigurePredictor(std::span<const Figure> figures);

  /// All predictions. InputError where a run has no answer or a result has no such figure.
  [[nodiscard]] std::vector<double> all(const MakeScenario& make, const Catalog& catalog,
                                        const HostProfile* host) const;
  /// Each prediction; empty where all() would throw because of it.
  [[nodiscard]] std::vector<std::optional<double>> each(const MakeScenario& make,
                                                        const Catalog& catalog,
                                                        const HostProfile* host) const;

 private:
  struct Wanted {
    std::size_t run = 0;
    std::optional<std::size_t> reference;
    std::string metric;
    std::string pointer;
  };
  std::size_t run_of(const Setting& set);

  std::vector<Setting> runs_;
  std::vector<Wanted> wanted_;
  bool gains_ = false;  ///< some figure is of the bottleneck
};

/// The figures of the cases that these points stand for.
std::vector<FigurePredictor::Figure> figures_of(const Scenario& scenario,
                                                std::span<const FitPoint> points);

/// A measurement that could be made.
struct PointCandidate {
  FigurePredictor::Figure figure;
  std::string words;  ///< "the epoch with num_workers=0"
};

/// Measurements that differ in at most one change from the scenario, from one of its cases, or from
/// a run with one worker. Those of little effort come first: other figures of the same job, other
/// workers and batches, fewer GPUs, data in memory, an operation done ahead. Left out are those
/// that the scenario has a case of, and changes of the keys in `free`. Keys are JSON pointers.
std::vector<PointCandidate> candidates(const Scenario& scenario, std::span<const std::string> free);

}  // namespace feedrate::study
