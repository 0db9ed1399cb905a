#include "collective/overlap.hpp"

#include <algorithm>
#include <cmath>

namespace feedrate::collective {

Exchange bucketed(Bytes gradients, const Buckets& buckets, Duration backward, const TimeOf& time) {
  Exchange out;
  if (gradients <= Bytes{}) return out;
  const Bytes first = std::min(buckets.first, gradients);
  const Bytes others = gradients - first;
  // A rounding error of the division is no bucket.
  const double whole = std::floor(others / buckets.rest + 1e-9);
  const Bytes left = std::max(Bytes{}, others - whole * buckets.rest);
  const bool has_left = left > 1e-9 * gradients;
  const Duration of_first = time(first);
  const Duration of_whole = whole > 0.0 ? time(buckets.rest) : Duration{};
  const Duration of_left = has_left ? time(left) : Duration{};
  out.total = of_first + whole * of_whole + of_left;
  out.messages = 1.0 + whole + (has_left ? 1.0 : 0.0);
  out.largest = std::max({first, whole > 0.0 ? buckets.rest : Bytes{}, has_left ? left : Bytes{}});
  out.smallest = std::min({first, whole > 0.0 ? buckets.rest : first, has_left ? left : first});
  // The stream ends when the last message that it had to wait for, and all behind it, are done. Of
  // equal buckets that can only be the first or the last: what is ready and what is left to do are
  // both straight lines over them.
  const auto from = [&](Bytes ready, Duration rest) {
    out.exposed = std::max(out.exposed, rest - backward * (1.0 - ready / gradients));
  };
  from(first, out.total);
  if (whole > 0.0) {
    from(first + buckets.rest, whole * of_whole + of_left);
    from(first + whole * buckets.rest, of_whole + of_left);
  }
  if (has_left) from(gradients, of_left);
  return out;
}

Exchange fused(Bytes gradients, const Fusion& fusion, Duration backward, const TimeOf& time) {
  Exchange out;
  if (gradients <= Bytes{}) return out;
  const auto ready = [&](Duration at) {
    return backward > Duration{} ? gradients * std::min(1.0, at / backward) : gradients;
  };
  const auto send = [&](Bytes size, Duration took, double times) {
    out.smallest = out.messages > 0.0 ? std::min(out.smallest, size) : size;
    out.total += times * took;
    out.messages += times;
    out.largest = std::max(out.largest, size);
  };
  Duration now = std::min(fusion.cycle, backward);
  Bytes sent, last;
  while (sent < gradients * (1.0 - 1e-12)) {
    const Bytes size = std::min(ready(now) - sent, fusion.buffer);
    const Duration took = time(size);
    const Duration turn = std::max(took, fusion.cycle);
    // Once a message is as large as the one before, so are all until the pass ends (or, where the
    // buffer is full, until nothing is left): those are counted at once.
    if (std::abs(size / last - 1.0) < 1e-9) {
      const double until_sent = std::floor((gradients - sent) / size);
      const double times = now < backward
                               ? std::min(std::floor((backward - now) / turn), until_sent)
                               : until_sent - 1.0;
      if (times > 1.0) {
        send(size, took, times);
        sent += times * size;
        now += times * turn;
        last = {};
        continue;
      }
    }
    send(size, took, 1.0);
    sent += size;
    last = size;
    const bool done = sent >= gradients * (1.0 - 1e-12);
    now += done ? took : turn;
    if (!done && ready(now) - sent < 1e-12 * gradients) now = std::min(now + turn, backward);
  }
  out.exposed = std::max(Duration{}, now - backward);
  return out;
}

Exchange sharded(double blocks, Duration gather, Duration scatter, Duration forward,
                 Duration backward) {
  Exchange out;
  out.messages = 3.0 * blocks;
  out.total = blocks * (2.0 * gather + scatter);
  const Duration f = forward / blocks;
  const Duration b = backward / blocks;
  // Each block waits for its gather, which began when the block before did.
  const Duration ahead = gather + (blocks - 1.0) * std::max(f, gather) + f;
  // In the backward pass the gradients of the block before the last one are scattered first, then
  // the next is gathered.
  Duration back = gather + b + scatter;
  if (blocks >= 2.0) {
    back = gather + std::max(b, gather) + (blocks - 2.0) * std::max(b, gather + scatter) +
           std::max(b, scatter) + scatter;
  }
  out.exposed = ahead + back - forward - backward;
  return out;
}

}  // namespace feedrate::collective
