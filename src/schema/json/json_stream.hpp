#pragma once
// JSON documents of any size, pulled value by value in constant memory: what is not wanted is
// skipped without being looked at, which a parser that tells every value cannot do.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_reader.hpp"

namespace feedrate::schema {

/// Why a document cannot be read on: it is cut, or no JSON.
struct JsonBroken {
  std::int64_t line = 0;
  std::string message;  ///< "expected …, got …"
};

class JsonStream {
 public:
  /// `bytes` must outlive it.
  explicit JsonStream(ByteReader& bytes);

  enum class Kind { object, array, text, number, word, end };
  // Each of these throws JsonBroken where the document is no JSON or ends too early.

  /// Of the value that comes next; `end` where none does. A word is true, false, null, NaN, ….
  Kind next();

  /// Into an object or array that comes next.
  void enter();
  /// In an object: the next member's key, nothing at its end, which is left. The value must be
  /// taken. The key holds until the next call of anything.
  std::optional<std::string_view> member();
  /// In an array: whether another item comes; otherwise it is left.
  bool item();

  /// The value that comes next, ignored.
  void skip();
  /// The text that comes next; it holds until the next call of anything.
  std::string_view text();
  /// The number that comes next; NaN for a word.
  double number();
  /// The value as it is written. JsonBroken when it is longer than `most` bytes.
  std::string raw(std::size_t most);

  [[nodiscard]] std::int64_t line() const;

 private:
  char peek();
  bool more();
  void skip_space();
  void skip_text();
  void skip_plain();
  [[noreturn]] void broken(std::string_view expected);

  ByteReader& bytes_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t keep_ = std::string::npos;  ///< from here on the buffer must stay
  std::size_t most_ = 0;                  ///< of it at most so many bytes
  std::int64_t lines_before_ = 0;         ///< in what the buffer has dropped
  bool ended_ = false;
  std::vector<bool> first_;  ///< of each open bracket: nothing was taken yet
  std::string unescaped_;
};

}  // namespace feedrate::schema
