#pragma once
// What the closed form works out of a job's loading, kept from one epoch and one simulation to the
// next: questions such as "what if the GPU were faster" leave it as it is.
#include <array>
#include <deque>
#include <optional>

#include "pipeline/flow.hpp"
#include "pipeline/mean.hpp"

namespace feedrate::pipeline {

/// Of inputs that differ in the speeds of stages and in what comes after the loader (steps,
/// exchanges), and in nothing else.
class KnownLoading {
 public:
  /// A reference that stays valid.
  Flow& flow(const Inputs& inputs, EpochKind kind, const Misses& misses, double active);

  struct Staged {
    MeanStaging staging;
    Credits credits;  ///< that it leaves, of all that there are
  };
  const Staged& staged(const Inputs& inputs);

 private:
  /// Whose speeds count; those that copying passes come first.
  static constexpr std::array stages = {Stage::download, Stage::network, Stage::disk,
                                        Stage::decode,   Stage::remote,  Stage::collate};
  static constexpr std::size_t of_copying = 3;
  using Speeds = std::array<double, stages.size()>;
  static Speeds speeds_of(const Inputs& inputs);

  struct OfFlow {
    EpochKind kind;
    Misses misses;
    double active;
    Speeds speeds;
    Flow flow;
  };
  struct OfStaging {
    Speeds speeds;
    Staged staged;
  };
  std::deque<OfFlow> flows_;
  std::deque<OfStaging> staged_;
  std::optional<bool> one_source_{};  ///< the first epoch reads what later ones read
};

}  // namespace feedrate::pipeline
