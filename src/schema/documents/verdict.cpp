#include "schema/documents/documents.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/figures.hpp"
#include "model/verdict.hpp"
#include "schema/documents/problem_record.hpp"
#include "schema/record/document_kind.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

std::vector<PlacedProblem> problems(const ScenarioErrors& errors) {
  return placed(errors.problems);
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

static Keys<ScenarioVerdict> compared_source_keys() {
  using S = ScenarioVerdict;
  return {
      written<&S::name>("name"),
      written<&S::file>("file", "as given"),
      written<&S::key>("key", "its name in the baseline: the file from the baseline's folder"),
      text_or_null<&S::renamed_from>("renamed_from",
                                     "key of the entry that it is compared with; null: its own"),
  };
}

static Keys<ScenarioVerdict> compared_bottleneck_keys() {
  return {written<&ScenarioVerdict::bottleneck_before>("before", "a stage; null: none"),
          written<&ScenarioVerdict::bottleneck_now>("now", "likewise")};
}

template <>
struct Recorded<FigureChange> {
  static Keys<FigureChange> keys() {
    using F = FigureChange;
    return {
        written<&F::metric>("metric", "a figure of feedrate schema result, with its unit"),
        written<&F::before>("before"),
        written<&F::now>("now"),
        written<&difference>("change", "now - before"),
        written<&relative>("relative", "now / before - 1"),
        written<&F::band>("band", "5 %, 50 % and 95 % of now, with --replications"),
    };
  }
};

template <>
struct Recorded<Judgement> {
  static Keys<Judgement> keys() {
    using J = Judgement;
    return {
        written<&J::limit, &Limit::text>("limit", "as written"),
        written<&J::limit, &Limit::metric>("metric", "figure that it limits"),
        written<&J::level>("level", "pass, note, warn or fail"),
        written<&J::within_band>(
            "within_band",
            "exceeded, but by no more than the result's own band, or, of a rise or fall, the "
            "errors of inputs that were measured again"),
        written<&J::before>("before"),
        written<&J::now>("now"),
        written<&J::message>("message", "one sentence"),
        text_or_null<&J::limit, &Limit::file>("origin", "file or flag that states the limit"),
        number_or_null<&J::limit, &Limit::line>("line", "in that file"),
    };
  }
};

template <>
struct Recorded<StageChange> {
  static Keys<StageChange> keys() {
    using S = StageChange;
    return {
        written<&S::stage>("stage", "GPU time spent waiting for it; for gpu, working"),
        written<&S::before>("before_s"),
        written<&S::now>("now_s"),
        written<S>("change_s", "", [](const S& s) { return (s.now - s.before).base(); }),
    };
  }
};

template <>
struct Recorded<Amounts> {
  static Keys<Amounts> keys() {
    using A = Amounts;
    return {
        written<&A::time>(name_of(FigureId::total_time)),
        written<&A::money>(name_of(FigureId::money)),
        written<&A::total>(name_of(FigureId::total_cost)),
        written<&A::gpu_busy>(name_of(FigureId::gpu_busy)),
    };
  }
};

template <>
struct Recorded<Part> {
  static Keys<Part> keys() {
    return {
        written<&groups>("groups", "groups of inputs that were applied in this step"),
        written<&Part::from>("from", "figures before this step"),
        written<&Part::to>("to", "figures after this step"),
        written<&change_of>("change",
                            "to - from; those of all parts add up to the whole difference"),
    };
  }
};

template <>
struct Recorded<KeyChange> {
  static Keys<KeyChange> keys() {
    using K = KeyChange;
    return {
        written<&K::group>("group", "price, machine, dataset, loader or model"),
        written<&K::key>("key", "JSON pointer, or where it stands in the pricing files"),
        text_or_null<&K::before>("before", "null: it was not set"),
        text_or_null<&K::after>("now", "null: it is not set"),
        text_or_null<&K::file>("file", "where the new value stands"),
        number_or_null<&K::line>("line"),
    };
  }
};

template <>
struct Recorded<ScenarioVerdict> {
  static constexpr auto layout = block;
  static Keys<ScenarioVerdict> keys() {
    using S = ScenarioVerdict;
    return {
        grouped<&compared_source_keys>("scenario", "which one"),
        written<&S::standing>("standing", "compared, or added: not in the baseline"),
        written<&S::level>("level", "pass, note, warn or fail"),
        written<&S::stale>("stale", "much better than the baseline"),
        grouped<&compared_bottleneck_keys>("bottleneck"),
        written<&S::figures>("figures", "before and now"),
        written<&S::limits>("limits", "every limit that applies to the scenario"),
        written<&S::stages>("stages",
                            "whose share of the GPU's time changed, largest growth first"),
        written<&S::parts>("parts",
                           "why it changed: the new inputs are applied one group at a time"),
        written<&S::keys>("keys", "inputs that changed"),
        written<&S::remarks>("remarks"),
    };
  }
};

template <>
struct Recorded<ScenarioErrors> {
  static Keys<ScenarioErrors> keys() {
    using E = ScenarioErrors;
    return {
        written<&E::file>("file", "as given"),
        written<&E::key>("key", "its name in the baseline"),
        written<&problems>("problems", "all that were found"),
    };
  }
};

template <>
struct Recorded<Verdict> {
  static constexpr auto layout = block;
  static Keys<Verdict> keys() {
    using V = Verdict;
    return {
        written<&V::baseline>("baseline", "the file"),
        written<&V::level>("level", "the worst of all scenarios"),
        written<&V::warn_only>("warn_only", "--warn-only was given"),
        written<&V::updated>("updated", "the baseline was written"),
        written<&V::strict>("strict", "--strict was given"),
        written<&V::scenarios>("scenarios", "in the order of the command line"),
        written<&V::errors>("errors", "scenarios that could not be checked; exit status 2"),
        written<&V::gone>("gone", "keys of entries whose file is not found any more"),
        written<&V::remarks>("remarks", "on the baseline as a whole"),
    };
  }
};

const DocumentKind verdict_document{.kind = "check", .command = "check", .keys = keys_of<Verdict>};

std::string write_verdict(const Verdict& verdict) {
  return write_document(verdict_document, verdict);
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
