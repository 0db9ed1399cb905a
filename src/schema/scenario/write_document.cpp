// A document as a file of its own.
#include <algorithm>
#include <optional>
#include <utility>

#include "schema/json/json_writer.hpp"
#include "schema/record/codec.hpp"
#include "schema/scenario/prepared_setting.hpp"
#include "schema/scenario/scenario.hpp"
#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {
namespace {

/// What fits a line stays on one.
constexpr std::size_t longest_line = 100;

bool is_scalar(const JsonValue& value) {
  return value.kind != JsonKind::array && value.kind != JsonKind::object;
}

void append(const JsonValue& value, std::size_t indent, JsonWriter& out) {
  using enum JsonWriter::Layout;
  if (is_scalar(value)) {
    write_value(value, 0, out);
    return;
  }
  const bool list_of_scalars = value.kind == JsonKind::array &&
                               std::all_of(value.items.begin(), value.items.end(),
                                           [](const JsonPtr& item) { return is_scalar(*item); });
  const bool short_line = indent > 2 && setting_text(value).size() + indent <= longest_line;
  if (value.kind == JsonKind::array) {
    out.begin_array(short_line || list_of_scalars ? line : block);
    for (const JsonPtr& item : value.items) append(*item, indent + 2, out);
  } else {
    out.begin_object(short_line ? line : block);
    for (const JsonMember& member : value.members) {
      out.key(member.key);
      append(*member.value, indent + 2 + member.key.size(), out);
    }
  }
  out.end();
}

}  // namespace

Document with_cases(const Document& document, std::span<const Case> cases) {
  JsonWriter out;
  out.begin_array(JsonWriter::Layout::block);
  for (const Case& each : cases) {
    out.begin_object();
    write_members(each, out);
    out.end();
  }
  out.end();
  const JsonPtr list = parse_json(std::move(out).finish(), document.file());
  auto root = std::make_shared<JsonValue>(*document.root());
  std::erase_if(root->members, [](const JsonMember& member) { return member.key == "cases"; });
  root->members.push_back({"cases", 0, list});
  for (JsonMember& member : root->members) {
    if (member.key != "about" || member.value->kind != JsonKind::object) continue;
    auto about = std::make_shared<JsonValue>(*member.value);
    std::erase_if(about->members, [](const JsonMember& each) {
      return each.key == "expectation" || each.key == "fitted" || each.key == "canary";
    });
    member.value = std::move(about);
  }
  Document changed = document;
  changed.replace_root(std::move(root));
  return changed;
}

namespace {

/// With what only the order of its settings told in the document itself.
Document self_contained(const Document& document, const MeasuredOn& on) {
  Document whole = document;
  const std::pair<const char*, const std::optional<std::string>&> machines[] = {
      {"gpu_times", on.gpu_times},
      {"cpu_times", on.cpu_times},
      {"loader_times", on.loader_times},
      {"remote_times", on.remote_times},
      {"machine_figures", on.machine_figures},
      {"price", on.price}};
  for (const auto& [key, machine] : machines) {
    if (machine) set_value(whole, std::string("/measured_on/") + key, *machine);
  }
  if (on.price_purchase) {
    set_value(whole, "/measured_on/price_purchase", std::string(word_of(*on.price_purchase)));
  }
  if (on.batch_size) {
    set_value(whole, "/measured_on/batch_size", number_text(*on.batch_size));
  }
  return whole;
}

/// Whether every key of `before` is one of `after`.
bool keeps_keys(const JsonValue& before, const JsonValue& after) {
  return std::all_of(before.members.begin(), before.members.end(),
                     [&](const JsonMember& member) { return after.find(member.key) != nullptr; });
}

/// What differs, as the smallest values that can be put in place of others or beside them. Parts
/// that no setting touched are the same values in both.
void append_edits(const JsonPtr& before, const JsonPtr& after, const std::string& pointer,
                  JsonWriter& out) {
  if (before == after) return;
  const bool same_kind = before != nullptr && before->kind == after->kind;
  if (same_kind && after->kind == JsonKind::object && keeps_keys(*before, *after)) {
    for (const JsonMember& member : after->members) {
      const auto same =
          std::find_if(before->members.begin(), before->members.end(),
                       [&](const JsonMember& other) { return other.key == member.key; });
      append_edits(same == before->members.end() ? nullptr : same->value, member.value,
                   join_pointer(pointer, member.key), out);
    }
  } else if (same_kind && after->kind == JsonKind::array &&
             before->items.size() == after->items.size()) {
    for (std::size_t i = 0; i < after->items.size(); ++i) {
      append_edits(before->items[i], after->items[i], join_pointer(pointer, i), out);
    }
  } else {
    out.key(pointer);
    write_value(*after, 0, out);
  }
}

}  // namespace

std::string write_edits(const Document& before, const Document& after) {
  const Document whole = self_contained(after, read_scenario(after).measured_on);
  JsonWriter out;
  out.begin_object();
  append_edits(before.root(), whole.root(), "", out);
  out.end();
  return std::move(out).finish();
}

std::string write_document(const Document& document) {
  const Scenario scenario = read_scenario(document);
  // In a file of its own nothing tells any more what was set after what.
  Document whole = self_contained(document, scenario.measured_on);
  if (whole.root()->find("name") == nullptr) set_value(whole, "/name", scenario.name);
  JsonWriter out;
  append(*whole.root(), 0, out);
  return std::move(out).finish();
}

}  // namespace feedrate::schema
