#include "base/spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "base/errors.hpp"

namespace feedrate {
namespace {

constexpr std::size_t block = 1'000'000;

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace

Spool::Spool(std::string path, Rights rights, std::size_t in_memory)
    : path_(std::move(path)), rights_(rights), in_memory_(in_memory) {
  if (!path_.empty()) replaceable(path_);  // or refused before anything is made
}

void Spool::cannot_write() const {
  const std::string reason = system_reason();
  throw HostError((path_.empty() ? "a temporary file in " + temporary_folder() : path_) +
                  ": cannot be written: " + reason);
}

void Spool::spill() {
  const bool beside = !path_.empty() && replaceable(path_);
  file_ = std::make_unique<Replacement>(beside ? path_ : temporary_folder() + "/feedrate",
                                        beside ? rights_ : Rights::owners_alone);
  if (!file_->ok() || !write_all_at(file_->file(), memory_, 0)) cannot_write();
  memory_ = {};
}

void Spool::append(std::string_view text) {
  if (!file_ && memory_.size() + text.size() > in_memory_) spill();
  if (!file_) {
    memory_ += text;
  } else if (!write_all_at(file_->file(), text, size_)) {
    cannot_write();
  }
  size_ += text.size();
}

void Spool::overwrite(std::uint64_t offset, std::string_view text) {
  if (!file_) {
    memory_.replace(offset, text.size(), text);
  } else if (!write_all_at(file_->file(), text, offset)) {
    cannot_write();
  }
}

void Spool::read(const std::function<void(std::string_view)>& take) const {
  if (!file_) return take(memory_);
  std::vector<char> buffer(block);
  for (std::uint64_t offset = 0; offset < size_;) {
    const ssize_t n =
        ::pread(file_->file(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw HostError("a temporary file in " + file_->folder() + " cannot be read");
    take({buffer.data(), static_cast<std::size_t>(n)});
    offset += static_cast<std::uint64_t>(n);
  }
}

void Spool::finish() {
  if (replaceable(path_)) {
    if (!file_) spill();
    if (!file_->take_place()) cannot_write();
    return;
  }
  const int out = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (out < 0) cannot_write();
  read([&](std::string_view text) {
    if (write_all(out, text)) return;
    const int error = errno;
    ::close(out);
    errno = error;
    cannot_write();
  });
  if (::close(out) != 0) cannot_write();
}

}  // namespace feedrate
