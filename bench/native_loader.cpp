#include "bench/native_loader.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "bench/clock.hpp"
#include "bench/epoch_batches.hpp"
#include "bench/images.hpp"
#include "bench/mix.hpp"
#include "bench/transform.hpp"

namespace feedrate::bench {
namespace {

constexpr int side = 224;
constexpr std::size_t floats_per_sample = std::size_t{3} * side * side;

void load(const Corpus& corpus, EpochBatches& epoch, std::uint64_t random,
          const std::atomic<bool>& stop) {
  std::vector<std::uint8_t> jpeg;
  Pixels decoded, cropped;
  std::size_t number = 0;
  for (std::span<float> into = epoch.ticket(number); !into.empty(); into = epoch.ticket(number)) {
    if (stop) throw Interrupted{};
    read_whole(corpus.files[mix(random) % corpus.files.size()], jpeg);
    decode_jpeg(jpeg, decoded);
    crop_resize(decoded, side, mix(random), cropped);
    flip(cropped);
    normalize(cropped, into);
    epoch.done(number);
  }
}

/// Buffers of pinned memory on their way from the pinning thread to the loop and back, in order.
class Relay {
 public:
  /// One to fill; empty once it was ended.
  std::optional<std::size_t> empty() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || filled_ < taken_ + buffers; });
    if (ended_) return std::nullopt;
    return filled_ % buffers;
  }
  void filled() { count(filled_); }

  /// The one that was filled first; empty once it was ended.
  std::optional<std::size_t> full() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || taken_ < filled_; });
    if (taken_ == filled_) return std::nullopt;
    return taken_ % buffers;
  }
  void taken() { count(taken_); }

  void end() {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t buffers = gpu::TrainingStream::buffers;

  void count(std::size_t& which) {
    const std::scoped_lock lock(mutex_);
    ++which;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t filled_ = 0;
  std::size_t taken_ = 0;
  bool ended_ = false;
};

/// As PyTorch's pinning thread: takes batches in order and copies them into pinned memory.
void pin(EpochBatches& epoch, Relay& relay, gpu::TrainingStream& training, std::size_t floats,
         std::size_t batches) {
  std::vector<float> batch(floats);
  for (std::size_t i = 0; i < batches && epoch.take(batch); ++i) {
    const auto buffer = relay.empty();
    if (!buffer) return;
    training.pin(*buffer, batch);
    relay.filled();
  }
}

/// Threads that are gone, whatever happens, before what they work on is.
class Threads {
 public:
  Threads(EpochBatches& epoch, Relay& relay) : epoch_(epoch), relay_(relay) {}
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    epoch_.end();
    relay_.end();
    for (std::thread& thread : all_) thread.join();
  }

  /// What it throws ends the epoch, and is what the epoch throws.
  template <class Work>
  void start(Work work) {
    all_.emplace_back([this, work] {
      try {
        work();
      } catch (...) {
        epoch_.end(std::current_exception());
        relay_.end();
      }
    });
  }

 private:
  EpochBatches& epoch_;
  Relay& relay_;
  std::vector<std::thread> all_;
};

/// The training loop: what it does with each batch.
class Loop {
 public:
  Loop(EpochBatches& epoch, Relay& relay, gpu::TrainingStream* training, const LoaderRun& setting,
       std::size_t floats)
      : epoch_(epoch),
        relay_(relay),
        training_(training),
        setting_(setting),
        pinned_(setting.upload != Upload::none && setting.upload != Upload::pageable),
        batch_(pinned_ ? 0 : floats),
        floats_(floats) {}

  /// Whether batches come by the relay.
  [[nodiscard]] bool pinned() const { return pinned_; }

  /// False when the epoch was ended.
  bool step() {
    if (pinned_) {
      const auto buffer = relay_.full();
      if (!buffer) return false;
      training_->train_pinned(*buffer, floats_, setting_.upload);
      relay_.taken();
    } else {
      if (!epoch_.take(batch_)) return false;
      if (training_ != nullptr) training_->train(batch_);
    }
    if (training_ == nullptr) {
      const std::chrono::duration<double> step(setting_.step.base());
      if (step.count() > 0.0) std::this_thread::sleep_for(step);
    } else if (!setting_.asynchronous) {
      training_->finish();
    }
    return true;
  }

 private:
  EpochBatches& epoch_;
  Relay& relay_;
  gpu::TrainingStream* training_;
  const LoaderRun& setting_;
  bool pinned_;
  std::vector<float> batch_;
  std::size_t floats_;
};

}  // namespace

NativeLoader::NativeLoader(const Settings& settings, Recorder& recorder)
    : corpus_(make_corpus(settings, recorder)), training_(gpu::training_stream()) {}

NativeLoader::~NativeLoader() = default;

Bytes NativeLoader::stored() const {
  return corpus_.mean_bytes;
}

Bytes NativeLoader::made() const {
  return bytes(static_cast<double>(floats_per_sample * sizeof(float)));
}

bool NativeLoader::to_gpu() const {
  return training_ != nullptr;
}

Duration NativeLoader::step_near(Duration wanted) {
  return training_ ? training_->make_steps(wanted) : wanted;
}

Duration NativeLoader::epoch(const LoaderRun& setting, const std::atomic<bool>& stop) {
  const auto batch = static_cast<std::size_t>(setting.batch);
  const auto batches = static_cast<std::size_t>(setting.batches);
  const std::size_t floats = batch * floats_per_sample;
  EpochBatches epoch(floats_per_sample, batch, batches, static_cast<std::size_t>(setting.prefetch));
  Relay relay;
  Loop loop(epoch, relay, training_.get(), setting, floats);
  if (training_) {
    training_->prepare(floats);
    step_near(setting.step);
    training_->finish();
  }
  const Duration start = now();
  {
    Threads threads(epoch, relay);
    for (int i = 0; i < static_cast<int>(setting.workers); ++i) {
      threads.start([&, i] { load(corpus_, epoch, static_cast<std::uint64_t>(i), stop); });
    }
    if (loop.pinned()) {
      threads.start([&] { pin(epoch, relay, *training_, floats, batches); });
    }
    for (std::size_t i = 0; i < batches && !stop && loop.step(); ++i) {
    }
    if (training_) training_->finish();
  }
  const Duration took = now() - start;
  epoch.throw_failure();
  if (stop) throw Interrupted{};
  return took;
}

}  // namespace feedrate::bench
