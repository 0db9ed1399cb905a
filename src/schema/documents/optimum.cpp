#include "schema/documents/documents.hpp"

#include <utility>
#include <vector>

#include "model/figures.hpp"
#include "model/optimum.hpp"
#include "schema/documents/by_events_record.hpp"
#include "schema/documents/problem_record.hpp"
#include "schema/documents/result_record.hpp"
#include "schema/record/document_kind.hpp"

namespace feedrate::schema {
namespace {

/// The result of a run, whose keys have a home of their own.
struct RunPart {
  const Result* of;
};

}  // namespace

template <>
struct Written<RunPart> {
  static constexpr KeyKind kind = KeyKind::object;
  static void put(const RunPart& part, JsonWriter& out) { Written<Result>::put(*part.of, out); }
};

template <>
struct Recorded<Constraints> {
  static Keys<Constraints> keys() {
    using C = Constraints;
    return {
        written<&C::deadline>("deadline_s", "of total_s"),
        written<&C::budget>("budget_usd", "of money_usd"),
    };
  }
};

template <>
struct Recorded<NoResult> {
  static constexpr auto layout = block;
  static Keys<NoResult> keys() {
    using N = NoResult;
    return {
        written<&N::points>("points", "number of points with this reason"),
        written<&N::set>("set", "settings of the first of these points"),
        written<&N::problems>("problems", "problems of the first of these points"),
    };
  }
};

template <>
struct Recorded<Candidate> {
  static Keys<Candidate> keys() {
    using C = Candidate;
    return joined<C>(written<&C::set>("set", "KEY: VALUE, as for --set"), keys_in<&C::outlay>());
  }
};

template <>
struct Recorded<Relaxed> {
  static Keys<Relaxed> keys() {
    using R = Relaxed;
    return {
        written<&R::without_deadline>("without_deadline"),
        written<&R::without_budget>("without_budget"),
        written<&R::best>("best", "the best point without these constraints"),
    };
  }
};

template <>
struct Recorded<Chances> {
  static Keys<Chances> keys() {
    using C = Chances;
    return {
        written<&C::draws>("draws", "draws of all uncertain inputs, the same for all points"),
        written<&C::compared>("compared", "number of points, including the winner"),
        written<&C::best>("best", "share of the draws in which it is within 0.1 % of the best"),
        written<&C::in_time>("in_time", "share in which the winner meets the deadline"),
        written<&C::in_budget>("in_budget", "likewise the budget"),
        written<&C::rival>("rival",
                           "the point that is most often the best where the winner is not"),
        written<&C::rival_best>("rival_best", "share of the draws"),
    };
  }
};

template <>
struct Recorded<NearestMiss> {
  static Keys<NearestMiss> keys() {
    using N = NearestMiss;
    return {
        written<&N::point>("point"),
        written<&N::late>("late_s", "after the deadline; null: in time"),
        written<&N::over>("over_usd", "beyond the budget; null: within it"),
    };
  }
};

template <>
struct Recorded<Winner> {
  static constexpr auto layout = block;
  static Keys<Winner> keys() {
    using W = Winner;
    return {
        written<&W::point, &Candidate::set>("set", "KEY: VALUE, as for --set"),
        written<&W::changes>("changes", "keys that are not as the scenario has them"),
        written<&W::equal>("equal", "points as good as it, itself included"),
        written<W>("result", "of a full run: see feedrate schema result",
                   [](const W& w) { return RunPart{&w.result}; }),
        written<&W::near>("near", "points within 0.1 % of it, itself included"),
        written<&W::confirmed>("confirmed", "what the events chose; null: none were simulated"),
        written<&W::simplest>(
            "simplest", "of these points the one that changes the fewest keys; null: the winner"),
        written<&W::runner_up>(
            "runner_up",
            "the best point that is not within 0.1 %; the best by the mean where "
            "the events chose another"),
        written<&W::front>("pareto",
                           "best trade-offs of time and cost within the constraints; if there are "
                           "many, some of them"),
        written<&W::front_size>("pareto_points", "in all"),
        written<&W::relaxed>("relaxed", "what each constraint costs, and what both cost"),
        written<&W::chances>("chances", "how sure the choice is"),
    };
  }
};

template <>
struct Recorded<Optimum> {
  static constexpr auto layout = block;
  static Keys<Optimum> keys() {
    using O = Optimum;
    return {
        written<&O::minimized>("minimized",
                               "total, money (the bill alone: --minimize cost) or time"),
        written<&O::no_price>("no_price",
                              "no point has a price: time is minimized, whatever was asked for"),
        written<&O::constraints>("constraints", "null: none"),
        written<&O::as_written>("as_written",
                                "what the scenario itself comes to; null: it has no result"),
        written<&O::points>("points", "number of points"),
        written<&O::unanswered>("unanswered", "points that cannot be simulated or priced"),
        written<&O::in_time>("in_time", "points that meet the deadline"),
        written<&O::in_budget>("in_budget", "points that meet the budget"),
        written<&O::feasible>("feasible", "points that meet both"),
        written<&O::guessed>("guessed",
                             "of these, points set aside: what a step takes there is a guess, and "
                             "others meet both without one"),
        written<&O::no_result>("no_result", "the most frequent reasons why points have no result"),
        written<&O::other_reasons>("other_reasons", "number of further reasons"),
        written<&O::winner>("winner", "null: no point meets the constraints"),
        written<&O::nearest>("nearest_miss", "null: there is a winner"),
        written<&O::fastest>(
            "fastest", "the fastest point, whatever the constraints; null: there is a winner"),
        written<&O::cheapest>("cheapest", "the cheapest point by money_usd, likewise"),
    };
  }
};

const DocumentKind optimum_document{
    .kind = "optimum",
    .command = "optimize",
    .keys = keys_of<Optimum>,
    .about = "Amounts are in USD whatever currency the scenario states.",
    .scenario = "that was varied"};

std::string write_optimum(const Optimum& optimum, const std::string& name,
                          const std::string& file) {
  return write_document(optimum_document, optimum, name, file);
}

}  // namespace feedrate::schema
