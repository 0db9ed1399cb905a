#pragma once
// Small files in which the kernel tells numbers, read again and again.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/open_file.hpp"

namespace feedrate::bench::observe {

/// Opened once and read from its start each time, which costs a third of opening it again.
class KernelFile {
 public:
  explicit KernelFile(const std::string& path);

  /// Its whole text, which holds until the next call; empty where it cannot be read (any more).
  std::string_view read();
  /// errno of what went wrong last; 0: nothing.
  [[nodiscard]] int error() const { return error_; }

 private:
  OpenFile file_;
  std::string text_;
  int error_ = 0;
};

/// The text of a file that is read once; "" where it cannot be read.
std::string text_of(const std::string& path);

/// Takes the first line off `text`.
std::string_view take_line(std::string_view& text);
/// Takes the first word off `text`; "" where there is none.
std::string_view take_word(std::string_view& text);
/// Passes over `count` words.
void skip_words(std::string_view& text, int count);
/// Takes a word that is a whole number; 0 where it is none.
std::uint64_t take_number(std::string_view& text);
/// The number that follows the line's first word `key` ("MemTotal:", "nr_throttled").
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key);

/// How much a counter has grown; 0 where it was set back.
constexpr double growth(std::uint64_t now, std::uint64_t before) {
  return now > before ? static_cast<double>(now - before) : 0.0;
}

}  // namespace feedrate::bench::observe
