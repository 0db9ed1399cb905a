#include "bench/images.hpp"

#ifdef FEEDRATE_HAS_JPEG
#include <cstdio>
#include <cstdlib>
// After <cstdio>: jpeglib.h uses FILE without declaring it.
#include <jpeglib.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "base/errors.hpp"
#include "bench/mix.hpp"
#include "bench/transform.hpp"

namespace feedrate::bench {

#ifdef FEEDRATE_HAS_JPEG
namespace {

/// Planes of brightness and two of colour, and the noise apart so that its strength can be chosen.
struct Scene {
  int width;
  int height;
  std::vector<std::array<float, 3>> colour;
  std::vector<float> noise;
};

float noise_at(int x, int y, std::uint64_t seed) {
  std::uint64_t state = seed ^ (static_cast<std::uint64_t>(x) << 32U) ^
                        static_cast<std::uint64_t>(static_cast<unsigned>(y));
  return static_cast<float>(2.0 * uniform(state) - 1.0);
}

/// Values on a lattice of `cell` pixels, blended smoothly in between.
float smooth_noise(float x, float y, float cell, std::uint64_t seed) {
  const float u = x / cell;
  const float v = y / cell;
  const int i = static_cast<int>(u);
  const int j = static_cast<int>(v);
  const float s = (u - static_cast<float>(i)) * (u - static_cast<float>(i)) *
                  (3.0F - 2.0F * (u - static_cast<float>(i)));
  const float t = (v - static_cast<float>(j)) * (v - static_cast<float>(j)) *
                  (3.0F - 2.0F * (v - static_cast<float>(j)));
  const float top = std::lerp(noise_at(i, j, seed), noise_at(i + 1, j, seed), s);
  const float bottom = std::lerp(noise_at(i, j + 1, seed), noise_at(i + 1, j + 1, seed), s);
  return std::lerp(top, bottom, t);
}

/// Octaves whose strength falls with their frequency, as in photographs.
void paint_texture(Scene& scene, std::uint64_t seed) {
  for (int y = 0; y < scene.height; ++y) {
    for (int x = 0; x < scene.width; ++x) {
      const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(scene.width) +
                             static_cast<std::size_t>(x);
      for (std::size_t c = 0; c < 3; ++c) {
        // Colour changes slowly: coarse octaves only.
        const float finest = c == 0 ? 4.0F : 32.0F;
        float value = 128.0F;
        for (float cell = 128.0F; cell >= finest; cell /= 2.0F) {
          value += 40.0F * std::sqrt(cell / 128.0F) *
                   smooth_noise(static_cast<float>(x), static_cast<float>(y), cell, seed + c);
        }
        scene.colour[at][c] = value;
      }
      scene.noise[at] = noise_at(x, y, seed + 7);
    }
  }
}

/// Things with sharp edges.
void paint_shapes(Scene& scene, std::uint64_t seed) {
  std::uint64_t state = seed ^ 0x5348415045ULL;
  for (int shape = 0; shape < 12; ++shape) {
    const double x0 = uniform(state) * scene.width;
    const double y0 = uniform(state) * scene.height;
    const double rx = (0.03 + 0.15 * uniform(state)) * scene.width;
    const double ry = (0.03 + 0.15 * uniform(state)) * scene.height;
    std::array<float, 3> shade{};
    for (float& part : shade) part = static_cast<float>(80.0 * uniform(state) - 40.0);
    const int bottom = std::min(scene.height, static_cast<int>(y0 + ry));
    for (int y = std::max(0, static_cast<int>(y0 - ry)); y < bottom; ++y) {
      const double slope = (y - y0) / ry;
      const double half = rx * std::sqrt(std::max(0.0, 1.0 - slope * slope));
      const int right = std::min(scene.width, static_cast<int>(x0 + half));
      for (int x = std::max(0, static_cast<int>(x0 - half)); x < right; ++x) {
        auto& colour =
            scene.colour[static_cast<std::size_t>(y) * static_cast<std::size_t>(scene.width) +
                         static_cast<std::size_t>(x)];
        for (std::size_t c = 0; c < 3; ++c) colour[c] += shade[c];
      }
    }
  }
}

/// Interleaved Y, Cb, Cr.
std::vector<std::uint8_t> expose(const Scene& scene, double noise) {
  std::vector<std::uint8_t> ycc;
  ycc.reserve(3 * scene.colour.size());
  for (std::size_t i = 0; i < scene.colour.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const float grain = scene.noise[i] * static_cast<float>(c == 0 ? noise : noise / 3.0);
      ycc.push_back(
          static_cast<std::uint8_t>(std::clamp(scene.colour[i][c] + grain, 0.0F, 255.0F)));
    }
  }
  return ycc;
}

std::vector<std::uint8_t> encode(const std::vector<std::uint8_t>& ycc, int width, int height,
                                 int quality) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &buffer, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = 3;
  info.in_color_space = JCS_YCbCr;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(ycc.data()) +
                   std::size_t{3} * info.next_scanline * static_cast<std::size_t>(width);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::vector<std::uint8_t> jpeg(buffer, buffer + size);
  jpeg_destroy_compress(&info);
  std::free(buffer);
  return jpeg;
}

}  // namespace

std::vector<std::uint8_t> generate_jpeg(int width, int height, Bytes size, std::uint64_t seed) {
  if (width < 1 || height < 1 || width > 65500 || height > 65500) {
    throw InputError("an image must have 1…65500 × 1…65500 pixels");
  }
  const auto count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  Scene scene{width, height, std::vector<std::array<float, 3>>(count), std::vector<float>(count)};
  paint_texture(scene, seed);
  paint_shapes(scene, seed);
  // First the quality with the usual noise, then the noise that comes nearest.
  constexpr double usual_noise = 12.0;
  const std::vector<std::uint8_t> usual = expose(scene, usual_noise);
  int low = 5;
  int high = 98;
  while (low < high) {
    const int quality = (low + high) / 2;
    const auto got = static_cast<double>(encode(usual, width, height, quality).size());
    if (got < size.base()) {
      low = quality + 1;
    } else {
      high = quality;
    }
  }
  double weakest = 0.0;
  double strongest = 2.0 * usual_noise;  // so that the middle is what `jpeg` has
  std::vector<std::uint8_t> jpeg = encode(usual, width, height, low);
  for (int step = 0; step < 8; ++step) {
    const auto got = static_cast<double>(jpeg.size());
    if (std::abs(got - size.base()) < 0.02 * size.base()) break;
    const double middle = (weakest + strongest) / 2.0;
    (got > size.base() ? strongest : weakest) = middle;
    jpeg = encode(expose(scene, (weakest + strongest) / 2.0), width, height, low);
  }
  return jpeg;
}

#else

std::vector<std::uint8_t> generate_jpeg(int, int, Bytes, std::uint64_t) {
  throw HostError(jpeg_unavailable());
}

#endif

}  // namespace feedrate::bench
