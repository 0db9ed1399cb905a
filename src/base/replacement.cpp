#include "base/replacement.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "base/errors.hpp"
#include "base/text_file.hpp"

namespace feedrate {
namespace {

/// Where a symbolic link leads, so that the target is replaced and not the link.
std::string without_links(const std::string& path) {
  char target[PATH_MAX];
  return ::realpath(path.c_str(), target) != nullptr ? target : path;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Makes something beside `target` under an unused name: processes of one number may meet, in
/// containers that share a folder or after one was killed. Returns the name; empty if that fails.
template <class Make>
std::string free_name(const std::string& target, const Make& make) {
  for (int number = 1;; ++number) {
    std::string name =
        target + "." + std::to_string(::getpid()) + "." + std::to_string(number) + ".tmp";
    if (make(name)) return name;
    if (errno != EEXIST || number == 1000) return {};
  }
}

OpenFile nameless(const std::string& folder, mode_t mode) {
#ifdef O_TMPFILE
  // It gets its name through /proc.
  if (::access("/proc/self/fd", X_OK) == 0) {
    return OpenFile(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  }
#endif
  return OpenFile();
}

/// The new name itself must survive a crash too; where folders cannot be synced, nothing is lost.
void flush_folder(const std::string& folder) {
  const OpenFile directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.ok()) ::fsync(directory.get());
}

}  // namespace

bool replaceable(const std::string& path) {
  if (path == standard_input_path) {
    refuse_file(path, "expected a file to write, got standard input; ./- is a file of that name");
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return true;
  if (S_ISDIR(status.st_mode)) refuse_file(path, "expected a file name, got a directory");
  return S_ISREG(status.st_mode);
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool write_all_at(int file, std::string_view text, std::uint64_t offset) {
  while (!text.empty()) {
    const ssize_t n = ::pwrite(file, text.data(), text.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

Replacement::Replacement(const std::string& path, Rights rights)
    : target_(without_links(path)), folder_(folder_of(target_)) {
  const auto mode = static_cast<mode_t>(rights);
  file_ = nameless(folder_, mode);
  if (file_.ok()) return;
  temporary_ = free_name(target_, [&](const std::string& name) {
    file_ = OpenFile(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    return file_.ok();
  });
}

Replacement::~Replacement() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool Replacement::flush() {
  return ::fsync(file_.get()) == 0;
}

bool Replacement::give_name() {
  if (!temporary_.empty()) return true;
  const std::string self = "/proc/self/fd/" + std::to_string(file_.get());
  temporary_ = free_name(target_, [&](const std::string& name) {
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  });
  return !temporary_.empty();
}

bool Replacement::take_place() {
  struct stat status {};
  const bool existed = ::stat(target_.c_str(), &status) == 0;
  if (existed && ::fchmod(file_.get(), status.st_mode & 07777U) != 0) return false;
  // From its name to the renaming is no time at all.
  if (!flush() || !give_name() || ::rename(temporary_.c_str(), target_.c_str()) != 0) return false;
  temporary_.clear();
  flush_folder(folder_);
  return true;
}

bool Replacement::take_free_place() {
  if (!flush() || !give_name()) return false;
  if (::link(temporary_.c_str(), target_.c_str()) == 0) {
    ::unlink(temporary_.c_str());
  } else {
    if (errno == EEXIST) return false;
      // A file system without links.
#ifdef RENAME_NOREPLACE
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) !=
        0) {
      return false;
    }
#else
    return false;
#endif
  }
  temporary_.clear();
  flush_folder(folder_);
  return true;
}

}  // namespace feedrate
