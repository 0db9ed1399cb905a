#include "schema/optimum.hpp"

#include <utility>
#include <vector>

#include "base/version.hpp"
#include "model/figures.hpp"
#include "schema/by_events_record.hpp"
#include "schema/result_record.hpp"
#include "schema/written.hpp"
#include "schema/written_manual.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

struct Whole {
  const Optimum* of;
  const std::string* name;
  const std::string* file;
};
struct SettingsSource {
  const Whole* of;
};
/// The result of a run, whose keys have a home of their own.
struct RunPart {
  const Result* of;
};

template <class T, auto member>
double count_of(const T& in) {
  return static_cast<double>(in.*member);
}

std::optional<double> seconds_of(const std::optional<Duration>& time) {
  return time ? std::optional(time->base()) : std::nullopt;
}

std::optional<double> dollars_of(const std::optional<Money>& money) {
  return money ? std::optional(money->base()) : std::nullopt;
}

}  // namespace

template <>
inline constexpr bool is_record<Whole> = true;
template <>
inline constexpr bool is_record<SettingsSource> = true;
template <>
inline constexpr bool is_record<Constraints> = true;
template <>
inline constexpr bool is_record<Problem> = true;
template <>
inline constexpr bool is_record<NoResult> = true;
template <>
inline constexpr bool is_record<Outlay> = true;
template <>
inline constexpr bool is_record<Candidate> = true;
template <>
inline constexpr bool is_record<Relaxed> = true;
template <>
inline constexpr bool is_record<RangeEnd> = true;
template <>
inline constexpr bool is_record<Chances> = true;
template <>
inline constexpr bool is_record<NearestMiss> = true;
template <>
inline constexpr bool is_record<Winner> = true;

template <>
inline constexpr Layout layout_of<Whole> = Layout::block;
template <>
inline constexpr Layout layout_of<NoResult> = Layout::block;
template <>
inline constexpr Layout layout_of<Winner> = Layout::block;

template <>
struct Written<RunPart> {
  static constexpr KeyKind kind = KeyKind::object;
  static void put(const RunPart& part, JsonWriter& out) { write_result_body(*part.of, out); }
};

template <>
const std::vector<Entry<SettingsSource>>& entries<SettingsSource>() {
  static const std::vector<Entry<SettingsSource>> list = {
      written<SettingsSource>(
          "name", "", [](const SettingsSource& s) -> const std::string& { return *s.of->name; }),
      written<SettingsSource>("file", "as given",
                              [](const SettingsSource& s) { return words_or_null(*s.of->file); }),
  };
  return list;
}

template <>
const std::vector<Entry<Constraints>>& entries<Constraints>() {
  using C = Constraints;
  static const std::vector<Entry<C>> list = {
      written<C>("deadline_s", "of total_s", [](const C& c) { return seconds_of(c.deadline); }),
      written<C>("budget_usd", "of money_usd", [](const C& c) { return dollars_of(c.budget); }),
  };
  return list;
}

template <>
const std::vector<Entry<Problem>>& entries<Problem>() {
  using P = Problem;
  static const std::vector<Entry<P>> list = {
      written<P>("key", "JSON pointer of the scenario",
                 [](const P& p) { return words_or_null(p.pointer); }),
      written<&P::message>("message"),
  };
  return list;
}

template <>
const std::vector<Entry<NoResult>>& entries<NoResult>() {
  using N = NoResult;
  static const std::vector<Entry<N>> list = {
      written<&count_of<N, &N::points>>("points", "number of points with this reason"),
      written<&N::set>("set", "settings of the first of these points"),
      written<&N::problems>("problems", "problems of the first of these points"),
  };
  return list;
}

template <>
const std::vector<Entry<Outlay>>& entries<Outlay>() {
  using O = Outlay;
  static const std::vector<Entry<O>> list = {
      written<O>(name_of(FigureId::total_time), "", [](const O& o) { return o.time.base(); }),
      written<O>(name_of(FigureId::money), "", [](const O& o) { return o.money.base(); }),
      written<O>(name_of(FigureId::total_cost), "", [](const O& o) { return o.total.base(); }),
  };
  return list;
}

