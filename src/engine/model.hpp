#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/ticks.hpp"

// A model as plain values: programs over shared capacities, rate limits, bounded queues and
// barriers. Fill a Model, hand it to simulate() (simulate.hpp). Nothing here knows what is being
// modelled.
namespace feedrate::engine {

// Names the stage an instruction belongs to; opaque, below tag_count. Statistics are kept per tag.
using Tag = std::uint8_t;
inline constexpr int tag_count = 16;
inline constexpr int most_loops = 8;    // nested loops in one program
inline constexpr int most_cursors = 4;  // ring cursors of one process
inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

// Indices into the Model's vectors.
enum class ResourceId : std::uint32_t {};
enum class BucketId : std::uint32_t {};
enum class QueueId : std::uint32_t {};
enum class BarrierId : std::uint32_t {};
enum class ProgramId : std::uint32_t {};
enum class ProcessId : std::uint32_t {};
inline constexpr QueueId no_queue{0xffffffffu};
inline constexpr ProcessId no_process{0xffffffffu};

// A model that cannot be run (index out of range, unmatched loop, negative amount, ...).
struct BuildError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// An amount of work in the resource's own unit (bytes, core-seconds, ...).
struct Work {
  double units = 0;
  bool operator==(const Work&) const = default;
};

// How an amount varies from draw to draw; its mean is the amount in the instruction. With
// coefficient_of_variation 0 a lognormal is constant. exponential and listed ignore it; listed is
// one of the factors of a list of the model.
enum class Law : std::uint8_t { constant, exponential, lognormal, listed };
struct Spread {
  Law law = Law::constant;
  double coefficient_of_variation = 0;
  std::uint32_t list = 0;  // index into Model::lists
  // The largest of so many draws, each the mean of `mean_of`: one process in place of many that
  // start together and are waited for together.
  std::uint32_t largest_of = 1;
  std::uint32_t mean_of = 1;
  bool operator==(const Spread&) const = default;
};
inline constexpr Spread no_spread{};
inline constexpr Spread exponential_spread{Law::exponential, 1.0};

enum class Op : std::uint8_t { delay, use, pass, take, put, join, repeat, next, mark };

// One of `count` queues that lie side by side from `first`: the process's cursor says which. A
// cursor starts at 0 and wraps at `count`; instructions that name the same cursor share it.
struct Ring {
  QueueId first{};
  std::uint32_t count = 1;
  std::uint8_t cursor = 0;  // below most_cursors
  bool advance = true;      // step the cursor once this instruction has gone through
  bool operator==(const Ring&) const = default;
};

struct Instruction {
  Op op = Op::delay;
  Tag tag = 0;
  bool is_long = false;      // repeat: whole cycles of this loop may be skipped
  bool in_ring = false;      // take, put: the queue is ring.first + cursor
  std::uint32_t target = 0;  // resource, bucket, queue or barrier; mark: its number
  Ticks time;                // delay
  Work work;                 // use; pass: tokens
  std::int64_t count = 1;    // take, put: tokens; repeat: iterations (forever, 0 skips the body)
  Spread spread;             // delay, use, pass
  Ring ring;
  bool operator==(const Instruction&) const = default;
};

using Program = std::vector<Instruction>;

// Writes a Program: ProgramBuilder().repeat(n).take(q, tag).use(cpu, {w}, tag).next().build().
class ProgramBuilder {
 public:
  ProgramBuilder& delay(Ticks time, Tag tag, Spread spread = no_spread);
  ProgramBuilder& use(ResourceId resource, Work work, Tag tag, Spread spread = no_spread);
  ProgramBuilder& pass(BucketId bucket, double tokens, Tag tag, Spread spread = no_spread);
  ProgramBuilder& take(QueueId queue, Tag tag, std::int64_t tokens = 1);
  ProgramBuilder& put(QueueId queue, Tag tag, std::int64_t tokens = 1);
  ProgramBuilder& take(Ring ring, Tag tag, std::int64_t tokens = 1);
  ProgramBuilder& put(Ring ring, Tag tag, std::int64_t tokens = 1);
  ProgramBuilder& join(BarrierId barrier, Tag tag);
  ProgramBuilder& repeat(std::int64_t iterations);
  // A loop whose whole cycles may be skipped once the state recurs (batches, epochs). Nest them
  // freely.
  ProgramBuilder& repeat_long(std::int64_t iterations);
  ProgramBuilder& repeat_forever();  // for daemons
  ProgramBuilder& next();
  // Notes the time in Outcome::marks[number] (number < 64); takes no time.
  ProgramBuilder& mark(std::uint32_t number);
  Program build() const { return program_; }

