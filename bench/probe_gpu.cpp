// A GPU by itself, and a training step of the user's own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
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
    recorder.remark(fmt::format("{} was left out at its largest: {}", what.quantity, full.what()),
                    what.quantity);
    return false;
  }
  recorder.repeat(what, timed);
  return true;
}

/// The largest copy that fits.
void measure_memory(double size, Copier copier, const char* name, Recorder& recorder) {
  for (double amount = size; amount >= 1048576.0; amount /= 4.0) {
    Measurement what = measurement("memory", "bytes", 2.0 * amount);  // read and written
    what.at = {{"bytes", amount}};
    what.how = {{"copy", name}};
    const auto make = [&] { return gpu::memory_copy(first_gpu, bytes(amount), copier); };
    if (repeat(recorder, what, make)) break;
  }
}

void measure_product(int n, Precision precision, const char* name, Recorder& recorder) {
  const std::string library = gpu::matmul_library();
  const double size = n;
  Measurement what = measurement("matmul", "flop", 2.0 * size * size * size);
  what.at = {{"n", size}};
  what.how = {{"precision", name}, {"library", library}};
  if (library == "own") what.remark = "a simple kernel of feedrate's, not what the GPU can do";
  repeat(recorder, what, [&] { return gpu::matmul(first_gpu, n, precision); });
}

void measure_launches(int many, Recorder& recorder) {
  Measurement what = measurement("launch", "launches", many);
  // One is waited for, a thousand hide each other's way to the GPU.
  what.at = {{"in_flight", many}};
  recorder.repeat(what, gpu::launches(first_gpu, many));
}

std::vector<Part> parts_of_gpu(const Settings& settings, Recorder& recorder) {
  std::vector<Part> parts;
  // Larger than any second-level cache, but for --quick.
  const double memory = settings.quick ? 16777216.0 : 1073741824.0;
  for (const auto& [copier, name] :
       {std::pair{Copier::memcpy, "memcpy"}, std::pair{Copier::kernel, "kernel"}}) {
    parts.push_back({[=, copier = copier, name = name, &recorder] {
      measure_memory(memory, copier, name, recorder);
    }});
  }
  for (const int many : {1, 1000}) {
    parts.push_back({[many, &recorder] { measure_launches(many, recorder); }});
  }
  for (const auto& [precision, name] : precisions) {
    const std::string reason = gpu::matmul_unavailable(first_gpu, precision);
    if (!reason.empty()) {
      recorder.remark(fmt::format("matmul in {}: {}", name, reason));
      continue;
    }
    for (const int n :
         settings.quick ? std::vector<int>{256} : std::vector<int>{1024, 2048, 4096, 8192}) {
      parts.push_back({[=, precision = precision, name = name, &recorder] {
        measure_product(n, precision, name, recorder);
      }});
    }
  }
  return parts;
}

/// The user's program starts slowly, so that it runs in three of the rounds only, for a third of
/// its time in each.
class StepCommand {
 public:
  StepCommand(const Settings& settings, Recorder& recorder)
      : settings_(settings), recorder_(recorder) {}

  void round() {
    const std::size_t rounds = planned_rounds(settings_);
    const std::size_t round = recorder_.round();
    if (round != 0 && round != rounds / 2 && round + 1 != rounds) return;
    if (spent_ + longest_ > whole()) return;
    StepLines steps;
    const Duration start = now();
    const auto keep = [&] {
      for (const Measurement& what : steps.measurements()) recorder_.add(what);
    };
    try {
      const std::string remark = run_step_command(
          settings_.step_command, {whole() / 3.0, whole() - spent_}, recorder_.stop(), steps);
      if (!remark.empty()) recorder_.remark(remark, "--step-command");
    } catch (...) {
      keep();
      throw;
    }
    keep();
    spent_ += now() - start;
    longest_ = std::max(longest_, now() - start);
  }

 private:
  /// A step of a large model takes longer than a probe, and its libraries take long to load.
  [[nodiscard]] Duration whole() const {
    if (settings_.quick) return settings_.time_limit;
    return std::max(settings_.time_limit * 4.0, minutes(2.0));
  }

  const Settings& settings_;
  Recorder& recorder_;
  Duration spent_;
  Duration longest_;
};

std::function<void()> open(const Settings& settings, Recorder& recorder) {
  const auto parts = std::make_shared<std::vector<Part>>();
  const std::string no_gpu = gpu::unavailable(1);
  if (no_gpu.empty()) {
    *parts = parts_of_gpu(settings, recorder);
  } else {
    recorder.remark("only --step-command: " + no_gpu);
  }
  const auto steps = std::make_shared<StepCommand>(settings, recorder);
  return [parts, steps, &settings, &recorder] {
    if (!parts->empty()) recorder.take_turns(*parts);
    if (!settings.step_command.empty()) steps->round();
  };
}

std::string unavailable(const Settings& settings) {
  return settings.step_command.empty() ? gpu::unavailable(1) : "";
}

}  // namespace

const Probe probe_gpu = {"gpu",
                         "GPU memory, matrix products, launches; --step-command: a training step",
                         unavailable, open};

}  // namespace feedrate::bench
