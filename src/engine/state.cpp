#include "engine/state.hpp"

#include <map>

namespace feedrate::engine {

State::State(const Model& model_in, const Options& options_in)
    : model(model_in),
      options(options_in),
      code(lower(model_in, capacities, buckets)),
      events(model_in.processes.size()),
      completions(model_in.resources.size()),
      processes(model_in.processes.size()),
      queues(model_in.queues.size()),
      barriers(model_in.barriers.size()),
      marks(code.marks),
      active(processes.size()),
      blocked(processes.size()),
      awaited(processes.size()) {
  if (options.trace) told.resize(processes.size());
  std::map<std::int64_t, std::uint32_t> shared;
  for (std::uint32_t p = 0; p < processes.size(); ++p) {
    processes[p].at = code.entry[p];
    if (!model.processes[p].daemon) ++alive;
    const std::int64_t name = model.processes[p].stream;
    const auto fresh = static_cast<std::uint32_t>(streams.size());
    const auto [known, added] = shared.try_emplace(name < 0 ? -1 - std::int64_t{p} : name, fresh);
    stream_of.push_back(known->second);
    // Streams of their own and shared ones are numbered apart.
    if (added) {
      const auto stream = static_cast<std::uint64_t>(name < 0 ? 2 * std::int64_t{p} : 2 * name + 1);
      streams.emplace_back(options.seed, stream);
    }
  }
  for (std::uint32_t q = 0; q < queues.size(); ++q) {
    const Queue& from = model.queues[q];
    queues[q].kind = from.kind;
    queues[q].level = from.initial;
    queues[q].capacity = from.capacity;
    if (from.kind == QueueKind::numbering) queues[q].partner = code.queues[q].ordered;
    if (from.kind == QueueKind::ordered) {
      queues[q].partner = static_cast<std::uint32_t>(from.numbered_by);
      queues[q].ring.resize(std::bit_ceil(processes.size() + 1));
    }
  }
  for (std::uint32_t b = 0; b < barriers.size(); ++b)
    barriers[b].parties = model.barriers[b].parties;
  for (MarkState& mark : marks) mark.first.reserve(static_cast<std::size_t>(options.marks_kept));
}

}  // namespace feedrate::engine
