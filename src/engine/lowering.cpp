#include "engine/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/bits.hpp"
#include "base/portable_math.hpp"

namespace feedrate::engine {
namespace {

struct OpenLoop {
  std::uint32_t repeat;
  std::int64_t iterations;
  bool is_long;
  bool takes_time;  // surely, every round
};

bool varies(Spread spread) {
  return spread.law == Law::exponential ||
         (spread.law == Law::lognormal && spread.coefficient_of_variation != 0) ||
         spread.law == Law::listed;
}

// One program into Lowered::steps.
class Lowering {
 public:
  Lowering(const Model& model, const std::vector<SharedCapacity>& capacities,
           const std::vector<TokenBucket>& buckets, Lowered& out)
      : model_(model), capacities_(capacities), buckets_(buckets), out_(out) {}

  void run(const Program& program) {
    for (const Instruction& in : program) step(in);
    emit(Step{});  // done
    // An endless loop that surely takes time needs no step of its own: go straight to its first
    // step.
    for (std::uint32_t i = start_; i < out_.steps.size(); ++i) {
      Step& s = out_.steps[i];
      s.next = through(s.next);
      if (s.code == Code::repeat || s.code == Code::next || s.code == Code::next_long) {
        s.target = through(s.target);
      }
    }
  }

  std::uint32_t entry() const { return through(start_); }

 private:
  std::uint32_t position() const { return static_cast<std::uint32_t>(out_.steps.size()); }

  Step& emit(Step step) {
    Nest nest;
    for (std::size_t d = 0; d < loops_.size(); ++d) {
      if (loops_[d].iterations == forever) continue;
      nest.active = static_cast<std::uint16_t>(nest.active | (1u << d));
      if (loops_[d].is_long) nest.is_long = static_cast<std::uint16_t>(nest.is_long | (1u << d));
    }
    step.next = position() + 1;
    out_.steps.push_back(step);
    out_.nests.push_back(nest);
    free_jump_.push_back(false);
    return out_.steps.back();
  }

  std::uint32_t through(std::uint32_t at) const {
    while (at - start_ < free_jump_.size() && free_jump_[at - start_]) at = out_.steps[at].target;
    return at;
  }

  void passes_time() {
    if (!loops_.empty()) loops_.back().takes_time = true;
  }

  // Index of the spread's sigma, or none for a constant.
  std::uint32_t sigma(Spread spread) {
    if (!varies(spread)) return none;
    const double cv = spread.coefficient_of_variation;
    double sigma = spread.law == Law::exponential ? -1.0 : std::sqrt(portable::log1p(cv * cv));
    if (spread.law == Law::listed || spread.largest_of > 1 || spread.mean_of > 1) {
      const std::uint32_t list = spread.law == Law::listed ? spread.list : none;
      out_.draws.push_back({sigma, list, spread.largest_of, spread.mean_of});
      sigma = -1.0 - static_cast<double>(out_.draws.size());
    }
    out_.sigmas.push_back(sigma);
    out_.random = true;
    return static_cast<std::uint32_t>(out_.sigmas.size() - 1);
  }

  void step(const Instruction& in) {
    Step s;
    s.tag = in.tag;
    s.target = in.target;
    switch (in.op) {
      case Op::delay:
        s.extra = sigma(in.spread);
        s.code = s.extra == none ? Code::delay : Code::delay_random;
        s.amount = in.time.ns;
        if (s.amount > 0 && s.extra == none) passes_time();
        break;
      case Op::use:
        s.extra = sigma(in.spread);
        if (out_.bucket_of[in.target] != none) {
          pass(s, in, out_.bucket_of[in.target]);
          break;
        }
        s.code = s.extra == none ? Code::use : Code::use_random;
        set_quanta(s, in.work.units * capacities_[in.target].quanta_per_unit(), 0x1p110,
                   [&] { return resource_work(in); });
        break;
      case Op::pass:
        s.extra = sigma(in.spread);
        pass(s, in, in.target);
        break;
      case Op::take:
      case Op::put: queue(s, in); break;
      case Op::join: s.code = Code::join; break;
      case Op::repeat: open(in); return;
      case Op::next: close(); return;
      case Op::mark:
        s.code = Code::mark;
        out_.marks = std::max(out_.marks, in.target + 1);
        break;
    }
    emit(s);
  }

