#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/event_tree.hpp"
#include "engine/lowering.hpp"

namespace feedrate::engine {
namespace {

constexpr double least_rate = 1e-60;
constexpr double greatest_rate = 1e60;
constexpr std::uint32_t most_marks = 64;

// One program; every complaint says where.
class ProgramCheck {
 public:
  ProgramCheck(const Model& model, std::size_t program) : model_(model), program_(program) {}

  void run() {
    const Program& steps = model_.programs[program_];
    for (at_ = 0; at_ < steps.size(); ++at_) step(steps[at_]);
    if (!loops_.empty()) {
      at_ = loops_.back();
      fail("repeat without its next");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw BuildError(fmt::format("program {}, instruction {}: {}", program_, at_, what));
  }

  void step(const Instruction& in) {
    if (in.tag >= tag_count) fail(fmt::format("tag {} is not below {}", in.tag, tag_count));
    switch (in.op) {
      case Op::delay:
        if (in.time.ns < 0) fail(fmt::format("negative delay of {} ns", in.time.ns));
        spread(in.spread);
        break;
      case Op::use:
        index(in.target, model_.resources.size(), "resource");
        if (!(in.work.units >= 0) || !std::isfinite(in.work.units)) {
          fail(fmt::format("work must be finite and not negative, got {}", in.work.units));
        }
        spread(in.spread);
        break;
      case Op::pass:
        index(in.target, model_.buckets.size(), "bucket");
        if (!(in.work.units >= 0) || !std::isfinite(in.work.units)) {
          fail(fmt::format("tokens must be finite and not negative, got {}", in.work.units));
        }
        spread(in.spread);
        break;
      case Op::take:
      case Op::put: queue(in); break;
      case Op::join: index(in.target, model_.barriers.size(), "barrier"); break;
      case Op::repeat:
        if (in.count < 0) fail(fmt::format("repeat {} times", in.count));
        loops_.push_back(at_);
        if (loops_.size() > most_loops) fail(fmt::format("more than {} nested loops", most_loops));
        break;
      case Op::next:
        if (loops_.empty()) fail("next without its repeat");
        loops_.pop_back();
        break;
      case Op::mark:
        if (in.target >= most_marks)
          fail(fmt::format("mark {} is not below {}", in.target, most_marks));
        break;
      default: fail("unknown instruction");
    }
  }

  void index(std::uint32_t value, std::size_t size, const char* what) const {
    if (value >= size) fail(fmt::format("{} {} of {}", what, value, size));
  }

  void spread(Spread spread) const {
    const double cv = spread.coefficient_of_variation;
    if (spread.law == Law::lognormal && (!(cv >= 0) || cv > 1e6)) {
      fail(fmt::format("coefficient of variation must be from 0 to 1e6, got {}", cv));
    }
    if (spread.largest_of == 0 || spread.mean_of == 0)
      fail("the largest, or the mean, of no draws");
    if (spread.law != Law::listed) return;
    index(spread.list, model_.lists.size(), "list");
    const FactorList& list = model_.lists[spread.list];
    if (list.factor.empty() || list.factor.size() != list.up_to.size()) {
      fail("a list needs a factor, and as many chances as factors");
    }
    for (const double factor : list.factor) {
      if (!(factor >= 0) || !std::isfinite(factor)) fail("a listed factor is negative");
    }
    if (!std::is_sorted(list.up_to.begin(), list.up_to.end())) fail("chances of a list fall");
  }

  void queue(const Instruction& in) {
    const std::uint32_t ring = in.in_ring ? in.ring.count : 1;
    const auto first = in.in_ring ? static_cast<std::uint32_t>(in.ring.first) : in.target;
    if (ring == 0) fail("a ring of no queues");
    index(first, model_.queues.size(), "queue");
    if (ring > model_.queues.size() - first) {
      fail(fmt::format("ring of queues {} to {} of {}", first, first + ring - 1,
                       model_.queues.size()));
    }
    if (in.in_ring) {
      if (in.ring.cursor >= most_cursors)
        fail(fmt::format("cursor {} is not below {}", in.ring.cursor, most_cursors));
      std::uint32_t& known = cursor_ring_[in.ring.cursor];
      if (known != 0 && known != ring) fail("one cursor for rings of different size");
      known = ring;
    }
    if (in.count < 1) fail(fmt::format("{} tokens", in.count));
    for (std::uint32_t q = first; q < first + ring; ++q) {
      const Queue& queue = model_.queues[q];
      if (queue.kind == QueueKind::ordered && (in.count != 1 || in.in_ring)) {
        fail(fmt::format("ordered queue '{}' takes one token at a time, and no ring", queue.name));
      }
      if (in.count > queue.capacity) {
        fail(fmt::format("{} tokens never fit queue '{}' of {}", in.count, queue.name,
                         queue.capacity));
      }
    }
  }

  const Model& model_;
  std::size_t program_;
  std::size_t at_ = 0;
  std::vector<std::size_t> loops_;
  std::uint32_t cursor_ring_[most_cursors] = {};
};

void check_resources(const Model& model) {
  for (const Resource& resource : model.resources) {
    if (resource.curve.empty())
      throw BuildError(fmt::format("resource '{}' has no curve", resource.name));
    for (const double rate : resource.curve) {
      if (!(rate >= least_rate && rate <= greatest_rate)) {
        throw BuildError(fmt::format("resource '{}': a rate must be positive and finite, got {}",
                                     resource.name, rate));
      }
    }
  }
}

void check_buckets(const Model& model) {
  for (const Bucket& bucket : model.buckets) {
    const auto fail = [&](const std::string& what) {
      throw BuildError(fmt::format("bucket '{}': {}", bucket.name, what));
    };
    if (!(bucket.rate >= least_rate && bucket.rate <= greatest_rate)) {
      fail(fmt::format("the rate must be positive and finite, got {}", bucket.rate));
    }
    if (!(bucket.burst >= 0) || !std::isfinite(bucket.burst)) {
      fail(fmt::format("the burst must be finite and not negative, got {}", bucket.burst));
    }
    const double initial = bucket.initial.value_or(bucket.burst);
    if (!(initial >= 0 && initial <= bucket.burst)) {
      fail(fmt::format("{} tokens at the start, burst {}", initial, bucket.burst));
    }
  }
}

void check_queues(const Model& model) {
  std::set<QueueId> numbering;
  for (const Queue& queue : model.queues) {
    const auto fail = [&](const std::string& what) {
      throw BuildError(fmt::format("queue '{}': {}", queue.name, what));
    };
    if (queue.capacity < 1) fail(fmt::format("capacity {}", queue.capacity));
    if (queue.initial < 0 || queue.initial > queue.capacity) {
      fail(fmt::format("{} tokens at the start, capacity {}", queue.initial, queue.capacity));
    }
    if (queue.producer != no_process &&
        static_cast<std::size_t>(queue.producer) >= model.processes.size()) {
      fail(fmt::format("producer {} of {}", static_cast<std::uint32_t>(queue.producer),
                       model.processes.size()));
    }
    if (queue.kind == QueueKind::ordered) {
      if (queue.initial != 0) fail("an ordered queue starts empty");
      if (static_cast<std::size_t>(queue.numbered_by) >= model.queues.size() ||
          model.queues[static_cast<std::size_t>(queue.numbered_by)].kind != QueueKind::numbering) {
        fail("an ordered queue needs numbered_by, a numbering queue");
      }
      if (!numbering.insert(queue.numbered_by).second)
        fail("its numbering queue already numbers another");
    } else if (queue.numbered_by != no_queue) {
      fail("numbered_by is for ordered queues");
    }
  }
}

// Whether every run through the program comes to a loop without end.
bool endless(const Program& program) {
  int never_entered = 0;  // depth inside a loop of no rounds
  for (const Instruction& in : program) {
    if (in.op == Op::repeat && (never_entered > 0 || in.count == 0)) {
      ++never_entered;
    } else if (in.op == Op::next && never_entered > 0) {
      --never_entered;
    } else if (in.op == Op::repeat && in.count == forever) {
      return true;
    }
  }
  return false;
}

}  // namespace

void check(const Model& model) {
  check_resources(model);
  check_buckets(model);
  check_queues(model);
  for (const Barrier& barrier : model.barriers) {
    if (barrier.parties < 1) throw BuildError(fmt::format("barrier '{}' of nobody", barrier.name));
  }
  for (std::size_t p = 0; p < model.programs.size(); ++p) ProgramCheck(model, p).run();
  bool any_ends = false;
  for (const Process& process : model.processes) {
    if (static_cast<std::size_t>(process.program) >= model.programs.size()) {
      throw BuildError(fmt::format("process '{}': program {} of {}", process.name,
                                   static_cast<std::uint32_t>(process.program),
                                   model.programs.size()));
    }
    if (!process.daemon && endless(model.programs[static_cast<std::size_t>(process.program)])) {
      throw BuildError(fmt::format("process '{}' never ends, and is no daemon", process.name));
    }
    any_ends = any_ends || !process.daemon;
  }
  if (!any_ends)
    throw BuildError("no process whose end ends the run: all are daemons, or there are none");
  if (model.processes.size() + model.resources.size() > id_mask) {
    throw BuildError(fmt::format("more than {} processes and resources", id_mask));
  }
  if (model.reference != no_process &&
      static_cast<std::size_t>(model.reference) >= model.processes.size()) {
    throw BuildError("the reference process does not exist");
  }
}

}  // namespace feedrate::engine
