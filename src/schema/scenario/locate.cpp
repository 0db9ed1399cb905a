#include "schema/scenario/locate.hpp"

#include <charconv>
#include <string_view>

namespace feedrate::schema {
namespace {

/// The child that one token of a pointer names, or nullptr.
const JsonValue* child(const JsonValue& value, std::string_view token) {
  if (value.kind != JsonKind::array) return value.find(token);
  std::size_t index = 0;
  const auto read = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool whole = read.ec == std::errc() && read.ptr == token.data() + token.size();
  return whole && index < value.items.size() ? value.items[index].get() : nullptr;
}

/// The value at `pointer`, or the innermost one on the way to it.
const JsonValue& nearest(const JsonValue& root, std::string_view pointer) {
  const JsonValue* at = &root;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    const JsonValue* next = child(*at, token);
    if (next == nullptr) break;
    at = next;
  }
  return *at;
}

}  // namespace

InputError located(const Document& document, const InputError& error) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    const bool placed = !problem.file.empty() || !document.root();
    if (placed || !problem.pointer.starts_with('/')) continue;
    const JsonValue& at = nearest(*document.root(), problem.pointer);
    if (at.flag) {
      problem.pointer = *at.flag + ": " + problem.pointer;
    } else if (at.file) {
      problem.file = *at.file;
      problem.line = at.line;
    }
  }
  return InputError(std::move(problems));
}

}  // namespace feedrate::schema
