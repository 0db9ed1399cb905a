#include "bench/transform.hpp"

#include <cmath>

#include "base/errors.hpp"
#include "bench/imagenet.hpp"
#include "bench/mix.hpp"

#ifdef FEEDRATE_HAS_OPENCV
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#endif

namespace feedrate::bench {

#ifdef FEEDRATE_HAS_OPENCV
namespace {

/// OpenCV's own threads would multiply with ours.
void one_thread() {
  [[maybe_unused]] static const bool done = (cv::setNumThreads(0), true);
}

/// OpenCV's view of the pixels; it takes no const, and only reads where we give it to read.
cv::Mat view(const Pixels& pixels) {
  one_thread();
  return {pixels.height, pixels.width, CV_8UC3, const_cast<std::uint8_t*>(pixels.rgb.data())};
}

void reshape(Pixels& pixels, int width, int height) {
  pixels.width = width;
  pixels.height = height;
  pixels.rgb.resize(std::size_t{3} * static_cast<std::size_t>(width) *
                    static_cast<std::size_t>(height));
}

cv::Rect random_crop(const Pixels& from, std::uint64_t random) {
  constexpr int attempts = 10;
  const double area = static_cast<double>(from.width) * from.height;
  const double widest = std::log(4.0 / 3.0);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const double part = area * (0.08 + 0.92 * uniform(random));
    const double aspect = std::exp(widest * (2.0 * uniform(random) - 1.0));
    const int width = static_cast<int>(std::lround(std::sqrt(part * aspect)));
    const int height = static_cast<int>(std::lround(std::sqrt(part / aspect)));
    if (width < 1 || height < 1 || width > from.width || height > from.height) continue;
    const int x = static_cast<int>(uniform(random) * (from.width - width + 1));
    const int y = static_cast<int>(uniform(random) * (from.height - height + 1));
    return {x, y, width, height};
  }
  const int side = std::min(from.width, from.height);  // a very long image
  return {(from.width - side) / 2, (from.height - side) / 2, side, side};
}

}  // namespace

std::string transforms_unavailable() {
  return jpeg_unavailable();
}

void crop_resize(const Pixels& from, int side, std::uint64_t random, Pixels& into) {
  const cv::Mat crop = view(from)(random_crop(from, random));
  reshape(into, side, side);
  cv::Mat out = view(into);
  const bool shrinks = crop.cols >= side && crop.rows >= side;
  cv::resize(crop, out, out.size(), 0.0, 0.0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
}

void flip(Pixels& pixels) {
  cv::Mat image = view(pixels);
  cv::flip(image, image, 1);
}

void blur(const Pixels& from, double sigma, Pixels& into) {
  reshape(into, from.width, from.height);
  cv::Mat out = view(into);
  cv::GaussianBlur(view(from), out, cv::Size(), sigma);
}

void normalize(const Pixels& from, std::span<float> into) {
  thread_local cv::Mat channel;
  const cv::Mat image = view(from);
  const std::size_t plane = image.total();
  for (std::size_t c = 0; c < 3; ++c) {
    cv::extractChannel(image, channel, static_cast<int>(c));
    cv::Mat out(image.rows, image.cols, CV_32F, into.data() + c * plane);
    channel.convertTo(out, CV_32F, 1.0 / (255.0 * imagenet_deviation[c]),
                      -imagenet_mean[c] / imagenet_deviation[c]);
  }
}

#else

std::string transforms_unavailable() {
  const std::string jpeg = jpeg_unavailable();
  return jpeg.empty() ? "this build has no OpenCV (Debian: libopencv-imgproc-dev)" : jpeg;
}

void crop_resize(const Pixels&, int, std::uint64_t, Pixels&) {
  throw HostError(transforms_unavailable());
}

void flip(Pixels&) {
  throw HostError(transforms_unavailable());
}

void blur(const Pixels&, double, Pixels&) {
  throw HostError(transforms_unavailable());
}

void normalize(const Pixels&, std::span<float>) {
  throw HostError(transforms_unavailable());
}

#endif

}  // namespace feedrate::bench
