// The GPU of a training loop: batches come to it, and steps of real kernels follow them.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include "bench/cuda/handles.hpp"
#include "bench/cuda/kernels.hpp"
#include "bench/cuda/operations.hpp"

namespace feedrate::bench::gpu {
namespace {

constexpr int first_gpu = 0;
constexpr std::size_t most_bytes = 1073741824;
constexpr std::size_t least_bytes = 4096;
/// A step is so many kernels at most, each long enough to hide its launch: the GPU's queue holds
/// about a thousand, and a loop that fills it would wait.
constexpr double most_kernels = 64.0;
constexpr Duration least_kernel = microseconds(50.0);
constexpr Duration warm_up = milliseconds(300.0);
constexpr Duration sample = milliseconds(100.0);

/// Kernels of a step: each copies so many bytes within the GPU's memory, with all multiprocessors.
struct Plan {
  int kernels = 0;
  std::size_t bytes = 0;
  Duration takes;
};

class Training final : public TrainingStream {
 public:
  Training()
      : from_(largest()),
        into_(first_gpu, size_),
        steps_(first_gpu),
        copies_(first_gpu),
        start_(first_gpu),
        stop_(first_gpu) {}

  Duration make_steps(Duration wanted) override {
    use(first_gpu);
    const auto known = plans_.find(wanted);
    plan_ = known != plans_.end() ? known->second : planned(wanted);
    plans_[wanted] = plans_[plan_.takes] = plan_;  // who asks for what it takes gets the same
    return plan_.takes;
  }

  void prepare(std::size_t floats) override {
    use(first_gpu);
    if (floats <= floats_) return;
    for (auto& memory : device_) memory.reset();
    for (auto& memory : pinned_) memory.reset();
    floats_ = 0;
    const std::size_t bytes = floats * sizeof(float);
    for (auto& memory : device_) memory = std::make_unique<DeviceMemory>(first_gpu, bytes);
    for (auto& memory : pinned_) memory = std::make_unique<PinnedMemory>(bytes);
    floats_ = floats;
  }

  void pin(std::size_t buffer, std::span<const float> batch) override {
    use(first_gpu);
    uploaded_[buffer].wait();
    std::memcpy(pinned_[buffer]->as<void>(), batch.data(), batch.size_bytes());
  }

  void train(std::span<const float> batch) override {
    const std::size_t into = next();
    copy(batch.data(), into, batch.size(), steps_);
    stop_.record(steps_);
    stop_.wait();
    launch(into);
  }

  void train_pinned(std::size_t buffer, std::size_t floats, Upload upload) override {
    const std::size_t into = next();
    const bool beside = upload == Upload::beside;
    const Stream& stream = beside ? copies_ : steps_;
    copy(pinned_[buffer]->as<float>(), into, floats, stream);
    uploaded_[buffer].record(stream);
    if (beside) uploaded_[buffer].hold(steps_);
    if (upload == Upload::pinned) uploaded_[buffer].wait();
    launch(into);
  }

  void finish() override { steps_.wait(); }

 private:
  /// As much of the GPU's memory as is free for both ends of a step's copies.
  DeviceMemory largest() {
    for (size_ = most_bytes;; size_ /= 4) {
      try {
        const DeviceMemory other(first_gpu, size_);
        return {first_gpu, size_};
      } catch (const OutOfMemory&) {
        if (size_ / 4 < least_bytes) throw;
      }
    }
  }

  /// Where the next batch goes; waits until the GPU is done with the one that is there, so that the
  /// loop runs one launched step ahead of the one that runs.
  std::size_t next() {
    const std::size_t into = batches_++ % device_.size();
    stepped_[into].wait();
    return into;
  }

  void copy(const float* from, std::size_t into, std::size_t floats, const Stream& stream) {
    check(cudaMemcpyAsync(device_[into]->as<void>(), from, floats * sizeof(float),
                          cudaMemcpyHostToDevice, stream.get()),
          "copy a batch");
  }

  void launch(std::size_t batch) {
    start_kernels(plan_);
    stepped_[batch].record(steps_);
  }

  void start_kernels(const Plan& plan) {
    for (int i = 0; i < plan.kernels; ++i) {
      check(kernels::copy(from_.as<void>(), into_.as<void>(), plan.bytes, steps_.get()),
            "start a kernel");
    }
  }

  /// Of one step, of many in a row for so long.
  Duration timed(const Plan& plan, Duration least) {
    Duration sum;
    double steps = 0.0;
    while (sum < least) {
      start_.record(steps_);
      start_kernels(plan);
      start_kernels(plan);
      stop_.record(steps_);
      stop_.wait();
      sum += stop_.since(start_);
      steps += 2.0;
    }
    return sum / steps;
  }

  Plan planned(Duration wanted) {
    Plan plan;
    if (wanted <= Duration()) return plan;
    if (whole_ <= Duration()) {  // until the clocks have risen
      static_cast<void>(timed({1, size_, {}}, warm_up));
      whole_ = timed({1, size_, {}}, sample);
    }
    plan.kernels = static_cast<int>(std::clamp(wanted / least_kernel, 1.0, most_kernels));
    const double share = wanted / static_cast<double>(plan.kernels) / whole_;
    // More than the buffers hold: more kernels after all.
    if (share > 1.0) plan.kernels = static_cast<int>(std::ceil(wanted / whole_));
    plan.takes = whole_ * std::min(share, 1.0) * static_cast<double>(plan.kernels);
    for (int i = 0; i < 2; ++i) {
      const double bytes = i == 0 ? std::min(share, 1.0) * static_cast<double>(size_)
                                  : static_cast<double>(plan.bytes) * (wanted / plan.takes);
      const auto blocks = static_cast<std::size_t>(bytes / static_cast<double>(least_bytes));
      plan.bytes = std::clamp(blocks * least_bytes, least_bytes, size_);
      plan.takes = timed(plan, sample);
    }
    return plan;
  }

  std::size_t size_ = 0;
  DeviceMemory from_;
  DeviceMemory into_;
  std::array<std::unique_ptr<DeviceMemory>, 2> device_;
  std::array<std::unique_ptr<PinnedMemory>, buffers> pinned_;
  std::size_t floats_ = 0;  ///< that fit into each of them
  std::size_t batches_ = 0;
  std::map<Duration, Plan> plans_;
  Plan plan_;
  Duration whole_;  ///< of a kernel that copies all of `from_`
  Stream steps_;    // after the memory, so that it goes first
  Stream copies_;
  std::array<Event, buffers> uploaded_ = {Event(first_gpu, true), Event(first_gpu, true)};
  std::array<Event, 2> stepped_ = {Event(first_gpu, true), Event(first_gpu, true)};
  Event start_;
  Event stop_;
};

}  // namespace

std::unique_ptr<TrainingStream> training_stream() {
  if (count() == 0) return nullptr;
  return std::make_unique<Training>();
}

}  // namespace feedrate::bench::gpu
