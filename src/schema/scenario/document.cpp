// Files and their includes, merged into one document.
#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/errors.hpp"
#include "base/named_files.hpp"
#include "base/text_file.hpp"
#include "schema/scenario/recorded_times.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {
namespace {

constexpr std::size_t max_includes_deep = 16;
/// Each is looked up and merged, even where its file has been read.
constexpr std::size_t max_includes_named = 10'000;
/// Keys of objects that are laid over each other. Files that alternate are merged anew each time,
/// and thousands of names of two large ones would take minutes, and all memory.
constexpr std::size_t max_keys_merged = 4'000'000;

/// A file being read, and the one that included it.
struct Opened {
  const Opened* parent = nullptr;
  std::string name;      ///< as messages name it
  std::string identity;  ///< to recognize a file by any of its names

  [[nodiscard]] std::string chain() const {
    return (parent != nullptr ? parent->chain() + " → " : "") + name;
  }
  [[nodiscard]] std::size_t depth() const { return parent != nullptr ? parent->depth() + 1 : 1; }
};

/// A file with its includes merged in. However often it is named it is made once: n files that
/// each name the next one n times would otherwise be read n to the power of their number times.
struct Included {
  JsonPtr root;
  std::size_t depth = 0;  ///< of files, with itself
};

/// The documents that are read for one, by identity.
struct DocumentFiles {
  NamedFiles files;
  std::map<std::string, Included> made{};
  RecordedTimes times{};
  std::size_t named = 0;
  std::size_t keys_merged = 0;
};

/// Of a merge beyond max_keys_merged.
struct TooManyKeys {};

/// `over` on top of `base`. `keys` grows by what is merged; TooManyKeys.
JsonPtr merged(const JsonPtr& base, const JsonPtr& over, std::size_t& keys) {
  if (base == over) return over;
  if (base->kind != JsonKind::object || over->kind != JsonKind::object) return over;
  keys += base->members.size() + over->members.size();
  if (keys > max_keys_merged) throw TooManyKeys{};
  auto out = std::make_shared<JsonValue>(*base);
  out->file = over->file;
  out->line = over->line;
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < base->members.size(); ++i) places.emplace(base->members[i].key, i);
  for (const JsonMember& member : over->members) {
    const auto found = places.find(member.key);
    if (found == places.end()) {
      out->members.push_back(member);
    } else {
      JsonMember& place = out->members[found->second];
      place = {member.key, member.line, merged(place.value, member.value, keys)};
    }
  }
  return out;
}

JsonPtr without(const JsonPtr& object, std::string_view key) {
  auto out = std::make_shared<JsonValue>(*object);
  std::erase_if(out->members, [&](const JsonMember& member) { return member.key == key; });
  return out;
}

Included with_includes(JsonPtr root, const Opened& file, DocumentFiles& all);

Included load_included(const JsonValue& name, const std::string& pointer, const Opened& from,
                       DocumentFiles& all) {
  const auto refuse = [&](const std::string& message) {
    throw InputError({{from.name, name.line, pointer, message}});
  };
  if (name.kind != JsonKind::text || name.text.empty()) {
    refuse("expected a file name, got " + describe(name));
  }
  const auto placed = [&](const auto& ask, const std::string& chain) -> decltype(ask()) {
    try {
      return ask();
    } catch (const InputError& error) {
      throw InputError({{from.name, name.line, pointer, error.problems().front().message + chain}});
    }
  };
  if (++all.named > max_includes_named) {
    refuse("expected at most " + std::to_string(max_includes_named) +
           " names of files in all, got more");
  }
  const NamedFiles::Found found = placed([&] { return all.files.find(name.text, from.name); }, "");
  const Opened file{&from, found.path, found.identity};
  for (const Opened* open = &from; open != nullptr; open = open->parent) {
    if (open->identity == file.identity) {
      refuse("expected files that do not include each other in a circle, got " + file.chain());
    }
  }
  const auto made = all.made.find(file.identity);
  const std::size_t below = made != all.made.end() ? made->second.depth : 1;
  if (from.depth() + below > max_includes_deep) {
    refuse("expected at most " + std::to_string(max_includes_deep) +
           " files including each other, got more: " + file.chain());
  }
  if (made != all.made.end()) return made->second;
  const std::string& text = placed([&]() -> const std::string& { return all.files.text(found); },
                                   from.parent != nullptr ? " (" + file.chain() + ")" : "");
  const Included included =
      with_includes(parse_json(text, file.name, JsonErrors::without_its_text), file, all);
  return all.made.emplace(file.identity, included).first->second;
}

Included with_includes(JsonPtr root, const Opened& file, DocumentFiles& all) {
  if (root->kind != JsonKind::object) {
    const std::string got = file.parent != nullptr ? "another value" : describe(*root);
    throw InputError({{file.name, root->line, "", "expected an object, got " + got}});
  }
  root = with_recorded_times(root, file.name, all.files, all.times);
  const JsonValue* include = root->find("include");
  if (include == nullptr) return {root, 1};
  Included base{nullptr, 0};
  const auto below = [&](const JsonPtr& over, const JsonValue& name, const std::string& pointer) {
    try {
      return base.root ? merged(base.root, over, all.keys_merged) : over;
    } catch (const TooManyKeys&) {
      throw InputError(
          {{file.name, name.line, pointer,
            "expected included files of which at most " + std::to_string(max_keys_merged) +
                " keys are merged in all, got more"}});
    }
  };
  const auto add = [&](const JsonValue& name, const std::string& pointer) {
    const Included next = load_included(name, pointer, file, all);
    base.root = below(next.root, name, pointer);
    base.depth = std::max(base.depth, next.depth);
  };
  if (include->kind == JsonKind::array) {
    for (std::size_t i = 0; i < include->items.size(); ++i) {
      add(*include->items[i], join_pointer("/include", i));
    }
  } else if (include->kind != JsonKind::null) {
    add(*include, "/include");
  }
  const JsonPtr own = without(root, "include");
  return {below(own, *include, "/include"), base.depth + 1};
}

}  // namespace

Document load_document(const std::string& path, const AllowedFiles& allowed) {
  if (path == standard_input_path) {
    return parse_document(read_standard_input(), std::string(standard_input_name), allowed);
  }
  return parse_document(read_text_file(path), path, allowed);
}

Document parse_document(std::string_view text, const std::string& file,
                        const AllowedFiles& allowed) {
  return document_of(parse_json(text, file), file, allowed);
}

Document document_of(JsonPtr root, const std::string& file, const AllowedFiles& allowed) {
  DocumentFiles all{NamedFiles(allowed, file)};
  const Opened opened{nullptr, file, all.files.identity(file)};
  const Included made = with_includes(std::move(root), opened, all);
  return {made.root, file, all.files.any_read()};
}

}  // namespace feedrate::schema
