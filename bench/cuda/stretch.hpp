#pragma once
// The same work again and again on one stream, timed by the GPU.
#include <functional>
#include <optional>
#include <vector>

#include "bench/cuda/handles.hpp"
#include "bench/cuda/operations.hpp"

namespace feedrate::bench::gpu {

/// Holds a stream back until everything is queued behind it.
class Gate {
 public:
  explicit Gate(const Stream& stream);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();
  void close();  ///< what is queued from now on waits
  void open();

 private:
  const Stream& stream_;
  PinnedMemory signals_;
};

/// Queues one piece of work on the stream of the current GPU.
using Queue = std::function<void(const Stream&)>;

class Stretch {
 public:
  explicit Stretch(int gpu);

  /// The GPU's time of `times` pieces of work without a gap: they start only when all of them are
  /// queued, so that queueing them takes no part. Where the GPU's queue does not hold as many, or
  /// the host is too slow to fill it in time, it is done in several goes, whose times add up.
  /// HostError when even a single piece cannot be queued in time.
  Duration time(int times, const Queue& queue, const Meanwhile& meanwhile);

  /// Keeps the GPU at it for `whole` or longer: the times of `times` pieces each, one after the
  /// other without a gap, because the next are queued before the last are waited for.
  std::vector<Duration> sustain(Duration whole, int times, const Queue& queue,
                                const Meanwhile& meanwhile);

  [[nodiscard]] const Stream& stream() const { return stream_; }

 private:
  void prepare(const Queue& queue);
  std::optional<Duration> behind_gate(int times, const Queue& queue, const Meanwhile& meanwhile);

  int gpu_;
  int at_once_;
  bool prepared_ = false;
  Stream stream_;
  Gate gate_;
  Event start_;
  Event stop_;
};

}  // namespace feedrate::bench::gpu
