#include "pipeline/last_round.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pipeline/division.hpp"

namespace feedrate::pipeline {

LastRound last_round_of(const Inputs& inputs, const EpochShape& epoch, const EpochShape& taken,
                        double active) {
  const auto in_round = [&](double batches) {
    return batches - active * (std::ceil(batches / active) - 1.0);
  };
  const double full = taken.largest();
  LastRound round;
  round.met = in_round(taken.steps);
  round.begun = taken.steps - round.met;
  round.ends = taken.steps > epoch.steps - in_round(epoch.steps);
  round.by_few = taken.steps > 0.0 && std::prev(taken.end())->by_few;
  round.of_own = active > 1.0 && cuts_batches(inputs) && (round.ends || round.by_few);
  const auto of_round = [&](double batches) {
    return (epoch.first(round.begun + batches).samples() - epoch.first(round.begun).samples()) /
           full;
  };
  round.made = of_round(round.met);
  if (!round.ends) {
    round.busy = std::min(active, epoch.samples() / full);
    round.work = of_round(round.busy);
    return round;
  }
  // A smaller last batch is done before the others of its round; one that opens a round is all of
  // that.
  const double part = epoch.last_batch < inputs.batch ? epoch.last_batch / inputs.batch : 0.0;
  const double whole = in_round(epoch.steps) - (part > 0.0 ? 1.0 : 0.0);
  round.busy = std::max(1.0, whole);
  round.work = whole > 0.0 ? whole : part;
  return round;
}

}  // namespace feedrate::pipeline
