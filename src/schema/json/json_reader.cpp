#include "schema/json/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/byte_order_mark.hpp"
#include "base/quote.hpp"
#include "schema/json/json_syntax.hpp"

namespace feedrate::schema {
namespace {

constexpr std::size_t max_depth = 64;
/// 64 times what a long scenario holds; bounds the memory that a hostile file can claim.
constexpr std::size_t max_values = 250'000;
/// From here on an object's keys are looked up in a table rather than one by one.
constexpr std::size_t many_members = 16;

/// End of the number or bare word at `start`. A number ends where JSON's grammar ends it: the "GB"
/// of 2.1GB, or the second digit of 01, is the next (wrong) token.
std::size_t word_end(std::string_view text, std::size_t start) {
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  const auto digit = [&](std::size_t i) { return at(i) >= '0' && at(i) <= '9'; };
  std::size_t i = start + (at(start) == '-' ? 1 : 0);
  if (!digit(i)) {
    while (at(i) >= 'a' && at(i) <= 'z') ++i;
    return std::max(i, start + 1);
  }
  if (at(i) == '0') {
    ++i;
  } else {
    while (digit(i)) ++i;
  }
  if (at(i) == '.' && digit(i + 1)) {
    ++i;
    while (digit(i)) ++i;
  }
  if (at(i) == 'e' || at(i) == 'E') {
    std::size_t k = i + 1;
    if (at(k) == '+' || at(k) == '-') ++k;
    if (digit(k)) {
      while (digit(k)) ++k;
      i = k;
    }
  }
  return i;
}

bool between_tokens(char c) {
  return c == ' ' || c == '\n' || c == ',' || c == ':' || c == '\t' || c == '\r';
}

/// nlohmann's parser tells values but not places. This handler walks the text beside it: each event
/// is the next token after `at_`, so its line is known without a counting iterator.
class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  Handler(std::string_view text, const std::string& file, bool quotes)
      : text_(text), file_(std::make_shared<const std::string>(file)), quotes_(quotes) {}

  bool null() override { return add(fresh(JsonKind::null)); }

