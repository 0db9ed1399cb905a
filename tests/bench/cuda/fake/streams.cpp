// Streams and events.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>

#include "simulated.hpp"

namespace simulated {

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (own_.joinable()) own_.join();
}

void Stream::add(Work work, bool waits) {
  constexpr std::size_t most = 1024;
  run_until([this] { return items_.size() < most; });
  const std::lock_guard lock(mutex_);
  items_.push_back({now(), std::move(work), waits});
  if (waits && !own_.joinable()) own_ = std::thread([this] { serve(); });
  changed_.notify_all();
}

/// With the lock, which is free while the work is done.
void Stream::run_front(std::unique_lock<std::mutex>& lock) {
  const Item item = std::move(items_.front());
  items_.pop_front();
  running_ = true;
  const double began = std::max(item.added, free_at_);
  lock.unlock();
  const double ended = item.work(began);
  lock.lock();
  free_at_ = ended;
  running_ = false;
  changed_.notify_all();
}

/// Its own thread does the work that waits and what comes before and right after it.
void Stream::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto waits = [&] {
      return !running_ &&
             std::any_of(items_.begin(), items_.end(), [](const Item& item) { return item.waits; });
    };
    changed_.wait(lock, [&] { return closing_ || waits(); });
    if (!waits()) return;
    while (!items_.empty() && !running_) run_front(lock);
  }
}

void Stream::run_until(const std::function<bool()>& done) {
  std::unique_lock lock(mutex_);
  while (!done()) {
    const bool mine = !running_ && !items_.empty() && !items_.front().waits;
    if (mine) {
      run_front(lock);
    } else {
      changed_.wait(lock);
    }
  }
}

void Stream::finish() {
  run_until([this] { return items_.empty() && !running_; });
  sleep_until(free_at());
}

bool Stream::ended() {
  std::unique_lock lock(mutex_);
  while (!running_ && !items_.empty() && !items_.front().waits) run_front(lock);
  return items_.empty() && !running_ && now() >= free_at_;
}

double Stream::free_at() {
  const std::lock_guard lock(mutex_);
  return free_at_;
}

namespace {

/// One record of an event; recording again leaves those who wait for this one alone.
struct Moment {
  std::shared_ptr<Stream> stream;
  std::atomic<bool> known{false};
  double at = 0.0;
};

struct Event {
  int gpu;
  bool times;
  std::shared_ptr<Moment> moment;
};

thread_local int current = 0;

struct Streams {
  std::mutex mutex;
  std::map<cudaStream_t, std::shared_ptr<Stream>> streams;
  std::map<int, std::shared_ptr<Stream>> defaults;
  std::map<cudaEvent_t, std::shared_ptr<Event>> events;
};

Streams& all() {
  static Streams& made = *new Streams;
  return made;
}

std::shared_ptr<Event> event_of(cudaEvent_t event, const char* who) {
  const std::lock_guard lock(all().mutex);
  const auto found = all().events.find(event);
  if (found != all().events.end()) return found->second;
  bug(std::string(who) + " of what is no event");
  return nullptr;
}

/// When it is, once the work before it is done.
double moment_of(Moment& moment) {
  moment.stream->run_until([&] { return moment.known.load(); });
  return moment.at;
}

}  // namespace

int current_gpu() {
  return current;
}

std::shared_ptr<Stream> stream_of(cudaStream_t stream, const std::string& who) {
  const std::lock_guard lock(all().mutex);
  if (stream == nullptr) {
    auto& made = all().defaults[current];
    if (!made) made = std::make_shared<Stream>(current);
    return made;
  }
  const auto found = all().streams.find(stream);
  if (found != all().streams.end()) return found->second;
  bug(who + " on what is no stream");
  return nullptr;
}

std::shared_ptr<Stream> stream_to_use(cudaStream_t stream, const std::string& who) {
  auto found = stream_of(stream, who);
  if (found && found->gpu != current) {
    bug(fmt::format("{} on a stream of GPU {} while GPU {} is current", who, found->gpu, current));
  }
  return found;
}

void finish_gpu(int gpu) {
  std::vector<std::shared_ptr<Stream>> chosen;
  {
    const std::lock_guard lock(all().mutex);
    for (const auto& [handle, stream] : all().streams) {
      if (gpu < 0 || stream->gpu == gpu) chosen.push_back(stream);
    }
    for (const auto& [on, stream] : all().defaults) {
      if (gpu < 0 || on == gpu) chosen.push_back(stream);
    }
  }
  for (const auto& stream : chosen) stream->finish();
}

Stream::Work stalled(std::function<bool()> given_up) {
  return [given_up = std::move(given_up)](double) {
    while (!given_up()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return now();
  };
}

std::string leaked_streams() {
  const std::lock_guard lock(all().mutex);
  if (all().streams.empty() && all().events.empty()) return "";
  return fmt::format("{} streams, {} events", all().streams.size(), all().events.size());
}

}  // namespace simulated

using namespace simulated;

