#include "schema/documents/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/errors.hpp"
#include "base/text_file.hpp"
#include "model/figures.hpp"
#include "schema/record/codec.hpp"
#include "schema/record/envelope.hpp"
#include "schema/record/manual.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

constexpr Envelope baseline_envelope{
    .kind = "baseline",
    .version = 1.0,
    .manual = "\"baseline\"",
    .no_such = "this is not a baseline of feedrate check",
    .remedy = "delete the file and run feedrate check --update with this version"};

/// An unresolved merge conflict is the usual way for this file to break, so it has its own
/// message.
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

bool is_object(const JsonValue& value, const Path& path, Reading& r) {
  static const Key any{.name = "", .kind = KeyKind::object};
  return is_kind(value, JsonKind::object, any, path, r);
}

/// {FILE: {SECTION: [object, …]}}: what is walked later without further questions.
void check_catalog(const JsonValue& catalog, const Path& path, Reading& r) {
  static const Key list{.name = "", .kind = KeyKind::objects};
  for (const JsonMember& file : catalog.members) {
    const Path at_file{&path, file.key};
    if (!is_object(*file.value, at_file, r)) continue;
    for (const JsonMember& section : file.value->members) {
      const Path at_section{&at_file, section.key};
      if (!is_kind(*section.value, JsonKind::array, list, at_section, r)) continue;
      for (std::size_t i = 0; i < section.value->items.size(); ++i) {
        is_object(*section.value->items[i], {&at_section, "", i, true}, r);
      }
    }
  }
}

/// A part of the inputs, as it was read, with `levels` of it open.
template <JsonPtr StoredInputs::*part, int levels>
Entry<BaselineEntry> stored(std::string_view name, std::string_view manual, bool required) {
  Entry<BaselineEntry> made{};
  made.key.name = name;
  made.key.manual = manual;
  made.key.kind = KeyKind::object;
  made.key.required = required;
  made.read = [](BaselineEntry& out, const JsonValue& v, const Key&, const Path& path, Reading& r) {
    if (!is_object(v, path, r)) return;
    if (part == &StoredInputs::catalog) check_catalog(v, path, r);
    out.inputs.*part = std::make_shared<JsonValue>(v);
  };
  made.write = [](const BaselineEntry& in, const Key& key, JsonWriter& out) {
    if (in.inputs.*part) write_value(*(in.inputs.*part), levels, out.key(key.name));
  };
  return made;
}

Entry<BaselineEntry> bottleneck() {
  Entry<BaselineEntry> made{};
  made.key.name = "bottleneck";
  made.key.manual = "the stage; null: none";
  made.key.kind = KeyKind::word;
  made.key.words = stage_names;
  made.read = [](BaselineEntry& out, const JsonValue& v, const Key& key, const Path& path,
                 Reading& r) {
    if (const int i = read_word(v, key, path, r); i >= 0) {
      out.figures.bottleneck = static_cast<Stage>(i);
    }
  };
  made.write = [](const BaselineEntry& in, const Key& key, JsonWriter& out) {
    out.key(key.name);
    if (in.figures.bottleneck) {
      out.text(name_of(*in.figures.bottleneck));
    } else {
      out.null();
    }
  };
  return made;
}

Entry<BaselineEntry> figures() {
  Entry<BaselineEntry> made{};
  made.key.name = "figures";
  made.key.manual = "of the result, by name; feedrate schema result explains them";
  made.key.kind = KeyKind::named;
  made.key.required = true;
  made.read = [](BaselineEntry& out, const JsonValue& v, const Key&, const Path& path, Reading& r) {
    static const Key number{.name = "", .kind = KeyKind::number};
    if (!is_object(v, path, r)) return;
    for (const JsonMember& member : v.members) {
      read_number(out.figures.values[member.key], *member.value, number, {&path, member.key}, r);
    }
    for (const FigureId needed : main_figures) {
      if (v.find(name_of(needed)) != nullptr) continue;
      r.problems.add(v, path.text(), fmt::format("expected the key \"{}\"", name_of(needed)));
    }
  };
  made.write = [](const BaselineEntry& in, const Key& key, JsonWriter& out) {
    out.key(key.name).begin_object();
    for (const auto& [name, value] : in.figures.values) out.number(name, value);
    out.end();
  };
  return made;
}

Entry<BaselineEntry> lines() {
  Entry<BaselineEntry> made{};
  made.key.name = "lines";
  made.key.manual = "of the bill, in USD";
  made.key.kind = KeyKind::named;
  made.read = [](BaselineEntry& out, const JsonValue& v, const Key& key, const Path& path,
                 Reading& r) {
    Codec<std::map<std::string, double>>::read(out.figures.lines, v, key, path, r);
  };
  made.write = [](const BaselineEntry& in, const Key& key, JsonWriter& out) {
    if (in.figures.lines.empty()) return;
    out.key(key.name).begin_object();
    for (const auto& [name, amount] : in.figures.lines) out.number(name, amount);
    out.end();
  };
  return made;
}

/// A limit, and where it stands: in no file where a flag gave it.
ThresholdText threshold_text(const JsonValue& text, std::string pointer) {
  return {text.text, text.flag || !text.file ? "" : *text.file, text.line, std::move(pointer)};
}

/// The hash of the inputs, made again at each writing.
Entry<BaselineEntry> hash() {
  Entry<BaselineEntry> made = entry<&BaselineEntry::stated_hash>(
      "inputs_hash", {.manual = "of scenario, catalog and host: tells whether the entry was edited",
                      .required = true});
  made.write = [](const BaselineEntry& in, const Key& key, JsonWriter& out) {
    out.text(key.name, hash_of(in.inputs));
  };
  return made;
}

}  // namespace