  bool boolean(bool value) override {
    auto made = fresh(JsonKind::boolean);
    made->boolean = value;
    return add(std::move(made));
  }

  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value));
  }

  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value));
  }

  bool number_float(number_float_t value, const string_t&) override { return number(value); }

  bool string(string_t& value) override {
    auto made = fresh(JsonKind::text);
    made->text = std::move(value);
    return add(std::move(made));
  }

  bool binary(binary_t&) override { return false; }  // never called for JSON text

  bool start_object(std::size_t) override { return open(JsonKind::object); }
  bool start_array(std::size_t) override { return open(JsonKind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    next_token();
    Frame& frame = stack_.back();
    frame.key = std::move(name);
    frame.key_line = line_;
    frame.awaits_value = true;
    return true;
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    if (error.id == 406) {  // out of range: the only error that is not about syntax
      next_token();
      const std::string got = ", got " + in_quotes(text_.substr(start_, at_ - start_), 40);
      complain(line_, "expected a number below 1.8e308" + (quotes_ ? got : ""));
      return false;
    }
    const OpenBracket bracket =
        stack_.empty()
            ? OpenBracket{}
            : OpenBracket{stack_.back().value->kind == JsonKind::object, stack_.back().value->line};
    const bool expects_key = !stack_.empty() && bracket.object && !stack_.back().awaits_value;
    const SyntaxComplaint found =
        explain_syntax(text_, at_, stack_.empty() ? nullptr : &bracket, expects_key);
    complain(line_of(found.offset), found.message + (quotes_ ? found.quote : ""));
    return false;
  }

  /// The document, or InputError.
  JsonPtr finish() {
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return root_;
  }

 private:
  struct Frame {
    std::shared_ptr<JsonValue> value;
    std::string pointer;
    std::string key;
    int key_line = 0;
    bool awaits_value = false;
    std::unordered_map<std::string, int> lines;  ///< of keys, once there are many
  };

  void complain(int line, std::string message, std::string pointer = "") {
    problems_.push_back({*file_, line, std::move(pointer), std::move(message)});
  }

  int line_of(std::size_t offset) const {
    return 1 + static_cast<int>(std::count(
                   text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  }

  /// Moves over one token, from `start_` to `at_`; `line_` is where it starts.
  void next_token() {
    start_ = at_;
    while (start_ < text_.size() && between_tokens(text_[start_])) {
      if (text_[start_] == '\n') ++line_;
      ++start_;
    }
    at_ = start_;
    if (at_ >= text_.size()) return;
    const char c = text_[at_++];
    if (c == '{' || c == '}' || c == '[' || c == ']') return;
    if (c == '"') {
      while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_ + 1, text_.size());
      return;
    }
    at_ = word_end(text_, start_);
  }

  std::shared_ptr<JsonValue> fresh(JsonKind kind) {
    next_token();
    auto made = std::make_shared<JsonValue>();
    made->kind = kind;
    made->file = file_;
    made->line = line_;
    return made;
  }

  bool number(double value) {
    auto made = fresh(JsonKind::number);
    made->number = value;
    made->text = text_.substr(start_, at_ - start_);
    return add(std::move(made));
  }

  bool add(std::shared_ptr<JsonValue> made) {
    if (++values_ > max_values) {
      complain(line_, "expected at most " + std::to_string(max_values) + " values, got more");
      return false;
    }
    if (stack_.empty()) {
      root_ = std::move(made);
      return true;
    }
    Frame& frame = stack_.back();
    if (frame.value->kind == JsonKind::array) {
      frame.value->items.push_back(std::move(made));
      return true;
    }
    frame.awaits_value = false;
    if (const int earlier = line_of_key(frame)) {
      complain(frame.key_line,
               "expected each key once, got it again after line " + std::to_string(earlier),
               join_pointer(frame.pointer, frame.key));
      return problems_.size() < 20;
    }
    frame.value->members.push_back({frame.key, frame.key_line, std::move(made)});
    return true;
  }

  /// Line of the current key's earlier use in its object, 0 when it is new.
  int line_of_key(Frame& frame) {
    const std::vector<JsonMember>& members = frame.value->members;
    if (members.size() < many_members) {
      for (const JsonMember& member : members) {
        if (member.key == frame.key) return member.line;
      }
      return 0;
    }
    if (frame.lines.empty()) {
      for (const JsonMember& member : members) frame.lines.emplace(member.key, member.line);
    }
    const auto [found, is_new] = frame.lines.emplace(frame.key, frame.key_line);
    return is_new ? 0 : found->second;
  }

  bool open(JsonKind kind) {
    auto made = fresh(kind);
    if (stack_.size() >= max_depth) {
      complain(line_,
               "expected at most " + std::to_string(max_depth) + " levels of nesting, got more");
      return false;
    }
    Frame frame;
    if (!stack_.empty()) {
      const Frame& parent = stack_.back();
      frame.pointer = parent.value->kind == JsonKind::object
                          ? join_pointer(parent.pointer, parent.key)
                          : join_pointer(parent.pointer, parent.value->items.size());
    }
    frame.value = std::move(made);
    stack_.push_back(std::move(frame));
    return true;
  }

  bool close() {
    next_token();
    std::shared_ptr<JsonValue> done = std::move(stack_.back().value);
    stack_.pop_back();
    return add(std::move(done));
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  bool quotes_ = true;  ///< whether complaints quote the text
  std::size_t start_ = 0;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t values_ = 0;
  std::vector<Frame> stack_;
  JsonPtr root_;
  std::vector<Problem> problems_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return member.value.get();
  }
  return nullptr;
}

JsonPtr parse_json(std::string_view text, const std::string& file, JsonErrors errors) {
  text = unmarked(text);
  refuse_utf16(text, file);
  const std::size_t start = skip_space(text, 0);
  const bool begins = start < text.size() && (text[start] == '{' || text[start] == '[');
  // What stands in no file was typed by the user.
  Handler handler(text, file, errors == JsonErrors::with_its_text && (begins || file.empty()));
  nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  return handler.finish();
}

std::string describe(const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::null: return "null";
    case JsonKind::boolean: return value.boolean ? "true" : "false";
    case JsonKind::number:
      return value.text.size() <= 40 ? value.text : value.text.substr(0, 40) + "…";
    case JsonKind::text: return in_quotes(value.text);
    case JsonKind::array: return value.items.empty() ? "an empty list" : "a list";
    case JsonKind::object: return "an object";
  }
  return "";
}

std::string join_pointer(std::string_view pointer, std::string_view token) {
  std::string out(pointer);
  out += '/';
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string join_pointer(std::string_view pointer, std::size_t index) {
  return join_pointer(pointer, std::to_string(index));
}

void Problems::add(const JsonValue& at, std::string_view pointer, std::string message) {
  add_at(at, at.line, pointer, std::move(message));
}

void Problems::add_at(const JsonValue& at, int line, std::string_view pointer,
                      std::string message) {
  if (at.flag) {
    list_.push_back({"", 0, *at.flag, std::move(message)});
    return;
  }
  list_.push_back({at.file ? *at.file : "", line, std::string(pointer), std::move(message)});
}

void Problems::throw_if_any() const {
  if (list_.empty()) return;
  std::vector<Problem> sorted = list_;
  // Files stay in the order in which they were first complained about.
  std::vector<std::string> files;
  for (const Problem& problem : sorted) {
    if (std::find(files.begin(), files.end(), problem.file) == files.end()) {
      files.push_back(problem.file);
    }
  }
  const auto rank = [&](const Problem& problem) {
    return std::find(files.begin(), files.end(), problem.file) - files.begin();
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Problem& a, const Problem& b) {
    return std::make_pair(rank(a), a.line) < std::make_pair(rank(b), b.line);
  });
  throw InputError(std::move(sorted));
}

}  // namespace feedrate::schema
