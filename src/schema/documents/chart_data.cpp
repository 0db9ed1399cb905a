#include "schema/documents/documents.hpp"

#include <initializer_list>

#include "model/figures.hpp"
#include "model/sweep.hpp"
#include "model/timeline.hpp"
#include "schema/documents/result_record.hpp"
#include "schema/documents/stage_names.hpp"
#include "schema/json/json_writer.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

void write_figures(const Result& result, JsonWriter& out) {
  out.begin_object(Layout::line);
  out.number(name_of(FigureId::instances), value_of(result, FigureId::instances));
  out.key("bottleneck").begin_object(Layout::line).key("stage");
  if (result.bottleneck.stage) {
    out.text(name_of(*result.bottleneck.stage));
  } else {
    out.null();
  }
  out.end();
  const auto write = [&](std::initializer_list<FigureId> ids) {
    for (const FigureId id : ids) out.number(name_of(id), value_of(result, id));
  };
  out.key("time").begin_object(Layout::line);
  write({FigureId::startup, FigureId::staging, FigureId::total_time});
  out.end();
  write({FigureId::throughput, FigureId::gpu_busy, FigureId::efficiency, FigureId::job_efficiency});
  out.key("cost").begin_object(Layout::line);
  write({FigureId::compute, FigureId::auxiliary, FigureId::storage, FigureId::money,
         FigureId::hour_value, FigureId::billed_time});
  out.end().end();
}

void write_points(const Sweep* sweep, JsonWriter& out) {
  out.key("points").begin_array(Layout::block);
  if (sweep != nullptr) {
    for (const SweepPoint& point : sweep->points) {
      out.begin_object(Layout::line).key("set").begin_object(Layout::line);
      for (const auto& [key, value] : point.set) out.text(key, value);
      out.end().key("result");
      write_figures(point.result, out);
      out.end();
    }
  }
  out.end();
}

void write_track(const Track& track, JsonWriter& out) {
  out.begin_object(Layout::line).text("name", track.name).key("spans").begin_array();
  for (const TimelineSpan& span : track.spans) {
    out.begin_array().number(span.begin.base()).number(span.end.base());
    out.text(name_of(span.stage)).boolean(span.waiting);
    if (span.batch) {
      out.number(static_cast<double>(*span.batch));
    } else {
      out.null();
    }
    out.end();
  }
  out.end().end();
}

void write_sections(const Timeline* timeline, JsonWriter& out) {
  out.key("timeline").begin_array(Layout::block);
  if (timeline != nullptr) {
    for (const TimelineSection& section : timeline->sections) {
      out.begin_object().text("name", section.name).number("length_s", section.length.base());
      out.key("tracks").begin_array(Layout::block);
      for (const Track& track : section.tracks) write_track(track, out);
      out.end().end();
    }
  }
  out.end();
}

}  // namespace

std::string write_chart_data(const NamedResult& named, const Sweep* sweep,
                             const Timeline* timeline) {
  JsonWriter out;
  out.begin_object();
  out.key("result");
  Written<Result>::put(named.result, out);
  write_points(sweep, out);
  write_stage_names(out.key("stages"));
  write_sections(timeline, out);
  out.end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
