// A GPU by itself, and a training step of the user's own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "bench/cuda/operations.hpp"
#include "bench/gpu_series.hpp"
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

/// The largest copy that fits.
void measure_memory(double size, Copier copier, const char* name, GpuSeries& series) {
  for (double amount = size; amount >= 1048576.0; amount /= 4.0) {
    Measurement what = measurement("memory", "bytes", 2.0 * amount);  // read and written
    what.at = {{"bytes", amount}};
    what.how = {{"copy", name}};
    const auto make = [&] { return gpu::memory_copy(first_gpu, bytes(amount), copier); };
    if (series.repeat(what, make)) break;
  }
}

Measurement product(int n, const char* precision) {
  const std::string library = gpu::matmul_library();
  const double size = n;
  Measurement what = measurement("matmul", "flop", 2.0 * size * size * size);
  what.at = {{"n", size}};
  what.how = {{"precision", precision}, {"library", library}};
  if (library == "own")
    what.remark =
        "measured with feedrate's own simple kernel, which does not reach what the GPU can do";
  return what;
}

/// The fastest arithmetic that can be had.
std::pair<Precision, const char*> fastest() {
  auto best = precisions.front();
  for (const auto& one : precisions) {
    if (gpu::matmul_unavailable(first_gpu, one.first).empty()) best = one;
  }
  return best;
}

/// What the power limit and heat leave after seconds: every sample in its order, with what the GPU
/// said of itself at ten of them.
void measure_sustained(const Settings& settings, GpuSeries& series, Recorder& recorder) {
  const auto [precision, name] = fastest();
  const GpuTimes times = gpu_times(settings);
  constexpr double samples = 100.0;
  for (int n = settings.quick ? 256 : 8192; n >= 256; n /= 2) {
    try {
      const int in_a_row =
          times_for(gpu::matmul(first_gpu, n, precision), times.sustained / samples);
      Measurement what = product(n, name);
      what.work *= in_a_row;
      what.how["load"] = "sustained";
      series.take_states();
      what.times = gpu::sustained_matmul(first_gpu, n, precision, times.sustained, in_a_row,
                                         [&] { series.look(); });
      const std::vector<GpuState> seen = series.take_states();
      constexpr std::size_t kept = 10;
      for (std::size_t i = 0; i < std::min(kept, seen.size()); ++i) {
        what.gpu.push_back(seen[seen.size() <= kept ? i : i * (seen.size() - 1) / (kept - 1)]);
      }
      return recorder.add(what);
    } catch (const gpu::OutOfMemory&) {
      continue;  // a smaller one may fit
    }
  }
}

/// What a turn has ready.
struct Ready {
  GpuSeries series;
  std::vector<Part> parts;
};

void warm_up(const Settings& settings, GpuSeries& series) {
  const auto [precision, name] = fastest();
  try {
    series.warm_up(gpu::matmul(first_gpu, settings.quick ? 256 : 2048, precision));
  } catch (const gpu::OutOfMemory&) {
    series.warm_up(gpu::launch(first_gpu));
  }
}

std::shared_ptr<Ready> ready(const Settings& settings, Recorder& recorder) {
  auto made = std::make_shared<Ready>(Ready{GpuSeries(settings, recorder, first_gpu), {}});
  GpuSeries& series = made->series;
  std::vector<Part>& parts = made->parts;
  // Larger than any second-level cache, but for --quick.
  const double memory = settings.quick ? 16777216.0 : 1073741824.0;
  for (const auto& [copier, name] :
       {std::pair{Copier::memcpy, "memcpy"}, std::pair{Copier::kernel, "kernel"}}) {
    parts.push_back({[=, copier = copier, name = name, &series] {
      measure_memory(memory, copier, name, series);
    }});
  }
  parts.push_back({[&series] {
    Measurement what = measurement("launch", "launches", 1.0);
    what.how = {{"wait", "each"}};
    series.repeat(what, [] { return gpu::launch_and_wait(first_gpu); });
  }});
  parts.push_back({[&series] {
    Measurement what = measurement("launch", "launches", 1.0);
    what.how = {{"wait", "none"}};
    series.repeat(what, [] { return gpu::launch(first_gpu); });
  }});
  for (const auto& [precision, name] : precisions) {
    const std::string reason = gpu::matmul_unavailable(first_gpu, precision);
    if (!reason.empty()) {
      recorder.remark(fmt::format("matmul in {}: {}", name, reason));
      continue;
    }
    for (const int n :
         settings.quick ? std::vector<int>{256} : std::vector<int>{1024, 2048, 4096, 8192}) {
      parts.push_back({[=, precision = precision, name = name, &series] {
        series.repeat(product(n, name), [=] { return gpu::matmul(first_gpu, n, precision); });
      }});
    }
  }
  return made;
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
    // One that was stopped took its third and a little.
    if (spent_ + longest_ > whole() * 1.1) return;
    StepLines steps;
    const Duration start = now();
    const auto keep = [&] {
      for (const Measurement& what : steps.measurements()) recorder_.add(what);
    };
    try {
      const std::string remark = run_step_command(
          settings_.step_command, {whole() / 3.0, whole() - spent_}, recorder_.stop(), steps);
      if (!remark.empty()) recorder_.remark(remark, "--step-command");
    } catch (const InputError& error) {
      // A GPU that only one process may use is this process's by then.
      if (longest_ <= Duration()) {
        keep();
        throw;
      }
      recorder_.remark(
          fmt::format("{}, in a later round: its steps until then count", error.what()),
          "--step-command");
      spent_ = whole();
    } catch (...) {
      keep();
      throw;
    }
    keep();
    const Duration took = now() - start;
    spent_ += took;
    longest_ = std::max(longest_, took);
    recorder_.leave_out(took);
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
  std::shared_ptr<Ready> ready_parts;
  const std::string no_gpu = gpu::unavailable(1);
  if (no_gpu.empty()) {
    ready_parts = ready(settings, recorder);
  } else {
    recorder.remark("only --step-command: " + no_gpu);
  }
  const auto steps = std::make_shared<StepCommand>(settings, recorder);
  // Before this process takes a part of the GPU's memory, or all of a GPU that only one may use.
  if (!settings.step_command.empty()) steps->round();
  return [ready_parts, steps, &settings, &recorder] {
    if (ready_parts) {
      describe_gpus(recorder);
      warm_up(settings, ready_parts->series);
      if (recorder.round() == planned_rounds(settings) / 2) {
        const Duration start = now();
        measure_sustained(settings, ready_parts->series, recorder);
        recorder.leave_out(now() - start);
      }
      recorder.take_turns(ready_parts->parts);
    }
    if (!settings.step_command.empty() && recorder.round() > 0) steps->round();
  };
}

std::string unavailable(const Settings& settings) {
  return settings.step_command.empty() ? gpu::unavailable(1) : "";
}

}  // namespace

const Probe probe_gpu = {
    "gpu",       "GPU memory, matrix products, launches; --step-command: a training step",
    unavailable, open,
    4.0 / 3.0,   true};

}  // namespace feedrate::bench
