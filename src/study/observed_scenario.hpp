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

/// `value` with so many significant digits.
double rounded(double value, int digits = 4);

/// An observed number of the scenario, as it is shown to people.
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

/// A job that waits for batches for less than this share of its time does not wait for its loader,
/// but for the hand-over of each batch.
inline constexpr double waits_for_loader = 0.05;

/// The scenario of an observed job. A sample's work in the loader is the CPU time of the workers
/// per sample. Where the job waits for its loader, how long a worker takes for a sample is seen
/// too, and the rest of that time is taken for reading; elsewhere `unseen` says that it could not
/// be seen.
ObservedScenario observed_scenario(const ObservedJob& job);

/// Samples/s over whole epochs, where each begins with a start of workers that is in none of the
/// steps that follow each other.
std::optional<double> throughput_of_epochs(const ObservedJob& job);

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
  double closed = 0.0;     ///< share of the gap of logarithms: 1 is all of it, below 0 it grows
};

struct ObservedComparison {
  std::vector<ObservedFigure> figures;
  std::vector<Explanation> explanations;  ///< the one that closes most of the gap first
};

/// The scenario's predictions beside what was observed, and which input's observed value closes
/// most of the gap of throughputs. InputError as study::run.
ObservedComparison compare_observed(const ObservedScenario& observed, const Scenario& scenario,
                                    const MakeScenario& make, const Catalog& catalog,
                                    const HostProfile* host);

}  // namespace feedrate::study
