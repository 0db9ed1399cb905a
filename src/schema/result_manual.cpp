// What the documents of result.cpp mean, for readers and for editors.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "model/figures.hpp"
#include "schema/by_events_record.hpp"
#include "schema/document_kind.hpp"
#include "schema/json_writer.hpp"
#include "schema/result.hpp"
#include "schema/result_record.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

std::string_view word_of(Better better) {
  switch (better) {
    case Better::less: return "lower is better";
    case Better::more: return "higher is better";
    case Better::neither: return "";
  }
  return "";
}

/// What limits and cases may name.
std::string nameable_figures() {
  std::string page =
      "\n"
      "Limits of feedrate check and cases of a scenario may name these figures. They are keys\n"
      "of \"result\" above, except those marked *, which are another form of such a key:\n\n";
  const auto add = [&](std::string_view name, std::string_view unit, std::string_view better,
                       std::string_view what, bool marked) {
    page += fmt::format("{:<30}{:<11}{:<17}{}\n", std::string(name) + (marked ? " *" : ""), unit,
                        better, what);
  };
  for (const Figure& figure : all_figures()) {
    std::string what(figure.title);
    if (!figure.alias.empty()) what += fmt::format("; limits may call it {}", figure.alias);
    add(figure.name, unit_text(figure.unit), word_of(figure.better), what,
        figure.group == FigureGroup::derived);
  }
  const Figure& stall = figure(FigureId::stall);
  add(fmt::format("{}.STAGE", stall.name), unit_text(stall.unit), word_of(stall.better),
      "the same for one stage", true);
  add("bottleneck is STAGE *", "", "", "1 if it is, else 0", false);
  return page;
}

void write_problems(JsonWriter& out) {
  out.key("problems").begin_object().text("type", "array");
  out.text("description", "why the point has no result; empty where it has one");
  out.key("items").begin_object().text("type", "object").key("properties").begin_object();
  out.key("key").begin_object(Layout::line).text("description", "JSON pointer of the scenario");
  out.key("type").begin_array().text("string").text("null").end().end();
  out.key("message").begin_object(Layout::line).text("type", "string").end().end();
  out.key("required").begin_array().text("key").text("message").end().end().end();
}

void write_scenario(JsonWriter& out) {
  out.key("scenario").begin_object().text("type", "object").key("properties").begin_object();
  out.key("name").begin_object(Layout::line).text("type", "string").end();
  out.key("file").begin_object(Layout::line).key("type").begin_array();
  out.text("string").text("null").end().end().end().end();
}

/// The keys of an answer: those of a run's document, and of every point.
void write_answer_keys(JsonWriter& out) {
  write_scenario(out);
  out.key("set").begin_object(Layout::line).text("type", "object");
  out.text("description", "KEY: VALUE; of a point of a sweep those of --vary, else those of --set");
  out.end();
  out.key("result").begin_object().text("description", "null: the problems say why");
  out.key("oneOf").begin_array();
  out.begin_object(Layout::line).text("$ref", "#/$defs/result").end();
  out.begin_object(Layout::line).text("type", "null").end().end().end();
  write_problems(out);
}

void write_envelope(JsonWriter& out) {
  out.key("properties").begin_object();
  out.key("feedrate").begin_object(Layout::line).text("type", "string").end();
  out.key("kind").begin_object(Layout::line).key("enum").begin_array();
  out.text("result").text("sweep").text("comparison").end().end();
  out.key("schema").begin_object(Layout::line).text("description", "2: comparison; else 1");
  out.key("enum").begin_array().number(1.0).number(2.0).end().end();
  write_answer_keys(out);
  out.key("points").begin_object().text("type", "array").key("items").begin_object();
  out.key("properties").begin_object();
  write_answer_keys(out);
  out.key("scale_out").begin_object().key("type").begin_array().text("object").text("null").end();
  out.text("description", "compared with the fewest instances of the same other settings").end();
  out.key("meets_constraints").begin_object(Layout::line);
  out.text("description", "of --deadline and --budget; null: none, or no result");
  out.key("type").begin_array().text("boolean").text("null").end().end();
  out.key("relative").begin_object(Layout::line);
  out.text("description", "of a comparison: changes against the first");
  out.key("type").begin_array().text("object").text("null").end().end();
  out.end();
  out.key("required").begin_array().text("scenario").text("set").text("result").text("problems");
  out.end().end().end();
  const auto of_sweep = [&](std::string_view name, std::string_view type, std::string_view what) {
    out.key(name).begin_object(Layout::line).text("description", what);
    out.key("type").begin_array().text(type).text("null").end().end();
  };
  of_sweep("pareto", "array", "of a sweep: indices of points that no other beats in time and cost");
  of_sweep("fastest", "number", "of a sweep: index; null: no point has a result");
  of_sweep("cheapest", "number", "likewise, by total cost");
  of_sweep("break_even_efficiency", "number", "of the first point with scale_out");
  of_sweep("decision", "object", "between the best points, in the draws; null: nothing is drawn");
  of_sweep("constraints", "object", "deadline, budget and what meets them; null: none is given");
  out.key("confirmed").begin_object(Layout::block).text("type", "object");
  out.text("description", "of a sweep: what the events chose; null: none were simulated");
  out.key("properties").begin_object();
  for (const char* choice : {"fastest", "cheapest", "cheapest_meeting"}) {
    out.key(choice).begin_object().key("type").begin_array().text("object").text("null").end();
    write_written_properties(root_of<Choice>("confirmed"), out);
    out.end();
  }
  out.end().end();
  out.key("remarks").begin_object(Layout::line).text("type", "array");
  out.text("description", "of a sweep: what holds for all its points").end();
  out.end();
  out.key("required").begin_array().text("feedrate").text("kind").text("schema").end();
}

}  // namespace

