#include "pipeline/build.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "pipeline/rank.hpp"

namespace feedrate::pipeline {

Layout folded(const Inputs& inputs) {
  return {1, 1, inputs.ranks, false, 0.0};
}

Layout apart(const Inputs& inputs, int most_processes) {
  Layout layout{static_cast<int>(inputs.instances), static_cast<int>(inputs.ranks), 1.0, true, 0.0};
  const double remote = inputs.remote ? inputs.remote->workers / inputs.ranks : 0.0;
  const double each = inputs.workers + remote + 3.0;
  const double rank_limit = std::max(1.0, most_processes / each);
  if (layout.ranks > rank_limit) {
    layout.fold = std::ceil(inputs.ranks / rank_limit);
    layout.ranks = static_cast<int>(std::max(1.0, std::round(inputs.ranks / layout.fold)));
    layout.fold = inputs.ranks / layout.ranks;
  }
  layout.instances =
      static_cast<int>(std::clamp(std::floor(rank_limit / layout.ranks), 1.0, inputs.instances));
  return layout;
}

std::string name_of(const Part& part) {
  const auto numbered = [&](const std::string& kind) {
    return part.number < 0 ? kind : kind + " " + std::to_string(part.number);
  };
  switch (part.kind) {
    case TrackKind::connection: return numbered("connection");
    case TrackKind::stream: return "stream";
    case TrackKind::worker: return numbered("worker");
    case TrackKind::thread: return numbered("thread");
    case TrackKind::remote: return numbered("remote worker");
    case TrackKind::pin: return "pinning thread";
    case TrackKind::relay: return "relay";
    case TrackKind::main: return "main process";
    case TrackKind::copy: return "host-to-device copy";
    case TrackKind::gpu: return "GPU";
    case TrackKind::capacity: return "capacity";
  }
  return "";
}

EpochModel build_epoch(const Inputs& inputs, EpochKind kind, const Layout& layout) {
  EpochModel built;
  engine::Model& model = built.model;
  EpochShape shape = epoch_shape(inputs);
  if (layout.steps > 0.0 && layout.steps < shape.steps) shape = {layout.steps, inputs.batch};
  std::optional<engine::BarrierId> barrier;
  if (layout.instances * layout.ranks > 1) {
    barrier = model.add(
        engine::Barrier{"all-reduce", static_cast<std::uint32_t>(layout.instances * layout.ranks)});
  }
  for (int i = 0; i < layout.instances; ++i) {
    const Capacities capacities = add_capacities(model, inputs, kind, layout);
    for (int r = 0; r < layout.ranks; ++r) {
      RankBuilder rank{model,
                       inputs,
                       layout,
                       capacities,
                       kind,
                       shape,
                       load_cost(inputs, kind),
                       "i" + std::to_string(i) + ".r" + std::to_string(r) + ".",
                       Gates{},
                       barrier,
                       built,
                       built.gpus.empty()};
      const bool pool = inputs.remote || inputs.kind == LoaderKind::pool;
      const bool workers = inputs.kind == LoaderKind::pytorch && inputs.workers > 0.0;
      if (!pool && !workers) add_gates(rank, inputs.batch / chunks_of(rank.cost, inputs.batch));
      const Fetch fetch = pool ? add_pool(rank) : workers ? add_pytorch(rank) : Fetch{};
      built.gpus.push_back(add_consumer(rank, fetch));
    }
  }
  model.reference = built.gpus.front();
  return built;
}

}  // namespace feedrate::pipeline
