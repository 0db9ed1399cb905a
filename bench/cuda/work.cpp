// What a GPU does by itself: copies within its memory, launches, preprocessing.
#include <fmt/format.h>

#include <functional>
#include <utility>

#include "bench/clock.hpp"
#include "bench/cuda/handles.hpp"
#include "bench/cuda/kernels.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/cuda/stretch.hpp"
#include "bench/imagenet.hpp"

namespace feedrate::bench::gpu {
namespace {

/// Memory of a GPU that is read, written, and used between, and what is done with it.
class Bench {
 public:
  Bench(int gpu, std::size_t from_bytes, std::size_t into_bytes, std::size_t between_bytes = 16)
      : from(gpu, from_bytes), into(gpu, into_bytes), between(gpu, between_bytes), stretch(gpu) {
    check(kernels::fill(from.as<std::uint8_t>(), from_bytes, stretch.stream().get()),
          "fill memory");
    stretch.stream().wait();
  }

  DeviceMemory from;
  DeviceMemory into;
  DeviceMemory between;
  Stretch stretch;  // after the memory, so that it goes first
};

using Start = std::function<cudaError_t(const Bench&, cudaStream_t)>;

/// `start` starts one piece of work.
Repeated repeated(std::shared_ptr<Bench> bench, Start start) {
  return [bench = std::move(bench), start = std::move(start)](int times,
                                                              const Meanwhile& meanwhile) {
    return bench->stretch.time(
        times,
        [&](const Stream& stream) { check(start(*bench, stream.get()), "start work on the GPU"); },
        meanwhile);
  };
}

std::size_t values_of(int images, int width, int height) {
  return static_cast<std::size_t>(images) * static_cast<std::size_t>(width) *
         static_cast<std::size_t>(height) * kernels::channels;
}

kernels::Normalization imagenet_normalization() {
  kernels::Normalization how{};
  for (std::size_t c = 0; c < imagenet_mean.size(); ++c) {
    how.factor[c] = static_cast<float>(1.0 / (255.0 * imagenet_deviation[c]));
    how.shift[c] = static_cast<float>(-imagenet_mean[c] / imagenet_deviation[c]);
  }
  return how;
}

}  // namespace

Repeated memory_copy(int gpu, Bytes size, Copier copier) {
  const auto amount = static_cast<std::size_t>(size.base());
  return repeated(std::make_shared<Bench>(gpu, amount, amount),
                  [amount, copier](const Bench& bench, cudaStream_t stream) {
                    void* into = bench.into.as<void>();
                    const void* from = bench.from.as<void>();
                    if (copier == Copier::kernel) return kernels::copy(from, into, amount, stream);
                    return cudaMemcpyAsync(into, from, amount, cudaMemcpyDeviceToDevice, stream);
                  });
}

Repeated launch(int gpu) {
  return repeated(std::make_shared<Bench>(gpu, 16, 16),
                  [](const Bench&, cudaStream_t stream) { return kernels::nothing(stream); });
}

Repeated launch_and_wait(int gpu) {
  auto stream = std::make_shared<Stream>(gpu);
  return [stream = std::move(stream), gpu](int times, const Meanwhile&) {
    use(gpu);
    const Duration start = now();
    for (int i = 0; i < times; ++i) {
      check(kernels::nothing(stream->get()), "start a kernel");
      stream->wait();
    }
    return now() - start;
  };
}

Repeated resize(int gpu, Batch batch) {
  const kernels::Images images = {batch.images, batch.width, batch.height};
  return repeated(std::make_shared<Bench>(gpu, values_of(batch.images, batch.width, batch.height),
                                          values_of(batch.images, batch.side, batch.side)),
                  [images, side = batch.side](const Bench& bench, cudaStream_t stream) {
                    return kernels::resize(bench.from.as<std::uint8_t>(), images, side,
                                           bench.into.as<std::uint8_t>(), stream);
                  });
}

Repeated blur(int gpu, Batch batch, double sigma) {
  const kernels::Images images = {batch.images, batch.side, batch.side};
  const std::size_t values = values_of(batch.images, batch.side, batch.side);
  const auto weights = kernels::blur_weights(static_cast<float>(sigma));
  return repeated(std::make_shared<Bench>(gpu, values, values, values * sizeof(float)),
                  [images, weights](const Bench& bench, cudaStream_t stream) {
                    return kernels::blur(bench.from.as<std::uint8_t>(), images, weights,
                                         bench.between.as<float>(), bench.into.as<std::uint8_t>(),
                                         stream);
                  });
}

Repeated normalize(int gpu, Batch batch) {
  const kernels::Images images = {batch.images, batch.side, batch.side};
  const std::size_t values = values_of(batch.images, batch.side, batch.side);
  return repeated(
      std::make_shared<Bench>(gpu, values, values * sizeof(float)),
      [images, how = imagenet_normalization()](const Bench& bench, cudaStream_t stream) {
        return kernels::normalize(bench.from.as<std::uint8_t>(), images, how,
                                  bench.into.as<float>(), stream);
      });
}

}  // namespace feedrate::bench::gpu
