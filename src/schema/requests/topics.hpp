#pragma once
// What `feedrate schema` explains, and a server's tool of that name.
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace feedrate::schema {

struct DocumentKind;

/// A kind of file or document, and what explains it: `document`, or functions of its own.
struct Topic {
  std::string_view name;
  const DocumentKind* document = nullptr;
  std::string (*own_manual)() = nullptr;
  std::string (*own_json_schema)() = nullptr;  ///< null as well: none
  std::string (*beside)() = nullptr;           ///< of `document`: what its manual ends with
  std::string_view no_json_schema = {};        ///< why it has none, and what has one in its place

  [[nodiscard]] std::string manual() const;
  /// Empty: it has none.
  [[nodiscard]] std::optional<std::string> json_schema() const;
};

std::span<const Topic> all_topics();
/// By its name; null where none has it.
const Topic* find_topic(std::string_view name);

}  // namespace feedrate::schema
