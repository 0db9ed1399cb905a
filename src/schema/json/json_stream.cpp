#include "schema/json/json_stream.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/number_chars.hpp"
#include "base/quote.hpp"
#include "schema/json/json_syntax.hpp"

namespace feedrate::schema {
namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t longest_text = 4'000'000;

/// Ends a number or a word.
bool is_delimiter(char c) {
  return is_space(c) || c == ',' || c == '}' || c == ']' || c == ':' || c == '"' || c == '{' ||
         c == '[';
}

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace

JsonStream::JsonStream(ByteReader& bytes) : bytes_(bytes) {
  more();
  if (std::string_view(buffer_).starts_with("\xEF\xBB\xBF")) at_ = 3;
}

std::int64_t JsonStream::line() const {
  const auto end = buffer_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, buffer_.size()));
  return 1 + lines_before_ + std::count(buffer_.begin(), end, '\n');
}

void JsonStream::broken(std::string_view expected) {
  if (at_ >= buffer_.size() && !more()) {
    const std::string& cut = bytes_.cut();
    throw JsonBroken{line(), "the file ends in the middle" + (cut.empty() ? "" : ": " + cut)};
  }
  throw JsonBroken{line(), "expected " + std::string(expected) + ", got " +
                               in_quotes(std::string_view(buffer_).substr(at_, 20), 20)};
}

/// Reads on; what was taken is dropped.
bool JsonStream::more() {
  if (ended_) return false;
  const std::size_t drop = std::min(at_, keep_);
  const auto end = buffer_.begin() + static_cast<std::ptrdiff_t>(drop);
  lines_before_ += std::count(buffer_.begin(), end, '\n');
  buffer_.erase(0, drop);
  at_ -= drop;
  if (keep_ != std::string::npos) {
    keep_ -= drop;
    if (at_ - keep_ > most_) {
      keep_ = std::string::npos;
      throw JsonBroken{line(), "expected a shorter value"};
    }
  }
  ended_ = !bytes_.append_to(buffer_);
  return !ended_;
}

void JsonStream::skip_space() {
  while (true) {
    while (at_ < buffer_.size() && is_space(buffer_[at_])) ++at_;
    if (at_ < buffer_.size() || !more()) return;
  }
}

/// The character that comes next after blanks; 0 at the end.
char JsonStream::peek() {
  if (at_ >= buffer_.size() || is_space(buffer_[at_])) skip_space();
  return at_ < buffer_.size() ? buffer_[at_] : '\0';
}

JsonStream::Kind JsonStream::next() {
  switch (const char c = peek()) {
    case '{': return Kind::object;
    case '[': return Kind::array;
    case '"': return Kind::text;
    case '\0':
      if (at_ >= buffer_.size()) return Kind::end;
      broken("a value");
    default:
      if (c == '-' || (c >= '0' && c <= '9')) return Kind::number;
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return Kind::word;
      broken("a value");
  }
}

void JsonStream::enter() {
  const char c = peek();
  if (c != '{' && c != '[') broken("an object or a list");
  if (first_.size() >= deepest) broken("brackets at most 64 deep");
  ++at_;
  first_.push_back(true);
}

std::optional<std::string_view> JsonStream::member() {
  char c = peek();
  if (c == '}') {
    ++at_;
    first_.pop_back();
    return std::nullopt;
  }
  if (!first_.back()) {
    if (c != ',') broken("a comma or }");
    ++at_;
    c = peek();
  }
  first_.back() = false;
  if (c != '"') broken("a key");
  std::string_view key = text();
  // The colon may be beyond what is read: then the key would move.
  if (at_ >= buffer_.size() || buffer_[at_] != ':') {
    if (key.data() != unescaped_.data()) unescaped_.assign(key);
    key = unescaped_;
    if (peek() != ':') broken("a colon");
  }
  ++at_;
  return key;
}

bool JsonStream::item() {
  const char c = peek();
  if (c == ']') {
    ++at_;
    first_.pop_back();
    return false;
  }
  if (!first_.back()) {
    if (c != ',') broken("a comma or ]");
    ++at_;
  }
  first_.back() = false;
  return true;
}

/// At a quotation mark: behind the one that closes it.
void JsonStream::skip_text() {
  ++at_;
  while (true) {
    // A quotation mark that is not escaped ends the text.
    std::size_t end = buffer_.find_first_of("\"\\", at_);
    if (end == std::string::npos) {
      at_ = buffer_.size();
      if (keep_ != std::string::npos && at_ - keep_ > longest_text)
        broken("a text of at most 4 MB");
      if (!more()) broken("a quotation mark");
      continue;
    }
    at_ = end + 1;
    if (buffer_[end] == '"') return;
    if (at_ >= buffer_.size() && !more()) broken("an escaped character");
    ++at_;
  }
}

void JsonStream::skip_plain() {
  while (true) {
    while (at_ < buffer_.size() && !is_delimiter(buffer_[at_])) ++at_;
    if (at_ < buffer_.size() || !more()) return;
  }
}

void JsonStream::skip() {
  switch (next()) {
    case Kind::end: broken("a value");
    case Kind::text: return skip_text();
    case Kind::number:
    case Kind::word: return skip_plain();
    case Kind::object:
    case Kind::array: break;
  }
  // Brackets are only counted: what is not used need not be right.
  for (std::size_t depth = 0;;) {
    if (at_ >= buffer_.size() && !more()) broken("a bracket that closes");
    const char c = buffer_[at_];
    if (c == '"') {
      skip_text();
      continue;
    }
    ++at_;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return;
  }
}

std::string_view JsonStream::text() {
  if (peek() != '"') broken("a text");
  most_ = longest_text;
  keep_ = at_;
  skip_text();
  const std::string_view inside(buffer_.data() + keep_ + 1, at_ - keep_ - 2);
  keep_ = std::string::npos;
  if (inside.find('\\') == std::string_view::npos) return inside;
  unescaped_.clear();
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 >= inside.size()) {
      unescaped_ += inside[i];
      continue;
    }
    switch (const char c = inside[++i]) {
      case 'n': unescaped_ += '\n'; break;
      case 't': unescaped_ += '\t'; break;
      case 'r': unescaped_ += '\r'; break;
      case 'b': unescaped_ += '\b'; break;
      case 'f': unescaped_ += '\f'; break;
      case 'u': {
        unsigned code = '?';
        const char* const hex = inside.data() + i + 1;
        if (i + 4 < inside.size()) std::from_chars(hex, hex + 4, code, 16);
        append_utf8(unescaped_, code);
        i = std::min(i + 4, inside.size() - 1);
        break;
      }
      default: unescaped_ += c;
    }
  }
  return unescaped_;
}

double JsonStream::number() {
  const Kind kind = next();
  if (kind != Kind::number && kind != Kind::word) broken("a number");
  most_ = longest_text;
  keep_ = at_;
  skip_plain();
  const char* const start = buffer_.data() + keep_;
  const char* const end = buffer_.data() + at_;
  keep_ = std::string::npos;
  double value = 0.0;
  const auto [stop, error] = read_double(start, end, value);
  if (kind == Kind::word || error != std::errc() || stop != end) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return value;
}

std::string JsonStream::raw(std::size_t most) {
  peek();
  most_ = most;
  keep_ = at_;
  skip();
  std::string out = buffer_.substr(keep_, at_ - keep_);
  keep_ = std::string::npos;
  return out;
}

}  // namespace feedrate::schema
