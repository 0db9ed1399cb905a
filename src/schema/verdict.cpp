#include "schema/verdict.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/version.hpp"
#include "model/figures.hpp"
#include "schema/written.hpp"
#include "schema/written_manual.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

// Parts of a verdict that stand in an object of their own.
struct SourcePart {
  const ScenarioVerdict* of;
};
struct BottleneckPart {
  const ScenarioVerdict* of;
};
struct PlacedProblem {
  const Problem* of;
};

std::vector<PlacedProblem> problems(const ScenarioErrors& errors) {
  std::vector<PlacedProblem> placed;
  for (const Problem& problem : errors.problems) placed.push_back({&problem});
  return placed;
}

std::string_view name_of(Standing standing) {
  return standing == Standing::added ? "added" : "compared";
}

std::optional<double> line_or_null(int line) {
  return line > 0 ? std::optional(static_cast<double>(line)) : std::nullopt;
}

std::optional<double> difference(const FigureChange& change) {
  if (!change.before || !change.now) return std::nullopt;
  return *change.now - *change.before;
}

std::optional<double> relative(const FigureChange& change) {
  if (!change.before || !change.now || *change.before == 0.0) return std::nullopt;
  return *change.now / *change.before - 1.0;
}

std::vector<std::string_view> groups(const Part& part) {
  std::vector<std::string_view> names;
  for (const InputGroup group : part.groups) names.push_back(feedrate::name_of(group));
  return names;
}

Amounts change_of(const Part& part) {
  return {part.to.time - part.from.time, part.to.money - part.from.money,
          part.to.total - part.from.total, part.to.gpu_busy - part.from.gpu_busy};
}

}  // namespace

template <>
inline constexpr bool is_record<SourcePart> = true;
template <>
inline constexpr bool is_record<BottleneckPart> = true;
template <>
inline constexpr bool is_record<FigureChange> = true;
template <>
inline constexpr bool is_record<Judgement> = true;
template <>
inline constexpr bool is_record<StageChange> = true;
template <>
inline constexpr bool is_record<Amounts> = true;
template <>
inline constexpr bool is_record<Part> = true;
template <>
inline constexpr bool is_record<KeyChange> = true;
template <>
inline constexpr bool is_record<ScenarioVerdict> = true;
template <>
inline constexpr bool is_record<PlacedProblem> = true;
template <>
inline constexpr bool is_record<ScenarioErrors> = true;
template <>
inline constexpr bool is_record<Verdict> = true;

template <>
inline constexpr Layout layout_of<ScenarioVerdict> = Layout::block;
template <>
inline constexpr Layout layout_of<Verdict> = Layout::block;

template <>
const std::vector<Entry<SourcePart>>& entries<SourcePart>() {
  using P = SourcePart;
  static const std::vector<Entry<P>> list = {
      written<P>("name", "", [](const P& p) -> const std::string& { return p.of->name; }),
      written<P>("file", "as given", [](const P& p) -> const std::string& { return p.of->file; }),
      written<P>("key", "its name in the baseline: the file from the baseline's folder",
                 [](const P& p) -> const std::string& { return p.of->key; }),
      written<P>("renamed_from", "key of the entry that it is compared with; null: its own",
                 [](const P& p) { return words_or_null(p.of->renamed_from); }),
  };
  return list;
}

template <>
const std::vector<Entry<BottleneckPart>>& entries<BottleneckPart>() {
  using P = BottleneckPart;
  static const std::vector<Entry<P>> list = {
      written<P>("before", "a stage; null: none",
                 [](const P& p) { return p.of->bottleneck_before; }),
      written<P>("now", "likewise", [](const P& p) { return p.of->bottleneck_now; }),
  };
  return list;
}

template <>
const std::vector<Entry<FigureChange>>& entries<FigureChange>() {
  using F = FigureChange;
  static const std::vector<Entry<F>> list = {
      written<&F::metric>("metric", "a figure of feedrate schema result, with its unit"),
      written<&F::before>("before"),
      written<&F::now>("now"),
      written<&difference>("change", "now - before"),
      written<&relative>("relative", "now / before - 1"),
      written<&F::band>("band", "5 %, 50 % and 95 % of now, with --replications"),
  };
  return list;
}

