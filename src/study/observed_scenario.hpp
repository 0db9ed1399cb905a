#pragma once
// An observed job as a scenario, with the origin of every number, what could not be seen, and its
// observed figures as cases.
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/observed_job.hpp"
#include "model/scenario.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// With so many digits that count.
double rounded(double value, int digits = 4);

/// A number of the scenario that was observed, for people.
struct ObservedInput {
  std::string pointer;
  std::string text;    ///< "6.6 ms"
  std::string origin;  ///< "observed: 20 steps, ± 4 %"
  double relative_error = 0.0;
};

struct ObservedScenario {
  Scenario scenario;
  std::vector<ObservedInput> inputs;
  std::vector<Unseen> unseen;
};

/// Below this share of its time a job that waits for batches does not wait for its loader: what it
/// waits is the hand-over of each.
inline constexpr double waits_for_loader = 0.05;

/// What a sample asks of the loader is what its workers' CPUs did for it; a job that waits for its
/// loader shows besides how long a worker is at a sample, and the rest of that is taken for
/// reading. Of a job that does not, that time is not seen, and said so in `unseen`.
ObservedScenario observed_scenario(const ObservedJob& job);

/// A figure as observed and as another scenario predicts it.
struct ObservedFigure {
  std::string metric;
  double observed = 0.0;
  double relative_error = 0.0;
  std::optional<double> predicted;
};

/// An input with its observed value put in, everything else as the scenario has it.
struct Explanation {
  Setting set;
  std::string was;         ///< what the scenario runs with; "": nothing of the kind
  double predicted = 0.0;  ///< throughput then, samples/s
  double closed = 0.0;     ///< of the gap of logarithms: 1 all of it, below 0 it grows
};

struct ObservedComparison {
  std::vector<ObservedFigure> figures;
  std::vector<Explanation> explanations;  ///< that closes most first
};

/// The scenario's predictions beside what was observed, and which input's observed value closes
/// most of the gap of throughputs. InputError as study::run.
ObservedComparison compare_observed(const ObservedScenario& observed, const Scenario& scenario,
                                    const MakeScenario& make, const Catalog& catalog,
                                    const HostProfile* host);

}  // namespace feedrate::study