template <>
const std::vector<Entry<Candidate>>& entries<Candidate>() {
  using C = Candidate;
  static const std::vector<Entry<C>> list = [] {
    std::vector<Entry<C>> all = {written<&C::set>("set", "KEY: VALUE, as for --set")};
    const Entry<C> rest[] = {
        written<C>(name_of(FigureId::total_time), "",
                   [](const C& c) { return c.outlay.time.base(); }),
        written<C>(name_of(FigureId::money), "", [](const C& c) { return c.outlay.money.base(); }),
        written<C>(name_of(FigureId::total_cost), "",
                   [](const C& c) { return c.outlay.total.base(); }),
    };
    all.insert(all.end(), std::begin(rest), std::end(rest));
    return all;
  }();
  return list;
}

template <>
const std::vector<Entry<Relaxed>>& entries<Relaxed>() {
  using R = Relaxed;
  static const std::vector<Entry<R>> list = {
      written<&R::without_deadline>("without_deadline"),
      written<&R::without_budget>("without_budget"),
      written<&R::best>("best", "the best point without these constraints"),
  };
  return list;
}

template <>
const std::vector<Entry<RangeEnd>>& entries<RangeEnd>() {
  using R = RangeEnd;
  static const std::vector<Entry<R>> list = {
      written<&R::key>("key"),
      written<&R::value>("value", "the winner's value, which is an end of the key's values"),
      written<&R::last>("last", "true: the last of the values; false: the first"),
      written<R>("beyond", "one step further",
                 [](const R& r) -> std::string_view { return r.beyond; }),
      written<&R::outlay>("outlay", "time and cost there"),
      written<&R::better>("better", "it is better than the winner and meets the constraints"),
  };
  return list;
}

template <>
const std::vector<Entry<Chances>>& entries<Chances>() {
  using C = Chances;
  static const std::vector<Entry<C>> list = {
      written<C>("draws", "draws of all uncertain inputs, the same for all points",
                 [](const C& c) { return static_cast<double>(c.draws); }),
      written<&count_of<C, &C::compared>>("compared", "number of points, including the winner"),
      written<&C::best>("best", "share of the draws in which it is within 0.1 % of the best"),
      written<&C::in_time>("in_time", "share in which the winner meets the deadline"),
      written<&C::in_budget>("in_budget", "likewise the budget"),
      written<&C::rival>("rival", "the point that is most often the best where the winner is not"),
      written<&C::rival_best>("rival_best", "share of the draws"),
  };
  return list;
}

template <>
const std::vector<Entry<NearestMiss>>& entries<NearestMiss>() {
  using N = NearestMiss;
  static const std::vector<Entry<N>> list = {
      written<&N::point>("point"),
      written<N>("late_s", "after the deadline; null: in time",
                 [](const N& n) { return seconds_of(n.late); }),
      written<N>("over_usd", "beyond the budget; null: within it",
                 [](const N& n) { return dollars_of(n.over); }),
  };
  return list;
}

template <>
const std::vector<Entry<Winner>>& entries<Winner>() {
  using W = Winner;
  static const std::vector<Entry<W>> list = {
      written<W>("set", "KEY: VALUE, as for --set",
                 [](const W& w) -> const Settings& { return w.point.set; }),
      written<&count_of<W, &W::changes>>("changes", "keys that are not as the scenario has them"),
      written<&count_of<W, &W::equal>>("equal", "points as good as it, itself included"),
      written<W>("result", "of a full run: see feedrate schema result",
                 [](const W& w) { return RunPart{&w.result}; }),
      written<&count_of<W, &W::near>>("near", "points within 0.1 % of it, itself included"),
      written<&W::confirmed>("confirmed", "what the events chose; null: none were simulated"),
      written<&W::simplest>(
          "simplest", "of these points the one that changes the fewest keys; null: the winner"),
      written<&W::runner_up>("runner_up",
                             "the best point that is not within 0.1 %; the best by the mean where "
                             "the events chose another"),
      written<&W::front>("pareto",
                         "best trade-offs of time and cost within the constraints; if there are "
                         "many, some of them"),
      written<&count_of<W, &W::front_size>>("pareto_points", "in all"),
      written<&W::relaxed>("relaxed", "what each constraint costs, and what both cost"),
      written<&W::ends>("range_ends",
                        "keys whose values end at the winner's, though the last step towards this "
                        "end still paid"),
      written<&W::chances>("chances", "how sure the choice is"),
  };
  return list;
}

