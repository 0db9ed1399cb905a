#include "schema/documents/documents.hpp"

#include <array>
#include <span>

#include "model/diagnosis.hpp"
#include "model/figures.hpp"
#include "schema/record/document_kind.hpp"
#include "schema/record/record.hpp"

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

/// A reading as a key.
struct NamedReading {
  std::string name;
  std::string_view manual;
  ReadingId id;
};

const std::vector<NamedReading>& named_readings() {
  static const auto list = [] {
    std::vector<NamedReading> all;
    for (const ReadingRow& row : all_readings()) all.push_back({key_of(row), row.help, row.id});
    return all;
  }();
  return list;
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
struct ThresholdPart {
  const ThresholdRow* row;
  double value;
};

std::vector<ConditionRow> conditions(const RuleRow& rule) {
  std::vector<ConditionRow> rows;
  for (const JudgedCondition& one : rule.of->conditions) {
    rows.push_back({&one, (*rule.thresholds)[one.what.threshold]});
  }
  return rows;
}

std::vector<ConditionRow> answered(const Diagnosis& d) {
  std::vector<ConditionRow> rows;
  for (const JudgedCondition& one : d.answer.because) {
    rows.push_back({&one, d.thresholds[one.what.threshold]});
  }
  return rows;
}

std::vector<OpenRow> open(const Diagnosis& d) {
  std::vector<OpenRow> rows;
  for (const OpenReading& one : d.answer.open) {
    rows.push_back({&one, d.thresholds[one.what.threshold]});
  }
  return rows;
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

std::vector<std::string> predicted_rules(const Diagnosis& d) {
  std::vector<std::string> names;
  for (const JudgedRule& judged : d.by_prediction) {
    if (judged.fit == Fit::fits) names.emplace_back(judged.rule->name);
  }
  return names;
}

}  // namespace

template <>
struct Recorded<Readings> {
  static constexpr auto layout = block;
  static Keys<Readings> keys() {
    return one_each<Readings, named_readings>(
        [](const Readings& in, const NamedReading& row) { return in[row.id]; });
  }
};

template <>
struct Recorded<ConditionRow> {
  static Keys<ConditionRow> keys() {
    using C = ConditionRow;
    return {
        written<C>("reading", "key of readings",
                   [](const C& c) { return key_of(reading(c.of->what.reading)); }),
        written<C>("is", "at least, or below",
                   [](const C& c) -> std::string_view {
                     return c.of->what.at_least ? "at least" : "below";
                   }),
        written<C>("threshold", "name of a row of thresholds",
                   [](const C& c) { return key_of(threshold(c.of->what.threshold)); }),
        written<&C::value>("value", "value of the threshold"),
        written<&C::of, &JudgedCondition::what, &Condition::needed>(
            "needed", "false: if the reading is missing, the other conditions decide"),
        written<&C::of, &JudgedCondition::what, &Condition::any>(
            "any", "true: of the rule's conditions of this kind one is enough"),
        written<&C::of, &JudgedCondition::met>("met", "null: the reading is missing"),
        written<&C::of, &JudgedCondition::by_io_wait>(
            "by_io_wait", "true: I/O wait stood for the disk, which was not read"),
        written<&C::of, &JudgedCondition::by_others>(
            "by_others", "true: the reading would do, but most of it is not the job's"),
    };
  }
};

template <>
struct Recorded<OpenRow> {
  static Keys<OpenRow> keys() {
    using O = OpenRow;
    return {
        written<O>("reading", "key of readings",
                   [](const O& o) { return key_of(reading(o.of->what.reading)); }),
        written<O>("threshold", "name of a row of thresholds",
                   [](const O& o) { return key_of(threshold(o.of->what.threshold)); }),
        written<&O::value>("value", "value of the threshold"),
        written<&O::of, &OpenReading::cause>("cause", "the answer if the reading is at least that"),
        written<&O::of, &OpenReading::vital>("vital",
                                             "false: it would change the answer of few jobs"),
        written<O>("where", "what to read for it",
                   [](const O& o) { return reading(o.of->what.reading).where; }),
    };
  }
};

static Keys<Diagnosis> answer_keys() {
  using D = Diagnosis;
  return {
      written<D>("cause",
                 "the one cause that the readings speak for; null: too little is known, or "
                 "something is against one",
                 [](const D& d) { return cause_or_null(d.answer.cause); }),
      written<D>("against",
                 "idle_cpu: nothing runs that more workers could share; other_programs: they, not "
                 "the job, keep the cores busy; null: nothing",
                 [](const D& d) { return words_or_null(name_of(d.answer.against)); }),
      written<&D::answer, &Answer::is_open>(
          "is_open", "true: it holds only if the first of open does not say otherwise"),
      written<&D::answer, &Answer::sure>(
          "sure",
          "of generated jobs that get this answer from as many readings, the share for which "
          "it is right; null: not counted"),
      written<&answered>("because", "what was asked of the readings, in this order"),
      written<&open>("open", "readings that are missing and could change it, most telling first"),
  };
}

template <>
struct Recorded<RuleRow> {
  static constexpr auto layout = block;
  static Keys<RuleRow> keys() {
    using R = RuleRow;
    return {
        written<&R::of, &JudgedRule::rule, &Rule::name>("name"),
        written<&R::of, &JudgedRule::rule, &Rule::title>("title", "in words"),
        written<&R::of, &JudgedRule::fit>(
            "verdict",
            "fits; fits so far: a reading is missing; does not fit; or not known: all are"),
        written<R>("cause", "download, disk, cores, workers, streaming, loader, fed; null: none",
                   [](const R& r) { return cause_or_null(r.of->rule->cause); }),
        written<&R::of, &JudgedRule::rule, &Rule::meaning>("meaning", "a sentence"),
        written<&R::of, &JudgedRule::rule, &Rule::source>("source", "who published it"),
        written<&conditions>("conditions", "all of them must hold"),
        written<R>("remedies", "in the source's order",
                   [](const R& r) { return texts(r.of->rule->remedies); }),
        written<R>("keys", "keys of a scenario to look at",
                   [](const R& r) { return texts(r.of->rule->keys); }),
        written<&R::of, &JudgedRule::rule, &Rule::test>("test", "what would show that it is right"),
    };
  }
};

template <>
struct Recorded<Difference> {
  static Keys<Difference> keys() {
    using D = Difference;
    return {
        written<D>("reading", "key of readings",
                   [](const D& d) { return key_of(reading(d.reading)); }),
        written<&D::observed>("observed"),
        written<&D::predicted>("predicted"),
        written<&D::matters>("matters",
                             "they differ by 10 points or more; for readings that are no shares: "
                             "by a fifth or more"),
    };
  }
};

static Keys<Diagnosis> simulated_keys() {
  using D = Diagnosis;
  return {
      written<D>("name", "the scenario's",
                 [](const D& d) -> const std::string& { return d.simulated->name; }),
      written<D>("file", "as given",
                 [](const D& d) -> const std::string& { return d.simulated->file; }),
      written<D>("bottleneck", "the stage; null: no faster stage would help",
                 [](const D& d) { return d.simulated->result.bottleneck.stage; }),
      written<D>(name_of(FigureId::gain_if_twice_as_fast), "fraction of the job's time",
                 [](const D& d) { return d.simulated->result.bottleneck.gain_if_twice_as_fast; }),
      written<D>("cause",
                 "one of the causes of rules; epoch_start: workers start anew; other: no rule "
                 "speaks of that stage",
                 [](const D& d) { return name_of(d.simulated->cause); }),
      written<D>("readings", "predicted readings, as above",
                 [](const D& d) -> const Readings& { return d.simulated->readings; }),
      written<&D::differences>("differences", "readings that are both observed and predicted"),
      written<&predicted_rules>("rules_that_fit", "rules that fit the predicted readings"),
  };
}

template <>
struct Recorded<ThresholdPart> {
  static Keys<ThresholdPart> keys() {
    using T = ThresholdPart;
    return {
        written<T>("name", "as --threshold takes it; with _s in seconds",
                   [](const T& t) { return key_of(*t.row); }),
        written<&T::value>("value", "value that was used"),
        written<&T::row, &ThresholdRow::value>("default"),
        written<T>("published", "whether the source gives the default; else it is feedrate's",
                   [](const T& t) { return !t.row->ours; }),
        written<&T::row, &ThresholdRow::meaning>("meaning", "in words"),
    };
  }
};

template <>
struct Recorded<Diagnosis> {
  static constexpr auto layout = block;
  static Keys<Diagnosis> keys() {
    using D = Diagnosis;
    return {
        written<&D::readings>("readings", "what monitors show"),
        grouped<&answer_keys, block>("answer", "one cause, as feedrate asks for it"),
        written<&causes>("causes", "causes that the fitting rules name, each once"),
        written<&rules>("rules", "in the order in which they are judged"),
        grouped<&simulated_keys, block, &D::simulated>("simulated", "null: no scenario was given"),
        written<&thresholds>("thresholds", "values that the rules compare readings with"),
        written<&D::remarks>("remarks", "on the readings"),
    };
  }
};

const DocumentKind diagnosis_document{.kind = "diagnosis",
                                      .command = "diagnose",
                                      .keys = keys_of<Diagnosis>,
                                      .about = "Shares are 0 … 1."};

std::string write_diagnosis(const Diagnosis& d) {
  return write_document(diagnosis_document, d);
}

}  // namespace feedrate::schema
