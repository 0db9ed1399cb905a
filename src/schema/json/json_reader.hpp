#pragma once
// JSON text to values that know their place: every complaint can name a file and a line.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"

namespace feedrate::schema {

enum class JsonKind { null, boolean, number, text, array, object };

struct JsonValue;
/// Values are never changed once parsed, so documents share them.
using JsonPtr = std::shared_ptr<const JsonValue>;

struct JsonMember {
  std::string key;
  int line = 0;  ///< of the key
  JsonPtr value;
};

/// One value of a document; only the members of its kind are filled.
struct JsonValue {
  JsonKind kind = JsonKind::null;
  bool boolean = false;
  double number = 0.0;              ///< always finite
  std::string text;                 ///< a text's content; a number as it was written
  std::vector<JsonPtr> items;       ///< array
  std::vector<JsonMember> members;  ///< object, in the file's order, keys unique

  std::shared_ptr<const std::string> file;  ///< as the user gave it
  int line = 0;                             ///< where the value starts, 1-based
  /// "--set KEY=VALUE" when the value comes from the command line; then `file` is empty.
  std::shared_ptr<const std::string> flag;

  /// The member called `key`, or nullptr. Precondition: none (nullptr for other kinds).
  [[nodiscard]] const JsonValue* find(std::string_view key) const;
};

/// Whether complaints about a text that is no JSON quote it. What a document names may be anything
/// (a key, a list of passwords), and messages are read by others than its owner.
enum class JsonErrors { with_its_text, without_its_text };

/// Parses `text`; `file` is the name that messages use. InputError with file:line for broken
/// syntax, duplicate keys (both lines), nesting deeper than 64, numbers that no double can hold.
/// A text that does not even begin as an object or list is never quoted.
JsonPtr parse_json(std::string_view text, const std::string& file,
                   JsonErrors errors = JsonErrors::with_its_text);

/// "an object", "a list", "\"abc\"", "12.5", "true", "null": the value as messages name it.
std::string describe(const JsonValue& value);

/// `pointer` with one more token, escaped as RFC 6901 asks.
std::string join_pointer(std::string_view pointer, std::string_view token);
std::string join_pointer(std::string_view pointer, std::size_t index);

/// Collects complaints, so that a file's problems are reported together.
class Problems {
 public:
  /// About `at`, which `pointer` leads to.
  void add(const JsonValue& at, std::string_view pointer, std::string message);
  /// The same at another line of the value's file, for keys.
  void add_at(const JsonValue& at, int line, std::string_view pointer, std::string message);
  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  /// InputError holding all, in the order of files and lines; nothing when there is none.
  void throw_if_any() const;

 private:
  std::vector<Problem> list_;
};

}  // namespace feedrate::schema
