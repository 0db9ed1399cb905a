#pragma once
// JSON text, written in one go: two spaces a level, numbers in their shortest round-trip form.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::schema {

class JsonWriter {
 public:
  /// `block`: a line a member; `line`: all members on one line.
  enum class Layout { block, line };

  JsonWriter& begin_object(Layout layout = Layout::block) { return begin('{', layout); }
  JsonWriter& begin_array(Layout layout = Layout::line) { return begin('[', layout); }
  JsonWriter& end();

  /// Precondition: inside an object, a value or begin_… follows.
  JsonWriter& key(std::string_view name);
  /// key and begin_object, which vanish together when nothing is put in before end().
  JsonWriter& object_if_filled(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  /// null when `value` is not finite: a number that does not exist is never written as one.
  JsonWriter& number(double value);
  JsonWriter& number(std::optional<double> value) { return value ? number(*value) : null(); }

  JsonWriter& text(std::string_view name, std::string_view value) { return key(name).text(value); }
  /// null where there is nothing to say.
  JsonWriter& text_or_null(std::string_view name, std::string_view value) {
    return value.empty() ? key(name).null() : text(name, value);
  }
  JsonWriter& boolean_member(std::string_view name, bool value) { return key(name).boolean(value); }
  JsonWriter& number(std::string_view name, double value) { return key(name).number(value); }
  JsonWriter& number(std::string_view name, std::optional<double> value) {
    return key(name).number(value);
  }

  /// The document with a newline at its end. Precondition: everything that was begun has ended.
  [[nodiscard]] std::string finish() &&;

 private:
  struct Level {
    char close = '}';
    Layout layout = Layout::block;
    bool filled = false;
  };

  JsonWriter& begin(char open, Layout layout);
  void flush_pending();
  void separate();
  JsonWriter& raw(std::string_view value);

  std::string out_;
  std::vector<Level> levels_;
  std::vector<std::string> pending_;  ///< objects named but not yet filled
  bool after_key_ = false;
};

/// `plain` counts zeros as people do up to 1e15, `shortest` writes 1e6.
enum class NumberStyle { plain, shortest };

/// Fewest digits that read back as exactly `value`: "256", "0.1", "1e30". Precondition: finite.
std::string number_text(double value, NumberStyle style = NumberStyle::plain);

struct JsonValue;

/// `value` as JSON: objects and lists are open down to `levels` below, a line each from there on.
void write_value(const JsonValue& value, int levels, JsonWriter& out);

/// `value` as compact JSON text, numbers in shortest form: equal values give equal texts.
std::string compact_text(const JsonValue& value);

/// A setting's value as text: a number or boolean as it is written, a list or object as JSON.
std::string setting_text(const JsonValue& value);

}  // namespace feedrate::schema