template <>
const std::vector<Entry<Whole>>& entries<Whole>() {
  using W = Whole;
  static const std::vector<Entry<W>> list = {
      written<W>("feedrate", "version", [](const W&) { return version; }),
      written<W>("kind", "optimum", [](const W&) { return std::string_view("optimum"); }),
      written<W>("schema", "1: the version of this format", [](const W&) { return 1.0; }),
      written<W>("scenario", "that was varied", [](const W& w) { return SettingsSource{&w}; }),
      written<W>("minimized", "total, money (the bill alone: --minimize cost) or time",
                 [](const W& w) { return feedrate::name_of(w.of->minimized); }),
      written<W>("no_price", "no point has a price: time is minimized, whatever was asked for",
                 [](const W& w) { return w.of->no_price; }),
      written<W>("constraints", "null: none",
                 [](const W& w) -> const Constraints& { return w.of->constraints; }),
      written<W>("as_written", "what the scenario itself comes to; null: it has no result",
                 [](const W& w) { return w.of->as_written; }),
      written<W>("points", "number of points",
                 [](const W& w) { return static_cast<double>(w.of->points); }),
      written<W>("unanswered", "points that cannot be simulated or priced",
                 [](const W& w) { return static_cast<double>(w.of->unanswered); }),
      written<W>("in_time", "points that meet the deadline",
                 [](const W& w) { return static_cast<double>(w.of->in_time); }),
      written<W>("in_budget", "points that meet the budget",
                 [](const W& w) { return static_cast<double>(w.of->in_budget); }),
      written<W>("feasible", "points that meet both",
                 [](const W& w) { return static_cast<double>(w.of->feasible); }),
      written<W>("no_result", "the most frequent reasons why points have no result",
                 [](const W& w) -> const std::vector<NoResult>& { return w.of->no_result; }),
      written<W>("other_reasons", "number of further reasons",
                 [](const W& w) { return static_cast<double>(w.of->other_reasons); }),
      written<W>("winner", "null: no point meets the constraints",
                 [](const W& w) { return w.of->winner ? &*w.of->winner : nullptr; }),
      written<W>("nearest_miss", "null: there is a winner",
                 [](const W& w) { return w.of->nearest; }),
      written<W>("fastest", "the fastest point, whatever the constraints; null: there is a winner",
                 [](const W& w) { return w.of->fastest; }),
      written<W>("cheapest", "the cheapest point by money_usd, likewise",
                 [](const W& w) { return w.of->cheapest; }),
  };
  return list;
}

std::string write_optimum(const Optimum& optimum, const std::string& name,
                          const std::string& file) {
  JsonWriter out;
  Written<Whole>::put({&optimum, &name, &file}, out);
  return std::move(out).finish();
}

std::string optimum_manual() {
  return "With --format json, feedrate optimize prints one object. Units stand in the names (_s, "
         "_usd);\nnull means: does not apply, or not known. Amounts are in USD whatever currency "
         "the scenario states.\n\n" +
         written_manual(root_of<Whole>("optimum"));
}

std::string optimum_json_schema() {
  return written_json_schema(root_of<Whole>("optimum"), "feedrate optimize", "optimize");
}

}  // namespace feedrate::schema
