#pragma once
// Pieces that build.cpp puts together: the shared capacities of an instance, and what a loader does
// to a chunk of a batch.
#include <optional>
#include <string>

#include "engine/model.hpp"
#include "pipeline/build.hpp"
#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

constexpr engine::Tag tag(Stage stage) {
  return static_cast<engine::Tag>(stage);
}

/// Seconds as whole nanoseconds, to nearest.
engine::Ticks ticks(Duration duration);

/// Mean 1 with this coefficient of variation; constant when `random` is false.
engine::Spread spread(bool random, double cv);

/// The shared capacities of one instance as one simulated rank set sees them.
struct Capacities {
  std::optional<engine::ResourceId> source, disk, cpu, remote_cpu, delivery;
};
Capacities add_capacities(engine::Model& model, const Inputs& inputs, EpochKind kind,
                          const Layout& layout);

/// What loading costs in one epoch of one kind, per sample, at the virtual speeds.
struct LoadCost {
  Duration download_latency, disk_latency, delivery_latency;  // per sample
  Bytes download, disk, delivery;                             // work per sample
  Duration request_interval;  // between one rank's requests for a sample at the limit on requests
  Duration cpu, remote_cpu, collate;  // core-seconds per sample
};
LoadCost load_cost(const Inputs& inputs, EpochKind kind);

/// Who loads: a worker beside the GPU does all that is local; a remote one sends what it made.
enum class Who { local, remote };

/// What a loader passes for each chunk: a FIFO that holds it already (then nothing is fetched), or
/// leave to make its requests, where the source limits them.
struct Gates {
  std::optional<engine::QueueId> fifo, permits;
};

/// A queue that gets one permit per `interval` while it is empty, and the daemon that fills it.
engine::QueueId add_permits(engine::Model& model, const std::string& name, Duration interval);

/// Appends the loading of `samples` in chunks.
void add_load(engine::ProgramBuilder& program, const LoadCost& cost, const Capacities& capacities,
              double samples, int chunks, Who who, engine::Spread spread_of_chunk,
              const Gates& gates);

/// Chunks that a batch of `batch` samples is loaded in: 1 where only one kind of cost occurs, since
/// then the order of its parts cannot matter.
int chunks_of(const LoadCost& cost, double batch);

}  // namespace feedrate::pipeline
