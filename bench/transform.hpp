#pragma once
// What a loader does to one image, as the decode probe times it and the native loader of
// `validate` runs it. libjpeg-turbo decodes, OpenCV's imgproc transforms; a build without them
// says so.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace feedrate::bench {

/// RGB, 8 bits, rows without padding.
struct Pixels {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  ///< 3 · width · height
};

/// Why images cannot be decoded or transformed in this build; "" when they can.
std::string transforms_unavailable();

/// The same for decoding alone.
std::string jpeg_unavailable();

/// `into` is reused. InputError with libjpeg's words when `jpeg` is none, or is cut short.
void decode_jpeg(std::span<const std::uint8_t> jpeg, Pixels& into);

/// A random crop of 8…100 % of the area with an aspect of 3/4…4/3 (as torchvision's
/// RandomResizedCrop; `random` gives where), resized to side × side: by areas where it shrinks
/// (which antialiases), bilinearly where it grows.
void crop_resize(const Pixels& from, int side, std::uint64_t random, Pixels& into);

void flip(Pixels& pixels);                                  ///< left and right exchanged
void blur(const Pixels& from, double sigma, Pixels& into);  ///< Gaussian

/// Planes of floats, (value/255 − mean)/deviation, 3 · side · side of them.
void normalize(const Pixels& from, std::span<float> into);

}  // namespace feedrate::bench
