#pragma once
// One rank while it is put together: what its loader and its consumer share. Internal to pipeline.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "pipeline/build.hpp"
#include "pipeline/parts.hpp"

namespace feedrate::pipeline {

using engine::ProgramBuilder;
using engine::QueueId;
using engine::Ring;

/// A count as the engine takes it.
inline std::int64_t whole(double n) {
  return static_cast<std::int64_t>(std::llround(n));
}

/// A batch on its way, as a loop over batches adds it.
struct Batch {
  double samples = 0.0;
  bool by_few = false;  ///< as BatchRun has it
};

/// Everything that the parts of one rank share while it is put together.
struct RankBuilder {
  engine::Model& model;
  const Inputs& inputs;
  const Layout& layout;
  const Capacities* local;                ///< null: nothing is loaded on the instance
  const Capacities* remote;               ///< of the remote workers; null without
  std::optional<engine::ResourceId> cpu;  ///< the instance's cores
  EpochKind kind;
  EpochShape shape;   ///< of what it trains on
  EpochShape loaded;  ///< of what its loader makes, if the loop is not left before
  Division division;  ///< of that
  std::string name;
  std::optional<engine::BarrierId> barrier;
  EpochModel& built;
  bool first_rank = false;
  /// What of an all-reduce passes the instance's NIC beside its downloads, for this rank.
  struct Gradients {
    engine::BucketId nic;
    double samples;
  };
  std::optional<Gradients> gradients = {};

  /// The loop ends before its loader has made all batches.
  [[nodiscard]] bool left() const { return shape.steps < loaded.steps; }
  [[nodiscard]] bool preprocesses_ahead() const {
    return inputs.gpu_preprocess_ahead.base() > 0.0 && traits(inputs.kind).shared_batches;
  }
  /// Of one batch at a time, threads begin no other before the GPU has done its part.
  [[nodiscard]] bool threads_wait() const { return preprocesses_ahead() && inputs.prefetch < 2.0; }
  [[nodiscard]] bool partial_last() const { return shape.last_batch < inputs.batch; }
  [[nodiscard]] double full_steps() const { return shape.steps - (partial_last() ? 1.0 : 0.0); }
  [[nodiscard]] Variety variety() const { return {inputs.size_cv, inputs.read_cv, inputs.make_cv}; }

  engine::ProcessId add_process(const ProgramBuilder& program, Part part, bool daemon = false) {
    part.process =
        model.add(engine::Process{name + name_of(part), model.add(program.build()), daemon, -1});
    if (first_rank) built.parts.push_back(part);
    return part.process;
  }
  /// What the first rank has in stock is seen in a timeline.
  void add_stock(Stock stock) {
    if (first_rank) built.stocks.push_back(std::move(stock));
  }
  QueueId add_queue(const std::string& part, std::int64_t capacity, std::int64_t initial = 0) {
    engine::Queue queue;
    queue.name = name + part;
    queue.capacity = capacity;
    queue.initial = initial;
    return model.add(queue);
  }

  /// The same body for every batch.
  template <class Body>
  void over_batches(ProgramBuilder& program, Body&& body) const {
    for (const BatchRun& run : shape) {
      program.repeat_long(whole(run.batches));
      body(program, Batch{run.samples, run.by_few});
      program.next();
    }
  }
};

/// Where the main process finds batch after batch, and what it gives back for each.
struct Fetch {
  std::optional<Ring> ready, index;         // pytorch: ring of workers' queues
  std::uint32_t few = 0;                    ///< the first of them, which make the last batches
  std::optional<QueueId> samples, tickets;  // pool: chunks
  int chunks = 1;                           ///< of a batch
  bool one_by_one = false;                  ///< an ordered queue yields one chunk at a time
  std::optional<QueueId> end;               ///< here workers say that they are at their end
  std::int64_t ended = 0;                   ///< so many of them

  /// Of the workers that make this batch.
  [[nodiscard]] Ring of(const Ring& all, const Batch& batch) const {
    Ring ring = all;
    if (batch.by_few) {
      ring.count = few;
      ring.cursor = 1;
    }
    return ring;
  }
};

/// The workers of torch.utils.data.DataLoader: batch k is made by worker k mod W; each has
/// `prefetch` indices outstanding and gets one more for each of its batches that is taken.
Fetch add_pytorch(RankBuilder& rank);

/// Threads (and remote workers) that take chunks from one queue of tickets.
Fetch add_pool(RankBuilder& rank);

/// From fetched batch to finished step: pinning thread, main process, copy stream, GPU. Returns the
/// process in which the GPU steps.
engine::ProcessId add_consumer(RankBuilder& rank, const Fetch& fetch);

/// `count` ranks whose next batch is always there, as one process that is as late at each barrier
/// as the last of them.
void add_fed_ranks(RankBuilder& rank, int count);

}  // namespace feedrate::pipeline
