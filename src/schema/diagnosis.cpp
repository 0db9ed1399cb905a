#include "schema/diagnosis.hpp"

#include <array>
#include <span>

#include "base/version.hpp"
#include "model/figures.hpp"
#include "schema/written.hpp"
#include "schema/written_manual.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

/// The readings' names as keys: "gpu", "io_wait", "start_s".
std::string key_of(const ReadingRow& row) {
  std::string key(row.name);
  for (char& c : key) c = c == '-' ? '_' : c;
  return row.kind == ReadingKind::time ? key + "_s" : key;
}

std::string key_of(const ThresholdRow& row) {
  return row.kind == ReadingKind::time ? std::string(row.name) + "_s" : std::string(row.name);
}

std::optional<std::string_view> cause_or_null(Cause cause) {
  return cause == Cause::unsaid ? std::nullopt : std::optional(name_of(cause));
}

std::vector<std::string> texts(std::span<const std::string_view> list) {
  return {list.begin(), list.end()};
}

struct ConditionRow {
  const JudgedCondition* of;
  double value;  ///< of the threshold
};
struct RuleRow {
  const JudgedRule* of;
  const Thresholds* thresholds;
};
struct OpenRow {
  const OpenReading* of;
  double value;  ///< of the threshold
};
struct AnswerPart {
  const Diagnosis* whole;
};
struct ThresholdPart {
  const ThresholdRow* row;
  double value;
};
struct SimulatedPart {
  const Diagnosis* whole;
};

std::vector<ConditionRow> conditions(const RuleRow& rule) {
  std::vector<ConditionRow> rows;
  for (const JudgedCondition& one : rule.of->conditions) {
    rows.push_back({&one, (*rule.thresholds)[one.what.threshold]});
  }
  return rows;
}

std::vector<ConditionRow> answered(const AnswerPart& part) {
  std::vector<ConditionRow> rows;
  for (const JudgedCondition& one : part.whole->answer.because) {
    rows.push_back({&one, part.whole->thresholds[one.what.threshold]});
  }
  return rows;
}

std::vector<OpenRow> open(const AnswerPart& part) {
  std::vector<OpenRow> rows;
  for (const OpenReading& one : part.whole->answer.open) {
    rows.push_back({&one, part.whole->thresholds[one.what.threshold]});
  }
  return rows;
}

AnswerPart answer(const Diagnosis& d) {
  return {&d};
}

std::vector<RuleRow> rules(const Diagnosis& d) {
  std::vector<RuleRow> rows;
  for (const JudgedRule& judged : d.rules) rows.push_back({&judged, &d.thresholds});
  return rows;
}

std::vector<ThresholdPart> thresholds(const Diagnosis& d) {
  std::vector<ThresholdPart> rows;
  for (const ThresholdRow& row : all_thresholds()) rows.push_back({&row, d.thresholds[row.id]});
  return rows;
}

std::vector<std::string_view> causes(const Diagnosis& d) {
  std::vector<std::string_view> names;
  for (const Cause cause : d.causes) names.push_back(name_of(cause));
  return names;
}

std::vector<std::string> predicted_rules(const SimulatedPart& part) {
  std::vector<std::string> names;
  for (const JudgedRule& judged : part.whole->by_prediction) {
    if (judged.fit == Fit::fits) names.emplace_back(judged.rule->name);
  }
  return names;
}

std::optional<SimulatedPart> simulated(const Diagnosis& d) {
  return d.simulated ? std::optional(SimulatedPart{&d}) : std::nullopt;
}

}  // namespace

template <>
inline constexpr bool is_record<Readings> = true;
template <>
inline constexpr bool is_record<ConditionRow> = true;
template <>
inline constexpr bool is_record<OpenRow> = true;
template <>
inline constexpr bool is_record<AnswerPart> = true;
template <>
inline constexpr bool is_record<RuleRow> = true;
template <>
inline constexpr bool is_record<ThresholdPart> = true;
template <>
inline constexpr bool is_record<Difference> = true;
template <>
inline constexpr bool is_record<SimulatedPart> = true;
template <>
inline constexpr bool is_record<Diagnosis> = true;

template <>
inline constexpr Layout layout_of<Readings> = Layout::block;
template <>
inline constexpr Layout layout_of<AnswerPart> = Layout::block;
template <>
inline constexpr Layout layout_of<RuleRow> = Layout::block;
template <>
inline constexpr Layout layout_of<SimulatedPart> = Layout::block;
template <>
inline constexpr Layout layout_of<Diagnosis> = Layout::block;

