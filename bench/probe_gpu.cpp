// A GPU by itself, and a training step of the user's own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "bench/cuda/operations.hpp"
#include "bench/probes.hpp"
#include "bench/step_command.hpp"

namespace feedrate::bench {
namespace {

using gpu::Copier;
using gpu::Precision;

constexpr int first_gpu = 0;  ///< GPUs of one host are alike
constexpr std::array<std::pair<Precision, const char*>, 3> precisions = {
    {{Precision::fp32, "fp32"}, {Precision::tf32, "tf32"}, {Precision::bf16, "bf16"}}};

Measurement measurement(const char* quantity, const char* unit, double work) {
  Measurement what;
  what.quantity = quantity;
  what.unit = unit;
  what.work = work;
  return what;
}

/// False, with a remark, where the GPU's memory does not suffice.
bool repeat(Recorder& recorder, const Measurement& what, const std::function<gpu::Timed()>& make) {
  gpu::Timed timed;
  try {
    timed = make();
  } catch (const gpu::OutOfMemory& full) {
    recorder.remark(fmt::format("{} was left out at its largest: {}", what.quantity, full.what()));
    return false;
  }
  recorder.repeat(what, timed);
  return true;
}

void measure_memory(const Settings& settings, Recorder& recorder) {
  // Larger than any second-level cache, but for --quick.
  const double size = settings.quick ? 16777216.0 : 1073741824.0;
  for (const auto& [copier, name] :
       {std::pair{Copier::memcpy, "memcpy"}, std::pair{Copier::kernel, "kernel"}}) {
    for (double amount = size; amount >= 1048576.0; amount /= 4.0) {
      Measurement what = measurement("memory", "bytes", 2.0 * amount);  // read and written
      what.at = {{"bytes", amount}};
      what.how = {{"copy", name}};
      const auto make = [&, which = copier] {
        return gpu::memory_copy(first_gpu, bytes(amount), which);
      };
      if (repeat(recorder, what, make)) break;
    }
  }
}

void measure_products(const Settings& settings, Recorder& recorder) {
  const std::vector<int> sizes =
      settings.quick ? std::vector<int>{256} : std::vector<int>{1024, 2048, 4096, 8192};
  const std::string library = gpu::matmul_library();
  for (const auto& [precision, name] : precisions) {
    const std::string reason = gpu::matmul_unavailable(first_gpu, precision);
    if (!reason.empty()) {
      recorder.remark(fmt::format("matmul in {}: {}", name, reason));
      continue;
    }
    for (const int n : sizes) {
      const double size = n;
      Measurement what = measurement("matmul", "flop", 2.0 * size * size * size);
      what.at = {{"n", size}};
      what.how = {{"precision", name}, {"library", library}};
      if (library == "own") what.remark = "a simple kernel of feedrate's, not what the GPU can do";
      const auto make = [&, which = precision] { return gpu::matmul(first_gpu, n, which); };
      if (!repeat(recorder, what, make)) break;
    }
  }
}

void measure_launches(Recorder& recorder) {
  for (const int many : {1, 1000}) {
    Measurement what = measurement("launch", "launches", many);
    // One is waited for, a thousand hide each other's way to the GPU.
    what.at = {{"in_flight", many}};
    recorder.repeat(what, gpu::launches(first_gpu, many));
  }
}

void measure_step(const Settings& settings, Recorder& recorder) {
  StepLines steps;
  const auto keep = [&] {
    for (const Measurement& what : steps.measurements()) recorder.add(what);
  };
  // A step of a large model takes longer than a probe, and its libraries take long to load.
  const Duration limit =
      settings.quick ? settings.time_limit : std::max(settings.time_limit * 4.0, minutes(2.0));
  try {
    const std::string remark =
        run_step_command(settings.step_command, limit, recorder.stop(), steps);
    if (!remark.empty()) recorder.remark(remark);
  } catch (...) {
    keep();
    throw;
  }
  keep();
}

void measure(const Settings& settings, Recorder& recorder) {
  const std::string no_gpu = gpu::unavailable(1);
  if (no_gpu.empty()) {
    recorder.plan(settings.quick ? 7 : 16);
    measure_memory(settings, recorder);
    measure_launches(recorder);
    measure_products(settings, recorder);
  } else {
    recorder.remark("only --step-command: " + no_gpu);
  }
  if (!settings.step_command.empty()) measure_step(settings, recorder);
}

std::string unavailable(const Settings& settings) {
  return settings.step_command.empty() ? gpu::unavailable(1) : "";
}

}  // namespace

const Probe probe_gpu = {"gpu",
                         "GPU memory, matrix products, launches; --step-command: a training step",
                         unavailable, measure};

}  // namespace feedrate::bench
