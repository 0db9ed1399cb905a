// What preprocessing would cost if it moved to the GPU: batches lie decoded in its memory.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "bench/child_process.hpp"
#include "bench/clock.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/gpu_series.hpp"
#include "bench/loader_lines.hpp"
#include "bench/probe.hpp"
#include "bench/probes.hpp"

namespace feedrate::bench {
namespace {

constexpr const char* script_name = "probe_gpu_decode.py";
/// Loading PyTorch and reading the images takes this long at worst.
constexpr Duration patience = minutes(2.0);

/// Of the script's own samples, over all rounds.
Duration planned(const Settings& settings) {
  return settings.quick ? seconds(0.5) : settings.time_limit / 3.0;
}

std::vector<std::string> command(const Settings& settings) {
  std::vector<std::string> words = {
      settings.python, (std::filesystem::path(settings.scripts) / script_name).string(),
      "--device",      "auto",
      "--seconds",     fmt::format("{:.3g}", planned(settings).base()),
      "--rounds",      fmt::format("{}", planned_rounds(settings)),
      "--batch-sizes", settings.quick ? "4" : "16,64,256",
  };
  if (!settings.data.empty()) words.insert(words.end(), {"--data", settings.data});
  return words;
}

std::string not_measured(const std::string& why) {
  return "decode on the GPU was not measured: " + why;
}

/// JPEG decoding on the GPU: no library of CUDA's own that is on every host does it, but PyTorch
/// brings one, and bench/pytorch/probe_gpu_decode.py times it.
class GpuDecode {
 public:
  /// Starts the script, one process for all rounds.
  GpuDecode(const Settings& settings, Recorder& recorder);

  /// One round, beside the time of the probe's own series. What it cannot measure (no PyTorch, none
  /// with CUDA, nothing that the GPU decodes) is a remark, told once. Interrupted.
  void round();

 private:
  void ask();

  const Settings& settings_;
  Recorder& recorder_;
  std::unique_ptr<Companion> script_;  ///< null: it cannot go on
  int line_ = 0;                       ///< of its output, read until now
};

GpuDecode::GpuDecode(const Settings& settings, Recorder& recorder)
    : settings_(settings), recorder_(recorder) {
  const std::vector<std::string> words = command(settings);
  if (!std::filesystem::exists(words[1])) {
    recorder.remark(not_measured(words[1] + " is missing"));
    return;
  }
  try {
    script_ = std::make_unique<Companion>(words);
  } catch (const InputError& error) {
    recorder.remark(not_measured(error.what()));
  }
}

void GpuDecode::round() {
  if (!script_) return;
  const Duration start = now();
  try {
    ask();
  } catch (const InputError& error) {
    script_.reset();
    recorder_.remark(not_measured(error.what()));
  }
  recorder_.leave_out(now() - start);
}

void GpuDecode::ask() {
  LoaderLines lines(line_, script_name);
  const auto keep = [&] {
    for (const Measurement& what : lines.measurements()) recorder_.add(what);
    for (const std::string& words : lines.remarks()) recorder_.remark(words);
    line_ = lines.line();
  };
  std::optional<ChildEnd> end;
  try {
    end = script_->ask("round", "round done", patience + planned(settings_) * 2.0, recorder_.stop(),
                       [&](const std::string& line) { lines.read(line); });
  } catch (...) {
    keep();
    throw;
  }
  keep();
  if (end) throw InputError(fmt::format("{} {}", script_name, end->text()));
}

constexpr int first_gpu = 0;
// As the decode probe does it on the CPU: photographs of ImageNet's mean size.
constexpr int width = 500;
constexpr int height = 375;
constexpr int side = 224;
constexpr double blur_sigma = 1.0;

struct Operation {
  const char* name;
  double pixels;  ///< that it reads, of one image
  std::function<gpu::Repeated(gpu::Batch)> make;
};

std::vector<Operation> operations() {
  constexpr double cropped = static_cast<double>(side) * side;
  return {
      {"resize", static_cast<double>(width) * height,
       [](gpu::Batch batch) { return gpu::resize(first_gpu, batch); }},
      {"blur", cropped, [](gpu::Batch batch) { return gpu::blur(first_gpu, batch, blur_sigma); }},
      {"normalize", cropped, [](gpu::Batch batch) { return gpu::normalize(first_gpu, batch); }},
  };
}

void measure(const Operation& operation, int batch, GpuSeries& series) {
  Measurement what;
  what.quantity = operation.name;
  what.unit = "samples";
  what.work = batch;
  what.at = {{"batch", batch}, {"pixels", operation.pixels}};
  series.repeat(what, [&] { return operation.make({batch, width, height, side}); });
}

std::function<void()> open(const Settings& settings, Recorder& recorder) {
  const auto series = std::make_shared<GpuSeries>(settings, recorder, first_gpu);
  const auto parts = std::make_shared<std::vector<Part>>();
  for (const Operation& operation : operations()) {
    for (const int batch : settings.quick ? std::vector<int>{4} : std::vector<int>{16, 64, 256}) {
      parts->push_back({[operation, batch, series] { measure(operation, batch, *series); }});
    }
  }
  const auto decode = std::make_shared<GpuDecode>(settings, recorder);
  return [parts, series, decode, &recorder] {
    describe_gpus(recorder);
    series->warm_up(gpu::normalize(first_gpu, {16, width, height, side}));
    decode->round();  // at the clocks that the GPU has risen to
    recorder.take_turns(*parts);
  };
}

std::string unavailable(const Settings&) {
  return gpu::unavailable(1);
}

}  // namespace

const Probe probe_gpu_preprocess = {
    "gpu-preprocess", "JPEG decode, resize, blur and normalize on the GPU, by batch size",
    unavailable, open};

}  // namespace feedrate::bench
