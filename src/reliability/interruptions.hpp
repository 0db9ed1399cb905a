#pragma once
// A job of useful work that is interrupted at random: what an interruption loses, what keeps the
// loss small, and how long all of it takes. Interruptions are a Poisson process of the whole
// cluster: any instance that goes stops the job, which starts again as a gang. Two implementations:
// `expected` is the mean in closed form, `draw_courses` plays jobs.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.hpp"

namespace feedrate::reliability {

/// Writing one checkpoint. In the foreground training stops until it is written. In the background
/// training goes on, and the checkpoint is of no use before it is written: the storage has only
/// what reading leaves of it, so a write takes write / (1 − storage_busy); where reading and
/// writing of an interval together need longer than the interval, training waits for the
/// difference.
struct Writing {
  Duration time;  ///< with the storage to itself
  bool background = false;
  double storage_busy = 0.0;  ///< share of the storage's time that training's reads take, 0…1

  /// What each checkpoint adds to `interval` of work.
  [[nodiscard]] Duration stop(Duration interval) const;
  /// From when training goes on to when the checkpoint can be used.
  [[nodiscard]] Duration delay(Duration interval) const;
};

/// On-demand instances, which take the job over for good: after so many interruptions, or once
/// capacity has been waited for so long.
struct Fallback {
  std::optional<double> after_interruptions;
  std::optional<Duration> after_wait;
  Frequency sudden;  ///< interruptions of the on-demand cluster
};

struct InterruptedJob {
  Duration work;          ///< useful: what the job takes without interruptions and checkpoints
  Duration launch;        ///< before it: start-up, copying of the data, all instances together
  Duration startup;       ///< of instances: with it a launch and every restart begin
  Duration copying;       ///< of the data, after it: by all instances, in a launch and a relaunch
  Duration copying_anew;  ///< the same in a restart, by those that are replaced
  double replaced = 1.0;  ///< share of the cluster that an interruption strikes and replaces
  Frequency sudden;       ///< interruptions that lose all work since the last usable checkpoint
  Frequency announced;    ///< those with time for a last checkpoint: they lose none
  Duration restart;   ///< from having instances again to going on: launch and cold caches included
  Duration relaunch;  ///< that of the whole cluster, where a block of `booked` begins
  Duration wait;      ///< for instances, before each restart, exponential with this mean
  /// The cluster is there for so long, then the next block begins: what comes after the last usable
  /// checkpoint is lost. 0: for as long as it takes.
  Duration booked;
  Duration interval;  ///< of work between checkpoints; 0: none are written
  Writing writing;
  std::optional<Fallback> fallback;

  [[nodiscard]] Frequency rate() const { return sudden + announced; }
  /// Checkpoints that a job without interruptions writes: one after each whole interval.
  [[nodiscard]] double checkpoints() const;
};

/// What a job took, or takes in the mean. wall = launch + work + writes + rework + restarts +
/// waits.
struct Course {
  Duration wall;
  Duration writes;     ///< training stands for them
  Duration rework;     ///< work done again
  Duration restarts;   ///< those that were interrupted themselves, and relaunches, included
  Duration waits;      ///< for instances; what runs meanwhile is paid
  Duration on_demand;  ///< part of wall − waits on the instances of `fallback`
  Duration startups;   ///< part of wall: instances start up, the launch's included
  Duration startups_on_demand;  ///< part of `startups` and of `on_demand`
  double interruptions = 0.0;
  double blocks = 1.0;  ///< of `booked`, one after the other
  /// Of the data, over one by each instance. Of one that an interruption of its own instance or the
  /// end of a block cuts short, the part that was there.
  double copies = 1.0;
  double loads = 0.0;  ///< restarts and relaunches that came to where the checkpoint is loaded
};

/// The mean: closed forms; with a fallback, the mean of played courses; with blocks, the closed
/// form and, of courses that outlast their block, the mean of what that adds. Infinite where the
/// mean is beyond a double, or where no block can bring the job forward.
Course expected(const InterruptedJob& job);

/// How many courses to play where one meets `each` interruptions in the mean: 100,000 of them in
/// all, or of 4 courses; 2,000 courses at most. The longer a course, the less luck is left in it.
int plays_for(double each);

/// `count` jobs, each as chance has it; the same for the same seed on every machine. One that meets
/// 100,000 interruptions, or begins 10,000 blocks, is taken to never end: its time is infinite.
std::vector<Course> draw_courses(const InterruptedJob& job, std::uint64_t seed, int count);

/// One such job; draw_courses plays those of the streams 1 … count.
Course draw_course(const InterruptedJob& job, std::uint64_t seed, std::uint64_t stream);

}  // namespace feedrate::reliability
