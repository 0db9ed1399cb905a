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

/// Every process of a group must do the same, or one waits for another without end: a fixed number
/// of times, whatever they take.
void repeat_alike(Recorder& recorder, Measurement what, const gpu::Timed& once) {
  constexpr int warm_ups = 5;
  const int samples = what.work < 16e6 ? 30 : 10;
  for (int i = 0; i < warm_ups + samples; ++i) {
    const Duration took = once();
    if (i >= warm_ups) what.times.push_back(took);
  }
  recorder.add(std::move(what));
}

void measure(const Settings& settings, Recorder& recorder) {
  const ProcessGroup group = process_group();
  const std::vector<double> all = sizes(settings, group);
  const auto communicator = gpu::communicator(group, bytes(all.back()), recorder.stop());
  const int ranks = gpu::ranks(*communicator);
  recorder.remark("NCCL " + gpu::nccl_version());
  if (group.size > 1) recorder.remark(fmt::format("as rank {} of {}", group.rank, group.size));
  recorder.plan(all.size());
  for (const double size : all) {
    Measurement what;
    what.quantity = "allreduce";
    what.unit = "bytes";
    what.work = size;
    what.at = {{"bytes", size}, {"ranks", ranks}};
    what.how = {{"library", "nccl"}};
    const gpu::Timed once = gpu::allreduce(communicator, bytes(size));
    if (group.size == 1) {
      recorder.repeat(what, once);
    } else {
      repeat_alike(recorder, what, once);
    }
  }
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
    "allreduce", "NCCL over all GPUs of the host, or over a group of hosts", unavailable, measure};

}  // namespace feedrate::bench
