#include "base/spool.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/errors.hpp"
#include "base/text_file.hpp"

namespace feedrate {
namespace {

constexpr std::size_t block = 1'000'000;

bool write_all(int file, std::string_view text, std::uint64_t offset) {
  while (!text.empty()) {
    const ssize_t n = ::pwrite(file, text.data(), text.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

/// Whether a rename can put a file in the place of what `path` is, if anything.
bool replaceable(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

std::string without_links(const std::string& path) {
  char target[PATH_MAX];
  return ::realpath(path.c_str(), target) != nullptr ? target : path;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace

Spool::Spool(std::string path, std::size_t in_memory)
    : path_(std::move(path)), in_memory_(in_memory) {
  if (!path_.empty()) {
    struct stat status {};
    if (::stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      throw InputError({{.file = path_,
                         .line = 0,
                         .pointer = "",
                         .message = "expected a file name, got a directory"}});
    }
  }
}

Spool::~Spool() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void Spool::cannot_write() const {
  const std::string reason = std::strerror(errno);
  throw HostError((path_.empty() ? "a temporary file in " + folder_ : path_) +
                  ": cannot be written: " + reason);
}

void Spool::spill() {
  const bool beside = !path_.empty() && replaceable(path_);
  const std::string target = beside ? without_links(path_) : "";
  folder_ = beside ? folder_of(target) : temporary_folder();
#ifdef O_TMPFILE
  // It gets its name through /proc.
  if (::access("/proc/self/fd", X_OK) == 0) {
    file_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  }
#endif
  if (file_ < 0) {
    // A file system that knows no files without a name.
    const std::string name = beside ? target : folder_ + "/feedrate";
    temporary_ = name + "." + std::to_string(::getpid()) + ".tmp";
    ::unlink(temporary_.c_str());
    file_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0) {
      temporary_.clear();
      cannot_write();
    }
    if (!beside) {
      ::unlink(temporary_.c_str());
      temporary_.clear();
    }
  }
  if (!write_all(file_, memory_, 0)) cannot_write();
  memory_ = {};
}

void Spool::append(std::string_view text) {
  if (file_ < 0 && memory_.size() + text.size() > in_memory_) spill();
  if (file_ < 0) {
    memory_ += text;
  } else if (!write_all(file_, text, size_)) {
    cannot_write();
  }
  size_ += text.size();
}

void Spool::overwrite(std::uint64_t offset, std::string_view text) {
  if (file_ < 0) {
    memory_.replace(offset, text.size(), text);
  } else if (!write_all(file_, text, offset)) {
    cannot_write();
  }
}

void Spool::read(const std::function<void(std::string_view)>& take) const {
  if (file_ < 0) return take(memory_);
  std::vector<char> buffer(block);
  for (std::uint64_t offset = 0; offset < size_;) {
    const ssize_t n = ::pread(file_, buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw HostError("a temporary file in " + folder_ + " cannot be read");
    take({buffer.data(), static_cast<std::size_t>(n)});
    offset += static_cast<std::uint64_t>(n);
  }
}

void Spool::finish() {
  if (file_ < 0) return write_text_file(path_, memory_);
  if (!replaceable(path_)) {
    const int out = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (out < 0) cannot_write();
    read([&](std::string_view text) {
      while (!text.empty()) {
        const ssize_t n = ::write(out, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
          const int error = errno;
          ::close(out);
          errno = error;
          cannot_write();
        }
        text.remove_prefix(static_cast<std::size_t>(n));
      }
    });
    if (::close(out) != 0) cannot_write();
    return;
  }
  const std::string target = without_links(path_);
  struct stat status {};
  const bool existed = ::stat(target.c_str(), &status) == 0;
  if (existed && ::fchmod(file_, status.st_mode & 07777U) != 0) cannot_write();
  if (::fsync(file_) != 0) cannot_write();
  if (temporary_.empty()) {
    // A name for the file; from here to the renaming is no time at all.
    temporary_ = target + "." + std::to_string(::getpid()) + ".tmp";
    ::unlink(temporary_.c_str());
    const std::string self = "/proc/self/fd/" + std::to_string(file_);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      cannot_write();
    }
  }
  if (::rename(temporary_.c_str(), target.c_str()) != 0) cannot_write();
  temporary_.clear();
  const int directory = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

}  // namespace feedrate