std::string result_json_schema() {
  JsonWriter out;
  out.begin_object();
  out.text("$schema", "https://json-schema.org/draft/2020-12/schema");
  out.text("title", "feedrate result").text("type", "object");
  out.text("description", "What run, sweep and compare print with --format json.");
  write_envelope(out);
  out.key("$defs").begin_object().key("result").begin_object().text("type", "object");
  write_written_properties(result_root(), out);
  out.end().end().end();
  return std::move(out).finish();
}

std::string result_manual() {
  std::string page =
      R"(With --format json, stdout holds one object. Units stand in the names (_s, _usd); null means: does
not apply, or not known. Amounts are in USD whatever currency the scenario states.

run      {"feedrate": VERSION, "kind": "result", "schema": 1, ANSWER}. ANSWER stands for
         "scenario": {name, file}, "set": {KEY: VALUE}, "result": {…}, "problems": []. Every point
         below holds the same keys, so .points // [.] in jq lists the answers of run, sweep and
         compare alike.
sweep    … "kind": "sweep", "points": [{ANSWER, "scale_out": {…}, "meets_constraints"}],
         "pareto": [indices], "fastest": index, "cheapest": index, "break_even_efficiency": that of
         the first point with a "scale_out", "decision", "constraints", "confirmed",
         "remarks": [what holds for all points].
         "set" of a point holds the settings of --vary. A point that cannot be simulated or priced
         has "result": null and "problems": [{"key": JSON pointer or null, "message"}], and nothing
         else counts it.
         "constraints" (null without --deadline and --budget) holds "deadline_s", "budget_usd",
         "meeting": number of points that meet them, and "cheapest": index of the one of these with
         the lowest total cost.
         "confirmed" (null with --mean or --events, or if nothing varies) holds "fastest",
         "cheapest" and "cheapest_meeting": CHOICE each, the best points by the mean, simulated by
         their events, which decide "fastest", "cheapest" and the "cheapest" of "constraints".
         "scale_out" compares a point with the fewest instances of the same other settings (null
         for these themselves): "instances": that number; the changes as fractions
         (CHANGES);
         "break_even_efficiency": efficiency of the epochs from which the point costs no more in
         total (null: none); "total_cost_at": [{"efficiency", "of_fewest"}], the total cost at an
         efficiency, relative to that with the fewest.
compare  … "kind": "comparison", "schema": 2, "points": [{ANSWER, "relative"}], "decision" as in a
         sweep. "relative" holds the changes against the first point
         (RELATIVE).
What other commands print has a topic of its own: feedrate schema search (feeds, run --find), scale,
optimum, advice, catalog (catalog list) and so on.

The keys of CHOICE:

)";
  std::vector<std::string_view> relative;
  for (const FigureId id : compared_figures) relative.push_back(name_of(id));
  constexpr std::string_view placeholder = "RELATIVE";
  page.replace(page.find(placeholder), placeholder.size(),
               fmt::format("{}", fmt::join(relative, ", ")));
  constexpr std::string_view changes = "CHANGES";
  page.replace(page.find(changes), changes.size(),
               fmt::format("{}, {}, {}", name_of(FigureId::total_time), name_of(FigureId::money),
                           name_of(FigureId::total_cost)));
  return page + written_manual(root_of<Choice>("choice")) + "\nThe keys of \"result\":\n\n" +
         written_manual(result_root()) + nameable_figures();
}

}  // namespace feedrate::schema
