#pragma once
// A run that somebody waits for: a line says how far it is, and Ctrl-C ends it.
#include <functional>

#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "study/run.hpp"

namespace feedrate::cli {

/// While it lives, Ctrl-C ends the replications; the answer is then made of those that are done.
/// Before there are any, while events are simulated, there is nothing to answer: Ctrl-C throws.
/// What takes over ten seconds between two looks is ended with the program.
class WatchedRun {
 public:
  /// The options of a run that is watched; not to outlive this.
  [[nodiscard]] study::RunOptions watched(study::RunOptions options);

 private:
  Interrupt interrupt_{10};
  Progress progress_{"steps"};
};

/// What `ask` returns; ends the program by the signal that a WatchedRun in it was given up for.
int unless_given_up(const std::function<int()>& ask);

/// Says on standard error that an answer is of fewer replications than were asked for, and returns
/// the exit status of such an answer.
int stopped_early(int done, int asked);

}  // namespace feedrate::cli
