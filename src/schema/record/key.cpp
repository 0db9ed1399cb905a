#include "schema/record/key.hpp"

#include <algorithm>

#include "schema/json/json_writer.hpp"

namespace feedrate::schema {
namespace {

std::string value_text(const Key& key, double value) {
  if (key.kind != KeyKind::quantity) {
    return number_text(value, value >= 1e6 ? NumberStyle::shortest : NumberStyle::plain);
  }
  return key.unit.empty() ? format_quantity(value, key.dimension) : format_in(value, key.unit);
}

std::string word_list(const Key& key) {
  std::string text;
  for (std::size_t i = 0; i < key.words.size(); ++i) {
    if (i > 0) text += i + 1 == key.words.size() ? " or " : ", ";
    text += '"' + std::string(key.words[i]) + '"';
  }
  return text;
}

std::string range_text(const Key& key) {
  if (!key.limits.given()) return "";
  const std::string high = value_text(key, key.limits.high);
  if (key.limits.least > 0.0) {
    return ", 0 or from " + value_text(key, key.limits.least) + " to " + high;
  }
  if (key.limits.above) return " above " + value_text(key, key.limits.low) + " and at most " + high;
  return " from " + value_text(key, key.limits.low) + " to " + high;
}

std::string quantity_text(const Key& key) {
  return std::string(key.hint.name) + " such as \"" + std::string(key.hint.example) + "\"";
}

}  // namespace

const Key& text_key(const Key& object, std::string_view text) {
  const auto reads = [text](const Key& key) {
    return key.kind == KeyKind::quantity && parse_quantity(text, key.dimension, key.hint).ok();
  };
  const Key& first = object.keys.front();
  if (reads(first)) return first;
  const auto other = std::find_if(object.keys.begin(), object.keys.end(), reads);
  return other == object.keys.end() ? first : *other;
}

std::string expectation(const Key& key) {
  switch (key.kind) {
    case KeyKind::number: return "a number" + range_text(key);
    case KeyKind::whole:
      return "a whole number" + range_text(key) + (key.list_form ? ", or a list of them" : "");
    case KeyKind::fraction:
      return "a fraction" + (key.limits.given() ? range_text(key) + "," : "") +
             " such as 0.05 or \"5%\"";
    case KeyKind::boolean: return "true or false";
    case KeyKind::text: return "a text";
    case KeyKind::word: return word_list(key);
    case KeyKind::count: return "a whole number" + range_text(key) + ", " + word_list(key);
    case KeyKind::quantity: return quantity_text(key);
    case KeyKind::object: return key.text_form ? "an object or " + quantity_text(key) : "an object";
    case KeyKind::objects: return "a list of objects";
    case KeyKind::by_name:
      if (key.keys.empty()) return "an object of FILE: an object, or a text that holds one";
      return key.text_form ? "an object of NAME: \"" + std::string(key.hint.example) + "\""
                           : "an object of objects by name";
    case KeyKind::texts: return "a text or a list of texts";
    case KeyKind::points:
      return key.dimension == Dimension{}
                 ? "a list of pairs such as [4, 3.5]"
                 : "a list of pairs such as [4, \"" + std::string(key.hint.example) + "\"]";
    case KeyKind::settings: return "an object of KEY: VALUE as for --set";
    case KeyKind::named:
      return key.dimension == Dimension{}
                 ? "an object such as {\"bytes\": 4096}"
                 : "an object of NAME: \"" + std::string(key.hint.example) + "\"";
    case KeyKind::labels: return "an object such as {\"cache\": \"direct\"}";
    case KeyKind::numbers: return "a list of numbers";
    case KeyKind::scalar: return "a text, a number, true or false";
    case KeyKind::document: return "an object, or a text that holds one";
  }
  return "";
}

std::string limits_text(const Key& key) {
  if (!key.limits.given()) return "";
  const double least = key.limits.least;
  const std::string low =
      (least > 0.0 ? "0, " : "") + value_text(key, least > 0.0 ? least : key.limits.low);
  const std::string high = value_text(key, key.limits.high);
  return key.limits.above ? "> " + low + ", ≤ " + high : low + " … " + high;
}

}  // namespace feedrate::schema
