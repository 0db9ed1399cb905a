#pragma once
// What the simulation did in the first steps of its epochs, and in the first copies of File mode:
// to be drawn, or looked at in a trace viewer. Filled by study::timeline.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "model/stage.hpp"

namespace feedrate {

/// What one row of the picture stands for.
enum class TrackKind : std::uint8_t {
  connection,  ///< of File mode, copying objects
  stream,      ///< Pipe mode's, or whatever fetches ahead of the workers
  worker,      ///< of a PyTorch loader
  thread,      ///< of a pool
  remote,      ///< worker on an auxiliary instance
  pin,         ///< thread that copies finished batches, in order, into pinned memory
  relay,       ///< of a pool: holds the batch that is next
  main,        ///< the training loop
  copy,        ///< the host-to-device link
  gpu,
  capacity,  ///< a shared disk, link or set of cores: spans are where it has users
};

/// A stretch of a track's time. Spans of a track are in order of time and do not overlap; where
/// there is none, nothing is known or nothing is done.
struct TimelineSpan {
  Duration begin;  ///< from the section's beginning
  Duration end;    ///< > begin
  Stage stage{};   ///< what is done; when waiting, what is mostly waited for
  bool waiting = false;
  /// Of the epoch, the first is 0; of a connection, the object. Empty where not known.
  std::optional<std::int64_t> batch;
  bool held = false;  ///< it waits for a CPU quota, which is used up
};

/// On the GPU's track every moment but those of its own step is waiting, as in Result: an exposed
/// all-reduce or a copy in the step's way included.
struct Track {
  TrackKind kind{};
  std::string name;  ///< for people: "worker 3", "GPU", "disk"
  std::vector<TimelineSpan> spans;
};

/// Name of an instance's own cores, as a capacity track and its counter have it.
inline constexpr std::string_view cores_name = "CPU cores";

enum class CounterKind : std::uint8_t {
  queue,  ///< batches that stand in a queue
  users,  ///< of a shared capacity
};

/// A value that holds until the next point; the first point is at the section's beginning.
struct Counter {
  struct Point {
    Duration at;
    double value = 0.0;
  };
  CounterKind kind{};
  std::string name;
  std::optional<double> most;  ///< a queue's places, or the most users there can be
  std::vector<Point> points;   ///< ascending in time, each value another one
};

/// A part of a section's time.
struct Stretch {
  Duration begin, end;
};

struct StepMark {
  std::int64_t step = 0;  ///< of the epoch, the first is 1
  Duration at;            ///< when the GPU has done it
};

/// File mode's copying, or an epoch: its first steps.
struct TimelineSection {
  std::string name;        ///< "staging", "epoch 1", "epoch 2"
  std::int64_t epoch = 0;  ///< 1 is the first; 0 for staging
  Duration begin;          ///< in the job, from its start
  Duration length;         ///< of what is shown
  bool whole = false;      ///< it ends here; else it goes on like this
  std::vector<Track> tracks;
  std::vector<Counter> counters;
  std::vector<StepMark> steps;
  /// When a worker of any rank of the instance has a request at its disk; in the order of time,
  /// apart from each other.
  std::vector<Stretch> disk;
  bool new_workers = false;      ///< processes that are no epoch's before it
  double events = 0.0;           ///< simulated for what is shown, those of all ranks
  double all_steps = 0.0;        ///< of the epoch
  Bytes received_by_batch;       ///< by an instance, for a batch of each of its ranks
  Bytes read_by_batch;           ///< by an instance from its disk, likewise
  double reads_by_batch = 0.0;   ///< requests for them
  Duration read_takes_by_batch;  ///< that the disk takes for them at least
  Duration written_by_batch;     ///< that the disk takes to keep what was received for such a batch
  Bytes received_by_step;        ///< by an instance, of gradients, in a step
  Bandwidth received;            ///< by an instance, throughout: of what is copied before training
};

/// Sections in order of time. The first rank's GPU and loader stand for those of all ranks.
struct Timeline {
  std::vector<TimelineSection> sections;
  std::string about;                 ///< a sentence: which events these are
  double gpus = 1.0;                 ///< for which the GPU's track stands
  std::optional<double> threads;     ///< of an instance, hardware's; empty where not known
  std::optional<double> cores;       ///< of an instance; empty where not known
  double other_threads = 0.0;        ///< of other programs on an instance, always ready to run
  double ranks = 1.0;                ///< of an instance
  bool quota = false;                ///< on an instance's CPU time
  std::optional<Bandwidth> network;  ///< of an instance, its line rate; empty where not known
  std::optional<double> memory;      ///< share of an instance's that is used; empty where not known
  std::vector<std::string> remarks;  ///< where something was left out
};

}  // namespace feedrate
