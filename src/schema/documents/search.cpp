#include "schema/documents/documents.hpp"

#include "model/figures.hpp"
#include "model/search.hpp"
#include "schema/documents/problem_record.hpp"
#include "schema/record/document_kind.hpp"

namespace feedrate::schema {
namespace {

/// The document as a whole.
struct Searches {
  std::span<const SearchAnswer> answers;
};

std::optional<double> value_found(const SearchAnswer& answer) {
  return answer.there ? std::optional(answer.there->at) : std::nullopt;
}

template <FigureId id>
std::optional<double> figure_of(const SearchPoint& point) {
  return point.problems.empty() ? value_of(point.result, id) : std::nullopt;
}

std::optional<Stage> bottleneck(const SearchPoint& point) {
  return point.problems.empty() ? point.result.bottleneck.stage : std::nullopt;
}

}  // namespace

template <>
struct Recorded<SearchPoint> {
  static constexpr auto layout = block;
  static Keys<SearchPoint> keys() {
    using P = SearchPoint;
    return {
        written<&P::at>("at", "value of the key"),
        written<&P::holds>("holds", "the condition is met there"),
        written<&P::value>("value", "of the metric; null: no result"),
        written<&figure_of<FigureId::gpu_busy>>(name_of(FigureId::gpu_busy)),
        written<&figure_of<FigureId::throughput>>(name_of(FigureId::throughput)),
        written<&P::bytes>("bytes_per_s", "of the samples as stored"),
        written<&P::waits_for>("waits_for",
                               "the bottleneck, if GPUs wait for it after staging, or else the "
                               "stage that they wait longest for"),
        written<&bottleneck>("bottleneck", "a stage; null: none"),
        written<&P::problems>("problems", "why there is no result; else empty"),
    };
  }
};

template <>
struct Recorded<SearchAnswer> {
  static constexpr auto layout = block;
  static Keys<SearchAnswer> keys() {
    using A = SearchAnswer;
    using S = Search;
    return {
        written<&A::search, &S::text>("question", "as asked"),
        written<&A::search, &S::key>("key", "whose values were searched"),
        written<&A::search, &S::from>("from", "first of them"),
        written<&A::search, &S::to>("to", "last of them"),
        written<&A::search, &S::condition, &Limit::metric>("metric", "figure of the condition"),
        written<&value_found>("answer", "value of the key; null: the condition holds for none"),
        written<&A::at_end>("at_end", "values beyond the range may hold, too"),
        written<&A::there>("there", "at the answer"),
        written<&A::beyond>("next", "at the first value that no longer holds"),
        written<&A::exception>(
            "exception", "at a value before the answer that does not hold either; null: none"),
        written<&A::band>("band", "5 %, 50 % and 95 % of the answer over the draws"),
        written<&A::draws>("draws", "number of draws of the uncertain inputs"),
        written<&A::by_mean>("answer_by_mean",
                             "of the closed form, from which the events go on; null: none"),
        written<&A::by_events>("by_events", "number of values simulated event by event as well"),
        written<&A::tried>("tried", "number of values that were simulated"),
        written<&A::tried_all>("tried_all", "all values of the range were"),
    };
  }
};

template <>
struct Recorded<Searches> {
  static Keys<Searches> keys() {
    return {written<&Searches::answers>("answers", "one for each question")};
  }
};

const DocumentKind search_document{
    .kind = "search",
    .keys = keys_of<Searches>,
    .about = "feedrate feeds and feedrate run --find print one object with --format json.",
    .scenario = "that was searched"};

std::string write_searches(std::span<const SearchAnswer> answers, const std::string& name,
                           const std::string& file) {
  return write_document(search_document, Searches{answers}, name, file);
}

}  // namespace feedrate::schema
