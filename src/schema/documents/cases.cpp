#include "schema/documents/documents.hpp"

#include <utility>
#include <vector>

#include "model/case_result.hpp"
#include "schema/documents/problem_record.hpp"
#include "schema/documents/reference_record.hpp"
#include "schema/record/document_kind.hpp"
#include "schema/record/record.hpp"

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
/// Bands of a prediction by the percentage of draws that they hold.
struct CaseIntervals {
  const CaseResult* of;
};
using Ends = std::array<double, 2>;

/// Of a figure that is one of predictions only.
template <auto member>
std::optional<double> of_predictions(const CaseSummary& s) {
  return s.predictions == 0 ? std::nullopt : finite(s.*member);
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
struct Recorded<CasesSource> {
  static Keys<CasesSource> keys() {
    using S = CasesSource;
    return {
        written<S>("name", "",
                   [](const S& s) -> const std::string& { return s.of->scenario.name; }),
        written<S>("file", "as given", [](const S& s) { return words_or_null(s.of->file); }),
    };
  }
};

template <>
struct Recorded<CaseSummary> {
  static Keys<CaseSummary> keys() {
    using S = CaseSummary;
    return {
        written<&S::predictions>(
            "predictions",
            "cases on which no input was fitted and whose error is a share or a number of points; "
            "those that measure a setting again count once, with the mean"),
        written<&of_predictions<&S::median>>("median_absolute_error", "null: no prediction"),
        written<&of_predictions<&S::mean>>("mean_absolute_error", "likewise"),
        written<&of_predictions<&S::worst>>("worst_absolute_error", "likewise"),
        written<&of_predictions<&S::bias>>("bias", "mean of the errors with their signs"),
        written<&S::near>("within_10_percent", "predictions that are off by 10 % or less"),
        text_or_null<&S::worst_case>(
            "worst_case", "name of the case with the largest error; null: no prediction"),
        text_or_null<&S::worst_file>("worst_file", "the scenario that holds it"),
        written<&S::judged>("judged", "predictions that state a tolerance"),
        written<&S::within>("within", "of these, those within it"),
        written<&S::zeros>("zeros", "cases measured as 0; no median includes them"),
        written<&S::bottlenecks>("bottlenecks", "cases \"bottleneck is STAGE\""),
        written<&S::bottlenecks_right>("bottlenecks_right",
                                       "of these, those predicted as measured"),
        written<&S::fitted>("fitted", "cases on which an input was fitted"),
        written<&S::identities>("identities", "cases that follow from another by arithmetic"),
        written<&S::fits_missed>(
            "fits_missed",
            "cases on which an input was fitted and that are beyond their tolerance"),
        written<&S::awaited>("awaited", "cases that are promised and not measured yet"),
        written<&S::banded>("figures_with_a_band",
                            "measured figures whose prediction has a band (--replications)"),
        written<&S::inside>("figures_inside", "of these, those in their band"),
    };
  }
};

template <>
struct Recorded<CaseIntervals> {
  static Keys<CaseIntervals> keys() {
    using I = CaseIntervals;
    return {
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
  }
};

template <>
struct Recorded<CaseResult> {
  static Keys<CaseResult> keys() {
    using C = CaseResult;
    return {
        written<&C::what, &Case::name>("name"),
        written<&C::what, &Case::set>("set", "KEY: VALUE as for --set"),
        written<&C::what, &Case::relative_to>(
            "relative_to", "likewise, of the run that the figure is a change against; {}: none"),
        written<&C::what, &Case::metric>("metric",
                                         "a figure of feedrate schema result, or a search"),
        written<C>("measured", "null: not yet", [](const C& c) { return finite(c.what.measured); }),
        written<C>("predicted", "null: no finite number",
                   [](const C& c) { return finite(c.predicted); }),
        written<C>("error", "predicted / measured - 1, unless error_is says other; null: none yet",
                   [](const C& c) { return c.what.awaited() ? std::nullopt : finite(c.error); }),
        written<C>("error_is", "relative, points (of a change), absolute (measured 0), bottleneck",
                   [](const C& c) { return name_of(error_kind(c.what)); }),
        written<&C::what, &Case::tolerance>("tolerance", "as stated; null: none"),
        written<&C::within>("within", "true also where no tolerance is stated"),
        written<&C::what, &Case::fitted>("fitted",
                                         "an input was fitted on it, so it is no prediction"),
        written<C>("role", "predicted, fitted, or identity: arithmetic of another point",
                   [](const C& c) { return role_of(c.what); }),
        written<C>("bound_by", "what limited the measured job; null: not stated",
                   [](const C& c) { return word_or_null(c.what.bound_by, study_class_words); }),
        written<C>("known", "what was known of the job before: nothing, fitted or profile",
                   [](const C& c) { return word_or_null(c.what.known, study_known_words); }),
        written<&C::what, &Case::promised>(
            "promised", "value that was predicted before the measurement; null: none"),
        written<&C::what, &Case::repeats>("repeats", "each measured value"),
        written<&C::band>("band", "5 %, 50 % and 95 % of predicted, with --replications"),
        written<C>("intervals", "lower and upper end, with --replications",
                   [](const C& c) {
                     return c.band && c.inner ? std::optional(CaseIntervals{&c}) : std::nullopt;
                   }),
        written<&C::reference>("reference_class", "as in the result; null: a search"),
        text_or_null<&C::bottleneck>("bottleneck", "of the run; null: none, or a search"),
        text_or_null<&C::what, &Case::note>("note", "why it misses; null: no note"),
    };
  }
};

template <>
struct Recorded<RefusedCase> {
  static Keys<RefusedCase> keys() {
    using R = RefusedCase;
    return {
        written<&R::name>("name"),
        written<R>("problems", "why it cannot be simulated",
                   [](const R& r) { return placed(r.problems); }),
    };
  }
};

template <>
struct Recorded<ScenarioCases> {
  static constexpr auto layout = block;
  static Keys<ScenarioCases> keys() {
    using S = ScenarioCases;
    return {
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
        written<&S::cases>("cases", "those that could be simulated, in the order of the file"),
        written<&S::refused>("refused", "the others, likewise; no summary counts them"),
    };
  }
};

template <>
struct Recorded<AllCases> {
  static constexpr auto layout = block;
  static Keys<AllCases> keys() {
    using A = AllCases;
    return {
        written<A>("summary", "how wrong the predictions of all scenarios are",
                   [](const A& a) -> const CaseSummary& { return *a.summary; }),
        written<A>("scenarios", "in the order of the command line",
                   [](const A& a) -> const std::vector<ScenarioCases>& { return *a.scenarios; }),
    };
  }
};

const DocumentKind cases_document{.kind = "cases", .command = "cases", .keys = keys_of<AllCases>};

std::string write_cases(const std::vector<ScenarioCases>& scenarios, const CaseSummary& all) {
  return write_document(cases_document, AllCases{&scenarios, &all});
}

}  // namespace feedrate::schema
