#include "base/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include <atomic>
#include <cerrno>
#include <cmath>

#include "base/errors.hpp"
#include "base/open_file.hpp"
#include "base/replacement.hpp"
#include "base/shell_pipe.hpp"

namespace feedrate {
namespace {

std::string size_text(double size) {
  return fmt::format("{:.1f} MB", std::floor(size / 1e5) / 10.0);
}

[[noreturn]] void refuse_size(const std::string& path, double size, std::size_t limit) {
  const std::string most = size_text(static_cast<double>(limit));
  const std::string got = size_text(size);
  refuse_file(path, "expected a file of at most " + most + ", got " + (got == most ? "more" : got));
}

std::string read_all(int fd, const std::string& path, std::size_t limit, std::size_t expected) {
  std::string text;
  text.reserve(expected + 1);
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse_file(path, "expected a readable file, got: " + system_reason());
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > limit) refuse_size(path, static_cast<double>(text.size()), limit);
  }
}

/// Of what open() gave.
std::string read_regular(const OpenFile& in, const std::string& path, std::size_t limit) {
  if (!in.ok()) {
    if (errno == ENOENT) refuse_file(path, "expected a file, got no such file");
    refuse_file(path, "expected a readable file, got: " + system_reason());
  }
  struct stat status {};
  if (::fstat(in.get(), &status) != 0)
    refuse_file(path, "expected a readable file, got: " + system_reason());
  if (!S_ISREG(status.st_mode))
    refuse_file(path, "expected a file, got " + what_it_is(status.st_mode));
  if (static_cast<std::size_t>(status.st_size) > limit) {
    refuse_size(path, static_cast<double>(status.st_size), limit);
  }
  return read_all(in.get(), path, limit, static_cast<std::size_t>(status.st_size));
}

bool is_made_up([[maybe_unused]] const OpenFile& in) {
#if defined(__linux__)
  struct statfs of {};
  // Not statfs's own failure, which some sandboxes cause: a regular file has been opened already.
  return ::fstatfs(in.get(), &of) == 0 &&
         (of.f_type == PROC_SUPER_MAGIC || of.f_type == SYSFS_MAGIC);
#else
  return false;
#endif
}

[[noreturn]] void cannot_write(const std::string& path) {
  throw HostError(path + ": cannot be written: " + system_reason());
}

void write_directly(const std::string& path, std::string_view text) {
  OpenFile out(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!out.ok() || !write_all(out.get(), text) || !out.close()) cannot_write(path);
}

}  // namespace

std::string what_it_is(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISSOCK(mode)) return "a socket";
  return "no regular file";
}

std::string read_text_file(const std::string& path, std::size_t limit) {
  if (names_shell_pipe(path)) {
    const OpenFile in(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (in.ok() && ::fstat(in.get(), &status) == 0 && S_ISFIFO(status.st_mode)) {
      return read_all(in.get(), path, limit, 0);
    }
  }
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait forever.
  const OpenFile in(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return read_regular(in, path, limit);
}

std::string read_real_file(const std::string& path, std::size_t limit) {
  const OpenFile in(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
  if (!in.ok() && errno == ELOOP) refuse_file(path, "expected a file, got a link to nowhere");
  if (in.ok()) {
    // A folder on the way may have become a link since: what was opened must lie where it says.
    char real[PATH_MAX];
    struct stat opened {
    }, there{};
    const bool same = ::realpath(path.c_str(), real) != nullptr && path == real &&
                      ::fstat(in.get(), &opened) == 0 && ::lstat(real, &there) == 0 &&
                      opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
    if (!same) refuse_file(path, "expected a file, got one that was replaced while it was read");
    if (is_made_up(in)) refuse_file(path, "expected a file, got what the kernel makes up");
  }
  return read_regular(in, path, limit);
}

bool is_there(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT) return false;
  refuse_file(path, "expected a readable file, got: " + system_reason());
}

std::string read_standard_input(std::size_t limit) {
  static std::atomic<bool> read_before = false;
  const std::string name(standard_input_name);
  if (read_before.exchange(true)) {
    refuse_file(
        name,
        "expected \"-\" for one file, got it for another: standard input can be read only once");
  }
  std::string text = read_all(STDIN_FILENO, name, limit, 0);
  if (text.empty()) refuse_file(name, "expected a file's text, got nothing");
  return text;
}

void write_text_file(const std::string& path, std::string_view text) {
  if (!replaceable(path)) return write_directly(path, text);
  Replacement made(path);
  if (!made.ok() || !write_all(made.file(), text) || !made.take_place()) cannot_write(path);
}

bool write_new_text_file(const std::string& path, std::string_view text) {
  if (!replaceable(path)) {
    write_directly(path, text);
    return true;
  }
  Replacement made(path);
  if (made.ok() && write_all(made.file(), text)) {
    if (made.take_free_place()) return true;
    if (errno == EEXIST) return false;
  }
  cannot_write(path);
}

}  // namespace feedrate
