#include "schema/advice.hpp"

#include "base/version.hpp"
#include "model/figures.hpp"
#include "schema/by_events_record.hpp"
#include "schema/written.hpp"
#include "schema/written_manual.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

struct NamedAdvice {
  const Advice* of;
  std::string name, file;
};
struct ScenarioPart {
  std::string_view name, file;
};
struct SetPart {
  const std::vector<std::pair<std::string, std::string>>* set;
};

std::string_view advice_kind(const NamedAdvice&) {
  return "advice";
}

}  // namespace

template <>
inline constexpr bool is_record<NamedAdvice> = true;
template <>
inline constexpr bool is_record<ScenarioPart> = true;
template <>
inline constexpr bool is_record<JobFigures> = true;
template <>
inline constexpr bool is_record<RungResult> = true;
template <>
inline constexpr bool is_record<Remedied> = true;
template <>
inline constexpr bool is_record<Together> = true;
template <>
inline constexpr bool is_record<TooEarly> = true;

template <>
inline constexpr Layout layout_of<NamedAdvice> = Layout::block;
template <>
inline constexpr Layout layout_of<Remedied> = Layout::block;
template <>
inline constexpr Layout layout_of<Together> = Layout::block;

/// Settings as an object of KEY: VALUE, as --set takes them.
template <>
struct Written<SetPart> {
  static constexpr KeyKind kind = KeyKind::labels;
  static void put(const SetPart& part, JsonWriter& out) {
    out.begin_object(Layout::line);
    for (const auto& [key, value] : *part.set) out.text(key, value);
    out.end();
  }
};

template <>
const std::vector<Entry<ScenarioPart>>& entries<ScenarioPart>() {
  using P = ScenarioPart;
  static const std::vector<Entry<P>> list = {
      written<&P::name>("name"),
      written<&P::file>("file", "as given"),
  };
  return list;
}

template <>
const std::vector<Entry<JobFigures>>& entries<JobFigures>() {
  using J = JobFigures;
  static const std::vector<Entry<J>> list = {
      written<J>(name_of(FigureId::total_time), "", [](const J& j) { return j.time.base(); }),
      written<J>(name_of(FigureId::money), "", [](const J& j) { return j.money.base(); }),
      written<J>(name_of(FigureId::total_cost), "", [](const J& j) { return j.total.base(); }),
      written<&J::gpu_busy>("gpu_busy_of_job",
                            "share of the whole job's time without its start-up"),
      written<J>(name_of(FigureId::throughput), "",
                 [](const J& j) {
                   return j.throughput ? std::optional(j.throughput->base()) : std::nullopt;
                 }),
      written<&J::bottleneck>("bottleneck", "a stage; null: none"),
  };
  return list;
}

template <>
const std::vector<Entry<RungResult>>& entries<RungResult>() {
  using R = RungResult;
  static const std::vector<Entry<R>> list = {
      written<R>("rung", "one_gpu_in_memory, one_gpu, one_instance or cluster",
                 [](const R& r) { return feedrate::name_of(r.rung); }),
      written<R>("set", "KEY: VALUE settings that make this rung from the scenario",
                 [](const R& r) { return SetPart{&r.set}; }),
      written<&R::figures>("figures", "null where the scenario has no such rung"),
      written<R>("why_not", "why the scenario has no such rung",
                 [](const R& r) { return words_or_null(r.why_not); }),
      written<&R::efficiency>("efficiency", "of several instances: S(N)"),
      written<&R::break_even>("break_even_efficiency",
                              "efficiency from which these instances cost no more than one; null: "
                              "an hour has no value, or there is none"),
      written<&R::share>("share", "the value compared with the target"),
      written<&R::met>("met"),
  };
  return list;
}

template <>
const std::vector<Entry<Remedied>>& entries<Remedied>() {
  using R = Remedied;
  static const std::vector<Entry<R>> list = {
      written<R>("remedy", "its name; feedrate advise --list describes each",
                 [](const R& r) { return r.what.name; }),
      written<R>("number", "for --apply; null: cannot be chosen",
                 [](const R& r) {
                   return r.number > 0 ? std::optional(static_cast<double>(r.number))
                                       : std::nullopt;
                 }),
      written<R>("standing", "advised, later, no_help, costs_more, impossible or not_simulated",
                 [](const R& r) { return feedrate::name_of(r.standing); }),
      written<R>("kind", "setting, code, data or infrastructure",
                 [](const R& r) { return feedrate::name_of(r.what.kind); }),
      written<R>("effort_h", "of one engineer", [](const R& r) { return r.what.effort_hours; }),
      written<R>("from", "first rung that it may help",
                 [](const R& r) { return feedrate::name_of(r.what.from); }),
      written<R>("change", "in words", [](const R& r) { return words_or_null(r.change); }),
      written<R>("set", "KEY: VALUE; run with --set of each gives after",
                 [](const R& r) { return SetPart{&r.set}; }),
      written<&R::after>("after", "null: not simulated"),
      written<R>("one_off_usd", "one-off cost, in addition to the jobs",
                 [](const R& r) { return r.one_off.base(); }),
      written<R>("saved_usd", "over all jobs, less the one-off cost",
                 [](const R& r) { return r.saved.base(); }),
      written<R>("sooner_s", "of one job", [](const R& r) { return r.sooner.base(); }),
      written<&R::confirmed>("confirmed", "by its events; null: none were simulated"),
      written<&R::pays>("pays", "share of draws of the uncertain inputs in which it saves money"),
      written<R>("reason", "why it is impossible, or what to give",
                 [](const R& r) { return words_or_null(r.reason); }),
      written<&R::caveats>("caveats", "of the changed job"),
  };
  return list;
}

