#include "schema/cases.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "base/version.hpp"
#include "schema/reference_record.hpp"
#include "schema/written.hpp"
#include "schema/written_manual.hpp"

namespace feedrate::schema {
namespace {

/// The document as a whole.
struct AllCases {
  const std::vector<ScenarioCases>* scenarios;
  const CaseSummary* summary;
};
struct CasesSource {
  const ScenarioCases* of;
};
/// The keys that a case sets.
struct CaseSettings {
  const std::vector<std::pair<std::string, std::string>>* of;
};

double as_number(std::size_t n) {
  return static_cast<double>(n);
}

/// Bands of a prediction by the percentage of draws that they hold.
struct CaseIntervals {
  const CaseResult* of;
};
using Ends = std::array<double, 2>;

/// JSON has no infinity: what is no finite number is not known.
std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Of a figure that is one of predictions only.
template <auto member>
std::optional<double> of_predictions(const CaseSummary& s) {
  return s.predictions == 0 ? std::nullopt : finite(s.*member);
}

template <auto member>
double counted_in(const CaseSummary& s) {
  return as_number(s.*member);
}

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::relative: return "relative";
    case ErrorKind::points: return "points";
    case ErrorKind::absolute: return "absolute";
    case ErrorKind::bottleneck: break;
  }
  return "bottleneck";
}

std::string_view role_of(const Case& what) {
  if (what.fitted) return "fitted";
  return what.identity ? "identity" : "predicted";
}

const Study& study_of(const ScenarioCases& of) {
  static const Study none;
  return of.scenario.about.study ? *of.scenario.about.study : none;
}

template <class E, class Words>
std::optional<std::string_view> word_or_null(const std::optional<E>& value, const Words& words) {
  if (!value) return std::nullopt;
  return words[static_cast<std::size_t>(*value)];
}

}  // namespace

template <>
inline constexpr bool is_record<AllCases> = true;
template <>
inline constexpr bool is_record<CasesSource> = true;
template <>
inline constexpr bool is_record<CaseIntervals> = true;
template <>
inline constexpr bool is_record<CaseResult> = true;
template <>
inline constexpr bool is_record<CaseSummary> = true;
template <>
inline constexpr bool is_record<ScenarioCases> = true;

template <>
inline constexpr JsonWriter::Layout layout_of<AllCases> = JsonWriter::Layout::block;
template <>
inline constexpr JsonWriter::Layout layout_of<ScenarioCases> = JsonWriter::Layout::block;

template <>
struct Written<CaseSettings> {
  static constexpr KeyKind kind = KeyKind::settings;
  static void put(const CaseSettings& set, JsonWriter& out) {
    out.begin_object(JsonWriter::Layout::line);
    for (const auto& [key, value] : *set.of) out.text(key, value);
    out.end();
  }
};

template <>
struct Written<std::vector<double>> {
  static constexpr KeyKind kind = KeyKind::numbers;
  static void put(const std::vector<double>& values, JsonWriter& out) {
    out.begin_array();
    for (const double value : values) out.number(value);
    out.end();
  }
};

template <>
const std::vector<Entry<CasesSource>>& entries<CasesSource>() {
  using S = CasesSource;
  static const std::vector<Entry<S>> list = {
      written<S>("name", "", [](const S& s) -> const std::string& { return s.of->scenario.name; }),
      written<S>("file", "as given", [](const S& s) { return words_or_null(s.of->file); }),
  };
  return list;
}