template <>
const std::vector<Entry<Readings>>& entries<Readings>() {
  static const auto names = [] {
    std::array<std::string, reading_count> keys;
    for (const ReadingRow& row : all_readings()) {
      keys[static_cast<std::size_t>(row.id)] = key_of(row);
    }
    return keys;
  }();
  static const std::vector<Entry<Readings>> list = [] {
    std::vector<Entry<Readings>> all;
    for (const ReadingRow& row : all_readings()) {
      Entry<Readings> made{};
      made.key.name = names[static_cast<std::size_t>(row.id)];
      made.key.manual = row.help;
      made.key.kind = KeyKind::number;
      made.key.nullable = true;
      made.write = [](const Readings& in, const Key& key, JsonWriter& out) {
        for (const ReadingRow& of : all_readings()) {
          if (names[static_cast<std::size_t>(of.id)] == key.name) out.number(key.name, in[of.id]);
        }
      };
      all.push_back(std::move(made));
    }
    return all;
  }();
  return list;
}

template <>
const std::vector<Entry<ConditionRow>>& entries<ConditionRow>() {
  using C = ConditionRow;
  static const std::vector<Entry<C>> list = {
      written<C>("reading", "key of readings",
                 [](const C& c) { return key_of(reading(c.of->what.reading)); }),
      written<C>("is", "at least, or below",
                 [](const C& c) -> std::string_view {
                   return c.of->what.at_least ? "at least" : "below";
                 }),
      written<C>("threshold", "name of a row of thresholds",
                 [](const C& c) { return key_of(threshold(c.of->what.threshold)); }),
      written<&C::value>("value", "value of the threshold"),
      written<C>("needed", "false: if the reading is missing, the other conditions decide",
                 [](const C& c) { return c.of->what.needed; }),
      written<C>("any", "true: of the rule's conditions of this kind one is enough",
                 [](const C& c) { return c.of->what.any; }),
      written<C>("met", "null: the reading is missing", [](const C& c) { return c.of->met; }),
      written<C>("by_io_wait", "true: I/O wait stood for the disk, which was not read",
                 [](const C& c) { return c.of->by_io_wait; }),
  };
  return list;
}

template <>
const std::vector<Entry<OpenRow>>& entries<OpenRow>() {
  using O = OpenRow;
  static const std::vector<Entry<O>> list = {
      written<O>("reading", "key of readings",
                 [](const O& o) { return key_of(reading(o.of->what.reading)); }),
      written<O>("threshold", "name of a row of thresholds",
                 [](const O& o) { return key_of(threshold(o.of->what.threshold)); }),
      written<&O::value>("value", "value of the threshold"),
      written<O>("cause", "the answer if the reading is at least that",
                 [](const O& o) { return name_of(o.of->cause); }),
      written<O>("vital", "false: it would change the answer of few jobs",
                 [](const O& o) { return o.of->vital; }),
      written<O>("where", "what to read for it",
                 [](const O& o) { return reading(o.of->what.reading).where; }),
  };
  return list;
}

template <>
const std::vector<Entry<AnswerPart>>& entries<AnswerPart>() {
  using A = AnswerPart;
  static const std::vector<Entry<A>> list = {
      written<A>("cause", "the one cause that the readings speak for; null: too little is known",
                 [](const A& a) { return cause_or_null(a.whole->answer.cause); }),
      written<A>("is_open", "true: it holds only if the first of open does not say otherwise",
                 [](const A& a) { return a.whole->answer.is_open(); }),
      written<A>(
          "sure",
          "of generated jobs that get this answer from as many readings, the share for which "
          "it is right; null: not counted",
          [](const A& a) { return a.whole->answer.sure; }),
      written<&answered>("because", "what was asked of the readings, in this order"),
      written<&open>("open", "readings that are missing and could change it, most telling first"),
  };
  return list;
}

template <>
const std::vector<Entry<RuleRow>>& entries<RuleRow>() {
  using R = RuleRow;
  static const std::vector<Entry<R>> list = {
      written<R>("name", "", [](const R& r) { return r.of->rule->name; }),
      written<R>("title", "in words", [](const R& r) { return r.of->rule->title; }),
      written<R>("verdict",
                 "fits; fits so far: a reading is missing; does not fit; or not known: all are",
                 [](const R& r) { return name_of(r.of->fit); }),
      written<R>("cause", "download, disk, cores, workers, streaming, loader, fed; null: none",
                 [](const R& r) { return cause_or_null(r.of->rule->cause); }),
      written<R>("meaning", "a sentence", [](const R& r) { return r.of->rule->meaning; }),
      written<R>("source", "who published it", [](const R& r) { return r.of->rule->source; }),
      written<&conditions>("conditions", "all of them must hold"),
      written<R>("remedies", "in the source's order",
                 [](const R& r) { return texts(r.of->rule->remedies); }),
      written<R>("keys", "keys of a scenario to look at",
                 [](const R& r) { return texts(r.of->rule->keys); }),
      written<R>("test", "what would show that it is right",
                 [](const R& r) { return r.of->rule->test; }),
  };
  return list;
}