template <>
const std::vector<Entry<Together>>& entries<Together>() {
  using T = Together;
  static const std::vector<Entry<T>> list = {
      written<T>("numbers", "numbers of these remedies",
                 [](const T& t) {
                   std::vector<std::string> names;
                   for (const std::size_t number : t.numbers)
                     names.push_back(std::to_string(number));
                   return names;
                 }),
      written<T>("set", "KEY: VALUE", [](const T& t) { return SetPart{&t.set}; }),
      written<&T::after>("after"),
      written<T>("one_off_usd", "", [](const T& t) { return t.one_off.base(); }),
      written<T>("saved_usd", "", [](const T& t) { return t.saved.base(); }),
      written<T>("sooner_s", "", [](const T& t) { return t.sooner.base(); }),
      written<&T::pays>("pays"),
      written<&T::confirmed>("confirmed", "by its events; null: none were simulated"),
  };
  return list;
}

template <>
const std::vector<Entry<TooEarly>>& entries<TooEarly>() {
  using T = TooEarly;
  static const std::vector<Entry<T>> list = {
      written<&T::change>("change", "in words"),
      written<T>("set", "KEY: VALUE", [](const T& t) { return SetPart{&t.set}; }),
      written<&T::after>("after"),
  };
  return list;
}

template <>
const std::vector<Entry<NamedAdvice>>& entries<NamedAdvice>() {
  using A = NamedAdvice;
  static const std::vector<Entry<A>> list = {
      written<A>("feedrate", "version", [](const A&) { return version; }),
      written<&advice_kind>("kind", "advice"),
      written<A>("schema", "1: the version of this format", [](const A&) { return 1.0; }),
      written<A>("scenario", "",
                 [](const A& a) {
                   return ScenarioPart{a.name, a.file};
                 }),
      written<A>("target", "target share of time for which GPUs are busy",
                 [](const A& a) { return a.of->target; }),
      written<A>("jobs", "number of jobs over which savings are counted",
                 [](const A& a) { return a.of->jobs; }),
      written<A>("deadline_s", "",
                 [](const A& a) {
                   return a.of->constraints.deadline
                              ? std::optional(a.of->constraints.deadline->base())
                              : std::nullopt;
                 }),
      written<A>("budget_usd", "",
                 [](const A& a) {
                   return a.of->constraints.budget ? std::optional(a.of->constraints.budget->base())
                                                   : std::nullopt;
                 }),
      written<A>("before", "the job as it is", [](const A& a) { return a.of->before; }),
      written<A>("confirmed", "the job as it is by its events; null: none were simulated",
                 [](const A& a) -> const std::optional<Confirmed>& { return a.of->confirmed; }),
      written<A>("ladder", "from the simplest job to the whole one",
                 [](const A& a) -> const std::vector<RungResult>& { return a.of->ladder; }),
      written<A>("starts_on", "the first rung below the target; fed: no rung is",
                 [](const A& a) { return feedrate::name_of(a.of->starts_on); }),
      written<A>("works_on",
                 "the rung whose remedies are advised: the one of starts_on, or, if its remedies "
                 "save far less, the next rung below the target",
                 [](const A& a) { return feedrate::name_of(a.of->works_on); }),
      written<A>("remedies", "the advised ones first",
                 [](const A& a) -> const std::vector<Remedied>& { return a.of->remedies; }),
      written<A>("together", "the best remedies in one job; null: fewer than two",
                 [](const A& a) -> const std::optional<Together>& { return a.of->together; }),
      written<A>("too_early", "more instances, which cost more than the first remedy; null: none",
                 [](const A& a) -> const std::optional<TooEarly>& { return a.of->too_early; }),
      written<A>("hides_disk_bytes",
                 "bytes of data below which a trial stays in the page cache and does not show the "
                 "disk; null: does not apply",
                 [](const A& a) {
                   return a.of->hides_disk ? std::optional(a.of->hides_disk->base()) : std::nullopt;
                 }),
      written<A>("caveats", "of the job as it is",
                 [](const A& a) -> const std::vector<std::string>& { return a.of->caveats; }),
  };
  return list;
}

std::string write_advice(const Advice& advice, const std::string& name, const std::string& file) {
  JsonWriter out;
  Written<NamedAdvice>::put({&advice, name, file}, out);
  return std::move(out).finish();
}

std::string advice_manual() {
  return "With --format json, feedrate advise prints one object. Units stand in the names (_s,\n"
         "_h, _usd); null means: does not apply, or not known.\n\n" +
         written_manual(root_of<NamedAdvice>("advice"));
}

std::string advice_json_schema() {
  return written_json_schema(root_of<NamedAdvice>("advice"), "feedrate advice", "advise");
}

}  // namespace feedrate::schema
