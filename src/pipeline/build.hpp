#pragma once
// Training said in the engine's words: one epoch, or the copying before it, as a Model.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model.hpp"
#include "engine/simulate.hpp"
#include "model/timeline.hpp"
#include "pipeline/loading.hpp"

namespace feedrate::pipeline {

/// How much of another kind of instances is simulated apart.
struct KindLayout {
  int instances = 1;
  int ranks = 1;
  double fold = 1.0;
  Misses misses;  ///< of its caches
};

/// How much of the cluster is simulated apart.
struct Layout {
  int instances = 1;               ///< simulated apart
  int ranks = 1;                   ///< simulated apart, of each instance
  double fold = 1.0;               ///< real ranks that one simulated rank stands for
  double steps = 0.0;              ///< > 0: the loop is left after so many steps of the epoch
  int fed = 0;                     ///< ranks beside them that make their steps and have no loader
  std::vector<KindLayout> others;  ///< as in UnequalInstances::others; empty: none is simulated
  Credits credits;                 ///< that the limits begin with
};

/// Ranks apart, up to `most_processes` simulated processes; beyond, fewer instances, then fewer
/// ranks. Where steps vary, the ranks that are left out make theirs all the same, each its own, as
/// if their loaders kept up: every barrier waits for the slowest of all. Ranks that remote workers
/// serve are one: their workers belong to all.
Layout apart(const Inputs& inputs, int most_processes);

/// Instances whose loaders are simulated.
int instances_in(const Layout& layout);

/// Mark number at each end of a step of the first rank.
inline constexpr std::uint32_t step_mark = 0;

/// What a process is, for its name and for a timeline.
struct Part {
  TrackKind kind{};
  int number = -1;    ///< among its kind; -1: there is but one
  Stage feeds{};      ///< who takes what it makes
  double stride = 1;  ///< it makes batch `number`, `number + stride`, ...; 1: all of them
  std::optional<engine::QueueId> delivers = {};  ///< where it puts each batch that it has made
  std::optional<engine::QueueId> tickets = {};  ///< or whence it takes the number of its next chunk
  double chunks = 1;                            ///< of a batch
  engine::ProcessId process{};
};

/// "worker 3", "GPU".
std::string name_of(const Part& part);

/// Queues, side by side, in which batches stand.
struct Stock {
  std::string name;
  engine::QueueId first{};
  std::uint32_t count = 1;
  double most = 0.0;    ///< batches
  double tokens = 1.0;  ///< a batch
};

/// Transfers that pass the NIC of an instance.
struct NicPassed {
  engine::ResourceId resource{};
  Station station;
  double customers = 0.0;
  bool gated = false;  ///< not all customers may be inside
};

/// Credit that a limit may have.
struct CreditKept {
  engine::BucketId bucket{};
  double full = 0.0;  ///< of what the bucket counts
};

/// An epoch. Tags are Stage values; the reference process is the first rank's GPU.
struct EpochModel {
  engine::Model model;
  std::vector<engine::ProcessId> gpus;  ///< the processes in which GPUs step, one a simulated rank
  std::vector<engine::ResourceId> shared_gpus;  ///< of the GPUs that a loader's stream shares
  std::vector<engine::ProcessId> loaders;  ///< workers and threads that make batches beside them
  std::vector<Part> parts;                 ///< of the first rank
  std::vector<Stock> stocks;
  std::size_t own_processes = 0;  ///< of the first rank's instance; they come first
  std::size_t own_resources = 0;
  std::vector<NicPassed> nics;
  std::vector<CreditKept> credits;         ///< of all instances
  std::vector<engine::ProcessId> streams;  ///< that fetch ahead of all workers
};
EpochModel build_epoch(const Inputs& inputs, EpochKind kind, const Misses& misses,
                       const Layout& layout);

/// What stands before the names of an instance's parts: "" where there is but one.
std::string prefix_of(const Layout& layout, int instance);

/// Processes that are simulated apart; beyond, one stands for several.
inline constexpr int most_apart = 2048;

/// How the first of `epochs` is simulated event by event, by whoever does: the same seed makes the
/// same events.
struct EpochEvents {
  Layout layout;
  EpochModel built;
  engine::Options options;
};
EpochEvents epoch_events(const Inputs& inputs, const Epochs& epochs, std::uint64_t seed,
                         const Credits& credits = {});

/// File mode's copying on one instance.
engine::Model build_staging(const Staging& staging, double speed);

}  // namespace feedrate::pipeline
