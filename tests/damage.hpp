#pragma once
// Texts with the kinds of damage that files suffer: bytes changed, lost, repeated, cut, and pieces
// in them that parsers trip over.
#include <array>
#include <cctype>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace feedrate::test {

inline constexpr std::array<std::string_view, 26> hostile_pieces = {
    "{",    "}",       "[",   "]",    ",",     ":",     "\"", "\\",
    "\\u",  "null",    "NaN", "-1",   "1e999", "1e308", "0",  "true",
    "\xff", "\xc3",    "\n",  "\r\n", "\t",    "/",     "-",  "9999999999999999",
    "%",    "\x1f\x8b"};

struct Damage {
  std::size_t most_places = 3;
  std::size_t longest = 12;                         ///< bytes at one place
  std::span<const std::string_view> more_pieces{};  ///< of the kind of file
};

inline std::string damaged(std::string text, std::mt19937_64& random, const Damage& how = {}) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto piece = [&] {
    const std::size_t i = below(hostile_pieces.size() + how.more_pieces.size());
    return i < hostile_pieces.size() ? hostile_pieces[i]
                                     : how.more_pieces[i - hostile_pieces.size()];
  };
  for (std::size_t i = 0, n = 1 + below(how.most_places); i < n && !text.empty(); ++i) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min<std::size_t>(1 + below(how.longest), text.size() - at);
    switch (below(8)) {
      case 0: text[at] = static_cast<char>(random() & 0xFFU); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, piece()); break;
      case 3: text.insert(at, text.substr(below(text.size()), length)); break;
      case 4: text.resize(at); break;
      case 5:
      case 6:
        // A digit changed inside a value leaves many files readable.
        if (std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
          text[at] = static_cast<char>('0' + random() % 10);
        }
        break;
      default: text.replace(at, length, piece()); break;
    }
  }
  return text;
}

}  // namespace feedrate::test