extern "C" {

cudaError_t cudaSetDevice(int gpu) {
  SIMULATED_CALL("cudaSetDevice");
  if (gpu < 0 || gpu >= settings().gpus) {
    bug(fmt::format("cudaSetDevice of GPU {} of {}", gpu, settings().gpus));
    return keep(cudaErrorInvalidDevice);
  }
  current = gpu;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* gpu) {
  SIMULATED_CALL("cudaGetDevice");
  *gpu = current;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  SIMULATED_CALL("cudaDeviceSynchronize");
  finish_gpu(current);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  SIMULATED_CALL("cudaStreamCreateWithFlags");
  auto made = std::make_shared<Stream>(current);
  *stream = reinterpret_cast<cudaStream_t>(made.get());
  const std::lock_guard lock(all().mutex);
  all().streams[*stream] = std::move(made);
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const cudaError_t status = enter("cudaStreamDestroy");
  std::shared_ptr<Stream> gone;
  {
    const std::lock_guard lock(all().mutex);
    const auto found = all().streams.find(stream);
    if (found == all().streams.end()) {
      bug("cudaStreamDestroy of what is no stream");
      return keep(cudaErrorInvalidResourceHandle);
    }
    gone = found->second;
    all().streams.erase(found);
  }
  static_cast<void>(gone->ended());  // its work is done all the same
  return keep(status);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  SIMULATED_CALL("cudaStreamSynchronize");
  const auto on = stream_of(stream, "cudaStreamSynchronize");
  if (!on) return keep(cudaErrorInvalidResourceHandle);
  on->finish();
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  SIMULATED_CALL("cudaStreamQuery");
  const auto on = stream_of(stream, "cudaStreamQuery");
  if (!on) return keep(cudaErrorInvalidResourceHandle);
  return keep(on->ended() ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  SIMULATED_CALL("cudaStreamWaitEvent");
  const auto on = stream_of(stream, "cudaStreamWaitEvent");
  const auto what = event_of(event, "cudaStreamWaitEvent");
  if (!on || !what) return keep(cudaErrorInvalidResourceHandle);
  if (!what->moment || what->moment->stream == on) return cudaSuccess;
  on->add([moment = what->moment](double began) { return std::max(began, moment_of(*moment)); });
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void* data) {
  SIMULATED_CALL("cudaLaunchHostFunc");
  const auto on = stream_of(stream, "cudaLaunchHostFunc");
  if (!on) return keep(cudaErrorInvalidResourceHandle);
  on->add(
      [call, data](double began) {
        sleep_until(began);
        call(data);
        return now();
      },
      true);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  SIMULATED_CALL("cudaEventCreateWithFlags");
  auto made = std::make_shared<Event>(Event{current, (flags & cudaEventDisableTiming) == 0, {}});
  *event = reinterpret_cast<cudaEvent_t>(made.get());
  const std::lock_guard lock(all().mutex);
  all().events[*event] = std::move(made);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  SIMULATED_CALL("cudaEventCreate");
  auto made = std::make_shared<Event>(Event{current, true, {}});
  *event = reinterpret_cast<cudaEvent_t>(made.get());
  const std::lock_guard lock(all().mutex);
  all().events[*event] = std::move(made);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const cudaError_t status = enter("cudaEventDestroy");
  if (!event_of(event, "cudaEventDestroy")) return keep(cudaErrorInvalidResourceHandle);
  const std::lock_guard lock(all().mutex);
  all().events.erase(event);
  return keep(status);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  SIMULATED_CALL("cudaEventRecord");
  const auto what = event_of(event, "cudaEventRecord");
  const auto on = stream_of(stream, "cudaEventRecord");
  if (!what || !on) return keep(cudaErrorInvalidResourceHandle);
  if (what->gpu != on->gpu) {
    bug(fmt::format("an event of GPU {} was recorded on GPU {}", what->gpu, on->gpu));
    return keep(cudaErrorInvalidResourceHandle);
  }
  what->moment = std::make_shared<Moment>();
  what->moment->stream = on;
  on->add([moment = what->moment](double began) {
    moment->at = began;
    moment->known = true;
    return began;
  });
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  SIMULATED_CALL("cudaEventSynchronize");
  const auto what = event_of(event, "cudaEventSynchronize");
  if (!what) return keep(cudaErrorInvalidResourceHandle);
  if (what->moment) sleep_until(moment_of(*what->moment));
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  SIMULATED_CALL("cudaEventQuery");
  const auto what = event_of(event, "cudaEventQuery");
  if (!what) return keep(cudaErrorInvalidResourceHandle);
  if (!what->moment) return cudaSuccess;
  static_cast<void>(what->moment->stream->ended());
  const bool past = what->moment->known && now() >= what->moment->at;
  return keep(past ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  SIMULATED_CALL("cudaEventElapsedTime");
  const auto first = event_of(start, "cudaEventElapsedTime");
  const auto second = event_of(stop, "cudaEventElapsedTime");
  if (!first || !second) return keep(cudaErrorInvalidResourceHandle);
  if (!first->moment || !second->moment || !first->times || !second->times) {
    bug("cudaEventElapsedTime of an event that was not recorded or keeps no time");
    return keep(cudaErrorInvalidResourceHandle);
  }
  if (!first->moment->known || !second->moment->known || now() < second->moment->at) {
    return keep(cudaErrorNotReady);
  }
  *milliseconds = static_cast<float>(1e3 * (second->moment->at - first->moment->at));
  return cudaSuccess;
}
}
