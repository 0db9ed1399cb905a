#include "bench/images.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/errors.hpp"
#include "base/open_file.hpp"
#include "bench/clock.hpp"
#include "bench/files.hpp"
#include "bench/mix.hpp"
#include "bench/transform.hpp"

namespace feedrate::bench {
namespace {

bool named_as_jpeg(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".jpg" || extension == ".jpeg" || extension == ".jpe";
}

void skip(ImageFiles& found, const std::string& why) {
  if (found.skipped++ == 0) found.first_skipped = why;
}

/// Adds the file when it decodes, else skips it.
void take(ImageFiles& found, const std::string& path, std::vector<std::uint8_t>& jpeg,
          Pixels& pixels) {
  try {
    read_whole(path, jpeg);
  } catch (const InputError& error) {
    return skip(found, error.what());
  }
  try {
    if (jpeg_unavailable().empty()) decode_jpeg(jpeg, pixels);
  } catch (const InputError& error) {
    return skip(found, path + ": " + error.what());
  }
  found.files.push_back(path);
  found.mean_bytes += bytes(static_cast<double>(jpeg.size()));
  found.mean_pixels += static_cast<double>(pixels.width) * pixels.height;
}

/// In an order that makes any beginning of it a fair sample; the same every time.
void shuffle(std::vector<std::string>& paths) {
  std::uint64_t random = 1;
  for (std::size_t i = paths.size(); i > 1; --i) std::swap(paths[i - 1], paths[mix(random) % i]);
}

}  // namespace

void read_whole(const std::string& path, std::vector<std::uint8_t>& into) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file.ok() || ::fstat(file.get(), &status) != 0) {
    throw InputError(path + ": cannot be read: " + std::strerror(errno));
  }
  into.resize(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n = ::read(file.get(), into.data() + done, into.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw InputError(path + ": cannot be read: " + std::strerror(errno));
    if (n == 0) throw InputError(path + ": was truncated while it was read");
    done += static_cast<std::size_t>(n);
  }
}

ImageFiles find_images(const std::string& directory, std::size_t limit, Duration at_most,
                       const std::function<void()>& check) {
  ImageFiles found;
  std::vector<std::string> named;
  for (std::string& path : list_files(directory, check)) {
    if (named_as_jpeg(path)) {
      named.push_back(std::move(path));
    } else {
      skip(found, path + ": not named .jpg or .jpeg");
    }
  }
  named = spread(named, limit);
  shuffle(named);
  const Duration end = now() + at_most;
  std::vector<std::uint8_t> jpeg;
  Pixels pixels;
  for (const std::string& path : named) {
    check();
    if (!found.empty() && now() >= end) break;
    take(found, path, jpeg, pixels);
  }
  if (found.empty()) {
    throw InputError(directory + ": expected JPEG files (.jpg, .jpeg), found none that decodes" +
                     (found.skipped > 0 ? "; " + found.first_skipped : ""));
  }
  std::sort(found.files.begin(), found.files.end());
  found.mean_bytes /= static_cast<double>(found.files.size());
  found.mean_pixels /= static_cast<double>(found.files.size());
  return found;
}

}  // namespace feedrate::bench
