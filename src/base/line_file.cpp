#include "base/line_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/byte_order_mark.hpp"
#include "base/errors.hpp"
#include "base/file_lock.hpp"
#include "base/text_file.hpp"

namespace feedrate {
LineReader::LineReader(std::string path)
    : LineReader(std::make_unique<ByteReader>(std::move(path))) {}

LineReader::LineReader(std::unique_ptr<ByteReader> bytes, bool returns)
    : bytes_(std::move(bytes)), ends_(returns ? "\n\r" : "\n") {}

LineReader::LineReader(std::string path, std::size_t longest) : LineReader(std::move(path)) {
  longest_ = longest;
  passes_over_ = true;
  bytes_->take_as_it_is();
}

void LineReader::refuse_here(const std::string& message, std::int64_t line) const {
  refuse_file(name(), static_cast<int>(line), message);
}

bool LineReader::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  return bytes_->append_to(buffer_);
}

std::optional<std::string_view> LineReader::next() {
  if (std::exchange(after_return_, false)) {
    while (at_ == buffer_.size() && !ended_) ended_ = !fill();
    if (at_ < buffer_.size() && buffer_[at_] == '\n') ++at_;
  }
  std::size_t end = std::string::npos;
  std::size_t searched = at_;
  too_long_ = false;
  while ((end = buffer_.find_first_of(ends_, searched)) == std::string::npos && !ended_) {
    if (buffer_.size() - at_ > longest_) {
      if (!passes_over_) {
        refuse_here("expected lines of at most 1 MB, got a longer one", number_ + 1);
      }
      too_long_ = true;
      at_ = buffer_.size();
    }
    searched = buffer_.size() - at_;  // where filling moves it to
    ended_ = !fill();
  }
  if (end == std::string::npos && !bytes_->cut().empty()) {
    at_ = buffer_.size();
    refuse_here("expected a whole file, got the part before this line: " + bytes_->cut(),
                number_ + 1);
  }
  if (end == std::string::npos && at_ == buffer_.size() && !too_long_) return std::nullopt;
  unfinished_ = end == std::string::npos;
  if (unfinished_) end = buffer_.size();
  std::string_view line(buffer_.data() + at_, end - at_);
  after_return_ = !unfinished_ && buffer_[end] == '\r';
  at_ = unfinished_ ? end : end + 1;
  if (++number_ == 1 && !passes_over_) {
    refuse_utf16(line, name());
    line = unmarked(line);
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  too_long_ = too_long_ || (passes_over_ && line.size() > longest_);
  if (too_long_) line = {};
  return line;
}

LineWriter::LineWriter(std::string path, Rights rights) : path_(std::move(path)) {
  if (path_ == standard_input_path) {
    path_ = "standard output";
    file_ = OpenFile(::dup(STDOUT_FILENO));
  } else if (replaceable(path_)) {
    keep(rights);
    cut_to(0);
  } else {
    file_ = OpenFile(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  }
  if (!file_.ok()) throw HostError("cannot write " + path_ + ": " + system_reason());
}

LineWriter::LineWriter(std::string path, AsItIs /*start*/) : path_(std::move(path)) {
  keep(Rights::as_usual);
}

void LineWriter::keep(Rights rights) {
  file_ = locked_for_writing(path_, static_cast<mode_t>(rights));
  regular_ = true;
  const off_t end = ::lseek(file_.get(), 0, SEEK_END);
  if (end < 0) throw HostError("cannot write " + path_ + ": " + system_reason());
  size_ = static_cast<std::uint64_t>(end);
}

void LineWriter::cut_to(std::uint64_t keep) {
  if (::ftruncate(file_.get(), static_cast<off_t>(keep)) != 0 ||
      ::lseek(file_.get(), static_cast<off_t>(keep), SEEK_SET) < 0) {
    throw HostError("cannot write " + path_ + ": " + system_reason());
  }
  size_ = keep;
}

void LineWriter::write(std::string_view lines) {
  const std::uint64_t whole = size_;
  while (!lines.empty() && !gone_) {
    const ssize_t n = ::write(file_.get(), lines.data(), lines.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE) {
      gone_ = true;
      return;
    }
    if (n < 0) {
      const std::string why = system_reason();
      if (regular_ && ::ftruncate(file_.get(), static_cast<off_t>(whole)) == 0) {
        ::lseek(file_.get(), static_cast<off_t>(whole), SEEK_SET);
        size_ = whole;
      }
      throw HostError("cannot write " + path_ + ": " + why);
    }
    size_ += static_cast<std::uint64_t>(n);
    lines.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace feedrate