 private:
  Program program_;
};

//  shared         processor sharing over a measured curve: with n users active the total rate is
//                 curve[n-1] work units per second (flat after the last point) and each user gets
//                 an n-th of it.
//  one_at_a_time  one user has curve[0] to itself, the others wait in the order in which they came;
//                 the rest of the curve means nothing. Each service takes a whole number of ns.
enum class Discipline : std::uint8_t { shared, one_at_a_time };

// Every point must be positive and finite; the curve may fall (oversubscription).
struct Resource {
  std::string name;
  std::vector<double> curve;
  Discipline discipline = Discipline::shared;
  bool operator==(const Resource&) const = default;
};

// A rate limit. Tokens come in at a steady rate, and up to `burst` of them are kept. A pass takes
// its tokens at once if they are there, and otherwise waits until they have come in, first come,
// first served; it may ask for more than the burst. The wait is active time of the pass.
// Over a long run the rate is exact to 1e-10. A single pass is exact to a nanosecond, because a
// bucket keeps at least what comes in within one: a wait that ends between two ticks of the clock
// would otherwise lose the rest of the tick.
struct Bucket {
  std::string name;
  double rate = 0;                     // tokens per second
  double burst = 0;                    // tokens
  std::optional<double> initial = {};  // tokens at the start, up to the burst; left out: the burst
  bool operator==(const Bucket&) const = default;
};

// A counting queue; waiting is first come, first served (a put or take of several tokens waits
// until all fit).
//  plain      tokens without identity.
//  numbering  the same, and each take gives the taking process the next ticket 0, 1, 2, ...
//  ordered    a put files the item under the ticket which the process holds, a take yields 0, 1, 2,
//  ... in
//             order; ticket t may be put once t < next expected + capacity. One token at a time,
//             initial 0.
enum class QueueKind : std::uint8_t { plain, numbering, ordered };
struct Queue {
  std::string name;
  std::int64_t capacity = unlimited;
  std::int64_t initial = 0;
  QueueKind kind = QueueKind::plain;
  QueueId numbered_by = no_queue;  // ordered: the numbering queue that hands out its tickets
  // The process on which waiting for this queue is booked. Left out: found from the programs (with
  // several, the one with the oldest ticket, else the first that is not itself waiting).
  ProcessId producer = no_process;
  bool operator==(const Queue&) const = default;
};

struct Barrier {
  std::string name;
  std::uint32_t parties = 1;
  bool operator==(const Barrier&) const = default;
};

struct Process {
  std::string name;
  ProgramId program{};
  // The run ends when all processes that are no daemons have finished; daemons are cut off then.
  bool daemon = false;
  // Random numbers come from stream (seed, stream); -1 = a stream of its own. Processes with the
  // same stream share its draws in the order in which their services start.
  std::int64_t stream = -1;
  bool operator==(const Process&) const = default;
};

// Factors of mean 1 (if they are to keep the mean) and how likely each is: the chances of it and
// all before it, rising to 1.
struct FactorList {
  std::vector<double> factor;
  std::vector<double> up_to;
  bool operator==(const FactorList&) const = default;
};

struct Model {
  std::vector<FactorList> lists;
  std::vector<Resource> resources;
  std::vector<Bucket> buckets;
  std::vector<Queue> queues;
  std::vector<Barrier> barriers;
  std::vector<Program> programs;
  std::vector<Process> processes;
  // The process at whose long loops a recurrence is looked for. Left out: the first process with a
  // finite long loop. Its innermost such loop counts as "step".
  ProcessId reference = no_process;

  ResourceId add(Resource resource);
  BucketId add(Bucket bucket);
  QueueId add(Queue queue);
  BarrierId add(Barrier barrier);
  ProgramId add(Program program);
  ProcessId add(Process process);
  bool operator==(const Model&) const = default;
};

}  // namespace feedrate::engine