template <>
const std::vector<Entry<Judgement>>& entries<Judgement>() {
  using J = Judgement;
  static const std::vector<Entry<J>> list = {
      written<J>("limit", "as written",
                 [](const J& j) -> const std::string& { return j.limit.text; }),
      written<J>("metric", "figure that it limits",
                 [](const J& j) -> const std::string& { return j.limit.metric; }),
      written<J>("level", "pass, note, warn or fail",
                 [](const J& j) { return feedrate::name_of(j.level); }),
      written<&J::within_band>("within_band",
                               "exceeded, but by no more than the result's own band"),
      written<&J::before>("before"),
      written<&J::now>("now"),
      written<&J::message>("message", "one sentence"),
      written<J>("origin", "file or flag that states the limit",
                 [](const J& j) { return words_or_null(j.limit.file); }),
      written<J>("line", "in that file", [](const J& j) { return line_or_null(j.limit.line); }),
  };
  return list;
}

template <>
const std::vector<Entry<StageChange>>& entries<StageChange>() {
  using S = StageChange;
  static const std::vector<Entry<S>> list = {
      written<&S::stage>("stage", "GPU time spent waiting for it; for gpu, working"),
      written<S>("before_s", "", [](const S& s) { return s.before.base(); }),
      written<S>("now_s", "", [](const S& s) { return s.now.base(); }),
      written<S>("change_s", "", [](const S& s) { return (s.now - s.before).base(); }),
  };
  return list;
}

template <>
const std::vector<Entry<Amounts>>& entries<Amounts>() {
  using A = Amounts;
  static const std::vector<Entry<A>> list = {
      written<A>(name_of(FigureId::total_time), "", [](const A& a) { return a.time.base(); }),
      written<A>(name_of(FigureId::money), "", [](const A& a) { return a.money.base(); }),
      written<A>(name_of(FigureId::total_cost), "", [](const A& a) { return a.total.base(); }),
      written<&A::gpu_busy>(name_of(FigureId::gpu_busy)),
  };
  return list;
}

template <>
const std::vector<Entry<Part>>& entries<Part>() {
  static const std::vector<Entry<Part>> list = {
      written<&groups>("groups", "groups of inputs that were applied in this step"),
      written<&Part::from>("from", "figures before this step"),
      written<&Part::to>("to", "figures after this step"),
      written<&change_of>("change", "to - from; those of all parts add up to the whole difference"),
  };
  return list;
}

template <>
const std::vector<Entry<KeyChange>>& entries<KeyChange>() {
  using K = KeyChange;
  static const std::vector<Entry<K>> list = {
      written<K>("group", "price, machine, dataset, loader or model",
                 [](const K& k) { return feedrate::name_of(k.group); }),
      written<&K::key>("key", "JSON pointer, or where it stands in the pricing files"),
      written<K>("before", "null: it was not set",
                 [](const K& k) { return words_or_null(k.before); }),
      written<K>("now", "null: it is not set", [](const K& k) { return words_or_null(k.after); }),
      written<K>("file", "where the new value stands",
                 [](const K& k) { return words_or_null(k.file); }),
      written<K>("line", "", [](const K& k) { return line_or_null(k.line); }),
  };
  return list;
}

template <>
const std::vector<Entry<ScenarioVerdict>>& entries<ScenarioVerdict>() {
  using S = ScenarioVerdict;
  static const std::vector<Entry<S>> list = {
      written<S>("scenario", "which one", [](const S& s) { return SourcePart{&s}; }),
      written<S>("standing", "compared, or added: not in the baseline",
                 [](const S& s) { return name_of(s.standing); }),
      written<S>("level", "pass, note, warn or fail",
                 [](const S& s) { return feedrate::name_of(s.level); }),
      written<&S::stale>("stale", "much better than the baseline"),
      written<S>("bottleneck", "", [](const S& s) { return BottleneckPart{&s}; }),
      written<&S::figures>("figures", "before and now"),
      written<&S::limits>("limits", "every limit that applies to the scenario"),
      written<&S::stages>("stages", "whose share of the GPU's time changed, largest growth first"),
      written<&S::parts>("parts", "why it changed: the new inputs are applied one group at a time"),
      written<&S::keys>("keys", "inputs that changed"),
      written<&S::remarks>("remarks"),
  };
  return list;
}

