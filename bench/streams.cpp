#include "bench/streams.hpp"

#include <algorithm>
#include <chrono>

#include "bench/clock.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {
namespace {

void nap(Duration length) {
  std::this_thread::sleep_for(std::chrono::duration<double>(length.base()));
}

constexpr Duration glance = milliseconds(5.0);

}  // namespace

Streams::Streams(const RemoteObject& object, int count, std::uint64_t part, Duration patience,
                 const Until& give_up)
    : object_(object), part_(part), patience_(patience), give_up_(give_up) {
  try {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { stream(); });
    while (answered_ < count) {
      check();
      nap(glance);
    }
  } catch (...) {
    close();
    throw;
  }
}

Streams::~Streams() {
  close();
}

void Streams::close() {
  closing_ = true;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Streams::check() {
  if (give_up_) throw Interrupted();
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void Streams::stream() {
  try {
    Connection connection(object_.target, patience_, closing_);
    const std::uint64_t parts = std::max<std::uint64_t>(1, object_.size / part_);
    for (bool first = true; !closing_; first = false) {
      std::optional<ByteRange> range;
      if (object_.ranges) range = ByteRange{next_++ % parts * part_, part_};
      // A short first request opens the connection.
      if (first && range) range->length = 1;
      if (first && !range) ++answered_;
      connection.get(range, &received_);
      if (first && range) ++answered_;
    }
  } catch (const Interrupted&) {
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

Bandwidth Streams::rate(Duration window) {
  const Duration start = now();
  const std::uint64_t before = received_;
  std::uint64_t after = before;
  while (now() < start + window || after == before) {
    check();
    nap(std::min(glance, window));
    after = received_;
  }
  return bytes(static_cast<double>(after - before)) / (now() - start);
}

}  // namespace feedrate::bench