  std::string resource_work(const Instruction& in) const {
    return fmt::format("resource '{}': work of {}", model_.resources[in.target].name,
                       in.work.units);
  }

  void pass(Step& s, const Instruction& in, std::uint32_t bucket) {
    s.code = s.extra == none ? Code::pass : Code::pass_random;
    s.target = bucket;
    const TokenBucket& limit = buckets_[bucket];
    set_quanta(s, in.work.units * limit.parts_per_token(), limit.most_cost(), [&] {
      if (in.op == Op::use) return resource_work(in);
      return fmt::format("bucket '{}': {} tokens", model_.buckets[bucket].name, in.work.units);
    });
  }

  template <class What>
  void set_quanta(Step& s, double amount, double most, What&& what) {
    if (!(amount < most)) throw BuildError(what() + " takes more than 2^63 ns");
    if (s.extra != none) {
      s.amount_high = bits_as<std::int64_t>(amount);
      return;
    }
    const Wide whole = to_wide(std::floor(amount + 0.5));
    s.amount = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole));
    s.amount_high = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole >> 64));
  }

  void queue(Step& s, const Instruction& in) {
    const bool take = in.op == Op::take;
    if (in.in_ring) s.target = static_cast<std::uint32_t>(in.ring.first);
    const QueueKind kind = model_.queues[s.target].kind;
    s.amount = in.count;
    s.extra = in.in_ring ? in.ring.count : 1;
    s.depth = in.ring.cursor;
    s.advance = in.in_ring && in.ring.advance;
    const bool plain = kind == QueueKind::plain && !in.in_ring && in.count == 1;
    if (kind == QueueKind::ordered) {
      s.code = take ? Code::take_ordered : Code::put_ordered;
    } else if (plain) {
      s.code = take ? Code::take : Code::put;
    } else {
      s.code = take ? Code::take_any : Code::put_any;
    }
  }

  void open(const Instruction& in) {
    const std::uint32_t at = position();
    if (in.count == forever) {
      loops_.push_back({at, forever, false, false});
      return;  // no step: next jumps to what follows
    }
    Step s;
    s.code = Code::repeat;
    s.amount = in.count;
    s.depth = static_cast<std::uint8_t>(loops_.size());
    emit(s);
    loops_.push_back({at, in.count, in.is_long, false});
  }

  void close() {
    const OpenLoop loop = loops_.back();
    Step s;
    const bool endless = loop.iterations == forever;
    s.depth = static_cast<std::uint8_t>(loops_.size() - 1);
    s.code = endless ? Code::jump : loop.is_long ? Code::next_long : Code::next;
    s.target = endless ? loop.repeat : loop.repeat + 1;
    const bool empty = endless && s.target == position();
    emit(s);  // inside the loop still: the counter is alive when next is reached
    loops_.pop_back();
    if (endless && loop.takes_time && !empty) free_jump_.back() = true;
    if (!endless) out_.steps[loop.repeat].target = position();
    if (loop.takes_time && loop.iterations > 0) passes_time();
  }

  const Model& model_;
  const std::vector<SharedCapacity>& capacities_;
  const std::vector<TokenBucket>& buckets_;
  Lowered& out_;
  std::uint32_t start_ = position();
  std::vector<OpenLoop> loops_;
  std::vector<bool> free_jump_;
};

void plan_queues(const Model& model, Lowered& out) {
  out.queues.resize(model.queues.size());
  for (std::uint32_t p = 0; p < model.processes.size(); ++p) {
    for (const Instruction& in :
         model.programs[static_cast<std::size_t>(model.processes[p].program)]) {
      if (in.op != Op::take && in.op != Op::put) continue;
      const auto first = in.in_ring ? static_cast<std::uint32_t>(in.ring.first) : in.target;
      for (std::uint32_t q = first; q < first + (in.in_ring ? in.ring.count : 1); ++q) {
        QueuePlan& plan = out.queues[q];
        (in.op == Op::take ? plan.has_takers : plan.has_putters) = true;
        if (in.op == Op::put && (plan.producers.empty() || plan.producers.back() != p)) {
          plan.producers.push_back(p);
        }
      }
    }
  }
  for (std::uint32_t q = 0; q < model.queues.size(); ++q) {
    const Queue& queue = model.queues[q];
    if (queue.producer != no_process)
      out.queues[q].producers = {static_cast<std::uint32_t>(queue.producer)};
    if (queue.kind == QueueKind::ordered)
      out.queues[static_cast<std::size_t>(queue.numbered_by)].ordered = q;
  }
}

