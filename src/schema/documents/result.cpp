#include "schema/documents/result.hpp"

#include <vector>

#include "model/figures.hpp"
#include "schema/documents/by_events_record.hpp"
#include "schema/documents/problem_record.hpp"
#include "schema/documents/result_record.hpp"

namespace feedrate::schema {
namespace {

/// What every answer has: what was asked, and the result or why there is none.
struct Answer {
  const Settings* set;
  const Result* result;
  const std::vector<Problem>* problems;
};

struct AtEfficiency {
  double efficiency = 0.0, of_fewest = 0.0;
};

std::vector<AtEfficiency> total_cost_at(const ScaleOut& beside) {
  std::vector<AtEfficiency> all;
  for (std::size_t i = 0; i < beside.total_at.size(); ++i) {
    all.push_back({ladder_efficiencies[i], beside.total_at[i]});
  }
  return all;
}

/// A loss or a gain of a decision, which is one in money or one in time.
std::optional<double> of_unit(const Decision& decision, bool money, double value) {
  return decision.in_money == money ? std::optional(value) : std::nullopt;
}

struct WorthPart {
  const Worth* of;
  const Decision* decision;
};

std::vector<WorthPart> worth_knowing(const Decision& decision) {
  std::vector<WorthPart> all;
  for (const Worth& worth : decision.worth) all.push_back({&worth, &decision});
  return all;
}

std::vector<std::string_view> inputs_of(const WorthPart& worth) {
  return {worth.of->keys.begin(), worth.of->keys.end()};
}

/// Changes of a comparison's point against its first.
struct RelativePart {
  const Result* of;
  const Result* first;
};

struct SweepRow {
  const Sweep* sweep;
  ScenarioSource scenario;
  const SweepPoint* point;
  Answer answer;
};

struct SweepPart {
  const Sweep* of;
  ScenarioSource scenario;
};

struct ComparisonRow {
  ScenarioSource scenario;
  Answer answer;
  std::optional<RelativePart> relative;
};

struct Comparison {
  std::vector<ComparisonRow> points;
  const std::optional<Decision>* decision;
};

const std::vector<Problem> no_problems;

std::vector<SweepRow> points_of(const SweepPart& sweep) {
  std::vector<SweepRow> rows;
  for (const SweepPoint& point : sweep.of->points) {
    rows.push_back({sweep.of,
                    sweep.scenario,
                    &point,
                    {&point.set, point.answered() ? &point.result : nullptr, &point.problems}});
  }
  return rows;
}

std::optional<bool> meets(const SweepRow& row) {
  const Constraints& constraints = row.sweep->constraints;
  if (!row.point->answered() || !constraints.any()) return std::nullopt;
  return row.point->meets(constraints);
}

template <std::size_t Sweep::*index>
std::optional<std::size_t> index_of(const SweepPart& sweep) {
  return sweep.of->points.empty() ? std::nullopt : std::optional(sweep.of->*index);
}

bool constrained(const SweepPart& sweep) {
  return sweep.of->constraints.any();
}

}  // namespace

template <>
struct Recorded<Answer> {
  static constexpr auto layout = block;
  static Keys<Answer> keys() {
    using A = Answer;
    return {
        written<A>("set", "KEY: VALUE, of --vary in a sweep, else of --set",
                   [](const A& a) -> const Settings& { return *a.set; }),
        written<&A::result>("result", "null: the problems say why"),
        written<A>("problems", "why there is no result; empty where there is one",
                   [](const A& a) -> const std::vector<Problem>& { return *a.problems; }),
    };
  }
};

template <>
struct Recorded<AtEfficiency> {
  static Keys<AtEfficiency> keys() {
    using A = AtEfficiency;
    return {written<&A::efficiency>("efficiency"), written<&A::of_fewest>("of_fewest")};
  }
};

template <>
struct Recorded<ScaleOut> {
  static constexpr auto layout = block;
  static Keys<ScaleOut> keys() {
    using S = ScaleOut;
    return {
        written<&S::instances>("instances", "of the point with the fewest"),
        written<&S::time>(name_of(FigureId::total_time), "change, a fraction of that point's"),
        written<&S::money>(name_of(FigureId::money), "likewise"),
        written<&S::total>(name_of(FigureId::total_cost), "likewise"),
        written<&S::break_even>("break_even_efficiency",
                                "of the epochs, from which on the point costs no more in total; "
                                "null: none"),
        written<&total_cost_at>("total_cost_at",
                                "the total cost at an efficiency, over that with the fewest"),
    };
  }
};

template <>
struct Recorded<WorthPart> {
  static Keys<WorthPart> keys() {
    using W = WorthPart;
    return {
        text_or_null<&W::of, &Worth::probe>("probe", "of feedrate calibrate; null: none measures"),
        written<&inputs_of>("inputs", "that it measures"),
        written<W>("worth_usd", "expected saving by choosing once they are known",
                   [](const W& w) { return of_unit(*w.decision, true, w.of->worth); }),
        written<W>("worth_s", "likewise, where nothing has a price",
                   [](const W& w) { return of_unit(*w.decision, false, w.of->worth); }),
        written<&W::of, &Worth::share>("share",
                                       "of what they might be, where another point is better"),
        written<&W::of, &Worth::instead>("instead",
                                         "index of the point that is then best most often"),
    };
  }
};

template <>
struct Recorded<Decision> {
  static constexpr auto layout = block;
  static Keys<Decision> keys() {
    using D = Decision;
    return {
        written<&D::best>("best", "index: with all inputs at their stated values"),
        written<&D::choice>("choice", "index: what costs least in the mean of the draws"),
        written<&D::compared>("compared", "number of points: of many, those that come nearest"),
        written<&D::draws>("draws", "of all that is uncertain"),
        written<&D::likely>("likely", "share of the draws in which `best` stays the best"),
        written<D>("expected_loss_usd", "what `choice` costs more than the best, in the mean",
                   [](const D& d) { return of_unit(d, true, d.expected_loss); }),
        written<D>("expected_loss_s", "likewise, where nothing has a price",
                   [](const D& d) { return of_unit(d, false, d.expected_loss); }),
        written<&worth_knowing>("worth_knowing", "what to measure, most first"),
    };
  }
};

static Keys<SweepPart> constraints_keys() {
  using S = SweepPart;
  return {
      written<&S::of, &Sweep::constraints, &Constraints::deadline>("deadline_s"),
      written<&S::of, &Sweep::constraints, &Constraints::budget>("budget_usd"),
      written<&S::of, &Sweep::meeting>("meeting", "number of points that meet them"),
      written<&S::of, &Sweep::cheapest_meeting>(
          "cheapest", "index: the lowest total cost of these; null: none meets them"),
  };
}

template <>
struct Recorded<SweepChoices> {
  static constexpr auto layout = block;
  static Keys<SweepChoices> keys() {
    using S = SweepChoices;
    return {
        written<&S::fastest>("fastest", "decides the index of that name"),
        written<&S::cheapest>("cheapest", "likewise"),
        written<&S::cheapest_meeting>("cheapest_meeting", "decides the one of the constraints"),
    };
  }
};

template <>
struct Recorded<RelativePart> {
  static Keys<RelativePart> keys() {
    Keys<RelativePart> list;
    for (const FigureId id : compared_figures) {
      Entry<RelativePart>& made = list.emplace_back();
      made.key.name = name_of(id);
      made.key.kind = KeyKind::number;
      made.key.nullable = true;
      made.write = [](const RelativePart& in, const Key& key, JsonWriter& out) {
        const FigureId figure = find_figure(key.name)->id;
        const double from = value_of(*in.first, figure).value_or(0.0);
        const auto now = value_of(*in.of, figure);
        out.number(key.name, now && from != 0.0 ? std::optional(*now / from - 1.0) : std::nullopt);
      };
    }
    return list;
  }
};

template <>
struct Recorded<SweepRow> {
  static constexpr auto layout = block;
  static Keys<SweepRow> keys() {
    using R = SweepRow;
    return joined<R>(
        written<&R::scenario>("scenario"), keys_in<&R::answer>(),
        written<&R::point, &SweepPoint::scale_out>(
            "scale_out",
            "beside the point with the fewest instances of the same other settings; null: it is "
            "that one"),
        written<&meets>("meets_constraints",
                        "of --deadline and --budget; null: there are none, or no result"));
  }
};

template <>
struct Recorded<SweepPart> {
  static Keys<SweepPart> keys() {
    using S = SweepPart;
    return {
        written<&points_of>("points",
                            "in the order of --vary; one that cannot be simulated or "
                            "priced counts for nothing below"),
        written<&S::of, &Sweep::pareto>(
            "pareto", "indices of the points that no other beats in time and cost"),
        written<&index_of<&Sweep::fastest>>("fastest", "index; null: no points"),
        written<&index_of<&Sweep::cheapest>>("cheapest", "index, by total cost; null: no points"),
        written<&S::of, &Sweep::break_even_efficiency>("break_even_efficiency",
                                                       "of the first point with a scale_out"),
        written<&S::of, &Sweep::decision>(
            "decision", "between the best points, in the draws; null: nothing is drawn"),
        grouped<&constraints_keys, one_line, &constrained>("constraints",
                                                           "null: neither --deadline nor --budget"),
        written<&S::of, &Sweep::confirmed>(
            "confirmed",
            "the best points by the mean, simulated by their events; each null with --mean or "
            "--events, or where nothing varies"),
        written<&S::of, &Sweep::remarks>("remarks", "what holds for all points"),
    };
  }
};

template <>
struct Recorded<ComparisonRow> {
  static constexpr auto layout = block;
  static Keys<ComparisonRow> keys() {
    using R = ComparisonRow;
    return joined<R>(
        written<&R::scenario>("scenario"), keys_in<&R::answer>(),
        written<&R::relative>(
            "relative", "changes against the first point, as fractions; null: the first itself"));
  }
};

template <>
struct Recorded<Comparison> {
  static Keys<Comparison> keys() {
    using C = Comparison;
    return {
        written<&C::points>("points", "in the order of the command line"),
        written<C>("decision", "which is the best, in the draws; null: nothing is drawn",
                   [](const C& c) -> const std::optional<Decision>& { return *c.decision; }),
    };
  }
};

const DocumentKind result_document = {
    .kind = "result",
    .command = "run",
    .keys = keys_of<Answer>,
    .about =
        "Amounts are in USD whatever currency the scenario states. Every point of a sweep and "
        "of a comparison holds \"scenario\", \"set\", \"result\" and \"problems\" as well: "
        ".points // [.] in jq lists the answers of run, sweep and compare alike.",
    .scenario = "what was simulated"};

const DocumentKind sweep_document = {
    .kind = "sweep",
    .command = "sweep",
    .keys = keys_of<SweepPart>,
    .about = "Amounts are in USD whatever currency the scenario states.",
    .scenario = "what was varied"};

// Version 1 called its points "results".
const DocumentKind comparison_document = {
    .kind = "comparison",
    .command = "compare",
    .keys = keys_of<Comparison>,
    .about = "Amounts are in USD whatever currency the scenarios state.",
    .version = 2.0};

std::string write_result(const NamedResult& result) {
  return write_document(result_document, Answer{&result.set, &result.result, &no_problems},
                        result.name, result.file);
}

std::string write_sweep(const Sweep& sweep, const std::string& name, const std::string& file) {
  return write_document(sweep_document, SweepPart{&sweep, {name, file}}, name, file);
}

std::string write_comparison(std::span<const NamedResult> results,
                             const std::optional<Decision>& decision) {
  Comparison comparison{{}, &decision};
  for (const NamedResult& item : results) {
    comparison.points.push_back({{item.name, item.file},
                                 {&item.set, &item.result, &no_problems},
                                 RelativePart{&item.result, &results.front().result}});
  }
  if (!comparison.points.empty()) comparison.points.front().relative.reset();
  return write_document(comparison_document, comparison);
}

}  // namespace feedrate::schema