template <>
const std::vector<Entry<CaseSummary>>& entries<CaseSummary>() {
  using S = CaseSummary;
  static const std::vector<Entry<S>> list = {
      written<&counted_in<&S::predictions>>(
          "predictions",
          "cases on which no input was fitted and whose error is a share or a number of points"),
      written<&of_predictions<&S::median>>("median_absolute_error", "null: no prediction"),
      written<&of_predictions<&S::mean>>("mean_absolute_error", "likewise"),
      written<&of_predictions<&S::worst>>("worst_absolute_error", "likewise"),
      written<&of_predictions<&S::bias>>("bias", "mean of the errors with their signs"),
      written<&counted_in<&S::near>>("within_10_percent",
                                     "predictions that are off by 10 % or less"),
      written<S>("worst_case", "name of the case with the largest error; null: no prediction",
                 [](const S& s) { return words_or_null(s.worst_case); }),
      written<S>("worst_file", "the scenario that holds it",
                 [](const S& s) { return words_or_null(s.worst_file); }),
      written<&counted_in<&S::judged>>("judged", "predictions that state a tolerance"),
      written<&counted_in<&S::within>>("within", "of these, those within it"),
      written<&counted_in<&S::zeros>>("zeros", "cases measured as 0; no median includes them"),
      written<&counted_in<&S::bottlenecks>>("bottlenecks", "cases \"bottleneck is STAGE\""),
      written<&counted_in<&S::bottlenecks_right>>("bottlenecks_right",
                                                  "of these, those predicted as measured"),
      written<&counted_in<&S::fitted>>("fitted", "cases on which an input was fitted"),
      written<&counted_in<&S::identities>>("identities",
                                           "cases that follow from another by arithmetic"),
      written<&counted_in<&S::fits_missed>>(
          "fits_missed", "cases on which an input was fitted and that are beyond their tolerance"),
      written<&counted_in<&S::awaited>>("awaited", "cases that are promised and not measured yet"),
      written<&counted_in<&S::banded>>(
          "figures_with_a_band", "measured figures whose prediction has a band (--replications)"),
      written<&counted_in<&S::inside>>("figures_inside", "of these, those in their band"),
  };
  return list;
}

template <>
const std::vector<Entry<CaseIntervals>>& entries<CaseIntervals>() {
  using I = CaseIntervals;
  static const std::vector<Entry<I>> list = {
      written<I>("50", "in the middle half of the draws",
                 [](const I& i) {
                   return Ends{(*i.of->inner)[1], (*i.of->inner)[2]};
                 }),
      written<I>("80", "in the middle 80 %",
                 [](const I& i) {
                   return Ends{(*i.of->inner)[0], (*i.of->inner)[3]};
                 }),
      written<I>("90", "in the middle 90 %, as band",
                 [](const I& i) {
                   return Ends{(*i.of->band)[0], (*i.of->band)[2]};
                 }),
  };
  return list;
}

