// Trace events from a hand-made timeline.
#include "schema/documents/documents.hpp"

#include "catch.hpp"
#include "model/timeline.hpp"
#include "schema/json/json_reader.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

Timeline small(const std::string& worker) {
  TimelineSection section;
  section.name = "epoch 1";
  section.epoch = 1;
  section.begin = seconds(105.5);
  section.length = milliseconds(30.0);
  section.tracks = {{TrackKind::worker,
                     worker,
                     {{Duration{}, milliseconds(10.0), Stage::decode, false, 0},
                      {milliseconds(10.0), microseconds(10000.001), Stage::collate, false, 0}}},
                    {TrackKind::gpu,
                     "GPU",
                     {{Duration{}, milliseconds(20.0), Stage::decode, true, 0},
                      {milliseconds(20.0), milliseconds(30.0), Stage::gpu, false, 0}}}};
  section.counters = {
      {CounterKind::queue, "ready batches", 4.0, {{Duration{}, 0.0}, {milliseconds(10.0), 1.0}}}};
  section.steps = {{1, milliseconds(30.0)}};
  Timeline timeline;
  timeline.sections = {section, section};
  timeline.sections[1].name = "epoch 2";
  timeline.sections[1].begin = seconds(250.0);
  return timeline;
}

std::vector<const JsonValue*> events(const JsonValue& trace, const std::string& phase) {
  std::vector<const JsonValue*> found;
  for (const auto& event : trace.find("traceEvents")->items) {
    if (event->find("ph")->text == phase) found.push_back(event.get());
  }
  return found;
}

}  // namespace

TEST_CASE("trace: spans, counters and steps are at their microsecond, the nanosecond kept") {
  const JsonPtr trace = parse_json(write_trace(small("worker 0"), "job"), "trace");
  const auto spans = events(*trace, "X");
  REQUIRE(spans.size() == 8);
  CHECK(spans[0]->find("name")->text == "decode");
  CHECK(spans[0]->find("ts")->number == 0.0);
  CHECK(spans[0]->find("dur")->number == 10000.0);
  CHECK(spans[1]->find("dur")->number == 0.001);
  CHECK(spans[2]->find("name")->text == "waiting for decode");
  CHECK(spans[2]->find("cat")->text == "waiting");
  CHECK(spans[3]->find("args")->find("batch")->number == 0.0);
  const auto counters = events(*trace, "C");
  REQUIRE(counters.size() == 4);
  CHECK(counters[1]->find("args")->find("batches")->number == 1.0);
  const auto steps = events(*trace, "i");
  REQUIRE(steps.size() == 2);
  CHECK(steps[0]->find("ts")->number == 30000.0);
  CHECK(steps[0]->find("tid")->number == spans[2]->find("tid")->number);
}

TEST_CASE("trace: sections follow each other, a process each, and say when they begin in the job") {
  const JsonPtr trace = parse_json(write_trace(small("worker 0"), "job"), "trace");
  const auto spans = events(*trace, "X");
  CHECK(spans[0]->find("pid")->number == 1.0);
  CHECK(spans[4]->find("pid")->number == 2.0);
  CHECK(spans[4]->find("ts")->number == 30000.0);
  const auto& sections = trace->find("otherData")->find("sections")->items;
  REQUIRE(sections.size() == 2);
  CHECK(sections[1]->find("begin_s")->number == 250.0);
  CHECK(sections[1]->find("length_s")->number == 0.03);
}

TEST_CASE("trace: names are text, whatever they hold") {
  const std::string evil = "</script><b> \"quoted\\\" \n\x01 \xF0\x9F\x98\x80 \xFF";
  const std::string text = write_trace(small(evil), evil);
  CHECK(text.find("\xFF") == std::string::npos);
  const JsonPtr trace = parse_json(text, "trace");
  CHECK(trace->find("otherData")->find("scenario")->text ==
        "</script><b> \"quoted\\\" \n\x01 \xF0\x9F\x98\x80 \xEF\xBF\xBD");
}

TEST_CASE("trace: what is no number is null, and no timeline is no event") {
  Timeline timeline = small("worker 0");
  timeline.gpus = 1.0 / 0.0;
  CHECK(write_trace(timeline, "job").find("inf") == std::string::npos);
  CHECK(events(*parse_json(write_trace({}, "job"), "trace"), "X").empty());
}
