#pragma once
// What unknowns of a scenario can be fitted to: the figures of its measured cases, how exactly they
// were measured, and what else could be measured.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// A case as a point to fit to.
struct FitPoint {
  std::size_t index = 0;    ///< of the scenario's cases
  bool difference = false;  ///< compared by its difference, not by its ratio
  /// Standard deviation of that: of repeats, that of their mean; else the tolerance, taken for half
  /// of a 90 % interval. Never less than half a percent, which no simulation is better than. Empty:
  /// the case says nothing.
  std::optional<double> error;
  std::string unused;  ///< why nothing can be fitted on it; "": something can
};

/// One for each case. InputError for an unknown metric.
std::vector<FitPoint> fit_points(const Scenario& scenario);

/// Figures of a scenario with some keys set; runs what several of them share once.
class FigurePredictor {
 public:
  struct Figure {
    Setting set;
    Setting relative_to;  ///< empty: the figure itself, not its change
    std::string metric;
    std::string pointer;  ///< for complaints
  };
  explicit FigurePredictor(std::span<const Figure> figures);

  /// InputError where a run has no answer or a result no such figure.
  [[nodiscard]] std::vector<double> all(const MakeScenario& make, const Catalog& catalog,
                                        const HostProfile* host) const;
  /// Empty for each of those.
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
};

/// The figures of the cases with these places in the scenario.
std::vector<FigurePredictor::Figure> figures_of(const Scenario& scenario,
                                                std::span<const FitPoint> points);

/// A measurement that could be made.
struct PointCandidate {
  FigurePredictor::Figure figure;
  std::string words;  ///< "the epoch with num_workers=0"
};

/// Measurements that need one change at most of the scenario, of one of its cases or of one worker,
/// those of little effort first: other figures of the same job, other workers and batches, fewer
/// GPUs, data in memory, an operation done ahead. Without those that the scenario's cases have, and
/// without changes of the keys in `free`. The keys in both are JSON pointers.
std::vector<PointCandidate> candidates(const Scenario& scenario, std::span<const std::string> free);

}  // namespace feedrate::study
