#include "base/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/errors.hpp"

namespace feedrate {
namespace {

/// Closes on every way out.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool ok() const { return fd_ >= 0; }
  /// False when the host reports here that earlier writes were lost.
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

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

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

[[noreturn]] void cannot_write(const std::string& path) {
  throw HostError(path + ": cannot be written: " + system_reason());
}

/// Where a symbolic link leads, so that renaming replaces the target and not the link.
std::string resolved(const std::string& path) {
  char target[PATH_MAX];
  return ::realpath(path.c_str(), target) != nullptr ? target : path;
}

void write_directly(const std::string& path, std::string_view text) {
  Descriptor out(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!out.ok() || !write_all(out.get(), text) || !out.close()) cannot_write(path);
}

void write_and_rename(const std::string& path, std::string_view text, mode_t mode, bool existed) {
  const std::string target = resolved(path);
  const std::size_t slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : target.substr(0, slash + 1);
  const std::string temporary = target + "." + std::to_string(::getpid()) + ".tmp";
  ::unlink(temporary.c_str());  // left by a process of the same id that was killed
  Descriptor out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!out.ok()) cannot_write(path);
  const bool fine =
      write_all(out.get(), text) && (!existed || ::fchmod(out.get(), mode & 07777U) == 0) &&
      ::fsync(out.get()) == 0 && out.close() && ::rename(temporary.c_str(), target.c_str()) == 0;
  if (!fine) {
    const int error = errno;
    ::unlink(temporary.c_str());
    errno = error;
    cannot_write(path);
  }
  // The new name itself must survive a crash too; where folders cannot be synced, nothing is lost.
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.ok()) ::fsync(directory.get());
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
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait forever.
  const Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
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
  if (path == standard_input_path) {
    refuse_file(path, "expected a file to write, got standard input; ./- is a file of that name");
  }
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) refuse_file(path, "expected a file name, got a directory");
  if (exists && !S_ISREG(status.st_mode)) return write_directly(path, text);
  write_and_rename(path, text, status.st_mode, exists);
}

}  // namespace feedrate
