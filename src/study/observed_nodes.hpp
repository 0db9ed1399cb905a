#pragma once
// Nodes of one job that were observed side by side: which of them the others wait for, and why.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/observed_job.hpp"
#include "study/observed_scenario.hpp"

namespace feedrate::study {

struct ObservedNode {
  std::string name;
  ObservedJob job;  ///< of this node alone: its GPUs, its samples/s
};

struct ObservedNodes {
  std::vector<ObservedNode> nodes;
  std::optional<std::size_t> straggler;  ///< the one that the others wait for
  Duration late;                         ///< of each step; 0: by how much is not told
  std::vector<std::string> causes;       ///< what it does otherwise than the others, largest first
  std::size_t pace = 0;  ///< whose steps are the job's: it waits longest for batches

  /// Samples/s of all nodes, which go at one pace.
  [[nodiscard]] double throughput() const;
};

/// All nodes of a synchronous job end each step together, so the one that waits longest for its
/// batches is the one that the others wait for; where no log tells of waiting, the one that waits
/// least in collective operations, or whose GPUs run at lower clocks. Precondition: two or more.
ObservedNodes judge_nodes(std::vector<ObservedNode> nodes);

/// "node07 holds the others up …"; that none does; or what would tell.
std::string verdict_on(const ObservedNodes& nodes);

/// The scenario of all nodes, each of which is taken to be as slow as the one at whose pace they
/// go.
ObservedScenario observed_scenario(const ObservedNodes& nodes);

}  // namespace feedrate::study