template <>
const std::vector<Entry<Difference>>& entries<Difference>() {
  using D = Difference;
  static const std::vector<Entry<D>> list = {
      written<D>("reading", "key of readings",
                 [](const D& d) { return key_of(reading(d.reading)); }),
      written<&D::observed>("observed"),
      written<&D::predicted>("predicted"),
      written<&D::matters>(
          "matters",
          "they differ by 10 points or more; for readings that are no shares: by a fifth or more"),
  };
  return list;
}

template <>
const std::vector<Entry<SimulatedPart>>& entries<SimulatedPart>() {
  using S = SimulatedPart;
  static const std::vector<Entry<S>> list = {
      written<S>("name", "the scenario's",
                 [](const S& s) -> const std::string& { return s.whole->simulated->name; }),
      written<S>("file", "as given",
                 [](const S& s) -> const std::string& { return s.whole->simulated->file; }),
      written<S>("bottleneck", "the stage; null: no faster stage would help",
                 [](const S& s) { return s.whole->simulated->result.bottleneck.stage; }),
      written<S>(
          name_of(FigureId::gain_if_twice_as_fast), "fraction of the job's time",
          [](const S& s) { return s.whole->simulated->result.bottleneck.gain_if_twice_as_fast; }),
      written<S>("cause", "one of the causes of rules; other: no rule speaks of that stage",
                 [](const S& s) { return name_of(s.whole->simulated->cause); }),
      written<S>("readings", "predicted readings, as above",
                 [](const S& s) -> const Readings& { return s.whole->simulated->readings; }),
      written<S>("differences", "readings that are both observed and predicted",
                 [](const S& s) -> const std::vector<Difference>& { return s.whole->differences; }),
      written<&predicted_rules>("rules_that_fit", "rules that fit the predicted readings"),
  };
  return list;
}

template <>
const std::vector<Entry<ThresholdPart>>& entries<ThresholdPart>() {
  using T = ThresholdPart;
  static const std::vector<Entry<T>> list = {
      written<T>("name", "as --threshold takes it; with _s in seconds",
                 [](const T& t) { return key_of(*t.row); }),
      written<&T::value>("value", "value that was used"),
      written<T>("default", "", [](const T& t) { return t.row->value; }),
      written<T>("published", "whether the source gives the default; else it is feedrate's",
                 [](const T& t) { return !t.row->ours; }),
      written<T>("meaning", "in words", [](const T& t) { return t.row->meaning; }),
  };
  return list;
}

template <>
const std::vector<Entry<Diagnosis>>& entries<Diagnosis>() {
  using D = Diagnosis;
  static const std::vector<Entry<D>> list = {
      written<D>("feedrate", "version", [](const D&) { return version; }),
      written<D>("kind", "diagnosis", [](const D&) { return std::string_view("diagnosis"); }),
      written<D>("schema", "1: the version of this format", [](const D&) { return 1.0; }),
      written<&D::readings>("readings", "what monitors show"),
      written<&answer>("answer", "one cause, as feedrate asks for it"),
      written<&causes>("causes", "causes that the fitting rules name, each once"),
      written<&rules>("rules", "in the order in which they are judged"),
      written<&simulated>("simulated", "null: no scenario was given"),
      written<&thresholds>("thresholds", "values that the rules compare readings with"),
      written<&D::remarks>("remarks", "on the readings"),
  };
  return list;
}

std::string write_diagnosis(const Diagnosis& d) {
  JsonWriter out;
  Written<Diagnosis>::put(d, out);
  return std::move(out).finish();
}

std::string diagnosis_manual() {
  return "With --format json, feedrate diagnose prints one object. Units stand in the names (_s); "
         "shares are\n0 … 1; null means: does not apply, or not known.\n\n" +
         written_manual(root_of<Diagnosis>("diagnosis"));
}

std::string diagnosis_json_schema() {
  return written_json_schema(root_of<Diagnosis>("diagnosis"), "feedrate diagnose", "diagnose");
}

}  // namespace feedrate::schema