template <>
const std::vector<Entry<PlacedProblem>>& entries<PlacedProblem>() {
  using P = PlacedProblem;
  static const std::vector<Entry<P>> list = {
      written<P>("file", "null: the problem is in no file, but for example in a flag",
                 [](const P& p) { return words_or_null(p.of->file); }),
      written<P>("line", "in it", [](const P& p) { return line_or_null(p.of->line); }),
      written<P>("key", "JSON pointer, or the flag",
                 [](const P& p) { return words_or_null(p.of->pointer); }),
      written<P>("message", "what was expected, and what was found",
                 [](const P& p) -> const std::string& { return p.of->message; }),
  };
  return list;
}

template <>
const std::vector<Entry<ScenarioErrors>>& entries<ScenarioErrors>() {
  using E = ScenarioErrors;
  static const std::vector<Entry<E>> list = {
      written<&E::file>("file", "as given"),
      written<&E::key>("key", "its name in the baseline"),
      written<&problems>("problems", "all that were found"),
  };
  return list;
}

template <>
const std::vector<Entry<Verdict>>& entries<Verdict>() {
  using V = Verdict;
  static const std::vector<Entry<V>> list = {
      written<V>("feedrate", "version", [](const V&) { return version; }),
      written<V>("kind", "check", [](const V&) { return std::string_view("check"); }),
      written<V>("schema", "1: the version of this format", [](const V&) { return 1.0; }),
      written<&V::baseline>("baseline", "the file"),
      written<V>("level", "the worst of all scenarios",
                 [](const V& v) { return feedrate::name_of(v.level); }),
      written<&V::warn_only>("warn_only", "--warn-only was given"),
      written<&V::updated>("updated", "the baseline was written"),
      written<&V::strict>("strict", "--strict was given"),
      written<&V::scenarios>("scenarios", "in the order of the command line"),
      written<&V::errors>("errors", "scenarios that could not be checked; exit status 2"),
      written<&V::gone>("gone", "keys of entries whose file is not found any more"),
      written<&V::remarks>("remarks", "on the baseline as a whole"),
  };
  return list;
}

std::string write_verdict(const Verdict& verdict) {
  JsonWriter out;
  Written<Verdict>::put(verdict, out);
  return std::move(out).finish();
}

std::string verdict_manual() {
  return "With --format json, feedrate check prints one object. Units stand in the names (_s, "
         "_usd); "
         "null means: does\nnot apply, or not known.\n\n" +
         written_manual(root_of<Verdict>("verdict"));
}

std::string verdict_json_schema() {
  return written_json_schema(root_of<Verdict>("verdict"), "feedrate check", "check");
}

std::string write_benchmark(const Verdict& verdict) {
  struct Series {
    FigureId id;
    std::string_view name, unit;
    double offset, factor;
  };
  // All of them smaller is better; the GPUs' idle share stands for their busy one.
  static constexpr Series all[] = {{FigureId::money, "cost", "USD", 0.0, 1.0},
                                   {FigureId::total_cost, "total cost", "USD", 0.0, 1.0},
                                   {FigureId::total_time, "time", "s", 0.0, 1.0},
                                   {FigureId::gpu_busy, "GPU idle", "%", 100.0, -100.0}};
  JsonWriter out;
  out.begin_array(Layout::block);
  for (const ScenarioVerdict& scenario : verdict.scenarios) {
    for (const Series& series : all) {
      const FigureChange* change = scenario.figure(name_of(series.id));
      if (change == nullptr || !change->now) continue;
      out.begin_object(Layout::line);
      // The key, not the name: two scenarios may share a name, a series must not.
      out.text("name", fmt::format("{}: {}", scenario.key, series.name)).text("unit", series.unit);
      out.number("value", series.offset + series.factor * *change->now);
      if (change->band) {
        const double half =
            0.5 * std::abs(series.factor) * ((*change->band)[2] - (*change->band)[0]);
        out.text("range", fmt::format("± {:.4g}", half));
      }
      const std::string bottleneck(scenario.bottleneck_now ? name_of(*scenario.bottleneck_now)
                                                           : "none");
      out.text("extra", fmt::format("{}, bottleneck {}", scenario.name, bottleneck)).end();
    }
  }
  out.end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
