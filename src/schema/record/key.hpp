#pragma once
// What a file may hold: one Key for each key, with everything that the reader, the manual, the JSON
// Schema and the completion say about it.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/unit_text.hpp"

namespace feedrate::schema {

enum class KeyKind {
  number,    ///< plain JSON number
  whole,     ///< the same without a fraction
  fraction,  ///< number, or text such as "5%"
  boolean,
  text,
  word,      ///< text out of a list
  count,     ///< whole number, or a word out of a list
  quantity,  ///< text with a unit
  object,
  objects,   ///< list of objects
  by_name,   ///< object of NAME: object
  texts,     ///< list of texts
  points,    ///< list of [number, quantity or number]
  settings,  ///< object of KEY: VALUE as for --set
  named,     ///< object of NAME: quantity (a number without `dimension`)
  labels,    ///< object of NAME: text
  scalar,    ///< a text, a number, or true or false: another key says which
  numbers,   ///< list of numbers
  document,  ///< an object with a format of its own, or a text that holds its file
};

/// Accepted values, both ends included unless `above`; in base units.
struct Limits {
  double low = 0.0;
  double high = 0.0;
  bool above = false;  ///< `low` itself is refused
  bool whole = false;
  double least = 0.0;  ///< what is nearer to 0, without being 0, is refused
  [[nodiscard]] bool given() const { return high > low; }
};

/// What is taken for `words[means]`.
struct OtherWord {
  std::string_view word;
  std::size_t means = 0;
};

/// What is refused where a word is asked for, and what to write in its place.
struct RefusedWord {
  std::string_view word, instead;
};

struct Key {
  std::string_view name;
  KeyKind kind = KeyKind::text;
  Dimension dimension{};    ///< quantity; of the second number in points; of a named one
  std::string_view unit{};  ///< to write a quantity in; "" = what suits its size
  UnitHint hint{};          ///< how a quantity is asked for
  Limits limits{};
  std::span<const std::string_view> words{};
  std::span<const OtherWord> other_words{};  ///< read, and never written
  std::span<const RefusedWord> refused_words{};
  bool required = false;
  bool retired = false;        ///< of older files: passed over, and not explained
  std::string_view instead{};  ///< another key, which may stand in the place of a required one
  bool nullable = false;       ///< of a document that is only written: null where it does not apply
  bool text_form = false;      ///< an object that may be one quantity instead: that of text_key()
  bool counted = false;        ///< points: the first number says how many, in any order
  bool list_form = false;      ///< a number that may be a list of such numbers; settings: of texts
  bool with_error = false;     ///< points that may be {"points", "relative_error"} instead
  bool with_origin = false;    ///< may be {"value", "origin", "source", "relative_error"} instead
  std::string_view fallback{};  ///< what is used when the key is left out, in words; "" = nothing
  std::string_view manual{};
  std::vector<Key> keys{};  ///< of object and objects
};

/// Of an object with a text form, the key that a text gives: the first, unless only another one can
/// be read from it. "300 ms" is the whole of a step, "300 images/s" its part of a sample.
const Key& text_key(const Key& object, std::string_view text);

/// `expected` part of a complaint: "a whole number from 1 to 1e15", "a bandwidth such as …".
std::string expectation(const Key& key);

/// "0 < x ≤ 1", "1 … 4096": the limits for a manual; "" when there are none.
std::string limits_text(const Key& key);

}  // namespace feedrate::schema
