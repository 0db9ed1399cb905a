#include "schema/search.hpp"

#include "base/version.hpp"
#include "model/figures.hpp"
#include "schema/json_writer.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

constexpr double search_version = 1.0;

void write_stage(std::string_view name, const std::optional<Stage>& stage, JsonWriter& out) {
  out.key(name);
  if (stage) {
    out.text(name_of(*stage));
  } else {
    out.null();
  }
}

void write_point(std::string_view name, const std::optional<SearchPoint>& point, JsonWriter& out) {
  out.key(name);
  if (!point) return void(out.null());
  const bool ran = point->problems.empty();
  const auto figure = [&](FigureId id) {
    out.number(name_of(id), ran ? value_of(point->result, id) : std::nullopt);
  };
  out.begin_object().number("at", point->at).boolean_member("holds", point->holds);
  out.number("value", point->value);
  figure(FigureId::gpu_busy);
  figure(FigureId::throughput);
  out.number("bytes_per_s", point->bytes ? std::optional(point->bytes->base()) : std::nullopt);
  write_stage("waits_for", point->waits_for, out);
  write_stage("bottleneck", ran ? point->result.bottleneck.stage : std::nullopt, out);
  out.key("problems").begin_array();
  for (const Problem& problem : point->problems) {
    out.begin_object(Layout::line).text("key", problem.pointer);
    out.text("message", problem.message).end();
  }
  out.end().end();
}

void write_answer(const SearchAnswer& answer, JsonWriter& out) {
  const Search& asked = answer.search;
  out.begin_object().text("question", asked.text).text("key", asked.key);
  out.number("from", asked.from).number("to", asked.to).text("metric", asked.condition.metric);
  out.number("answer", answer.there ? std::optional(answer.there->at) : std::nullopt);
  out.boolean_member("at_end", answer.at_end());
  write_point("there", answer.there, out);
  write_point("next", answer.beyond, out);
  write_point("exception", answer.exception, out);
  out.key("band");
  if (answer.band) {
    out.begin_array();
    for (const double quantile : *answer.band) out.number(quantile);
    out.end();
  } else {
    out.null();
  }
  out.number("draws", static_cast<double>(answer.draws));
  out.number("tried", static_cast<double>(answer.tried));
  out.boolean_member("tried_all", answer.tried_all).end();
}

}  // namespace

std::string write_searches(std::span<const SearchAnswer> answers, const std::string& name,
                           const std::string& file) {
  JsonWriter out;
  out.begin_object().text("feedrate", version).text("kind", "search");
  out.number("schema", search_version);
  out.key("scenario").begin_object(Layout::line).text("name", name).text("file", file).end();
  out.key("answers").begin_array(Layout::block);
  for (const SearchAnswer& answer : answers) write_answer(answer, out);
  out.end().end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
