#include "schema/documents/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "base/number_text.hpp"
#include "base/version.hpp"
#include "model/timeline.hpp"
#include "schema/documents/stage_names.hpp"
#include "schema/json/json_writer.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

/// Whole nanoseconds, as the simulator counts: ends and beginnings that meet meet in the file too.
std::int64_t nanoseconds(Duration time) {
  return std::llround(time.base() * 1e9);
}

class TraceWriter {
 public:
  std::string write(const Timeline& timeline, const std::string& name);

 private:
  void section(const TimelineSection& section, const std::string& name);
  void track(const Track& track, int id);
  void span(const TimelineSpan& span, int id, std::string_view what);
  void counter(const Counter& counter);
  void steps(const TimelineSection& section, int gpu);
  void metadata(std::string_view what, int thread, std::string_view key, std::string_view text);
  void sort_index(std::string_view what, int thread, int index);
  void other_data(const Timeline& timeline, const std::string& name);

  JsonWriter& event(std::string_view phase, std::string_view name, int thread);
  void at(std::string_view key, std::int64_t ns) {
    out_.number(key, static_cast<double>(ns) / 1e3);
  }

  JsonWriter out_;
  int process_ = 0;
  std::int64_t origin_ = 0;  ///< where the section begins in the trace, ns
};

JsonWriter& TraceWriter::event(std::string_view phase, std::string_view name, int thread) {
  return out_.begin_object(Layout::line)
      .text("ph", phase)
      .text("name", name)
      .number("pid", process_)
      .number("tid", thread);
}

void TraceWriter::metadata(std::string_view what, int thread, std::string_view key,
                           std::string_view text) {
  event("M", what, thread).key("args").begin_object().text(key, text).end().end();
}

void TraceWriter::sort_index(std::string_view what, int thread, int index) {
  event("M", what, thread).key("args").begin_object().number("sort_index", index).end().end();
}

void TraceWriter::span(const TimelineSpan& span, int id, std::string_view what) {
  const std::int64_t begin = nanoseconds(span.begin);
  const std::string stage(name_of(span.stage));
  event("X", span.waiting ? "waiting for " + stage : stage, id)
      .text("cat", span.waiting ? "waiting" : "working");
  at("ts", origin_ + begin);
  at("dur", nanoseconds(span.end) - begin);
  if (span.batch) {
    out_.key("args").begin_object().number(what, static_cast<double>(*span.batch)).end();
  }
  out_.end();
}

void TraceWriter::track(const Track& track, int id) {
  metadata("thread_name", id, "name", track.name);
  sort_index("thread_sort_index", id, id);
  const std::string_view what = track.kind == TrackKind::connection ? "object" : "batch";
  for (const TimelineSpan& s : track.spans) span(s, id, what);
}

void TraceWriter::counter(const Counter& counter) {
  const bool queue = counter.kind == CounterKind::queue;
  const std::string name = queue ? counter.name : "users of " + counter.name;
  for (const Counter::Point& point : counter.points) {
    event("C", name, 0);
    at("ts", origin_ + nanoseconds(point.at));
    out_.key("args").begin_object().number(queue ? "batches" : "users", point.value).end().end();
  }
}

void TraceWriter::steps(const TimelineSection& section, int gpu) {
  for (const StepMark& mark : section.steps) {
    event("i", fmt::format("step {}", mark.step), gpu).text("s", "t");
    at("ts", origin_ + nanoseconds(mark.at));
    out_.end();
  }
}

void TraceWriter::section(const TimelineSection& section, const std::string& name) {
  ++process_;
  metadata("process_name", 0, "name",
           fmt::format("{}{}, {} s into the job: {}", section.name,
                       section.whole ? "" : " (its beginning)",
                       with_digits(section.begin.base(), 6), name));
  sort_index("process_sort_index", 0, process_);
  int id = 0;
  int gpu = 0;
  for (const Track& t : section.tracks) {
    track(t, ++id);
    if (t.kind == TrackKind::gpu) gpu = id;
  }
  for (const Counter& c : section.counters) counter(c);
  steps(section, gpu);
  origin_ += nanoseconds(section.length);
}

void TraceWriter::other_data(const Timeline& timeline, const std::string& name) {
  out_.key("otherData").begin_object();
  out_.text("feedrate", version).text("scenario", name).number("gpus_alike", timeline.gpus);
  out_.text("about", timeline.about);
  write_stage_names(out_.key("stages"));
  out_.key("sections").begin_array(Layout::block);
  for (const TimelineSection& section : timeline.sections) {
    out_.begin_object(Layout::line)
        .text("name", section.name)
        .number("begin_s", section.begin.base())
        .number("length_s", section.length.base())
        .number("steps", static_cast<double>(section.steps.size()))
        .number("epoch_steps", section.all_steps)
        .number("events", section.events)
        .boolean_member("whole", section.whole)
        .end();
  }
  out_.end();
  out_.key("remarks").begin_array(Layout::block);
  for (const std::string& remark : timeline.remarks) out_.text(remark);
  out_.end().end();
}

std::string TraceWriter::write(const Timeline& timeline, const std::string& name) {
  out_.begin_object().text("displayTimeUnit", "ms");
  out_.key("traceEvents").begin_array(Layout::block);
  for (const TimelineSection& s : timeline.sections) section(s, name);
  out_.end();
  other_data(timeline, name);
  return std::move(out_.end()).finish();
}

}  // namespace

std::string write_trace(const Timeline& timeline, const std::string& name) {
  return TraceWriter().write(timeline, name);
}

}  // namespace feedrate::schema
