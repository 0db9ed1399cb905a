#include "schema/scale.hpp"

#include "base/version.hpp"
#include "model/exported.hpp"
#include "model/figures.hpp"
#include "schema/by_events_record.hpp"
#include "schema/json_writer.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

constexpr double scale_version = 1.0;

void write_set(const std::vector<std::pair<std::string, std::string>>& set, JsonWriter& out) {
  out.key("set").begin_object(Layout::line);
  for (const auto& [key, value] : set) out.text(key, value);
  out.end();
}

void write_point(std::string_view name, const std::optional<ScalePoint>& point, JsonWriter& out) {
  out.key(name);
  if (!point) return void(out.null());
  out.begin_object(Layout::line).number("instances", point->instances);
  out.number(name_of(FigureId::total_time), point->outlay.time.base());
  out.number(name_of(FigureId::money), point->outlay.money.base());
  out.number(name_of(FigureId::total_cost), point->outlay.total.base()).end();
}

/// 5 %, 50 % and 95 % of each figure that has them.
void write_bands(const Result& r, JsonWriter& out) {
  out.key("bands");
  if (!r.bands) return void(out.null());
  out.begin_object().number("replications", r.bands->replications);
  for (const FigureId id : banded_figures) {
    const auto band = band_of(r, figure(id));
    out.key(name_of(id)).begin_array();
    for (const double end : *band) out.number(end);
    out.end();
  }
  out.end();
}

void write_texts(std::string_view name, const std::vector<std::string>& texts, JsonWriter& out) {
  out.key(name).begin_array();
  for (const std::string& text : texts) out.text(text);
  out.end();
}

void write_row(const ScaleRow& row, JsonWriter& out) {
  const Result& r = row.point.result;
  const bool ran = row.point.answered();
  out.begin_object().number("instances", row.instances);
  write_set(row.point.set, out);
  out.text_or_null("instance", r.instance);
  for (const Figure& figure : all_figures()) {
    if (!is_exported(figure) || figure.id == FigureId::instances) continue;
    out.number(figure.name, ran ? figure.of(r) : std::nullopt);
  }
  write_bands(r, out);
  out.number("chance_in_time", row.chance_in_time);
  const auto& beside = row.point.scale_out;
  out.number("break_even_efficiency", beside ? beside->break_even : std::nullopt);
  out.key("lost_to_scaling");
  if (ran && r.lost_to_scaling) {
    out.begin_object(Layout::line);
    for (const Stage stage : all_stages()) out.number(name_of(stage), (*r.lost_to_scaling)[stage]);
    out.end();
  } else {
    out.null();
  }
  out.key("bottleneck");
  if (ran && r.bottleneck.stage) {
    out.text(name_of(*r.bottleneck.stage));
  } else {
    out.null();
  }
  out.boolean_member("batch_rounded", row.rounded);
  write_texts("caveats", r.caveats, out);
  write_texts("remarks", r.remarks, out);
  out.key("problems").begin_array();
  for (const Problem& problem : row.point.problems) {
    out.begin_object(Layout::line).text("key", problem.pointer);
    out.text("message", problem.message).end();
  }
  out.end().end();
}

void write_curve(const ScaleCurve& curve, JsonWriter& out) {
  out.begin_object();
  write_set(curve.set, out);
  out.number("to", curve.to).number("unanswered", curve.unanswered);
  out.number("end_of_batch", curve.end_of_batch);
  write_point("least", curve.least, out);
  write_point("one_fewer", curve.before, out);
  write_point("one_more", curve.after, out);
  write_point("fastest", curve.fastest, out);
  write_point("fewest_in_time", curve.fewest_in_time, out);
  write_point("least_in_time", curve.least_in_time, out);
  out.key("shared_limit");
  if (curve.bound) {
    const SharedLimit& limit = *curve.bound;
    out.begin_object(Layout::line).text("name", limit.service + ", " + limit.name);
    out.text("unit", limit.of_requests ? "/s" : "B/s").number("rate", limit.rate);
    out.number("binds_from", limit.from).end();
  } else {
    out.null();
  }
  out.key("rows").begin_array(Layout::block);
  for (const ScaleRow& row : curve.rows) write_row(row, out);
  out.end().end();
}

}  // namespace

std::string write_scaling(const Scaling& scaling, const std::string& name,
                          const std::string& file) {
  JsonWriter out;
  out.begin_object().text("feedrate", version).text("kind", "scale");
  out.number("schema", scale_version);
  out.key("scenario").begin_object(Layout::line).text("name", name).text("file", file).end();
  out.text("batch_kept", scaling.kept == BatchKept::global ? "global" : "per_gpu");
  out.number("deadline_s",
             scaling.deadline ? std::optional(scaling.deadline->base()) : std::nullopt);
  out.boolean_member("in_time", scaling.in_time());
  out.number("best", static_cast<double>(scaling.best));
  write_point("recommended", scaling.recommended, out);
  out.key("confirmed");
  if (scaling.confirmed) {
    Written<Choice>::put(*scaling.confirmed, out);
  } else {
    out.null();
  }
  out.key("curves").begin_array(Layout::block);
  for (const ScaleCurve& curve : scaling.curves) write_curve(curve, out);
  out.end();
  out.key("remarks").begin_array(Layout::block);
  for (const std::string& remark : scaling.remarks) out.text(remark);
  out.end().end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
