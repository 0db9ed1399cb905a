// What the kernels compute for a pixel, on the CPU.
#include "bench/cuda/image_math.hpp"

#include <cstring>
#include <numeric>
#include <vector>

#include "catch.hpp"

using namespace feedrate::bench::kernels;

namespace {

using Image = std::vector<std::uint8_t>;

Image noise(int width, int height, int images = 1) {
  Image image(static_cast<std::size_t>(channels * width * height * images));
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = rounded(127.5F * (scattered(i) + 1.0F));
  return image;
}

Image resized_image(const Image& from, int width, int height, int side, std::uint32_t images = 1) {
  Image into;
  const auto pixels = images * static_cast<std::uint32_t>(side * side);
  for (std::uint32_t i = 0; i < pixels; ++i) {
    const Rgb made = resized(from.data(), width, height, side, place_of(i, side, side));
    into.insert(into.end(), made.value, made.value + channels);
  }
  return into;
}

Image blurred_image(const Image& from, int width, int height, float sigma) {
  const BlurWeights weights = blur_weights(sigma);
  std::vector<float> between(from.size());
  Image into(from.size());
  for (std::uint32_t i = 0; i < from.size(); ++i) {
    between[i] = blurred_across(from.data(), width, height, place_of(i / channels, width, height),
                                static_cast<int>(i % channels), weights);
  }
  for (std::uint32_t i = 0; i < from.size(); ++i) {
    into[i] = blurred_down(between.data(), width, height, place_of(i / channels, width, height),
                           static_cast<int>(i % channels), weights);
  }
  return into;
}

double mean(const Image& image) {
  return std::accumulate(image.begin(), image.end(), 0.0) / static_cast<double>(image.size());
}

}  // namespace

TEST_CASE("image math: an index and its place say the same") {
  const int width = 7;
  const int height = 5;
  for (std::uint32_t i = 0; i < 3 * 7 * 5; ++i) {
    const Place at = place_of(i, width, height);
    CHECK(at.x < width);
    CHECK(at.y < height);
    CHECK(pixel_at(at, width, height) == channels * i);
  }
}

TEST_CASE("image math: an image resized to its own size stays what it is") {
  const Image image = noise(9, 9, 2);
  CHECK(resized_image(image, 9, 9, 9, 2) == image);
}

TEST_CASE("image math: a constant image stays constant, whatever its new size") {
  const Image image(channels * 13 * 7, 200);
  for (const int side : {1, 4, 7, 20}) {
    const Image into = resized_image(image, 13, 7, side);
    CHECK(into == Image(static_cast<std::size_t>(channels * side * side), 200));
  }
}

TEST_CASE("image math: half the size weighs its four neighbours 1 : 3 : 3 : 1") {
  // One row, the same in every channel.
  Image image;
  for (const int value : {0, 0, 80, 160, 40, 0, 0, 0}) {
    image.insert(image.end(), channels, static_cast<std::uint8_t>(value));
  }
  const Image into = resized_image(image, 8, 1, 4);
  // Pixel 1 has its centre between taps 2 and 3: (0 + 3·80 + 3·160 + 40) / 8.
  CHECK(into[channels * 1] == 95);
  CHECK(into[channels * 1 + 2] == 95);
  // Pixel 0 at the border lacks its first tap: (3·0 + 3·0 + 80) / 7.
  CHECK(into[0] == 11);
}

TEST_CASE("image math: twice the size puts new pixels a quarter and three quarters between") {
  Image image;
  for (const int value : {0, 100}) {
    image.insert(image.end(), channels, static_cast<std::uint8_t>(value));
  }
  const Image into = resized_image(image, 2, 1, 4);
  CHECK(into[0] == 0);
  CHECK(into[channels * 1] == 25);
  CHECK(into[channels * 2] == 75);
  CHECK(into[channels * 3] == 100);
}

TEST_CASE("image math: shrinking noise keeps its mean, so that no pixel is left out") {
  const Image image = noise(90, 60);
  CHECK(mean(resized_image(image, 90, 60, 10)) == Approx(mean(image)).epsilon(0.02));
}

TEST_CASE("image math: weights of a blur fall off and sum to one") {
  for (const float sigma : {0.3F, 1.0F, 2.5F, 100.0F}) {
    const BlurWeights weights = blur_weights(sigma);
    CHECK(weights.radius <= most_blur_radius);
    CHECK(weights.radius >= 1);
    float sum = weights.weight[0];
    for (int i = 1; i <= weights.radius; ++i) {
      CHECK(weights.weight[i] < weights.weight[i - 1]);
      sum += 2.0F * weights.weight[i];
    }
    CHECK(sum == Approx(1.0F).epsilon(1e-5));
  }
}

TEST_CASE("image math: a mirrored border repeats no edge and never leaves the image") {
  CHECK(reflected(-1, 5) == 1);
  CHECK(reflected(-4, 5) == 4);
  CHECK(reflected(5, 5) == 3);
  CHECK(reflected(0, 1) == 0);
  for (int i = -40; i < 40; ++i) {
    for (const int size : {1, 2, 3, 7}) {
      CHECK(reflected(i, size) >= 0);
      CHECK(reflected(i, size) < size);
    }
  }
}

TEST_CASE("image math: a blur keeps a constant, and spreads a point as its weights say") {
  const int width = 17;
  const Image constant(channels * 17 * 3, 77);
  CHECK(blurred_image(constant, 17, 3, 1.0F) == constant);
  Image point(channels * 17 * 17, 0);
  point[pixel_at({0, 8, 8}, width, width) + 1] = 255;
  const Image into = blurred_image(point, width, width, 1.0F);
  const BlurWeights weights = blur_weights(1.0F);
  for (const int far : {0, 1, 2, 3}) {
    const float expected = 255.0F * weights.weight[far] * weights.weight[0];
    CHECK(into[pixel_at({0, 8, 8 + far}, width, width) + 1] == rounded(expected));
    CHECK(into[pixel_at({0, 8 - far, 8}, width, width) + 1] == rounded(expected));
  }
  CHECK(into[pixel_at({0, 8, 8}, width, width)] == 0);  // another channel
}

TEST_CASE("image math: normalizing makes planes of the channels") {
  const Image image = noise(4, 3, 2);
  std::vector<float> into(image.size(), -1000.0F);
  const Normalization how = {{1.0F, 2.0F, 3.0F}, {10.0F, 20.0F, 30.0F}};
  for (std::uint32_t i = 0; i < 2 * 4 * 3; ++i) {
    normalize_pixel(image.data(), 4, 3, place_of(i, 4, 3), how, into.data());
  }
  for (std::size_t picture = 0; picture < 2; ++picture) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t pixel = 0; pixel < 12; ++pixel) {
        const float value = image[(picture * 12 + pixel) * 3 + c];
        CHECK(into[(picture * 3 + c) * 12 + pixel] == value * how.factor[c] + how.shift[c]);
      }
    }
  }
}

TEST_CASE("image math: bfloat16 is the upper half of a float") {
  CHECK(bfloat16(1.0F) == 0x3F80);
  CHECK(bfloat16(-2.0F) == 0xC000);
  CHECK(bfloat16(0.0F) == 0);
}
