#pragma once
// Pieces that build.cpp puts together: the capacities of an instance as the engine's resources, and
// what a loader does to a chunk of a batch.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model.hpp"
#include "pipeline/build.hpp"
#include "pipeline/loading.hpp"

namespace feedrate::pipeline {

constexpr engine::Tag tag(Stage stage) {
  return static_cast<engine::Tag>(stage);
}

/// Seconds as whole nanoseconds, to nearest.
engine::Ticks ticks(Duration duration);

/// Mean 1 with this coefficient of variation; constant when it is 0.
engine::Spread spread(double cv);

/// A station as the engine has it.
struct Place {
  std::optional<engine::ResourceId> resource;
  std::optional<engine::QueueId> gate;  ///< a token for each customer that may be inside
};

/// A rate limit: one bucket for the long run, one for bursts.
struct LimitBuckets {
  engine::BucketId long_run{};
  std::optional<engine::BucketId> burst;
  double counts = 1.0;  ///< of what the buckets count, a sample of these customers
};

/// What one kind of customer loads through, on one instance (remote workers: on all).
struct Capacities {
  Loading loading;
  std::vector<Place> stations;  ///< as in `loading`
  std::optional<engine::ResourceId> cpu;
  std::vector<LimitBuckets> limits;     ///< as in `loading`
  std::optional<engine::QueueId> fifo;  ///< chunks that were fetched ahead
  std::optional<engine::QueueId> room;  ///< for more of them; of a worker with a thread of its own
  /// What the threads pass that download for each worker; null: none do.
  std::shared_ptr<const Capacities> downloads;
  std::optional<engine::BucketId> nic;  ///< what downloads and gradients share, in samples
};

/// What all customers of an instance begin with. A chunk asks for all of its samples before the
/// first of them, so what limits let through while it is made is lent to it; no more than that, or
/// each epoch would have as much for nothing.
struct Opening {
  double samples = 0.0;  ///< one chunk each
  double time = 0.0;     ///< seconds that one alone needs for its chunk

  /// Samples that a limit of so many a second has at the beginning.
  [[nodiscard]] double let_through(double rate) const;
};
/// `fold`: customers that one simulated one stands for.
Opening opening_of(const Loading& loading, double fold, double chunk);

/// The bucket that downloads pass, and the gradients of an instance once they were exchanged: both
/// together get no more than the NIC carries, and neither is slowed where it carries both.
engine::BucketId add_nic(engine::Model& model, const std::string& name, const SharedNic& nic,
                         double fold, const Opening& opening);

/// `fold`: customers that one simulated one stands for. `beside`: another kind of customers, which
/// pass the same limits and read the same disk. `credits`: that limits begin with.
Capacities add_capacities(engine::Model& model, const std::string& name, const Loading& loading,
                          double fold, double helpers, double chunk, const Credits& credits,
                          const Capacities* beside = nullptr);

/// From here on the customers of another rank are added, with locks of their own.
void add_locks(engine::Model& model, Capacities& capacities, const std::string& name);

/// How chunks and batches differ: what a sample's share of a batch varies by.
struct Variety {
  double size_cv = 0.0;  ///< of a sample
  double read_cv = 0.0;  ///< of a batch
  double make_cv = 0.0;
};

/// Appends the loading of `samples` in `chunks`.
void add_load(engine::ProgramBuilder& program, const Capacities& capacities, double samples,
              int chunks, const Variety& variety);

/// Appends what is read before the first sample is made; batches of `batch` samples vary.
void add_read_before(engine::ProgramBuilder& program, const Capacities& capacities, double batch,
                     const Variety& variety);

/// Chunks that a full batch is loaded in.
int chunks_of(const Inputs& inputs);

/// Whether workers hand over whole batches in the order in which these were asked for. (Those that
/// own objects have samples of their own, and do in any case.)
bool in_turn(const Inputs& inputs);

}  // namespace feedrate::pipeline
