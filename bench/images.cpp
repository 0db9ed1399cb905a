#include "bench/images.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/errors.hpp"
#include "bench/open_file.hpp"
#include "bench/transform.hpp"

namespace feedrate::bench {
namespace {

namespace fs = std::filesystem;

bool named_as_jpeg(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".jpg" || extension == ".jpeg" || extension == ".jpe";
}

void skip(ImageFiles& found, const std::string& why) {
  if (found.skipped++ == 0) found.first_skipped = why;
}

/// Every file below `directory` that is named as a JPEG; others are counted in `found`.
std::vector<std::string> list_images(const std::string& directory, ImageFiles& found) {
  std::error_code failed;
  fs::recursive_directory_iterator entry(directory, fs::directory_options::skip_permission_denied,
                                         failed);
  if (failed) {
    throw InputError(directory + ": expected a directory of images, got: " + failed.message());
  }
  std::vector<std::string> all;
  for (; entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    if (failed) throw HostError(directory + ": listing it failed: " + failed.message());
    std::error_code gone;
    if (!entry->is_regular_file(gone)) continue;
    if (named_as_jpeg(entry->path())) {
      all.push_back(entry->path().string());
    } else {
      skip(found, entry->path().string() + ": not named .jpg or .jpeg");
    }
  }
  if (failed) throw HostError(directory + ": listing it failed: " + failed.message());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::string> spread(const std::vector<std::string>& all, std::size_t limit) {
  if (all.size() <= limit) return all;
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < limit; ++i) chosen.push_back(all[i * all.size() / limit]);
  return chosen;
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
  const std::vector<std::string> all = list_images(directory, found);
  Pixels pixels;
  for (const std::string& path : spread(all, limit)) {
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