template <>
inline constexpr bool is_record<BaselineEntry> = true;
template <>
inline constexpr bool is_record<Baseline> = true;

template <>
const std::vector<Entry<BaselineEntry>>& entries<BaselineEntry>() {
  using E = BaselineEntry;
  static const std::vector<Entry<E>> list = {
      entry<&E::name>("name", {"of the scenario"}),
      entry<&E::version>("feedrate", {.manual = "that made it", .required = true}),
      hash(),
      entry<&E::profile>("profile", {"name and hash of the host profile"}),
      bottleneck(),
      figures(),
      lines(),
      stored<&StoredInputs::scenario, 1>("scenario", "the file as it was simulated", true),
      stored<&StoredInputs::catalog, 3>(
          "catalog", "{FILE: {SECTION: records}}: those of the pricing files that it used", true),
      stored<&StoredInputs::host, 1>("host", "the host profile, if it had one", false),
  };
  return list;
}

/// {KEY: entry}, sorted.
template <>
struct Codec<std::vector<BaselineEntry>> {
  static constexpr KeyKind kind = KeyKind::by_name;
  using List = std::vector<BaselineEntry>;
  static void read(List& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    if (!is_object(v, path, r)) return;
    for (const JsonMember& member : v.members) {
      BaselineEntry& entry = out.emplace_back();
      entry.key = member.key;
      entry.line = member.line;
      Key one = key;
      one.kind = KeyKind::object;
      read_record(entry, *member.value, one, {&path, member.key}, r);
      entry.intact = hash_of(entry.inputs) == entry.stated_hash;
    }
  }
  static void write(const List& list, const Key&, JsonWriter& out) {
    std::vector<const BaselineEntry*> sorted;
    for (const BaselineEntry& entry : list) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(),
              [](const auto* a, const auto* b) { return a->key < b->key; });
    out.begin_object();
    for (const BaselineEntry* entry : sorted) {
      out.key(entry->key).begin_object();
      write_members(*entry, out);
      out.end();
    }
    out.end();
  }
};

/// Texts that know where they stand.
template <>
struct Codec<std::vector<ThresholdText>> {
  static constexpr KeyKind kind = KeyKind::texts;
  using List = std::vector<ThresholdText>;
  static void read(List& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    if (v.kind == JsonKind::text) {
      out.push_back(threshold_text(v, path.text()));
      return;
    }
    if (!is_kind(v, JsonKind::array, key, path, r)) return;
    static const Key one{.name = "", .kind = KeyKind::text};
    for (std::size_t i = 0; i < v.items.size(); ++i) {
      const JsonValue& item = *v.items[i];
      const Path at{&path, "", i, true};
      std::string text;
      if (!read_text(text, item, one, at, r)) continue;
      out.push_back(threshold_text(item, at.text()));
    }
  }
  static void write(const List& list, const Key&, JsonWriter& out) {
    out.begin_array(Layout::block);
    for (const ThresholdText& threshold : list) out.text(threshold.text);
    out.end();
  }
};

template <>
const std::vector<Entry<Baseline>>& entries<Baseline>() {
  static const std::vector<Entry<Baseline>> list = {
      entry<&Baseline::thresholds>("thresholds", {"limits for all scenarios"}),
      entry<&Baseline::entries>("scenarios", {.manual = "an entry each", .required = true}),
  };
  return list;
}

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
  if (list->kind == JsonKind::text) return {threshold_text(*list, "/thresholds")};
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    texts.push_back(threshold_text(*list->items[i], join_pointer("/thresholds", i)));
  }
  return texts;
}

Baseline parse_baseline(std::string_view text, const std::string& file) {
  refuse_conflict_markers(text, file);
  const JsonPtr body = body_of(parse_json(text, file), baseline_envelope);
  static const Key root{.name = "", .kind = KeyKind::object};
  Baseline baseline;
  baseline.file = file;
  Reading reading;
  read_record(baseline, *body, root, Path{}, reading);
  reading.problems.throw_if_any();
  std::sort(baseline.entries.begin(), baseline.entries.end(),
            [](const BaselineEntry& a, const BaselineEntry& b) { return a.key < b.key; });
  return baseline;
}

Baseline read_baseline(const std::string& path) {
  return parse_baseline(read_text_file(path), path);
}

namespace {

Key baseline_root() {
  Key root{.name = "baseline", .kind = KeyKind::object};
  root.keys = envelope_keys(baseline_envelope);
  for (Key& key : keys_of<Baseline>()) root.keys.push_back(std::move(key));
  return root;
}

}  // namespace

std::string baseline_manual() {
  return manual_text(
      baseline_root(),
      R"(A baseline is one JSON object that `feedrate check --update` writes: what scenarios come to, and the
inputs that they had, so that a later check can say which of them changed. Commit it beside the
scenarios. Edit "thresholds" alone: they are limits such as "total_s < 2 h" or
"money_usd increase < 5%".
)");
}

std::string baseline_json_schema() {
  return json_schema(
      baseline_root(), "feedrate baseline",
      "What check compares with and check --update writes. feedrate schema baseline explains it.");
}

std::string write_baseline(const Baseline& baseline) {
  JsonWriter out;
  out.begin_object();
  write_envelope(baseline_envelope, out);
  write_members(baseline, out);
  out.end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
