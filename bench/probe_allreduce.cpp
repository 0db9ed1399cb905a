// NCCL's all-reduce over the GPUs of the host, or of all hosts under torchrun or mpirun.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "bench/cuda/operations.hpp"
#include "bench/probes.hpp"
#include "bench/process_group.hpp"
#include "bench/team.hpp"

namespace feedrate::bench {
namespace {

constexpr double smallest = 1024.0;
constexpr double largest = 536870912.0;

/// Ranks of the groups that are measured: all processes, or 2, 4, 8 … GPUs of the host and all.
std::vector<int> groups(const ProcessGroup& group) {
  if (group.size > 1) return {group.size};
  std::vector<int> counts = user_counts(gpu::count());
  std::erase(counts, 1);
  return counts;
}

/// A third of the sizes for less than all: enough to see a law.
std::vector<double> sizes(const Settings& settings, const ProcessGroup& group, bool all) {
  double most = settings.quick ? 1048576.0 : largest;
  // Each host may have another amount of free memory, and all must choose alike.
  const int gpus = group.size == 1 ? gpu::count() : 0;
  // A buffer for each of the groups that a GPU is in.
  for (int gpu = 0; gpu < gpus; ++gpu) most = std::min(most, gpu::free_memory(gpu).base() / 16.0);
  std::vector<double> chosen;
  const double step = settings.quick ? 32.0 : all ? 4.0 : 64.0;
  for (double size = smallest; size < most; size *= step) chosen.push_back(size);
  chosen.push_back(most - std::fmod(most, smallest));
  return chosen;
}

class AllreduceProbe {
 public:
  AllreduceProbe(const Settings& settings, Recorder& recorder)
      : recorder_(recorder), rounds_(planned_rounds(settings)), group_(process_group()) {
    recorder.remark("NCCL " + gpu::nccl_version());
    const std::vector<int> counts = groups(group_);
    for (const int ranks : counts) {
      const std::vector<double> chosen = sizes(settings, group_, ranks == counts.back());
      recorder.check();
      const auto joined = gpu::communicator(group_, ranks, bytes(chosen.back()), recorder.stop(),
                                            settings.quick ? seconds(10.0) : seconds(60.0));
      for (const double size : chosen) {
        parts_.push_back({[this, joined, size] { measure(joined, size); }});
      }
      if (group_.size == 1) continue;
      const int hosts = gpu::hosts(*joined);
      recorder.remark(fmt::format("as rank {} of {} on {} {}", group_.rank, group_.size, hosts,
                                  hosts == 1 ? "host" : "hosts"));
    }
  }

  void round() { recorder_.take_turns(parts_, group_.size > 1); }

 private:
  using Communicator = std::shared_ptr<gpu::Communicator>;

  void measure(const Communicator& joined, double size) {
    Measurement what;
    what.quantity = "allreduce";
    what.unit = "bytes";
    what.work = size;
    what.at = {{"bytes", size}, {"hosts", gpu::hosts(*joined)}, {"ranks", gpu::ranks(*joined)}};
    what.how = {{"library", "nccl"}};
    const gpu::Timed once = gpu::allreduce(joined, bytes(size));
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
      return "all-reduce needs at least two GPUs, and this host has one (for several hosts, start "
             "it with torchrun or mpirun)";
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
