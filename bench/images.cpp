#include "bench/images.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/errors.hpp"
#include "bench/files.hpp"
#include "bench/open_file.hpp"
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

/// Why the file does not decode, with its name; "" when it does.
std::string flaw(const std::string& path, Pixels& pixels) {
  if (!jpeg_unavailable().empty()) return "";
  std::vector<std::uint8_t> jpeg;
  try {
    read_whole(path, jpeg);
  } catch (const InputError& error) {
    return error.what();
  }
  try {
    decode_jpeg(jpeg, pixels);
  } catch (const InputError& error) {
    return path + ": " + error.what();
  }
  return "";
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
    if (n == 0) throw InputError(path + ": became shorter while it was read");
    done += static_cast<std::size_t>(n);
  }
}

ImageFiles find_images(const std::string& directory, std::size_t limit) {
  ImageFiles found;
  std::vector<std::string> named;
  for (std::string& path : list_files(directory)) {
    if (named_as_jpeg(path)) {
      named.push_back(std::move(path));
    } else {
      skip(found, path + ": not named .jpg or .jpeg");
    }
  }
  Pixels pixels;
  for (const std::string& path : spread(named, limit)) {
    const std::string why = flaw(path, pixels);
    if (why.empty()) {
      found.files.push_back(path);
    } else {
      skip(found, why);
    }
  }
  if (found.empty()) {
    throw InputError(directory + ": expected JPEG files (.jpg, .jpeg), found none that decodes" +
                     (found.skipped > 0 ? "; " + found.first_skipped : ""));
  }
  return found;
}

}  // namespace feedrate::bench
