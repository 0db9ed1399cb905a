#include "bench/scratch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): POSIX's
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "base/errors.hpp"
#include "bench/clock.hpp"

namespace feedrate::bench {
namespace {

std::string reason() {
  return std::strerror(errno);
}

std::string megabytes_text(Bytes size) {
  return fmt::format("{:.0f} MB", size.base() / 1e6);
}

/// O_TMPFILE never has a name; where the file system does not know it, the name lives for a moment.
OpenFile nameless(const std::string& directory) {
  OpenFile file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.ok()) return file;
  if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) {
    std::string name = directory + "/feedrate-XXXXXX";
    file = OpenFile(::mkostemp(name.data(), O_CLOEXEC));
    if (file.ok()) ::unlink(name.c_str());
  }
  if (!file.ok()) {
    throw HostError(directory + ": a scratch file cannot be created there: " + reason() +
                    "; name another directory with --scratch");
  }
  return file;
}

void write_all(int file, const std::uint8_t* data, std::size_t size, const std::string& directory) {
  while (size > 0) {
    const ssize_t n = ::write(file, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw HostError(directory + ": writing the scratch file failed: " + reason());
    data += n;
    size -= static_cast<std::size_t>(n);
  }
}

}  // namespace

std::string scratch_root(const Settings& settings) {
  if (!settings.scratch.empty()) return settings.scratch;
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

void require_space(const std::string& directory, Bytes size) {
  struct statvfs space {};
  if (::statvfs(directory.c_str(), &space) != 0) {
    throw HostError(directory + ": expected a directory for scratch files, got: " + reason());
  }
  const Bytes free =
      bytes(static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize));
  if (free >= size * 3.0) return;
  throw HostError(fmt::format(
      "{}: a scratch file of {} needs three times as much free space, {}, but only {} is free; "
      "name another directory with --scratch",
      directory, megabytes_text(size), megabytes_text(size * 3.0), megabytes_text(free)));
}

OpenFile scratch_file(const std::string& directory, Bytes size, Duration at_most,
                      const Recorder& recorder) {
  require_space(directory, size);
  const Duration end = now() + at_most;
  OpenFile file = nameless(directory);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> block(1U << 17U);  // 1 MiB
  constexpr std::uint64_t flush_every = 16;
  auto left = static_cast<std::uint64_t>(size.base());
  for (std::uint64_t blocks = 1; left > 0; ++blocks) {
    recorder.check();
    std::generate(block.begin(), block.end(), std::ref(random));
    const std::uint64_t part = std::min<std::uint64_t>(left, block.size() * sizeof block[0]);
    write_all(file.get(), reinterpret_cast<const std::uint8_t*>(block.data()), part, directory);
    left -= part;
    // Flushing all at the end would take seconds in which Ctrl-C is not heard.
    if (blocks % flush_every != 0 && left != 0) continue;
    if (::fsync(file.get()) != 0) {
      throw HostError(directory + ": writing the scratch file failed: " + reason());
    }
    if (now() >= end) break;
  }
  return file;
}

OpenFile scratch_file(const std::string& directory, std::span<const std::uint8_t> contents) {
  OpenFile file = nameless(directory);
  write_all(file.get(), contents.data(), contents.size(), directory);
  return file;
}

std::string path_of(const OpenFile& file) {
  return fmt::format("/proc/self/fd/{}", file.get());
}

}  // namespace feedrate::bench
