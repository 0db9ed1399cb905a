#include "schema/result.hpp"

#include "base/version.hpp"
#include "model/figures.hpp"
#include "schema/by_events_record.hpp"
#include "schema/document_kind.hpp"
#include "schema/json_writer.hpp"
#include "schema/result_record.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

constexpr double result_version = 1.0;
constexpr double comparison_version = 2.0;  // 1 called its points "results"

void open_document(std::string_view kind, JsonWriter& out, double layout = result_version) {
  out.begin_object().text("feedrate", version).text("kind", kind);
  out.number("schema", layout);
}

/// What every point has, and a run's document beside its header: what was asked, and the result or
/// why there is none.
void write_answer(const std::string& name, const std::string& file, const Settings& set,
                  const Result* result, const std::vector<Problem>& problems, JsonWriter& out) {
  write_source(name, file, out);
  Written<Settings>::put(set, out.key("set"));
  out.key("result");
  if (result != nullptr) {
    write_result_body(*result, out);
  } else {
    out.null();
  }
  out.key("problems").begin_array();
  for (const Problem& problem : problems) {
    out.begin_object(Layout::line);
    out.text_or_null("key", problem.pointer);
    out.text("message", problem.message).end();
  }
  out.end();
}

void write_scale_out(const std::optional<ScaleOut>& scale_out, JsonWriter& out) {
  out.key("scale_out");
  if (!scale_out) {
    out.null();
    return;
  }
  out.begin_object().number("instances", scale_out->instances);
  out.number(name_of(FigureId::total_time), scale_out->time);
  out.number(name_of(FigureId::money), scale_out->money);
  out.number(name_of(FigureId::total_cost), scale_out->total);
  out.number("break_even_efficiency", scale_out->break_even);
  out.key("total_cost_at").begin_array(Layout::block);
  for (std::size_t i = 0; i < scale_out->total_at.size(); ++i) {
    out.begin_object(Layout::line).number("efficiency", ladder_efficiencies[i]);
    out.number("of_fewest", scale_out->total_at[i]).end();
  }
  out.end().end();
}

void write_decision(const std::optional<Decision>& decision, JsonWriter& out) {
  out.key("decision");
  if (!decision) {
    out.null();
    return;
  }
  const std::string_view unit = decision->in_money ? "_usd" : "_s";
  const auto named = [&](std::string_view name) { return std::string(name) + std::string(unit); };
  out.begin_object().number("best", static_cast<double>(decision->best));
  out.number("choice", static_cast<double>(decision->choice));
  out.number("compared", static_cast<double>(decision->compared));
  out.number("draws", static_cast<double>(decision->draws)).number("likely", decision->likely);
  out.number(named("expected_loss"), decision->expected_loss);
  out.key("worth_knowing").begin_array(Layout::block);
  for (const Worth& worth : decision->worth) {
    out.begin_object(Layout::line);
    out.text_or_null("probe", worth.probe);
    out.key("inputs").begin_array();
    for (const std::string& key : worth.keys) out.text(key);
    out.end().number(named("worth"), worth.worth).number("share", worth.share);
    out.number("instead", static_cast<double>(worth.instead)).end();
  }
  out.end().end();
}

/// Whether there are any, and what keeps them.
void write_constraints(const Sweep& sweep, JsonWriter& out) {
  out.key("constraints");
  const Constraints& constraints = sweep.constraints;
  if (!constraints.any()) {
    out.null();
    return;
  }
  const auto& [deadline, budget] = constraints;
  out.begin_object(Layout::line);
  out.number("deadline_s", deadline ? std::optional(deadline->base()) : std::nullopt);
  out.number("budget_usd", budget ? std::optional(budget->base()) : std::nullopt);
  out.number("meeting", static_cast<double>(sweep.meeting));
  out.number("cheapest", sweep.cheapest_meeting
                             ? std::optional(static_cast<double>(*sweep.cheapest_meeting))
                             : std::nullopt);
  out.end();
}

void write_relative(const Result& result, const Result& reference, JsonWriter& out) {
  out.begin_object(Layout::line);
  for (const FigureId id : compared_figures) {
    const double from = value_of(reference, id).value_or(0.0);
    const auto now = value_of(result, id);
    out.number(name_of(id), now && from != 0.0 ? std::optional(*now / from - 1.0) : std::nullopt);
  }
  out.end();
}

}  // namespace

std::string write_result(const NamedResult& result) {
  JsonWriter out;
  open_document("result", out);
  write_answer(result.name, result.file, result.set, &result.result, {}, out);
  out.end();
  return std::move(out).finish();
}

std::string write_sweep(const Sweep& sweep, const std::string& name, const std::string& file) {
  JsonWriter out;
  open_document("sweep", out);
  write_source(name, file, out);
  out.key("points").begin_array(Layout::block);
  for (const SweepPoint& point : sweep.points) {
    out.begin_object();
    write_answer(name, file, point.set, point.answered() ? &point.result : nullptr, point.problems,
                 out);
    write_scale_out(point.scale_out, out);
    out.key("meets_constraints");
    if (point.answered() && sweep.constraints.any()) {
      out.boolean(point.meets(sweep.constraints));
    } else {
      out.null();
    }
    out.end();
  }
  out.end();
  out.key("pareto").begin_array();
  for (const std::size_t index : sweep.pareto) out.number(static_cast<double>(index));
  out.end();
  const bool any = !sweep.points.empty();
  const auto index = [&](std::size_t i) {
    return any ? std::optional(static_cast<double>(i)) : std::nullopt;
  };
  out.number("fastest", index(sweep.fastest)).number("cheapest", index(sweep.cheapest));
  out.number("break_even_efficiency", sweep.break_even_efficiency);
  write_decision(sweep.decision, out);
  write_constraints(sweep, out);
  out.key("confirmed").begin_object(Layout::block);
  const auto write_choice = [&](std::string_view name, const std::optional<Choice>& choice) {
    out.key(name);
    if (choice) {
      Written<Choice>::put(*choice, out);
    } else {
      out.null();
    }
  };
  write_choice("fastest", sweep.confirmed.fastest);
  write_choice("cheapest", sweep.confirmed.cheapest);
  write_choice("cheapest_meeting", sweep.confirmed.cheapest_meeting);
  out.end();
  out.key("remarks").begin_array();
  for (const std::string& remark : sweep.remarks) out.text(remark);
  out.end().end();
  return std::move(out).finish();
}

std::string write_comparison(std::span<const NamedResult> results,
                             const std::optional<Decision>& decision) {
  JsonWriter out;
  open_document("comparison", out, comparison_version);
  out.key("points").begin_array(Layout::block);
  for (const NamedResult& item : results) {
    out.begin_object();
    write_answer(item.name, item.file, item.set, &item.result, {}, out);
    out.key("relative");
    if (&item == &results.front()) {
      out.null();
    } else {
      write_relative(item.result, results.front().result, out);
    }
    out.end();
  }
  out.end();
  write_decision(decision, out);
  out.end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
