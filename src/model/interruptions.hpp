#pragma once
// What interruptions do to a job: the mean, which time and cost of the result hold, and how far a
// single job may be from it.
#include <array>
#include <optional>

#include "base/units.hpp"

namespace feedrate {

/// The same job on demand, with what interrupts it there.
struct OnDemandInstead {
  Money money;  ///< of the bill
  double saving =
      0.0;  ///< share of it that spot instances save in the mean; below 0: they cost more
  double loses = 0.0;  ///< share of spot jobs that cost more
};

struct Interruptions {
  std::optional<Duration> between;  ///< mean time between interruptions of the cluster
  double expected = 0.0;
  Duration rework;         ///< work done again
  Duration restarts;       ///< those between booked blocks included
  Duration waits;          ///< for spot capacity; instances that run meanwhile are paid
  Duration lost;           ///< all that interruptions add to the job; 0 where there are none
  double effective = 0.0;  ///< work over the job's whole time: effective training time ratio
  std::optional<Duration> interval;  ///< between checkpoints; empty: none are written
  std::optional<Duration> best;      ///< that takes the job least time
  std::optional<Duration> young;     ///< the first-order formulas, by what loses work
  std::optional<Duration> daly;
  int draws = 0;                   ///< jobs played; 0: none could be
  std::array<Duration, 2> time{};  ///< 5 % and 95 % of them
  std::array<Money, 2> money{};
  std::optional<OnDemandInstead> on_demand;  ///< of spot jobs, where a price is known
  std::optional<double> blocks;              ///< booked one after the other, in the mean
  std::optional<double> more_blocks;         ///< share of jobs that need more of them than one that
                                             ///< nothing interrupts
};

}  // namespace feedrate
