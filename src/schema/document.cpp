// Files and their includes, merged into one document.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "schema/recorded_times.hpp"
#include "schema/scenario.hpp"

namespace feedrate::schema {
namespace {

constexpr std::size_t max_includes_deep = 16;

/// A file being read, and the one that included it.
struct Opened {
  const Files& files;
  const Opened* parent = nullptr;
  std::string name;       ///< as messages name it
  std::string canonical;  ///< to recognize a file by any of its names

  [[nodiscard]] std::string chain() const {
    return (parent != nullptr ? parent->chain() + " → " : "") + name;
  }
  [[nodiscard]] std::size_t depth() const { return parent != nullptr ? parent->depth() + 1 : 1; }
};

/// `over` on top of `base`.
JsonPtr merged(const JsonPtr& base, const JsonPtr& over) {
  if (base->kind != JsonKind::object || over->kind != JsonKind::object) return over;
  auto out = std::make_shared<JsonValue>(*base);
  out->file = over->file;
  out->line = over->line;
  for (const JsonMember& member : over->members) {
    const auto same = [&](const JsonMember& other) { return other.key == member.key; };
    const auto found = std::find_if(out->members.begin(), out->members.end(), same);
    if (found == out->members.end()) {
      out->members.push_back(member);
    } else {
      *found = {member.key, member.line, merged(found->value, member.value)};
    }
  }
  return out;
}

JsonPtr without(const JsonPtr& object, std::string_view key) {
  auto out = std::make_shared<JsonValue>(*object);
  std::erase_if(out->members, [&](const JsonMember& member) { return member.key == key; });
  return out;
}

JsonPtr with_includes(JsonPtr root, const Opened& file);

JsonPtr load_included(const JsonValue& name, const std::string& pointer, const Opened& from) {
  const auto refuse = [&](const std::string& message) {
    throw InputError({{from.name, name.line, pointer, message}});
  };
  if (name.kind != JsonKind::text || name.text.empty()) {
    refuse("expected a file name, got " + describe(name));
  }
  const std::filesystem::path relative(name.text);
  const std::filesystem::path folder = std::filesystem::path(from.name).parent_path();
  const std::string path = (relative.is_absolute() ? relative : folder / relative).string();
  Opened file{from.files, &from, path, from.files.identity(path)};
  for (const Opened* open = &from; open != nullptr; open = open->parent) {
    if (open->canonical == file.canonical) {
      refuse("expected files that do not include each other in a circle, got " + file.chain());
    }
  }
  if (file.depth() > max_includes_deep) {
    refuse("expected at most " + std::to_string(max_includes_deep) +
           " files including each other, got more: " + file.chain());
  }
  std::string text;
  try {
    text = from.files.text(path);
  } catch (const InputError& error) {
    const std::string& message = error.problems().front().message;
    const std::string chain = from.parent != nullptr ? " (" + file.chain() + ")" : "";
    refuse(message + ": " + in_quotes(path, 200) + chain);
  }
  return with_includes(parse_json(text, path), file);
}

JsonPtr with_includes(JsonPtr root, const Opened& file) {
  if (root->kind != JsonKind::object) {
    throw InputError({{file.name, root->line, "", "expected an object, got " + describe(*root)}});
  }
  root = with_recorded_times(root, file.name, file.files);
  const JsonValue* include = root->find("include");
  if (include == nullptr) return root;
  JsonPtr base;
  const auto add = [&](const JsonValue& name, const std::string& pointer) {
    const JsonPtr next = load_included(name, pointer, file);
    base = base ? merged(base, next) : next;
  };
  if (include->kind == JsonKind::array) {
    for (std::size_t i = 0; i < include->items.size(); ++i) {
      add(*include->items[i], join_pointer("/include", i));
    }
  } else if (include->kind != JsonKind::null) {
    add(*include, "/include");
  }
  const JsonPtr own = without(root, "include");
  return base ? merged(base, own) : own;
}

}  // namespace

Document load_document(const std::string& path) {
  if (path == standard_input_path) {
    return parse_document(read_standard_input(), std::string(standard_input_name));
  }
  return parse_document(read_text_file(path), path);
}

Document parse_document(std::string_view text, const std::string& file, const Files& files) {
  return document_of(parse_json(text, file), file, files);
}

Document document_of(JsonPtr root, const std::string& file, const Files& files) {
  const Opened opened{files, nullptr, file, files.identity(file)};
  return {with_includes(std::move(root), opened), file};
}

}  // namespace feedrate::schema
