#include "schema/baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "model/figures.hpp"
#include "schema/json_writer.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

constexpr double baseline_version = 1.0;

/// A conflict that nobody resolved is the usual way for this file to break, so it has its own
/// words.
void refuse_conflict_markers(std::string_view text, const std::string& file) {
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<<<<<<< ") || rest.starts_with(">>>>>>> ")) {
      throw InputError({{file, line, "",
                         "expected a baseline, got the marker of a merge conflict: keep either "
                         "side, then run feedrate check --update"}});
    }
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return;
    at += end + 1;
  }
}

class Reader {
 public:
  Baseline read(const JsonPtr& root, const std::string& file) {
    Baseline baseline;
    baseline.file = file;
    if (root->kind != JsonKind::object) {
      problems_.add(*root, "", "expected an object, got " + describe(*root));
      problems_.throw_if_any();
    }
    check_version(*root);
    // What another version means by its keys is not known here.
    problems_.throw_if_any();
    only(*root, "", {"kind", "schema", "thresholds", "scenarios"});
    if (const JsonValue* list = root->find("thresholds"); list != nullptr) {
      for (std::size_t i = 0; i < list->items.size(); ++i) {
        expect(*list->items[i], JsonKind::text, "a text", join_pointer("/thresholds", i));
      }
      if (expect(*list, JsonKind::array, "a list", "/thresholds")) {
        baseline.thresholds = threshold_texts(root);
      }
    }
    if (const JsonPtr scenarios = member(*root, "", "scenarios", JsonKind::object, "an object")) {
      for (const JsonMember& entry : scenarios->members) {
        baseline.entries.push_back(read_entry(entry));
      }
    }
    problems_.throw_if_any();
    std::sort(baseline.entries.begin(), baseline.entries.end(),
              [](const BaselineEntry& a, const BaselineEntry& b) { return a.key < b.key; });
    return baseline;
  }

 private:
  void check_version(const JsonValue& root) {
    const JsonValue* kind = root.find("kind");
    if (kind == nullptr || kind->text != "baseline") {
      problems_.add(kind == nullptr ? root : *kind, kind == nullptr ? "" : "/kind",
                    "expected \"kind\": \"baseline\": this is no baseline of feedrate check");
      return;
    }
    const JsonValue* version = root.find("schema");
    if (version != nullptr && version->kind == JsonKind::number &&
        version->number == baseline_version) {
      return;
    }
    problems_.add(
        version == nullptr ? root : *version, version == nullptr ? "" : "/schema",
        fmt::format("expected \"schema\": {:g}, got {}: made by another feedrate; delete "
                    "the file and run feedrate check --update with this one",
                    baseline_version, version == nullptr ? "no version" : describe(*version)));
  }

  bool expect(const JsonValue& value, JsonKind kind, std::string_view name,
              const std::string& pointer) {
    if (value.kind == kind) return true;
    problems_.add(value, pointer, fmt::format("expected {}, got {}", name, describe(value)));
    return false;
  }

  /// The member called `key`; nullptr after a complaint.
  JsonPtr member(const JsonValue& object, const std::string& pointer, std::string_view key,
                 JsonKind kind, std::string_view name) {
    for (const JsonMember& candidate : object.members) {
      if (candidate.key != key) continue;
      return expect(*candidate.value, kind, name, join_pointer(pointer, key)) ? candidate.value
                                                                              : nullptr;
    }
    problems_.add(object, pointer, fmt::format("expected the key \"{}\"", key));
    return nullptr;
  }

  std::string text(const JsonValue& object, const std::string& pointer, std::string_view key) {
    const JsonPtr value = member(object, pointer, key, JsonKind::text, "a text");
    return value ? value->text : "";
  }

  void only(const JsonValue& object, const std::string& pointer,
            const std::vector<std::string>& keys) {
    for (const JsonMember& candidate : object.members) {
      if (std::find(keys.begin(), keys.end(), candidate.key) != keys.end()) continue;
      problems_.add_at(object, candidate.line, join_pointer(pointer, candidate.key),
                       fmt::format("expected one of {}, got {}{}", fmt::join(keys, ", "),
                                   in_quotes(candidate.key), did_you_mean(candidate.key, keys)));
    }
  }

  BaselineEntry read_entry(const JsonMember& named) {
    BaselineEntry entry;
    entry.key = named.key;
    entry.line = named.line;
    const JsonValue& value = *named.value;
    const std::string pointer = join_pointer("/scenarios", named.key);
    if (!expect(value, JsonKind::object, "an object", pointer)) return entry;
    only(value, pointer,
         {"name", "feedrate", "inputs_hash", "profile", "bottleneck", "figures", "scenario",
          "catalog", "host"});
    entry.version = text(value, pointer, "feedrate");
    const std::string stated = text(value, pointer, "inputs_hash");
    if (const JsonValue* name = value.find("name")) entry.name = name->text;
    if (const JsonValue* profile = value.find("profile")) entry.profile = profile->text;
    read_figures(value, pointer, entry.figures);
    const auto object = [&](std::string_view key) {
      return member(value, pointer, key, JsonKind::object, "an object");
    };
    entry.inputs.scenario = object("scenario");
    entry.inputs.catalog = object("catalog");
    if (value.find("host") != nullptr) entry.inputs.host = object("host");
    if (entry.inputs.catalog) check_catalog(*entry.inputs.catalog, pointer + "/catalog");
    entry.intact = hash_of(entry.inputs) == stated;
    return entry;
  }

