#include "base/file_lock.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/errors.hpp"
#include "base/text_file.hpp"

namespace feedrate {
namespace {

/// As far as the user may: who may not write a file can still replace it.
OpenFile opened_to_hold(const std::string& path) {
  OpenFile file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (file.ok() || errno == ENOENT) return file;
  return OpenFile(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

OpenFile folder_to_hold(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return OpenFile(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace

bool wait_for_lock(int file) {
  bool held = false;
  do {
    held = ::flock(file, LOCK_EX) == 0;
  } while (!held && errno == EINTR);
  return held;
}

bool lock_now(int file) {
  constexpr int attempts = 50;
  for (int i = 0; i < attempts; ++i) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    ::poll(nullptr, 0, 10);
  }
  return false;
}

bool is_at(int file, const std::string& path) {
  struct stat held {};
  struct stat there {};
  return ::fstat(file, &held) == 0 && ::stat(path.c_str(), &there) == 0 &&
         held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

OpenFile locked_for_writing(const std::string& path, mode_t mode) {
  for (;;) {
    OpenFile file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, mode));
    struct stat status {};
    const bool known =
        file.ok() ? ::fstat(file.get(), &status) == 0
                  : (errno == EISDIR || errno == ENXIO) && ::stat(path.c_str(), &status) == 0;
    if (known && !S_ISREG(status.st_mode)) {
      refuse_file(path, "expected a file, got " + what_it_is(status.st_mode));
    }
    if (!file.ok()) throw HostError("cannot write " + path + ": " + system_reason());
    if (!lock_now(file.get())) {
      throw HostError("cannot write " + path + ": another process is writing it");
    }
    if (is_at(file.get(), path)) return file;
  }
}

HeldFile::HeldFile(const std::string& path) {
  for (;;) {
    file_ = opened_to_hold(path);
    const bool there = file_.ok();
    if (!there) file_ = folder_to_hold(path);
    if (!file_.ok() || !wait_for_lock(file_.get())) return;
    if (there ? is_at(file_.get(), path) : !exists(path)) return;
  }
}

}  // namespace feedrate
