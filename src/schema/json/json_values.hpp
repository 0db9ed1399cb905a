#pragma once
// What single JSON values hold, and those that the program itself makes for what it writes.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/number_text.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

using feedrate::number_of;
/// A number, or a text that holds one.
inline std::optional<double> number_of(const JsonValue* value) {
  if (value == nullptr) return std::nullopt;
  if (value->kind == JsonKind::number) return value->number;
  if (value->kind == JsonKind::text) return number_of(std::string_view(value->text));
  return std::nullopt;
}

/// "" for what is no text.
inline std::string text_of(const JsonValue* value) {
  return value != nullptr && value->kind == JsonKind::text ? value->text : "";
}

/// As JsonValue::find, to be kept beyond the object.
inline JsonPtr member_of(const JsonPtr& object, std::string_view key) {
  for (const JsonMember& member : object->members) {
    if (member.key == key) return member.value;
  }
  return nullptr;
}

inline std::shared_ptr<JsonValue> value_of_kind(JsonKind kind) {
  auto value = std::make_shared<JsonValue>();
  value->kind = kind;
  return value;
}

inline JsonPtr text_value(std::string text) {
  auto value = value_of_kind(JsonKind::text);
  value->text = std::move(text);
  return value;
}

inline JsonPtr number_value(double number) {
  auto value = value_of_kind(JsonKind::number);
  value->number = number;
  return value;
}

}  // namespace feedrate::schema
