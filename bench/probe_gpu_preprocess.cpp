// What preprocessing would cost if it moved to the GPU: batches lie decoded in its memory.
#include <functional>
#include <memory>
#include <vector>

#include "bench/cuda/operations.hpp"
#include "bench/gpu_decode.hpp"
#include "bench/gpu_series.hpp"
#include "bench/probes.hpp"

namespace feedrate::bench {
namespace {

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
