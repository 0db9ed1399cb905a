#pragma once
// Samples to measure with: the user's JPEG files, or generated ones of the size and entropy of
// photographs.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace feedrate::bench {

struct ImageFiles {
  std::vector<std::string> files;  ///< JPEG files, sorted by path
  std::size_t skipped = 0;         ///< other files, and JPEGs that do not decode
  std::string first_skipped;       ///< one of them, with its reason
  Bytes mean_bytes;
  double mean_pixels = 0.0;  ///< 0 in a build that cannot decode
  [[nodiscard]] bool empty() const { return files.empty(); }
};

/// At most `limit` JPEG files below `directory`, spread evenly over all of them, and no more than
/// can be checked in `at_most` (but one); links to directories are not followed. Calls `check` now
/// and then, which may throw. InputError: no such directory, or no image in it.
ImageFiles find_images(
    const std::string& directory, std::size_t limit, Duration at_most = seconds(5.0),
    const std::function<void()>& check = [] {});

/// The bytes of a file, as a loader reads them: one open, one read. `into` is reused. InputError,
/// with its name, when it cannot be read.
void read_whole(const std::string& path, std::vector<std::uint8_t>& into);

/// A JPEG of smooth shapes, edges and noise: about `bytes` long at width × height (within 10 %
/// where quality 5…98 can reach it). The same seed gives the same image. Needs libjpeg.
std::vector<std::uint8_t> generate_jpeg(int width, int height, Bytes bytes, std::uint64_t seed);

}  // namespace feedrate::bench
