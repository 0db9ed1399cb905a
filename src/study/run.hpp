#pragma once
// The main question: which stage is the bottleneck, how long does the job take, what does it cost?
#include <cstdint>
#include <functional>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"

namespace feedrate::study {

/// The phases of a run that may take long.
enum class Phase : std::uint8_t {
  steps,        ///< executing the steps of the job, with `exact`
  alone,        ///< executing those of the same job on one instance, for the efficiency
  replications  ///< drawing jobs
};

/// Of which stages it is asked what they would save if they were twice as fast.
enum class Gains : std::uint8_t {
  none,    ///< Bottleneck stays empty
  name,    ///< by the events of those alone that may be the bottleneck, for its name
  rivals,  ///< the same where the mean is stated: of points among which one is chosen
  all      ///< by the mean, and by the events of those that gain most
};

struct RunOptions {
  bool exact = false;   ///< execute every event instead of skipping what repeats
  bool events = false;  ///< without `exact`: beside the mean as many events as are affordable,
                        ///< which are stated where they part from it (by_events.hpp)
  /// Of the mean's epochs in replications: as the events have it.
  double stretch = 1.0;
  int replications = 0;  ///< > 0: draw parameters and random times, report bands
  std::uint64_t seed = 1;
  bool bottlenecks =
      true;             ///< replications tell how probable each bottleneck is, most of their time
  bool guesses = true;  ///< replications draw assumed inputs too, and not only measured ones
  bool list_inputs = true;  ///< fill Result::inputs, which takes a third of the time
  bool weigh = false;       ///< also find the effect of each input: several times the other work
  /// Called now and then with how much of a phase is done. What it throws ends the run.
  std::function<void(Phase phase, double done, double total)> progress{};
  /// Called after each replication; true ends them with those that are done.
  std::function<bool()> enough{};
  /// Whose errors of the model replications draw; null: those that were learned.
  const ClassErrors* class_errors = nullptr;
  Gains gains = Gains::rivals;  ///< several simulations, most of a run
  bool refuse_unheld = false;   ///< refuse weights that no GPU holds, which are doubted otherwise:
                                ///< of points among which one is chosen
  bool try_workers = false;     ///< fill Bottleneck::workers: a few dozen simulations
  /// Its steps were made those of as many samples as on any other number of instances.
  bool as_many_samples = false;
};

struct Stated;

/// Throws InputError when something that is needed is not known (the message names the key).
/// `host` may be null. Same input, same result, on any machine. Fills `stated`, if that is not
/// null, with what was simulated.
Result run(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
           const RunOptions& options = {}, Stated* stated = nullptr);

}  // namespace feedrate::study
