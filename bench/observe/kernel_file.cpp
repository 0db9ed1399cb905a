#include "bench/observe/kernel_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace feedrate::bench::observe {
namespace {

constexpr std::string_view blanks = " \t";
/// What these files tell is shorter, also with 1,000 CPUs.
constexpr std::size_t longest = 4'000'000;

}  // namespace

KernelFile::KernelFile(const std::string& path)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)),
      error_(file_.ok() ? 0 : errno) {}

std::string_view KernelFile::read() {
  if (!file_.ok()) return {};
  if (text_.empty()) text_.resize(4096);
  std::size_t size = 0;
  for (;;) {
    if (size == text_.size()) text_.resize(std::min(2 * size, longest));
    const ssize_t n =
        ::pread(file_.get(), text_.data() + size, text_.size() - size, static_cast<off_t>(size));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      error_ = errno;
      return {};
    }
    size += static_cast<std::size_t>(n);
    if (n == 0 || size == longest) break;
  }
  error_ = 0;
  return std::string_view(text_).substr(0, size);
}

std::string text_of(const std::string& path) {
  KernelFile file(path);
  return std::string(file.read());
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::size_t end = std::min(text.find_first_of(blanks), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

void skip_words(std::string_view& text, int count) {
  for (int i = 0; i < count; ++i) take_word(text);
}

std::uint64_t take_number(std::string_view& text) {
  const std::string_view word = take_word(text);
  std::uint64_t value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (take_word(line) == key) return take_number(line);
  }
  return std::nullopt;
}

}  // namespace feedrate::bench::observe
