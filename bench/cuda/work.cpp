// What a GPU does by itself: copies within its memory, launches, preprocessing.
#include <fmt/format.h>

#include <functional>
#include <utility>

#include "bench/clock.hpp"
#include "bench/cuda/handles.hpp"
#include "bench/cuda/kernels.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/imagenet.hpp"

namespace feedrate::bench::gpu {
namespace {

/// Memory of a GPU that is read, written, and used between, with a stream and its clock.
class Bench {
 public:
  Bench(int gpu, std::size_t from_bytes, std::size_t into_bytes, std::size_t between_bytes = 16)
      : gpu_(gpu),
        from(gpu, from_bytes),
        into(gpu, into_bytes),
        between(gpu, between_bytes),
        stream(gpu),
        timer_(gpu) {
    check(kernels::fill(from.as<std::uint8_t>(), from_bytes, stream.get()), "fill memory");
    stream.wait();
  }

  Duration time(const std::function<cudaError_t(cudaStream_t)>& start) {
    use(gpu_);
    timer_.start(stream);
    check(start(stream.get()), "start work on the GPU");
    return timer_.stop(stream);
  }

 private:
  int gpu_;

 public:
  DeviceMemory from;
  DeviceMemory into;
  DeviceMemory between;
  Stream stream;  // after the memory, so that it goes first

 private:
  Timer timer_;
};

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

Timed memory_copy(int gpu, Bytes size, Copier copier) {
  const auto amount = static_cast<std::size_t>(size.base());
  auto bench = std::make_shared<Bench>(gpu, amount, amount);
  return [bench = std::move(bench), amount, copier] {
    return bench->time([&](cudaStream_t stream) {
      void* into = bench->into.as<void>();
      const void* from = bench->from.as<void>();
      if (copier == Copier::kernel) return kernels::copy(from, into, amount, stream);
      return cudaMemcpyAsync(into, from, amount, cudaMemcpyDeviceToDevice, stream);
    });
  };
}

Timed launches(int gpu, int many) {
  auto stream = std::make_shared<Stream>(gpu);
  return [stream = std::move(stream), gpu, many] {
    use(gpu);
    const Duration start = now();
    for (int i = 0; i < many; ++i) check(kernels::nothing(stream->get()), "start a kernel");
    stream->wait();
    return now() - start;
  };
}

Timed resize(int gpu, Batch batch) {
  const kernels::Images images = {batch.images, batch.width, batch.height};
  auto bench = std::make_shared<Bench>(gpu, values_of(batch.images, batch.width, batch.height),
                                       values_of(batch.images, batch.side, batch.side));
  return [bench = std::move(bench), images, side = batch.side] {
    return bench->time([&](cudaStream_t stream) {
      return kernels::resize(bench->from.as<std::uint8_t>(), images, side,
                             bench->into.as<std::uint8_t>(), stream);
    });
  };
}

Timed blur(int gpu, Batch batch, double sigma) {
  const kernels::Images images = {batch.images, batch.side, batch.side};
  const std::size_t values = values_of(batch.images, batch.side, batch.side);
  auto bench = std::make_shared<Bench>(gpu, values, values, values * sizeof(float));
  const auto weights = kernels::blur_weights(static_cast<float>(sigma));
  return [bench = std::move(bench), images, weights] {
    return bench->time([&](cudaStream_t stream) {
      return kernels::blur(bench->from.as<std::uint8_t>(), images, weights,
                           bench->between.as<float>(), bench->into.as<std::uint8_t>(), stream);
    });
  };
}

Timed normalize(int gpu, Batch batch) {
  const kernels::Images images = {batch.images, batch.side, batch.side};
  const std::size_t values = values_of(batch.images, batch.side, batch.side);
  auto bench = std::make_shared<Bench>(gpu, values, values * sizeof(float));
  return [bench = std::move(bench), images, how = imagenet_normalization()] {
    return bench->time([&](cudaStream_t stream) {
      return kernels::normalize(bench->from.as<std::uint8_t>(), images, how,
                                bench->into.as<float>(), stream);
    });
  };
}

}  // namespace feedrate::bench::gpu