template <>
const std::vector<Entry<CaseResult>>& entries<CaseResult>() {
  using C = CaseResult;
  static const std::vector<Entry<C>> list = {
      written<C>("name", "", [](const C& c) -> const std::string& { return c.what.name; }),
      written<C>("set", "KEY: VALUE as for --set",
                 [](const C& c) { return CaseSettings{&c.what.set}; }),
      written<C>("relative_to",
                 "likewise, of the run that the figure is a change against; {}: none",
                 [](const C& c) { return CaseSettings{&c.what.relative_to}; }),
      written<C>("metric", "a figure of feedrate schema result, or a search",
                 [](const C& c) -> const std::string& { return c.what.metric; }),
      written<C>("measured", "null: not yet", [](const C& c) { return finite(c.what.measured); }),
      written<C>("predicted", "null: no finite number",
                 [](const C& c) { return finite(c.predicted); }),
      written<C>("error", "predicted / measured - 1, unless error_is says other; null: none yet",
                 [](const C& c) { return c.what.awaited() ? std::nullopt : finite(c.error); }),
      written<C>("error_is", "relative, points (of a change), absolute (measured 0), bottleneck",
                 [](const C& c) { return name_of(error_kind(c.what)); }),
      written<C>("tolerance", "as stated; null: none", [](const C& c) { return c.what.tolerance; }),
      written<C>("within", "true also where no tolerance is stated",
                 [](const C& c) { return c.within; }),
      written<C>("fitted", "an input was fitted on it, so it is no prediction",
                 [](const C& c) { return c.what.fitted; }),
      written<C>("role", "predicted, fitted, or identity: arithmetic of another point",
                 [](const C& c) { return role_of(c.what); }),
      written<C>("bound_by", "what limited the measured job; null: not stated",
                 [](const C& c) { return word_or_null(c.what.bound_by, study_class_words); }),
      written<C>("known", "what was known of the job before: nothing, fitted or profile",
                 [](const C& c) { return word_or_null(c.what.known, study_known_words); }),
      written<C>("promised", "value that was predicted before the measurement; null: none",
                 [](const C& c) { return c.what.promised; }),
      written<C>("repeats", "each measured value",
                 [](const C& c) -> const std::vector<double>& { return c.what.repeats; }),
      written<&C::band>("band", "5 %, 50 % and 95 % of predicted, with --replications"),
      written<C>("intervals", "lower and upper end, with --replications",
                 [](const C& c) {
                   return c.band && c.inner ? std::optional(CaseIntervals{&c}) : std::nullopt;
                 }),
      written<&C::reference>("reference_class", "as in the result; null: a search"),
      written<C>("bottleneck", "of the run; null: none, or a search",
                 [](const C& c) { return words_or_null(c.bottleneck); }),
      written<C>("note", "why it misses; null: no note",
                 [](const C& c) { return words_or_null(c.what.note); }),
  };
  return list;
}

template <>
const std::vector<Entry<ScenarioCases>>& entries<ScenarioCases>() {
  using S = ScenarioCases;
  static const std::vector<Entry<S>> list = {
      written<S>("scenario", "which one", [](const S& s) { return CasesSource{&s}; }),
      written<S>("source", "where the figures come from; null: not stated",
                 [](const S& s) { return words_or_null(s.scenario.about.source); }),
      written<S>("study", "the study's identifier; null: not stated",
                 [](const S& s) { return words_or_null(study_of(s).id); }),
      written<S>("part", "of the study; null: it is one file",
                 [](const S& s) { return words_or_null(study_of(s).part); }),
      written<S>("noise",
                 "relative standard deviation of the study's repetitions; null: not stated",
                 [](const S& s) { return study_of(s).noise; }),
      written<S>(
          "fitted", "inputs that were fitted, in words",
          [](const S& s) -> const std::vector<std::string>& { return s.scenario.about.fitted; }),
      written<&S::summary>("summary", "the same figures for this scenario's cases"),
      written<&S::cases>("cases", "in the order of the file"),
  };
  return list;
}

template <>
const std::vector<Entry<AllCases>>& entries<AllCases>() {
  using A = AllCases;
  static const std::vector<Entry<A>> list = {
      written<A>("feedrate", "version", [](const A&) { return version; }),
      written<A>("kind", "cases", [](const A&) { return std::string_view("cases"); }),
      written<A>("schema", "1: the version of this format", [](const A&) { return 1.0; }),
      written<A>("summary", "how wrong the predictions of all scenarios are",
                 [](const A& a) -> const CaseSummary& { return *a.summary; }),
      written<A>("scenarios", "in the order of the command line",
                 [](const A& a) -> const std::vector<ScenarioCases>& { return *a.scenarios; }),
  };
  return list;
}

std::string write_cases(const std::vector<ScenarioCases>& scenarios, const CaseSummary& all) {
  JsonWriter out;
  Written<AllCases>::put({&scenarios, &all}, out);
  return std::move(out).finish();
}

std::string cases_manual() {
  return "With --format json, feedrate cases prints one object. null means: does not apply, or not "
         "known.\n\n" +
         written_manual(root_of<AllCases>("cases"));
}

std::string cases_json_schema() {
  return written_json_schema(root_of<AllCases>("cases"), "feedrate cases", "cases");
}

}  // namespace feedrate::schema
