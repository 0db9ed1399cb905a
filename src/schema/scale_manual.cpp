// What the documents of scale, of export json and of sweep --shard mean.
#include <fmt/format.h>

#include "model/exported.hpp"
#include "model/figures.hpp"
#include "schema/exported.hpp"
#include "schema/plain_manual.hpp"
#include "schema/scale.hpp"
#include "schema/sweep_share.hpp"

namespace feedrate::schema {
namespace {

constexpr const char* object = "object";
constexpr const char* text = "string";
constexpr const char* text_or_null = "string|null";
constexpr const char* list = "array";
constexpr const char* number = "number";
constexpr const char* number_or_null = "number|null";

std::vector<PlainKey> document_keys(const char* kind) {
  return {
      {"feedrate", text, "version that wrote it"},
      {"kind", text, fmt::format("\"{}\"", kind)},
      {"schema", number, "version of this layout"},
      {"scenario",
       object,
       "what was simulated",
       {{"name", text_or_null, "as the file has it"}, {"file", text_or_null, "as it was given"}}}};
}

void add_figures(std::vector<PlainKey>& keys, bool but_instances) {
  for (const Figure& figure : all_figures()) {
    if (!is_exported(figure) || (but_instances && figure.id == FigureId::instances)) continue;
    std::string about(figure.title);
    if (!figure.manual.empty()) about += fmt::format(": {}", figure.manual);
    keys.push_back({std::string(figure.name), number_or_null, std::move(about)});
  }
}

std::vector<PlainKey> problem_keys() {
  return {{"key", text, "JSON pointer of the scenario"}, {"message", text, "what is wrong"}};
}

std::vector<PlainKey> row_keys() {
  std::vector<PlainKey> keys = {{"instances", number, "how many"},
                                {"set", object, "keys and values, as for --set"},
                                {"instance", text_or_null, "its type"}};
  add_figures(keys, true);
  keys.push_back({"bands", "object|null", "5 %, 50 % and 95 % over draws of what is uncertain"});
  keys.push_back({"chance_in_time", number_or_null,
                  "share of the draws that meet the deadline; null: none, or nothing is drawn"});
  keys.push_back(
      {"break_even_efficiency", number_or_null,
       "efficiency from which these instances cost no more than the fewest; null: never"});
  keys.push_back({"lost_to_scaling", "object|null", "what each stage takes of 1 - job_efficiency"});
  keys.push_back({"bottleneck", text_or_null, "the stage that gains most by being twice as fast"});
  keys.push_back({"batch_rounded", "boolean", "the global batch does not divide evenly"});
  keys.push_back({"caveats", list, "what belongs beside the headline"});
  keys.push_back({"remarks", list, "what must be known about the prediction"});
  keys.push_back({"problems", list, "why there is no result; else empty", problem_keys()});
  return keys;
}

std::vector<PlainKey> point_keys() {
  return {{"instances", number, "how many"},
          {std::string(name_of(FigureId::total_time)), number, "of the whole job"},
          {std::string(name_of(FigureId::money)), number, "of the bill"},
          {std::string(name_of(FigureId::total_cost)), number, "with the value of the hours"}};
}

std::vector<PlainKey> curve_keys() {
  constexpr const char* point = "object|null";
  return {
      {"set", object, "of --vary: keys and values"},
      {"to", number, "all whole numbers of instances up to this were looked at"},
      {"unanswered", number, "how many of them have no result"},
      {"end_of_batch", number_or_null, "more instances have no sample for each GPU"},
      {"least", object, "the least total cost; of equal ones the fewest", point_keys()},
      {"one_fewer", point, "one instance fewer", point_keys()},
      {"one_more", point, "one instance more", point_keys()},
      {"fastest", object, "the least time", point_keys()},
      {"fewest_in_time", point,
       "fewest instances that meet the deadline; null: none do, or no deadline is given",
       point_keys()},
      {"least_in_time", point, "least total cost of those that meet the deadline", point_keys()},
      {"shared_limit",
       "object|null",
       "the limit that all instances share and that binds first",
       {{"name", text, "the service and its limit"},
        {"unit", text, "of the rate"},
        {"rate", number, "of all instances together"},
        {"binds_from", number, "number of instances from which it binds"}}},
      {"rows", list, "some of the numbers of instances, including all that an answer names",
       row_keys()}};
}

std::vector<PlainKey> scale_keys() {
  std::vector<PlainKey> keys = document_keys("scale");
  keys.push_back({"batch_kept", text, "\"per_gpu\", or \"global\" with --strong"});
  keys.push_back({"deadline_s", number_or_null, "of --deadline"});
  keys.push_back({"in_time", "boolean",
                  "some number of instances meets the deadline, or no deadline is given"});
  keys.push_back(
      {"best", number,
       "index of the curve with the least total cost; if any curve meets the deadline, of these"});
  keys.push_back({"recommended", object,
                  "of that curve: the point with the least total cost, of those in time if any "
                  "is, as the events choose",
                  point_keys()});
  keys.push_back(
      {"confirmed", "object|null",
       "what the events chose, as of the winner of optimize; null: none were simulated"});
  keys.push_back({"curves", list, "one, or one for each setting of --vary", curve_keys()});
  keys.push_back({"remarks", list, "what holds for all curves"});
  return keys;
}

std::vector<PlainKey> figures_keys() {
  std::vector<PlainKey> point = {
      {"set", object, "of --vary: keys and values"},
      {"problem", text_or_null, "why there is no result; null: there is one"},
      {"instance", text_or_null, "its type"},
      {"bottleneck", text_or_null, "a stage"}};
  add_figures(point, false);
  for (const Stage stage : all_stages()) {
    for (const StageFigure& figure : stage_figures()) {
      point.push_back({fmt::format("{}.{}", name_of(stage), figure.name), number_or_null,
                       std::string(figure.manual)});
    }
  }
  point.push_back({"remarks", list, "caveats first"});
  std::vector<PlainKey> keys = document_keys("figures");
  keys.push_back({"points", list, "one for a run, else one for each point", std::move(point)});
  return keys;
}

}  // namespace

std::string scale_manual() {
  return plain_manual(
      "What feedrate scale --format json writes. Times are in seconds, amounts in USD.\n",
      scale_keys());
}

std::string scale_json_schema() {
  return plain_json_schema("What feedrate scale --format json writes", scale_keys());
}

std::string figures_manual() {
  return plain_manual(
      "What feedrate export json writes: every figure of every point by its name, flat. null: it\n"
      "does not apply, or the point has no result.\n",
      figures_keys());
}

std::string figures_json_schema() {
  return plain_json_schema("What feedrate export json writes", figures_keys());
}

std::string share_manual() {
  return "What feedrate sweep --shard K/N writes is for feedrate merge alone, and for the same "
         "build of\n"
         "feedrate: a line that says which sweep it is of (the scenario and the host profile "
         "themselves,\n"
         "--set, --vary, --instances, the seed, a fingerprint of the catalogue), then a line a "
         "point, each\n"
         "behind a fingerprint of itself. Points are appended as they are done, so that whatever "
         "ends the\n"
         "program leaves whole lines, and --resume goes on behind the last one. What programs read "
         "is what\n"
         "feedrate merge SHARE... --format json writes: feedrate schema result explains it.\n";
}

}  // namespace feedrate::schema
