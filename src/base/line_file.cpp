#include "base/line_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.hpp"
#include "base/text_file.hpp"

namespace feedrate {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(std::string path)
    : LineReader(std::make_unique<ByteReader>(std::move(path))) {}

LineReader::LineReader(std::unique_ptr<ByteReader> bytes) : bytes_(std::move(bytes)) {}

void LineReader::refuse_here(const std::string& message, std::int64_t line) const {
  refuse_file(name(), static_cast<int>(line), message);
}

bool LineReader::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  return bytes_->append_to(buffer_);
}

std::optional<std::string_view> LineReader::next() {
  std::size_t end = std::string::npos;
  std::size_t searched = at_;
  while ((end = buffer_.find('\n', searched)) == std::string::npos && !ended_) {
    if (buffer_.size() - at_ > longest_line) {
      refuse_here("expected lines of at most 1 MB, got a longer one", number_ + 1);
    }
    searched = buffer_.size() - at_;  // where filling moves it to
    ended_ = !fill();
  }
  if (end == std::string::npos && !bytes_->cut().empty()) {
    at_ = buffer_.size();
    refuse_here("expected a whole file, got the part before this line: " + bytes_->cut(),
                number_ + 1);
  }
  if (end == std::string::npos && at_ == buffer_.size()) return std::nullopt;
  unfinished_ = end == std::string::npos;
  if (unfinished_) end = buffer_.size();
  std::string_view line(buffer_.data() + at_, end - at_);
  at_ = unfinished_ ? end : end + 1;
  if (++number_ == 1 && line.starts_with(byte_order_mark)) {
    line.remove_prefix(byte_order_mark.size());
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

namespace {

/// False: another process holds the lock. One that was killed holds it until the system has taken
/// it down, so it is waited for. A file system without locks is no reason to give up.
bool lock(int file) {
  constexpr int attempts = 50;
  for (int i = 0; i < attempts; ++i) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    ::poll(nullptr, 0, 10);
  }
  return false;
}

}  // namespace

LineWriter::LineWriter(std::string path) : path_(std::move(path)) {
  struct stat status {};
  if (path_ == standard_input_path) {
    path_ = "standard output";
    file_ = ::dup(STDOUT_FILENO);
  } else {
    if (::stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      refuse_file(path_, "expected a file name, got a directory");
    }
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    regular_ = file_ >= 0 && ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
  }
  if (file_ < 0) throw HostError("cannot write " + path_ + ": " + system_reason());
}

LineWriter::LineWriter(std::string path, std::uint64_t keep) : path_(std::move(path)), size_(keep) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    refuse_file(path_, "expected a file, got " + what_it_is(status.st_mode));
  }
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw HostError("cannot write " + path_ + ": " + system_reason());
  regular_ = true;
  if (!lock(file_)) {
    ::close(file_);
    throw HostError("cannot write " + path_ + ": another process is writing it");
  }
  try {
    cut_to(keep);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

void LineWriter::cut_to(std::uint64_t keep) {
  if (::ftruncate(file_, static_cast<off_t>(keep)) != 0 ||
      ::lseek(file_, static_cast<off_t>(keep), SEEK_SET) < 0) {
    throw HostError("cannot write " + path_ + ": " + system_reason());
  }
  size_ = keep;
}

LineWriter::~LineWriter() {
  ::close(file_);
}

void LineWriter::write(std::string_view lines) {
  const std::uint64_t whole = size_;
  while (!lines.empty() && !gone_) {
    const ssize_t n = ::write(file_, lines.data(), lines.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE) {
      gone_ = true;
      return;
    }
    if (n < 0) {
      const std::string why = system_reason();
      if (regular_ && ::ftruncate(file_, static_cast<off_t>(whole)) == 0) {
        ::lseek(file_, static_cast<off_t>(whole), SEEK_SET);
        size_ = whole;
      }
      throw HostError("cannot write " + path_ + ": " + why);
    }
    size_ += static_cast<std::uint64_t>(n);
    lines.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace feedrate