int long_depth(const Program& program) {
  int depth = 0;
  int deepest = -1;
  for (const Instruction& in : program) {
    if (in.op == Op::repeat) {
      if (in.is_long && in.count != forever) deepest = std::max(deepest, depth);
      ++depth;
    } else if (in.op == Op::next) {
      --depth;
    }
  }
  return deepest;
}

void choose_reference(const Model& model, Lowered& out) {
  const auto depth = [&](std::uint32_t p) {
    return long_depth(model.programs[static_cast<std::size_t>(model.processes[p].program)]);
  };
  if (model.reference != no_process) {
    out.reference = static_cast<std::uint32_t>(model.reference);
  } else {
    for (std::uint32_t p = 0; p < model.processes.size() && out.reference == none; ++p) {
      if (!model.processes[p].daemon && depth(p) >= 0) out.reference = p;
    }
  }
  if (out.reference != none) out.step_depth = depth(out.reference);
}

void build_buckets(const Model& model, Lowered& out, std::vector<TokenBucket>& buckets) {
  std::vector<Requests> requests(model.buckets.size());
  for (const Program& program : model.programs) {
    for (const Instruction& in : program) {
      if (in.op != Op::pass) continue;
      const double rate = model.buckets[in.target].rate;
      requests[in.target].ns.push_back(in.work.units / rate * 1e9);
      if (varies(in.spread)) requests[in.target].random = true;
    }
  }
  for (Requests& each : requests) {
    std::sort(each.ns.begin(), each.ns.end());
    each.ns.erase(std::unique(each.ns.begin(), each.ns.end()), each.ns.end());
  }
  // Of instances that are alike, each has one that is asked for the same.
  std::map<Requests, std::uint64_t> parts;
  for (std::size_t b = 0; b < model.buckets.size(); ++b) {
    const Bucket& bucket = model.buckets[b];
    const auto [known, is_new] = parts.try_emplace(requests[b]);
    if (is_new) known->second = parts_of_ns(requests[b]);
    buckets.emplace_back(bucket.rate, bucket.burst, bucket.initial.value_or(bucket.burst),
                         known->second);
    if (!(bucket.burst * buckets.back().parts_per_token() < TokenBucket::most_room)) {
      throw BuildError(fmt::format("bucket '{}': a burst of {} tokens is too large for the rate",
                                   bucket.name, bucket.burst));
    }
    out.resource_of.push_back(none);
  }
  // A single server, first come, first served, is a rate limit that saves nothing: a service ends
  // its length after its arrival or the end of the one before it, whichever is later. Whole ns, so
  // that one user alone has what a shared resource would give it.
  for (std::uint32_t r = 0; r < model.resources.size(); ++r) {
    const Resource& resource = model.resources[r];
    const bool shared = resource.discipline == Discipline::shared;
    out.bucket_of.push_back(shared ? none : static_cast<std::uint32_t>(buckets.size()));
    if (shared) continue;
    buckets.emplace_back(resource.curve.front(), 0.0, 0.0, 1);
    out.resource_of.push_back(r);
  }
}

}  // namespace

Lowered lower(const Model& model, std::vector<SharedCapacity>& capacities,
              std::vector<TokenBucket>& buckets) {
  Lowered out;
  build_buckets(model, out, buckets);
  out.users.resize(model.resources.size());
  for (const Process& process : model.processes) {
    std::set<std::uint32_t> used;
    for (const Instruction& in : model.programs[static_cast<std::size_t>(process.program)]) {
      if (in.op == Op::use && out.bucket_of[in.target] == none) used.insert(in.target);
    }
    for (const std::uint32_t r : used) ++out.users[r];
  }
  for (std::size_t r = 0; r < model.resources.size(); ++r) {
    capacities.emplace_back(model.resources[r].curve, out.users[r]);
  }
  std::vector<std::uint32_t> entries;
  for (const Program& program : model.programs) {
    Lowering lowering(model, capacities, buckets, out);
    lowering.run(program);
    entries.push_back(lowering.entry());
  }
  for (const Process& process : model.processes) {
    out.entry.push_back(entries[static_cast<std::size_t>(process.program)]);
  }
  plan_queues(model, out);
  choose_reference(model, out);
  return out;
}

}  // namespace feedrate::engine
