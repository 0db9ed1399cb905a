#include "schema/verdict.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/version.hpp"
#include "model/figures.hpp"
#include "schema/json_writer.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

constexpr double verdict_version = 1.0;

void write_stage(std::string_view name, const std::optional<Stage>& stage, JsonWriter& out) {
  out.key(name);
  if (stage) {
    out.text(name_of(*stage));
  } else {
    out.null();
  }
}

void write_text_or_null(std::string_view name, const std::string& text, JsonWriter& out) {
  out.key(name);
  if (text.empty()) {
    out.null();
  } else {
    out.text(text);
  }
}

void write_line(int line, JsonWriter& out) {
  out.number("line", line > 0 ? std::optional(static_cast<double>(line)) : std::nullopt);
}

void write_figures(const ScenarioVerdict& scenario, JsonWriter& out) {
  out.key("figures").begin_array(Layout::block);
  for (const FigureChange& change : scenario.figures) {
    out.begin_object(Layout::line).text("metric", change.metric);
    out.number("before", change.before).number("now", change.now);
    const bool both = change.before && change.now;
    out.number("change", both ? std::optional(*change.now - *change.before) : std::nullopt);
    const bool share = both && *change.before != 0.0;
    out.number("relative",
               share ? std::optional(*change.now / *change.before - 1.0) : std::nullopt);
    out.key("band");
    if (change.band) {
      out.begin_array();
      for (const double quantile : *change.band) out.number(quantile);
      out.end();
    } else {
      out.null();
    }
    out.end();
  }
  out.end();
}

void write_limits(const ScenarioVerdict& scenario, JsonWriter& out) {
  out.key("limits").begin_array(Layout::block);
  for (const Judgement& judgement : scenario.limits) {
    out.begin_object(Layout::line).text("limit", judgement.limit.text);
    out.text("metric", judgement.limit.metric).text("level", name_of(judgement.level));
    out.boolean_member("within_band", judgement.within_band);
    out.number("before", judgement.before).number("now", judgement.now);
    out.text("message", judgement.message);
    write_text_or_null("origin", judgement.limit.file, out);
    write_line(judgement.limit.line, out);
    out.end();
  }
  out.end();
}

void write_amounts(std::string_view name, const Amounts& amounts, JsonWriter& out) {
  out.key(name).begin_object(Layout::line);
  out.number(name_of(FigureId::total_time), amounts.time.base());
  out.number(name_of(FigureId::money), amounts.money.base());
  out.number(name_of(FigureId::total_cost), amounts.total.base());
  out.number(name_of(FigureId::gpu_busy), amounts.gpu_busy).end();
}

void write_reasons(const ScenarioVerdict& scenario, JsonWriter& out) {
  out.key("stages").begin_array(Layout::block);
  for (const StageChange& change : scenario.stages) {
    out.begin_object(Layout::line).text("stage", name_of(change.stage));
    out.number("before_s", change.before.base()).number("now_s", change.now.base());
    out.number("change_s", (change.now - change.before).base()).end();
  }
  out.end();
  out.key("parts").begin_array(Layout::block);
  for (const Part& part : scenario.parts) {
    out.begin_object(Layout::line).key("groups").begin_array();
    for (const InputGroup group : part.groups) out.text(name_of(group));
    out.end();
    write_amounts("from", part.from, out);
    write_amounts("to", part.to, out);
    write_amounts("change",
                  {part.to.time - part.from.time, part.to.money - part.from.money,
                   part.to.total - part.from.total, part.to.gpu_busy - part.from.gpu_busy},
                  out);
    out.end();
  }
  out.end();
  out.key("keys").begin_array(Layout::block);
  for (const KeyChange& change : scenario.keys) {
    out.begin_object(Layout::line).text("group", name_of(change.group)).text("key", change.key);
    write_text_or_null("before", change.before, out);
    write_text_or_null("now", change.after, out);
    write_text_or_null("file", change.file, out);
    write_line(change.line, out);
    out.end();
  }
  out.end();
}

void write_texts(std::string_view name, const std::vector<std::string>& texts, JsonWriter& out) {
  out.key(name).begin_array(Layout::block);
  for (const std::string& text : texts) out.text(text);
  out.end();
}

}  // namespace

std::string write_verdict(const Verdict& verdict) {
  JsonWriter out;
  out.begin_object();
  out.text("feedrate", version).text("kind", "check").number("schema", verdict_version);
  out.text("baseline", verdict.baseline).text("level", name_of(verdict.level));
  out.boolean_member("warn_only", verdict.warn_only).boolean_member("updated", verdict.updated);
  out.boolean_member("strict", verdict.strict);
  out.key("scenarios").begin_array(Layout::block);
  for (const ScenarioVerdict& scenario : verdict.scenarios) {
    out.begin_object();
    out.key("scenario").begin_object(Layout::line);
    out.text("name", scenario.name).text("file", scenario.file).text("key", scenario.key);
    write_text_or_null("renamed_from", scenario.renamed_from, out);
    out.end();
    out.text("standing", scenario.standing == Standing::added ? "added" : "compared");
    out.text("level", name_of(scenario.level)).boolean_member("stale", scenario.stale);
    out.key("bottleneck").begin_object(Layout::line);
    write_stage("before", scenario.bottleneck_before, out);
    write_stage("now", scenario.bottleneck_now, out);
    out.end();
    write_figures(scenario, out);
    write_limits(scenario, out);
    write_reasons(scenario, out);
    write_texts("remarks", scenario.remarks, out);
    out.end();
  }
  out.end();
  write_texts("gone", verdict.gone, out);
  write_texts("remarks", verdict.remarks, out);
  out.end();
  return std::move(out).finish();
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
