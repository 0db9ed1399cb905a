#include "bench/native_loader.hpp"

#include <chrono>
#include <exception>
#include <thread>
#include <vector>

#include "bench/clock.hpp"
#include "bench/cuda/operations.hpp"
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

/// Threads that are gone, whatever happens, before what they work on is.
struct Threads {
  explicit Threads(EpochBatches& of) : epoch(of) {}
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    epoch.end();
    for (std::thread& thread : all) thread.join();
  }
  EpochBatches& epoch;
  std::vector<std::thread> all;
};

}  // namespace

NativeLoader::NativeLoader(const Settings& settings, Recorder& recorder)
    : corpus_(make_corpus(settings, recorder)), copy_(gpu::batch_copy()) {}

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
  EpochBatches epoch(floats_per_sample, batch, batches, static_cast<std::size_t>(setting.prefetch));
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
