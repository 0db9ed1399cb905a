#pragma once
// JSON values that the program makes itself, for documents that it writes.
#include <memory>
#include <string>
#include <utility>

#include "schema/json_reader.hpp"

namespace feedrate::schema {

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
