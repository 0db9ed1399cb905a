#include "schema/documents/exported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/version.hpp"
#include "schema/json/json_writer.hpp"
#include "schema/record/document_kind.hpp"

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
      if (!is_exported(figure)) continue;
      point.figures[static_cast<std::size_t>(figure.id)] = number(row, pointer, figure.name);
    }
    if (const JsonValue* const stage = row.find("bottleneck")) point.bottleneck = stage->text;
    remarks(point, row);
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
      if (!is_exported(figure)) continue;
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
    if (const JsonValue* const bottleneck = result.find("bottleneck")) {
      const JsonValue* const stage = bottleneck->find("stage");
      if (stage != nullptr && stage->kind == JsonKind::text) point.bottleneck = stage->text;
    }
    remarks(point, result);
    const JsonValue* const stages = member(result, pointer, "stages", JsonKind::array);
    if (stages == nullptr) return;
    for (std::size_t i = 0; i < stages->items.size(); ++i) {
      const JsonValue& row = *stages->items[i];
      const std::string at = join_pointer(join_pointer(pointer, "stages"), i);
      const JsonValue* const name = member(row, at, "stage", JsonKind::text);
      const auto* const known = name == nullptr
                                    ? stage_names.end()
                                    : std::find(stage_names.begin(), stage_names.end(), name->text);
      if (known == stage_names.end()) continue;  // of a later feedrate
      const auto stage = static_cast<Stage>(known - stage_names.begin());
      for (std::size_t j = 0; j < stage_figures().size(); ++j) {
        point.stages[stage][j] = number(row, at, stage_figures()[j].name);
      }
    }
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
    for (std::size_t i = 0; i < points->items.size(); ++i) {
      reader.point(out.points.emplace_back(), *points->items[i], join_pointer("/points", i));
    }
  }
  reader.problems.throw_if_any();
  return out;
}

namespace {

std::vector<NamedFigure> named_figures(bool with_instances) {
  std::vector<NamedFigure> list;
  for (const Figure& figure : all_figures()) {
    if (!is_exported(figure) || (!with_instances && figure.id == FigureId::instances)) continue;
    std::string about(figure.title);
    if (!figure.manual.empty()) about += fmt::format(": {}", figure.manual);
    list.push_back({figure.name, std::move(about), &figure});
  }
  return list;
}

/// "decode.capacity": a figure of a stage, by a name of its own.
struct NamedStageFigure {
  std::string name;
  std::string_view manual;
  Stage stage;
  std::size_t index;
};

const std::vector<NamedStageFigure>& named_stage_figures() {
  static const auto list = [] {
    std::vector<NamedStageFigure> all;
    for (const Stage stage : all_stages()) {
      for (std::size_t i = 0; i < stage_figures().size(); ++i) {
        const StageFigure& figure = stage_figures()[i];
        all.push_back({fmt::format("{}.{}", name_of(stage), figure.name), figure.manual, stage, i});
      }
    }
    return all;
  }();
  return list;
}

}  // namespace

const std::vector<NamedFigure>& exported_figures() {
  static const auto list = named_figures(true);
  return list;
}

const std::vector<NamedFigure>& exported_but_instances() {
  static const auto list = named_figures(false);
  return list;
}

template <>
struct Recorded<ExportedPoint> {
  static constexpr auto layout = block;
  static Keys<ExportedPoint> keys() {
    using P = ExportedPoint;
    return joined<P>(
        written<&P::set>("set", "KEY: VALUE of --vary"),
        text_or_null<&P::problem>("problem", "why there is no result; null: there is one"),
        text_or_null<&P::instance>("instance", "its type"),
        text_or_null<&P::bottleneck>("bottleneck", "a stage"),
        one_each<P, exported_figures>(
            [](const P& point, const NamedFigure& named) { return point.figure(named.of->id); }),
        one_each<P, named_stage_figures>([](const P& point, const NamedStageFigure& named) {
          return point.stages[named.stage][named.index];
        }),
        written<&P::remarks>("remarks", "caveats first"));
  }
};

template <>
struct Recorded<Exported> {
  static Keys<Exported> keys() {
    return {written<&Exported::points>("points", "one for a run, else one for each point")};
  }
};

const DocumentKind figures_document{
    .kind = "figures",
    .keys = keys_of<Exported>,
    .about =
        "feedrate export json prints one object: every figure of every point by its name, "
        "flat. Those of a point without a result are null.",
    .scenario = "that was simulated"};

std::string write_exported(const Exported& exported) {
  return write_document(figures_document, exported, exported.name, exported.file);
}

}  // namespace feedrate::schema
