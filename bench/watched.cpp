#include "bench/watched.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {

/// Outlives the one who waits.
struct Watched::State {
  std::mutex mutex;
  std::condition_variable changed;
  Work work;
  bool working = false;
  bool closing = false;
  std::exception_ptr failure;
  std::atomic<bool> give_up{false};
};

Watched::Watched() : state_(std::make_shared<State>()) {
  thread_ = std::thread([state = state_] { serve(state); });
}

Watched::~Watched() {
  if (!thread_.joinable()) return;  // left to itself
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
  }
  state_->changed.notify_all();
  thread_.join();
}

void Watched::serve(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  while (true) {
    state->changed.wait(lock, [&] { return state->working || state->closing; });
    if (!state->working) return;
    Work work = std::move(state->work);
    lock.unlock();
    std::exception_ptr failure;
    try {
      work(state->give_up);
    } catch (...) {
      failure = std::current_exception();
    }
    work = nullptr;  // what it owns goes before anybody is told
    lock.lock();
    state->failure = failure;
    state->working = false;
    state->changed.notify_all();
  }
}

void Watched::run(Work work, Duration patience, const std::atomic<bool>& stop,
                  const std::string& late) {
  if (!thread_.joinable()) throw HostError(late);
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  state.work = std::move(work);
  state.failure = nullptr;
  state.give_up = false;
  state.working = true;
  state.changed.notify_all();
  const auto ended = [&] { return !state.working; };
  const Duration end = now() + patience;
  const auto stopped = [&] { return stop.load(std::memory_order_relaxed); };
  while (!state.changed.wait_for(lock, std::chrono::milliseconds(20), ended)) {
    if (!stopped() && now() < end) continue;
    const bool interrupted = stopped();
    state.give_up = true;
    if (!state.changed.wait_for(lock, std::chrono::duration<double>(grace.base()), ended)) {
      state.closing = true;
      thread_.detach();
    }
    if (interrupted) throw Interrupted();
    throw HostError(late);
  }
  if (state.failure) std::rethrow_exception(state.failure);
}

}  // namespace feedrate::bench
