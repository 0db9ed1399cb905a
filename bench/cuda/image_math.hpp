#pragma once
// What the preprocessing kernels compute for one pixel, apart from how a GPU runs them: the same
// functions are tested on the CPU. nvcc reads this, so it is C++17 without our other headers.
#include <cmath>
#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define FEEDRATE_BOTH __host__ __device__
#else
#define FEEDRATE_BOTH
#endif

namespace feedrate::bench::kernels {

constexpr int channels = 3;

/// Where the pixel at `index` of an image-after-image, row-after-row array lies. 32 bits, because a
/// GPU divides them several times faster than 64.
struct Place {
  std::uint32_t image;
  int y;
  int x;
};

FEEDRATE_BOTH inline Place place_of(std::uint32_t index, int width, int height) {
  const std::uint32_t row = index / static_cast<std::uint32_t>(width);
  return {row / static_cast<std::uint32_t>(height),
          static_cast<int>(row % static_cast<std::uint32_t>(height)),
          static_cast<int>(index % static_cast<std::uint32_t>(width))};
}

/// The first of the three bytes of a pixel in images of rows of RGB.
FEEDRATE_BOTH inline std::size_t pixel_at(Place at, int width, int height) {
  const std::size_t row =
      at.image * static_cast<std::size_t>(height) + static_cast<std::size_t>(at.y);
  return channels * (row * static_cast<std::size_t>(width) + static_cast<std::size_t>(at.x));
}

FEEDRATE_BOTH inline std::uint8_t rounded(float value) {
  const float inside = fminf(fmaxf(value + 0.5F, 0.0F), 255.0F);
  return static_cast<std::uint8_t>(inside);
}

/// The pixels that one pixel of a resized row or column is made of: bilinear, and antialiased by
/// widening the triangle when the image shrinks (as Pillow and torchvision do).
struct Taps {
  int first;
  int end;
  float centre;
  float reach;  ///< where the triangle is zero, from the centre