  /// {FILE: {SECTION: [object, …]}}: what is walked without further questions.
  void check_catalog(const JsonValue& catalog, const std::string& pointer) {
    for (const JsonMember& file : catalog.members) {
      const std::string at = join_pointer(pointer, file.key);
      if (!expect(*file.value, JsonKind::object, "an object", at)) continue;
      for (const JsonMember& section : file.value->members) {
        if (!expect(*section.value, JsonKind::array, "a list", join_pointer(at, section.key))) {
          continue;
        }
        for (std::size_t i = 0; i < section.value->items.size(); ++i) {
          expect(*section.value->items[i], JsonKind::object, "an object",
                 join_pointer(join_pointer(at, section.key), i));
        }
      }
    }
  }

  void read_figures(const JsonValue& value, const std::string& pointer, Figures& figures) {
    if (const JsonValue* bottleneck = value.find("bottleneck");
        bottleneck != nullptr && bottleneck->kind != JsonKind::null) {
      for (const Stage stage : all_stages()) {
        if (bottleneck->text == name_of(stage)) figures.bottleneck = stage;
      }
      if (!figures.bottleneck) {
        problems_.add(*bottleneck, join_pointer(pointer, "bottleneck"),
                      "expected a stage or null, got " + describe(*bottleneck));
      }
    }
    const JsonPtr list = member(value, pointer, "figures", JsonKind::object, "an object");
    if (!list) return;
    for (const JsonMember& figure : list->members) {
      if (expect(*figure.value, JsonKind::number, "a number",
                 join_pointer(join_pointer(pointer, "figures"), figure.key))) {
        figures.values[figure.key] = figure.value->number;
      }
    }
    for (const FigureId needed : main_figures) {
      if (list->find(name_of(needed)) == nullptr) {
        problems_.add(*list, join_pointer(pointer, "figures"),
                      fmt::format("expected the key \"{}\"", name_of(needed)));
      }
    }
  }

  Problems problems_;
};

/// Objects and lists open down to `levels` below, a line each from there on.
void write_value(const JsonValue& value, int levels, JsonWriter& out) {
  const Layout layout = levels > 0 ? Layout::block : Layout::line;
  switch (value.kind) {
    case JsonKind::null: out.null(); return;
    case JsonKind::boolean: out.boolean(value.boolean); return;
    case JsonKind::number: out.number(value.number); return;
    case JsonKind::text: out.text(value.text); return;
    case JsonKind::array:
      out.begin_array(layout);
      for (const JsonPtr& item : value.items) write_value(*item, levels - 1, out);
      out.end();
      return;
    case JsonKind::object:
      out.begin_object(layout);
      for (const JsonMember& member : value.members) {
        write_value(*member.value, levels - 1, out.key(member.key));
      }
      out.end();
      return;
  }
}

void write_entry(const BaselineEntry& entry, JsonWriter& out) {
  out.key(entry.key).begin_object();
  if (!entry.name.empty()) out.text("name", entry.name);
  out.text("feedrate", entry.version);
  out.text("inputs_hash", hash_of(entry.inputs));
  if (!entry.profile.empty()) out.text("profile", entry.profile);
  out.key("bottleneck");
  if (entry.figures.bottleneck) {
    out.text(name_of(*entry.figures.bottleneck));
  } else {
    out.null();
  }
  out.key("figures").begin_object();
  for (const auto& [name, value] : entry.figures.values) out.number(name, value);
  out.end();
  write_value(*entry.inputs.scenario, 1, out.key("scenario"));
  write_value(*entry.inputs.catalog, 3, out.key("catalog"));
  if (entry.inputs.host) write_value(*entry.inputs.host, 1, out.key("host"));
  out.end();
}

}  // namespace

const BaselineEntry* Baseline::find(std::string_view key) const {
  for (const BaselineEntry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

std::vector<ThresholdText> threshold_texts(const JsonPtr& root) {
  std::vector<ThresholdText> texts;
  const JsonValue* list = root->find("thresholds");
  if (list == nullptr) return texts;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const JsonValue& item = *list->items[i];
    const std::string file = item.flag ? "" : (item.file ? *item.file : "");
    texts.push_back({item.text, file, item.line, join_pointer("/thresholds", i)});
  }
  return texts;
}

Baseline parse_baseline(std::string_view text, const std::string& file) {
  refuse_conflict_markers(text, file);
  return Reader().read(parse_json(text, file), file);
}

Baseline read_baseline(const std::string& path) {
  return parse_baseline(read_text_file(path), path);
}

std::string write_baseline(const Baseline& baseline) {
  JsonWriter out;
  out.begin_object();
  out.text("kind", "baseline").number("schema", baseline_version);
  if (!baseline.thresholds.empty()) {
    out.key("thresholds").begin_array(Layout::block);
    for (const ThresholdText& threshold : baseline.thresholds) out.text(threshold.text);
    out.end();
  }
  out.key("scenarios").begin_object();
  std::vector<const BaselineEntry*> sorted;
  for (const BaselineEntry& entry : baseline.entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(),
            [](const BaselineEntry* a, const BaselineEntry* b) { return a->key < b->key; });
  for (const BaselineEntry* entry : sorted) write_entry(*entry, out);
  out.end().end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
