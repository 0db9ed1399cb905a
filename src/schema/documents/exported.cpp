#include "schema/documents/exported.hpp"

#include <fmt/format.h>

#include <string_view>

namespace feedrate::schema {
namespace {

/// Reads members of objects that must be there.
class ExportedReader {
 public:
  Problems problems;

  const JsonValue* member(const JsonValue& object, const std::string& pointer,
                          std::string_view name, JsonKind kind) {
    const JsonValue* const found = object.find(name);
    if (found != nullptr && found->kind == kind) return found;
    problems.add(found != nullptr ? *found : object, join_pointer(pointer, name),
                 fmt::format("expected {}, got {}",
                             kind == JsonKind::object  ? "an object"
                             : kind == JsonKind::array ? "a list"
                                                       : "a text",
                             found != nullptr ? describe(*found) : "nothing"));
    return nullptr;
  }

  /// Empty: null, or not there, as in what an older feedrate wrote.
  std::optional<double> number(const JsonValue& object, const std::string& pointer,
                               std::string_view name) {
    const JsonValue* const found = object.find(name);
    if (found == nullptr || found->kind == JsonKind::null) return std::nullopt;
    if (found->kind == JsonKind::number) return found->number;
    problems.add(*found, join_pointer(pointer, name),
                 "expected a number or null, got " + describe(*found));
    return std::nullopt;
  }

  /// What an older feedrate wrote may have none.
  static void remarks(ExportedPoint& point, const JsonValue& of) {
    for (const char* const name : {"caveats", "remarks"}) {
      const JsonValue* const list = of.find(name);
      if (list == nullptr) continue;
      for (const JsonPtr& text : list->items) add_remark(point, text->text);
    }
  }

  /// A row of a scaling: a few figures, flat.
  void row(ExportedPoint& point, const JsonValue& row, const std::string& pointer) {
    if (const JsonValue* const set = member(row, pointer, "set", JsonKind::object)) {
      for (const JsonMember& pair : set->members) {
        point.set.emplace_back(pair.key, pair.value->text);
      }
    }
    const JsonValue* const none = row.find("problems");
    if (none != nullptr && !none->items.empty()) {
      why(point, *none);
      return;
    }
    if (const JsonValue* const instance = row.find("instance")) point.instance = instance->text;
    for (const Figure& figure : all_figures()) {
      point.figures[static_cast<std::size_t>(figure.id)] = number(row, pointer, figure.name);
    }
    remarks(point, row);
  }

  /// What the points were chosen by; what an older feedrate wrote may have none.
  void limits(Constraints& out, const JsonValue& of, const std::string& pointer) {
    if (const auto time = number(of, pointer, "deadline_s")) out.deadline = seconds(*time);
    if (const auto money = number(of, pointer, "budget_usd")) out.budget = usd(*money);
  }

  static void why(ExportedPoint& point, const JsonValue& list) {
    for (const JsonPtr& problem : list.items) {
      const JsonValue* const message = problem->find("message");
      const JsonValue* const key = problem->find("key");
      if (message == nullptr) continue;
      if (!point.problem.empty()) point.problem += "; ";
      if (key != nullptr && !key->text.empty()) point.problem += key->text + ": ";
      point.problem += message->text;
    }
    if (point.problem.empty()) point.problem = "no result";
  }

  void result(ExportedPoint& point, const JsonValue& result, const std::string& pointer) {
    // null where only the job's times are given.
    if (const JsonValue* const instance = result.find("instance")) point.instance = instance->text;
    for (const Figure& figure : all_figures()) {
      // A group of figures stands in an object of its own, or in the result itself.
      const JsonValue* in = &result;
      std::string at = pointer;
      for (const char* const group : {"bottleneck", "time", "monitors", "cost", "interruptions"}) {
        const JsonValue* const object = result.find(group);
        if (object == nullptr || object->find(figure.name) == nullptr) continue;
        in = object;
        at = join_pointer(pointer, group);
      }
      point.figures[static_cast<std::size_t>(figure.id)] = number(*in, at, figure.name);
    }
    remarks(point, result);
  }

  void point(ExportedPoint& point, const JsonValue& value, const std::string& pointer) {
    if (const JsonValue* const set = member(value, pointer, "set", JsonKind::object)) {
      for (const JsonMember& pair : set->members) {
        point.set.emplace_back(pair.key, pair.value->text);
      }
    }
    const JsonValue* const found = value.find("result");
    if (found != nullptr && found->kind == JsonKind::object) {
      return result(point, *found, join_pointer(pointer, "result"));
    }
    if (const JsonValue* const list = member(value, pointer, "problems", JsonKind::array)) {
      why(point, *list);
    }
  }
};

}  // namespace

bool is_result(const JsonValue& root) {
  const JsonValue* const kind = root.find("kind");
  return kind != nullptr &&
         (kind->text == "sweep" || kind->text == "result" || kind->text == "scale");
}

Exported read_exported(const JsonPtr& root) {
  ExportedReader reader;
  Exported out;
  if (const JsonValue* const scenario = reader.member(*root, "", "scenario", JsonKind::object)) {
    if (const auto* const name = reader.member(*scenario, "/scenario", "name", JsonKind::text)) {
      out.name = name->text;
    }
    if (const JsonValue* const file = scenario->find("file")) out.file = file->text;
  }
  if (root->find("kind")->text == "result") {
    if (const JsonValue* const result = reader.member(*root, "", "result", JsonKind::object)) {
      reader.result(out.points.emplace_back(), *result, "/result");
    }
  } else if (root->find("kind")->text == "scale") {
    reader.limits(out.limits, *root, "");
    const JsonValue* const recommended = root->find("recommended");
    if (recommended != nullptr && recommended->kind == JsonKind::object) {
      out.recommended = reader.number(*recommended, "/recommended", "instances");
    }
    const JsonValue* const curves = reader.member(*root, "", "curves", JsonKind::array);
    for (std::size_t c = 0; curves != nullptr && c < curves->items.size(); ++c) {
      const std::string at = join_pointer("/curves", c);
      const JsonValue* const rows = reader.member(*curves->items[c], at, "rows", JsonKind::array);
      for (std::size_t i = 0; rows != nullptr && i < rows->items.size(); ++i) {
        reader.row(out.points.emplace_back(), *rows->items[i],
                   join_pointer(join_pointer(at, "rows"), i));
      }
    }
  } else if (const JsonValue* const points = reader.member(*root, "", "points", JsonKind::array)) {
    const JsonValue* const limits = root->find("constraints");
    if (limits != nullptr && limits->kind == JsonKind::object) {
      reader.limits(out.limits, *limits, "/constraints");
    }
    for (std::size_t i = 0; i < points->items.size(); ++i) {
      reader.point(out.points.emplace_back(), *points->items[i], join_pointer("/points", i));
    }
  }
  reader.problems.throw_if_any();
  return out;
}

}  // namespace feedrate::schema
