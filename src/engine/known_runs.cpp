#include "engine/known_runs.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/bits.hpp"
#include "base/random.hpp"

namespace feedrate::engine {
namespace {

struct Run {
  Model model;
  std::uint64_t seed;
  bool exact;
  Outcome outcome;
};

// Unlike for most models that are not the same.
std::uint64_t mark_of(const Model& model, std::uint64_t seed) {
  std::uint64_t mark = mixed(seed);
  for (const Program& program : model.programs) {
    for (const Instruction& step : program) {
      const auto amount =
          static_cast<std::uint64_t>(step.time.ns) + static_cast<std::uint64_t>(step.count);
      mark = mixed(mark ^ bits_as<std::uint64_t>(step.work.units) ^ amount);
    }
  }
  return mark;
}

// Bytes, but for what is small.
std::size_t size_of(const Run& run) {
  std::size_t size = sizeof(Run) +
                     run.model.processes.size() * (sizeof(Process) + sizeof(ProcessStats)) +
                     run.model.queues.size() * (sizeof(Queue) + sizeof(QueueStats));
  for (const Program& program : run.model.programs) size += program.size() * sizeof(Instruction);
  for (const FactorList& list : run.model.lists) {
    size += (list.factor.size() + list.up_to.size()) * sizeof(double);
  }
  for (const Resource& resource : run.model.resources) {
    size += sizeof(Resource) + sizeof(ResourceStats) + resource.curve.size() * sizeof(double);
  }
  for (const MarkStats& mark : run.outcome.marks) {
    size += sizeof(MarkStats) + mark.first.size() * sizeof(Ticks);
  }
  return size;
}

class KnownRuns {
 public:
  std::shared_ptr<const Run> find(std::uint64_t mark, const Model& model, const Options& options) {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = runs_.equal_range(mark);
    for (auto at = first; at != last; ++at) {
      const Run& run = *at->second;
      if (run.seed == options.seed && run.exact == options.exact && run.model == model &&
          run.outcome.effort.events <= options.max_events) {
        return at->second;
      }
    }
    return nullptr;
  }

  void add(std::uint64_t mark, std::shared_ptr<const Run> run) {
    const std::size_t size = size_of(*run);
    if (size > room) return;
    const std::lock_guard lock(mutex_);
    if (size_ + size > room) {
      runs_.clear();
      size_ = 0;
    }
    size_ += size;
    runs_.emplace(mark, std::move(run));
  }

 private:
  static constexpr std::size_t room = 32U << 20U;

  std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<const Run>> runs_;
  std::size_t size_ = 0;
};

}  // namespace

Outcome simulate_once(const Model& model, const Options& options) {
  const Options plain;
  if (options.trace || options.trace_levels || options.look ||
      options.marks_kept != plain.marks_kept || options.most_marks != plain.most_marks) {
    return simulate(model, options);
  }
  static KnownRuns known;
  const std::uint64_t mark = mark_of(model, options.seed);
  if (const auto run = known.find(mark, model, options)) return run->outcome;
  Outcome outcome = simulate(model, options);
  if (!outcome.event_limit) {
    known.add(mark, std::make_shared<const Run>(Run{model, options.seed, options.exact, outcome}));
  }
  return outcome;
}

}  // namespace feedrate::engine
