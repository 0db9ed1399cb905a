#pragma once
// What `feedrate schema` explains, and a server's tool of that name.
#include <span>
#include <string>
#include <string_view>

namespace feedrate::schema {

/// A kind of file or document, and what explains it.
struct Topic {
  std::string_view name;
  std::string (*manual)();
  std::string (*json_schema)();  ///< null: none
};

std::span<const Topic> all_topics();
/// By its name; null where none has it.
const Topic* find_topic(std::string_view name);

}  // namespace feedrate::schema
