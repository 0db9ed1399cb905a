#include "bench/uring.hpp"

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/errors.hpp"
#include "bench/aligned.hpp"
#include "bench/clock.hpp"
#include "bench/mix.hpp"

#ifdef FEEDRATE_HAS_LIBURING
// liburing's headers use C idioms that our warnings reject.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <liburing.h>
#pragma GCC diagnostic pop
#endif

namespace feedrate::bench {

#ifdef FEEDRATE_HAS_LIBURING
namespace {

/// A ring and its buffers. The kernel writes into the buffers until every read has ended, so
/// leaving waits for that.
class Ring {
 public:
  Ring(const Blocks& blocks, int depth, std::uint64_t& random)
      : blocks_(blocks),
        random_(random),
        buffers_(blocks.size() * static_cast<std::size_t>(depth)) {
    const int failed = io_uring_queue_init(static_cast<unsigned>(depth), &ring_, 0);
    if (failed < 0) throw HostError(std::string("io_uring: ") + std::strerror(-failed));
    for (int slot = 0; slot < depth; ++slot) prepare(static_cast<std::size_t>(slot));
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    io_uring_submit(&ring_);
    io_uring_cqe* done = nullptr;
    while (in_flight_ > 0 && io_uring_wait_cqe(&ring_, &done) == 0) {
      io_uring_cqe_seen(&ring_, done);
      --in_flight_;
    }
    io_uring_queue_exit(&ring_);
  }

  /// Submits what is prepared, waits for a read to end and prepares the next in its place.
  void turn() {
    int failed = 0;
    do {
      failed = io_uring_submit_and_wait(&ring_, 1);
    } while (failed == -EINTR);
    io_uring_cqe* done = nullptr;
    if (failed < 0 || io_uring_peek_cqe(&ring_, &done) != 0) throw HostError("io_uring: no answer");
    const int result = done->res;
    const auto slot = static_cast<std::size_t>(io_uring_cqe_get_data64(done));
    io_uring_cqe_seen(&ring_, done);
    --in_flight_;
    if (result < 0) throw HostError(std::string("reading failed: ") + std::strerror(-result));
    prepare(slot);
  }

 private:
  void prepare(std::size_t slot) {
    const Blocks::Place place = blocks_.at(mix(random_) % blocks_.count());
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    io_uring_prep_read(entry, place.file, buffers_.data() + slot * blocks_.size(),
                       static_cast<unsigned>(blocks_.size()), place.offset);
    io_uring_sqe_set_data64(entry, slot);
    ++in_flight_;
  }

  const Blocks& blocks_;
  std::uint64_t& random_;
  AlignedBuffer buffers_;
  io_uring ring_{};
  int in_flight_ = 0;
};

}  // namespace

std::string uring_unavailable() {
  io_uring ring{};
  const int failed = io_uring_queue_init(1, &ring, 0);
  if (failed < 0) return std::string("the kernel refuses io_uring: ") + std::strerror(-failed);
  io_uring_queue_exit(&ring);
  return "";
}

Duration uring_read(const Blocks& blocks, int depth, Duration length, std::uint64_t& random,
                    const std::atomic<bool>& stop) {
  Ring ring(blocks, depth, random);
  for (int i = 0; i < depth && !stop; ++i) ring.turn();  // until the queue is as full as it stays
  const Duration start = now();
  Duration last = start;
  double reads = 0.0;
  while (reads == 0.0 || (last < start + length && !stop)) {
    ring.turn();
    ++reads;
    last = now();
  }
  return (last - start) / reads * depth;
}

#else

std::string uring_unavailable() {
  return "this build has no liburing (Debian: liburing-dev)";
}

Duration uring_read(const Blocks&, int, Duration, std::uint64_t&, const std::atomic<bool>&) {
  throw HostError(uring_unavailable());
}

#endif

}  // namespace feedrate::bench