  FEEDRATE_BOTH float weight(int tap) const {
    const float far = fabsf(static_cast<float>(tap) + 0.5F - centre) / reach;
    return far < 1.0F ? 1.0F - far : 0.0F;
  }
};

FEEDRATE_BOTH inline Taps taps_of(int out, int from_size, int to_size) {
  const float scale = static_cast<float>(from_size) / static_cast<float>(to_size);
  const float reach = fmaxf(scale, 1.0F);
  const float centre = (static_cast<float>(out) + 0.5F) * scale;
  const int first = static_cast<int>(floorf(centre - reach));
  const int end = static_cast<int>(ceilf(centre + reach));
  return {first < 0 ? 0 : first, end > from_size ? from_size : end, centre, reach};
}

struct Rgb {
  std::uint8_t value[channels];
};

/// One pixel of image `at.image` resized from width x height to side x side.
FEEDRATE_BOTH inline Rgb resized(const std::uint8_t* from, int width, int height, int side,
                                 Place at) {
  const Taps across = taps_of(at.x, width, side);
  const Taps down = taps_of(at.y, height, side);
  float sum[channels] = {0.0F, 0.0F, 0.0F};
  float weights = 0.0F;
  for (int y = down.first; y < down.end; ++y) {
    const std::size_t row = pixel_at({at.image, y, 0}, width, height);
    for (int x = across.first; x < across.end; ++x) {
      const float weight = down.weight(y) * across.weight(x);
      const std::uint8_t* pixel = from + row + channels * static_cast<std::size_t>(x);
      for (int c = 0; c < channels; ++c) sum[c] += weight * static_cast<float>(pixel[c]);
      weights += weight;
    }
  }
  Rgb made = {};
  for (int c = 0; c < channels; ++c) made.value[c] = rounded(sum[c] / weights);
  return made;
}

/// A border that mirrors the image without repeating its edge.
FEEDRATE_BOTH inline int reflected(int i, int size) {
  if (size == 1) return 0;
  const int period = 2 * (size - 1);
  const int inside = (i < 0 ? -i : i) % period;
  return inside < size ? inside : period - inside;
}

constexpr int most_blur_radius = 15;

/// Weights of a Gaussian from its centre outwards; both sides together sum to 1.
struct BlurWeights {
  int radius;
  float weight[most_blur_radius + 1];
};

/// `sigma` in pixels; cut off at three of them.
inline BlurWeights blur_weights(float sigma) {
  BlurWeights weights = {};
  const int radius = static_cast<int>(std::ceil(3.0F * sigma));
  weights.radius = radius < most_blur_radius ? radius : most_blur_radius;
  float sum = 0.0F;
  for (int i = 0; i <= weights.radius; ++i) {
    const float far = static_cast<float>(i) / sigma;
    weights.weight[i] = std::exp(-0.5F * far * far);
    sum += (i == 0 ? 1.0F : 2.0F) * weights.weight[i];
  }
  for (int i = 0; i <= weights.radius; ++i) weights.weight[i] /= sum;
  return weights;
}

/// One channel of a pixel, blurred along its row.
FEEDRATE_BOTH inline float blurred_across(const std::uint8_t* from, int width, int height, Place at,
                                          int channel, const BlurWeights& weights) {
  const std::uint8_t* row = from + pixel_at({at.image, at.y, 0}, width, height) + channel;
  float sum = 0.0F;
  for (int i = -weights.radius; i <= weights.radius; ++i) {
    const int x = reflected(at.x + i, width);
    // A row fits 32 bits, which GPUs multiply faster.
    const int column = channels * x;
    sum += weights.weight[i < 0 ? -i : i] * static_cast<float>(row[column]);
  }
  return sum;
}

/// The same along its column, of values that were blurred along rows.
FEEDRATE_BOTH inline std::uint8_t blurred_down(const float* from, int width, int height, Place at,
                                               int channel, const BlurWeights& weights) {
  float sum = 0.0F;
  for (int i = -weights.radius; i <= weights.radius; ++i) {
    const Place tap = {at.image, reflected(at.y + i, height), at.x};
    sum += weights.weight[i < 0 ? -i : i] *
           from[pixel_at(tap, width, height) + static_cast<std::size_t>(channel)];
  }
  return rounded(sum);
}

/// (value/255 - mean) / deviation as value * factor + shift.
struct Normalization {
  float factor[channels];
  float shift[channels];
};

/// Writes one pixel into planes of floats (image, channel, row, column), from rows of RGB.
FEEDRATE_BOTH inline void normalize_pixel(const std::uint8_t* from, int width, int height, Place at,
                                          const Normalization& how, float* into) {
  const std::size_t plane = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const std::uint8_t* pixel = from + pixel_at(at, width, height);
  float* out = into + plane * channels * at.image +
               static_cast<std::size_t>(at.y) * static_cast<std::size_t>(width) +
               static_cast<std::size_t>(at.x);
  for (int c = 0; c < channels; ++c) {
    out[static_cast<std::size_t>(c) * plane] =
        static_cast<float>(pixel[c]) * how.factor[c] + how.shift[c];
  }
}

/// A number in [-1, 1) that looks random: what a GPU computes with must not be all zeros, on which
/// matrix products run faster.
FEEDRATE_BOTH inline float scattered(std::size_t index) {
  std::uint32_t bits = static_cast<std::uint32_t>(index) * 2654435761U + 12345U;
  bits ^= bits >> 16U;
  bits *= 2246822519U;
  bits ^= bits >> 13U;
  return static_cast<float>(bits >> 8U) * (2.0F / 16777216.0F) - 1.0F;
}

/// The upper half of a float is a bfloat16.
FEEDRATE_BOTH inline std::uint16_t bfloat16(float value) {
  union {
    float number;
    std::uint32_t bits;
  } both;
  both.number = value;
  return static_cast<std::uint16_t>(both.bits >> 16U);
}

}  // namespace feedrate::bench::kernels
