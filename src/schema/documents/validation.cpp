#include "schema/documents/documents.hpp"

#include "model/case_result.hpp"
#include "schema/record/document_kind.hpp"

namespace feedrate::schema {
namespace {

/// The document as a whole.
struct Validated {
  const ScenarioCases* of;
  const std::string* profile;
};
/// A case as it was measured here: fewer keys than a study's.
struct MeasuredCase {
  const CaseResult* of;
};
/// Errors over all cases.
struct SummaryPart {
  const CaseSummary* of;
};

std::optional<double> share(std::size_t part, std::size_t all) {
  return all == 0 ? std::nullopt
                  : std::optional(static_cast<double>(part) / static_cast<double>(all));
}

std::optional<double> coverage(const SummaryPart& part) {
  return share(part.of->inside, part.of->banded);
}

/// Of the figures at the canary's pace, where there are any.
template <auto member>
std::optional<double> adjusted(const SummaryPart& part) {
  return part.of->adjusted == 0 ? std::nullopt : finite(part.of->*member);
}

std::vector<MeasuredCase> measured_cases(const Validated& all) {
  std::vector<MeasuredCase> rows;
  for (const CaseResult& one : all.of->cases) rows.push_back({&one});
  return rows;
}

SummaryPart summary(const Validated& all) {
  return {&all.of->summary};
}

}  // namespace

template <>
struct Recorded<SummaryPart> {
  static constexpr auto layout = block;
  static Keys<SummaryPart> keys() {
    using P = SummaryPart;
    using S = CaseSummary;
    return {
        written<&P::of, &S::predictions>("times", "measured figures that were predicted"),
        finite_or_null<&P::of, &S::mean>("mean_absolute_error", "of predicted / measured - 1"),
        finite_or_null<&P::of, &S::median>("median_absolute_error", "likewise"),
        finite_or_null<&P::of, &S::worst>("worst_absolute_error", "likewise"),
        finite_or_null<&P::of, &S::bias>("bias", "mean of the errors with their signs"),
        written<&P::of, &S::bottlenecks>("bottlenecks", "settings whose bottleneck is known"),
        written<&P::of, &S::bottlenecks_right>("bottlenecks_right",
                                               "of these, those predicted as measured"),
        written<&P::of, &S::banded>(
            "figures_with_a_band",
            "measured figures, repeats one by one, whose prediction has a band"),
        written<&coverage>("coverage", "share of these that lie in their band; null: none has one"),
        written<&adjusted<&S::adjusted_median>>(
            "canary_adjusted_median_absolute_error",
            "at the pace that the canary showed while each setting ran; null: it did not run"),
        written<&adjusted<&S::adjusted_mean>>("canary_adjusted_mean_absolute_error", "likewise"),
        written<&adjusted<&S::adjusted_bias>>("canary_adjusted_bias", "likewise"),
    };
  }
};

template <>
struct Recorded<MeasuredCase> {
  static Keys<MeasuredCase> keys() {
    using M = MeasuredCase;
    using C = CaseResult;
    return {
        written<&M::of, &C::what, &Case::name>("name", "of the setting"),
        written<&M::of, &C::what, &Case::set>("set", "KEY: VALUE, as for --set"),
        written<&M::of, &C::what, &Case::metric>("metric", "a figure of feedrate schema result"),
        written<&M::of, &C::what, &Case::measured>("measured", "median of the repeats"),
        finite_or_null<&M::of, &C::predicted>("predicted"),
        finite_or_null<&M::of, &C::error>("error", "predicted / measured - 1"),
        text_or_null<&M::of, &C::bottleneck>("bottleneck", "predicted; null: none"),
        written<&M::of, &C::band>("band", "5 %, 50 % and 95 % of predicted; null: not drawn"),
        written<&M::of, &C::what, &Case::repeats>("repeats", "each measured value"),
        written<&M::of, &C::adjusted>("adjusted",
                                      "of each of them, the prediction at the canary's pace"),
    };
  }
};

template <>
struct Recorded<Validated> {
  static Keys<Validated> keys() {
    using V = Validated;
    return {
        written<&V::profile>("profile", "host profile that predicted"),
        written<&V::of, &ScenarioCases::scenario, &Scenario::about, &About::source>(
            "measured", "what ran: loader, date and host"),
        written<&summary>("validation", "how wrong the predictions are"),
        written<&measured_cases>("cases", "one per setting and figure"),
    };
  }
};

const DocumentKind validation_document{
    .kind = "validation", .command = "validate", .keys = keys_of<Validated>};

std::string write_validation(const ScenarioCases& of, const std::string& profile) {
  return write_document(validation_document, Validated{&of, &profile});
}

}  // namespace feedrate::schema
