// NCCL's all-reduce over the GPUs of the host, or of all hosts under torchrun or mpirun.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "bench/cuda/operations.hpp"
#include "bench/probes.hpp"
#include "bench/process_group.hpp"

namespace feedrate::bench {
namespace {

constexpr double smallest = 1024.0;
constexpr double largest = 536870912.0;

std::vector<double> sizes(const Settings& settings, const ProcessGroup& group) {
  double most = settings.quick ? 1048576.0 : largest;
  // Each host may have another amount of free memory, and all must choose alike.
  const int gpus = group.size == 1 ? gpu::count() : 0;
  for (int gpu = 0; gpu < gpus; ++gpu) most = std::min(most, gpu::free_memory(gpu).base() / 4.0);
  std::vector<double> chosen;
  const double step = settings.quick ? 32.0 : 4.0;
  for (double size = smallest; size < most; size *= step) chosen.push_back(size);
  chosen.push_back(most - std::fmod(most, smallest));
  return chosen;
}

class AllreduceProbe {
 public:
  AllreduceProbe(const Settings& settings, Recorder& recorder)
      : recorder_(recorder), rounds_(planned_rounds(settings)), group_(process_group()) {
    const std::vector<double> all = sizes(settings, group_);
    communicator_ = gpu::communicator(group_, bytes(all.back()), recorder.stop());
    recorder.remark("NCCL " + gpu::nccl_version());
    if (group_.size > 1) {
      recorder.remark(fmt::format("as rank {} of {}", group_.rank, group_.size));
    }
    for (const double size : all) parts_.push_back({[this, size] { measure(size); }});
  }

  void round() { recorder_.take_turns(parts_, group_.size > 1); }

 private:
  void measure(double size) {
    Measurement what;
    what.quantity = "allreduce";
    what.unit = "bytes";
    what.work = size;
    what.at = {{"bytes", size}, {"ranks", gpu::ranks(*communicator_)}};
    what.how = {{"library", "nccl"}};
    const gpu::Timed once = gpu::allreduce(communicator_, bytes(size));
    if (group_.size == 1) {
      recorder_.repeat(what, once);
    } else {
      repeat_alike(what, once);
    }
  }

  /// Every process of a group must do the same, or one waits for another without end: a fixed
  /// number of times, whatever they take.
  void repeat_alike(Measurement& what, const gpu::Timed& once) {
    const std::size_t warm_ups = recorder_.round() == 0 ? 5 : 1;
    const std::size_t samples = ((what.work < 16e6 ? 30 : 10) + rounds_ - 1) / rounds_;
    for (std::size_t i = 0; i < warm_ups + samples; ++i) {
      const Duration took = once();
      if (i >= warm_ups) what.times.push_back(took);
    }
    recorder_.add(std::move(what));
  }

  Recorder& recorder_;
  std::size_t rounds_;
  ProcessGroup group_;
  std::shared_ptr<gpu::Communicator> communicator_;
  std::vector<Part> parts_;
};

std::function<void()> open(const Settings& settings, Recorder& recorder) {
  const auto probe = std::make_shared<AllreduceProbe>(settings, recorder);
  return [probe] { probe->round(); };
}

std::string unavailable(const Settings&) {
  std::string none = gpu::unavailable(1);
  if (!none.empty()) return none;
  try {
    if (process_group().size == 1 && gpu::count() < 2) {
      return "all-reduce needs two GPUs, and this host has one (several hosts: start it with "
             "torchrun or mpirun)";
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return gpu::nccl_unavailable();
}

}  // namespace

const Probe probe_allreduce = {
    "allreduce", "NCCL over all GPUs of the host, or over a group of hosts", unavailable, open};

}  // namespace feedrate::bench
