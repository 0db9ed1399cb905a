#pragma once
// Training said in the engine's words: one epoch, or the copying before it, as a Model.
#include "engine/model.hpp"
#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

/// How much of the cluster is simulated apart. Without randomness all ranks of all instances do the
/// same at the same time, so one stands for all: its shares of the shared capacities are
/// X(n·fold)/fold.
struct Layout {
  int instances = 1;  ///< simulated apart
  int ranks = 1;      ///< simulated apart, of each instance
  double fold = 1.0;  ///< real ranks of an instance that one simulated rank stands for
  bool random = false;
  double steps = 0.0;  ///< > 0: only so many steps of the epoch
};

/// One rank for all of them.
Layout folded(const Inputs& inputs);

/// Ranks apart, up to `most_processes` simulated processes; beyond, fewer instances, then fewer
/// ranks.
Layout apart(const Inputs& inputs, int most_processes);

/// Mark number at each end of a step of the first rank.
inline constexpr std::uint32_t step_mark = 0;

/// An epoch. Tags are Stage values; the reference process is the first rank's GPU.
struct EpochModel {
  engine::Model model;
  std::vector<engine::ProcessId> gpus;  ///< the processes in which GPUs step, one a simulated rank
  std::vector<engine::ProcessId> loaders;  ///< workers and threads that make batches beside them
};
EpochModel build_epoch(const Inputs& inputs, EpochKind kind, const Layout& layout);

/// File mode's copying on one instance.
engine::Model build_staging(const Staging& staging, double speed, bool random, double size_cv);

}  // namespace feedrate::pipeline
