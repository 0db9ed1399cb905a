#include "bench/native_loader.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/clock.hpp"
#include "bench/gpu_copy.hpp"
#include "bench/images.hpp"
#include "bench/mix.hpp"
#include "bench/transform.hpp"

namespace feedrate::bench {
namespace {

constexpr int side = 224;
constexpr std::size_t floats_per_sample = std::size_t{3} * side * side;

/// The batches of one epoch: slots that threads fill sample by sample and the consumer empties in
/// order. Every wait ends when the epoch is over or somebody failed.
class Epoch {
 public:
  Epoch(std::size_t batch, std::size_t batches, std::size_t ahead)
      : batch_(batch), batches_(batches), filled_(ahead, 0) {
    for (std::size_t i = 0; i < ahead; ++i) slots_.emplace_back(batch * floats_per_sample);
  }

  /// Where the next sample goes; empty at the end of the epoch.
  std::span<float> ticket(std::size_t& number) {
    std::unique_lock lock(mutex_);
    number = next_;
    if (ended_ || number == batch_ * batches_) return {};
    ++next_;
    const std::size_t at = number / batch_;
    changed_.wait(lock, [&] { return ended_ || at < taken_ + slots_.size(); });
    if (ended_) return {};
    return std::span(slots_[at % slots_.size()])
        .subspan(number % batch_ * floats_per_sample, floats_per_sample);
  }

  void done(std::size_t number) {
    const std::scoped_lock lock(mutex_);
    if (++filled_[number / batch_ % slots_.size()] == batch_) changed_.notify_all();
  }

  /// Exchanges the next batch for an empty buffer of its size. False when the epoch was ended.
  bool take(std::vector<float>& buffer) {
    std::unique_lock lock(mutex_);
    const std::size_t slot = taken_ % slots_.size();
    changed_.wait(lock, [&] { return ended_ || filled_[slot] == batch_; });
    if (ended_) return false;
    filled_[slot] = 0;
    std::swap(buffer, slots_[slot]);
    ++taken_;
    changed_.notify_all();
    return true;
  }

  void end(std::exception_ptr why = {}) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::move(why);
    ended_ = true;
    changed_.notify_all();
  }

  void throw_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t batch_, batches_;
  std::size_t next_ = 0;   ///< sample
  std::size_t taken_ = 0;  ///< batches
  bool ended_ = false;
  std::exception_ptr failure_;
  std::vector<std::size_t> filled_;  ///< samples in each slot
  std::vector<std::vector<float>> slots_;
};

void load(const Corpus& corpus, Epoch& epoch, std::uint64_t random, const std::atomic<bool>& stop) {
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

/// Threads that are gone, whatever happens, before what they work on is.
struct Threads {
  explicit Threads(Epoch& of) : epoch(of) {}
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    epoch.end();
    for (std::thread& thread : all) thread.join();
  }
  Epoch& epoch;
  std::vector<std::thread> all;
};

}  // namespace

NativeLoader::NativeLoader(const Settings& settings, Recorder& recorder)
    : corpus_(make_corpus(settings, recorder)), copy_(copy_to_gpu()) {}

NativeLoader::~NativeLoader() = default;

Bytes NativeLoader::stored() const {
  return corpus_.mean_bytes;
}

Bytes NativeLoader::made() const {
  return bytes(static_cast<double>(floats_per_sample * sizeof(float)));
}

bool NativeLoader::to_gpu() const {
  return static_cast<bool>(copy_);
}

Duration NativeLoader::epoch(const LoaderRun& setting, const std::atomic<bool>& stop) {
  const auto batch = static_cast<std::size_t>(setting.batch);
  const auto batches = static_cast<std::size_t>(setting.batches);
  Epoch epoch(batch, batches, static_cast<std::size_t>(setting.prefetch));
  std::vector<float> buffer(batch * floats_per_sample);
  const std::chrono::duration<double> step(setting.step.base());
  const Duration start = now();
  {
    Threads threads(epoch);
    for (int i = 0; i < static_cast<int>(setting.workers); ++i) {
      threads.all.emplace_back([&, i] {
        try {
          load(corpus_, epoch, static_cast<std::uint64_t>(i), stop);
        } catch (...) {
          epoch.end(std::current_exception());
        }
      });
    }
    for (std::size_t i = 0; i < batches && !stop && epoch.take(buffer); ++i) {
      if (copy_) copy_(buffer);
      if (step.count() > 0.0) std::this_thread::sleep_for(step);
    }
  }
  const Duration took = now() - start;
  epoch.throw_failure();
  if (stop) throw Interrupted{};
  return took;
}

}  // namespace feedrate::bench
