#pragma once

#include <cstdint>
#include <vector>

#include "base/bits.hpp"
#include "engine/model.hpp"
#include "engine/shared_capacity.hpp"
#include "engine/ticks.hpp"
#include "engine/token_bucket.hpp"

namespace feedrate::engine {

inline constexpr std::uint32_t none = 0xffffffffu;

// What the interpreter executes: an Instruction checked, its jumps resolved and its variants told
// apart, so that nothing is decided twice at run time.
enum class Code : std::uint8_t {
  delay,
  delay_random,
  use,
  use_random,
  pass,  // a bucket, or a resource that serves one at a time
  pass_random,
  take,      // one token, plain queue
  put,       // likewise
  take_any,  // any number of tokens, rings, numbering queues
  put_any,   // likewise
  take_ordered,
  put_ordered,
  join,
  repeat,
  next,
  next_long,
  jump,  // the end of an endless loop
  mark,
  done,
};

struct Step {
  Code code = Code::done;
  Tag tag = 0;
  std::uint8_t depth = 0;    // repeat, next: which counter; ring queues: which cursor
  bool advance = false;      // ring queues
  std::uint32_t next = 0;    // the step after this one
  std::uint32_t target = 0;  // resource, bucket, (first) queue, barrier, mark; repeat: step after
                             // the loop; next: first step of the body
  std::uint32_t extra = 1;   // queues: ring size; random amounts: index into Lowered::sigmas
  std::int64_t amount = 0;   // delay: ns; queues: tokens; repeat: iterations
  // use, pass: quanta = amount_high:amount; use_random, pass_random: bits of the double
  std::int64_t amount_high = 0;
};

inline bool is_pass(Code code) {
  return code == Code::pass || code == Code::pass_random;
}

inline Wide quanta(const Step& step) {
  return (Wide{static_cast<std::uint64_t>(step.amount_high)} << 64) |
         static_cast<std::uint64_t>(step.amount);
}

// A positive double below 2^127, its fraction dropped; compilers make a slow call of the plain
// cast.
inline Wide to_wide(double x) {
  const auto bits = bits_as<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52) - 1075;
  const Wide mantissa = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
  if (exponent >= 0) return mantissa << exponent;
  return exponent > -64 ? mantissa >> -exponent : Wide{0};
}

// Which loops are around a step: bit d of each mask is loop depth d.
struct Nest {
  std::uint16_t active = 0;  // loops with a counter
  std::uint16_t is_long = 0;
};

struct QueuePlan {
  std::vector<std::uint32_t> producers;  // processes with a put, in order; or the declared one
  bool has_takers = false;
  bool has_putters = false;
  std::uint32_t ordered = none;  // numbering: the ordered queue its tickets are for
};

// A random amount that is more than one draw of a law with a density: the largest of so many means
// of so many draws.
struct Draws {
  double sigma = 0;           // of the law, as in Lowered::sigmas; unused where there is a list
  std::uint32_t list = none;  // index of the model's list to draw from; none: the law is drawn
  std::uint32_t largest_of = 1;
  std::uint32_t mean_of = 1;
};

struct Lowered {
  std::vector<Step> steps;     // all programs, one behind the other, each with a `done` at its end
  std::vector<Nest> nests;     // per step
  std::vector<double> sigmas;  // of the logarithm; -1: exponential; -2 - k: draws[k]
  std::vector<Draws> draws;
  std::vector<std::uint32_t> entry;  // per process: its first step
  std::vector<std::uint32_t> users;  // per shared resource: processes that use it
  // The model's buckets come first, then one for every resource that serves one at a time.
  std::vector<std::uint32_t> bucket_of;    // per resource; none: it is shared
  std::vector<std::uint32_t> resource_of;  // per bucket; none: one of the model's
  std::vector<QueuePlan> queues;
  std::uint32_t marks = 0;         // highest number + 1
  std::uint32_t reference = none;  // process
  int step_depth = 0;              // the loop depth of the reference's steps
  bool random = false;
};

// Checks the whole model; throws BuildError that names the program and instruction.
void check(const Model& model);

// check() must have passed; `capacities` are the model's resources, built for Lowered::users.
Lowered lower(const Model& model, std::vector<SharedCapacity>& capacities,
              std::vector<TokenBucket>& buckets);

}  // namespace feedrate::engine
