#include "schema/diagnosis.hpp"

#include "base/version.hpp"
#include "model/figures.hpp"
#include "schema/json_writer.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

constexpr double diagnosis_version = 1.0;

/// The readings' names as keys: "gpu", "io_wait", "start_s".
std::string key_of(const ReadingRow& row) {
  std::string key(row.name);
  for (char& c : key) c = c == '-' ? '_' : c;
  return row.kind == ReadingKind::time ? key + "_s" : key;
}

std::string key_of(const ThresholdRow& row) {
  return row.kind == ReadingKind::time ? std::string(row.name) + "_s" : std::string(row.name);
}

std::string_view word_of(Fit fit) {
  switch (fit) {
    case Fit::fits: return "fits";
    case Fit::fits_not: return "does not fit";
    case Fit::unknown: return "not known";
  }
  return "";
}

void write_readings(const Readings& readings, JsonWriter& out) {
  out.begin_object();
  for (const ReadingRow& row : all_readings()) out.number(key_of(row), readings[row.id]);
  out.end();
}

template <class List>
void write_texts(std::string_view name, const List& list, JsonWriter& out) {
  out.key(name).begin_array(Layout::block);
  for (const auto& text : list) out.text(text);
  out.end();
}

void write_causes(std::string_view name, const std::vector<Cause>& causes, JsonWriter& out) {
  out.key(name).begin_array();
  for (const Cause cause : causes) out.text(name_of(cause));
  out.end();
}

void write_rule(const JudgedRule& judged, const Thresholds& thresholds, JsonWriter& out) {
  const Rule& rule = *judged.rule;
  out.begin_object().text("name", rule.name).text("title", rule.title);
  out.text("verdict", word_of(judged.fit)).key("cause");
  if (rule.cause == Cause::unsaid) {
    out.null();
  } else {
    out.text(name_of(rule.cause));
  }
  out.text("meaning", rule.meaning).text("source", rule.source);
  out.key("conditions").begin_array(Layout::block);
  for (const JudgedCondition& condition : judged.conditions) {
    const Condition& what = condition.what;
    out.begin_object(Layout::line).text("reading", key_of(reading(what.reading)));
    out.text("is", what.at_least ? "at least" : "below");
    out.text("threshold", key_of(threshold(what.threshold)));
    out.number("value", thresholds[what.threshold]).boolean_member("needed", what.needed);
    out.key("met");
    if (condition.met) {
      out.boolean(*condition.met);
    } else {
      out.null();
    }
    out.end();
  }
  out.end();
  write_texts("remedies", rule.remedies, out);
  write_texts("keys", rule.keys, out);
  out.text("test", rule.test).end();
}

void write_simulated(const Diagnosis& d, JsonWriter& out) {
  out.key("simulated");
  if (!d.simulated) {
    out.null();
    return;
  }
  const Simulated& simulated = *d.simulated;
  const Bottleneck& bottleneck = simulated.result.bottleneck;
  out.begin_object().text("name", simulated.name).text("file", simulated.file);
  out.key("bottleneck");
  if (bottleneck.stage) {
    out.text(name_of(*bottleneck.stage));
  } else {
    out.null();
  }
  out.number(name_of(FigureId::gain_if_twice_as_fast), bottleneck.gain_if_twice_as_fast);
  out.text("cause", name_of(simulated.cause)).key("readings");
  write_readings(simulated.readings, out);
  out.key("differences").begin_array(Layout::block);
  for (const Difference& difference : d.differences) {
    out.begin_object(Layout::line).text("reading", key_of(reading(difference.reading)));
    out.number("observed", difference.observed).number("predicted", difference.predicted);
    out.boolean_member("matters", difference.matters).end();
  }
  out.end();
  std::vector<std::string_view> fitting;
  for (const JudgedRule& judged : d.by_prediction) {
    if (judged.fit == Fit::fits) fitting.push_back(judged.rule->name);
  }
  write_texts("rules_that_fit", fitting, out);
  out.end();
}

}  // namespace

std::string write_diagnosis(const Diagnosis& d) {
  JsonWriter out;
  out.begin_object().text("feedrate", version).text("kind", "diagnosis");
  out.number("schema", diagnosis_version).key("readings");
  write_readings(d.readings, out);
  write_causes("causes", d.causes, out);
  out.key("rules").begin_array(Layout::block);
  for (const JudgedRule& judged : d.rules) write_rule(judged, d.thresholds, out);
  out.end();
  write_simulated(d, out);
  out.key("thresholds").begin_array(Layout::block);
  for (const ThresholdRow& row : all_thresholds()) {
    out.begin_object(Layout::line).text("name", key_of(row));
    out.number("value", d.thresholds[row.id]).number("default", row.value);
    out.boolean_member("published", !row.ours).text("meaning", row.meaning).end();
  }
  out.end();
  write_texts("remarks", d.remarks, out);
  out.end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
