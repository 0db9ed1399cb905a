#pragma once
// Why a text is no JSON, in the words of someone who wants to repair it.
#include <cstddef>
#include <string>
#include <string_view>

namespace feedrate::schema {

/// An object or list that was still open where parsing stopped.
struct OpenBracket {
  bool object = true;
  int line = 0;
};

struct SyntaxComplaint {
  std::size_t offset = 0;  ///< where to point
  std::string message;     ///< "expected …", and what was got where that quotes nothing
  std::string quote{};     ///< the rest of the message: what was got, in the words of the text
};

/// Explains a parser's refusal. `after` is the end of the last value, key or bracket that was fine,
/// `open` the innermost open bracket (nullptr outside of all), `expects_key` whether an object
/// wants a key there. Only explains: that the text is wrong has been decided before.
SyntaxComplaint explain_syntax(std::string_view text, std::size_t after, const OpenBracket* open,
                               bool expects_key);

/// Whether `c` is JSON white space.
constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Offset of the first character at or after `from` that is no white space.
std::size_t skip_space(std::string_view text, std::size_t from);

}  // namespace feedrate::schema
