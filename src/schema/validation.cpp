#include "schema/validation.hpp"

#include "base/version.hpp"
#include "schema/json_writer.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

constexpr double validation_version = 1.0;

void write_case(const CaseResult& result, JsonWriter& out) {
  out.begin_object(Layout::line).text("name", result.what.name).key("set");
  out.begin_object(Layout::line);
  for (const auto& [key, value] : result.what.set) out.text(key, value);
  out.end();
  out.text("metric", result.what.metric);
  out.number("measured", result.what.measured).number("predicted", result.predicted);
  out.number("error", result.error).text_or_null("bottleneck", result.bottleneck);
  out.key("band");
  if (result.band) {
    out.begin_array();
    for (const double quantile : *result.band) out.number(quantile);
    out.end();
  } else {
    out.null();
  }
  const auto list = [&out](std::string_view name, const std::vector<double>& numbers) {
    out.key(name).begin_array();
    for (const double number : numbers) out.number(number);
    out.end();
  };
  list("repeats", result.what.repeats);
  list("adjusted", result.adjusted);
  out.end();
}

double count(std::size_t n) {
  return static_cast<double>(n);
}

}  // namespace

std::string write_validation(const ScenarioCases& of, const std::string& profile) {
  const CaseSummary& summary = of.summary;
  JsonWriter out;
  out.begin_object().text("feedrate", version).text("kind", "validation");
  out.number("schema", validation_version).text("profile", profile);
  out.text("measured", of.scenario.about.source);
  out.key("validation").begin_object();
  out.number("times", count(summary.predictions)).number("mean_absolute_error", summary.mean);
  out.number("median_absolute_error", summary.median);
  out.number("worst_absolute_error", summary.worst).number("bias", summary.bias);
  out.number("bottlenecks", count(summary.bottlenecks));
  out.number("bottlenecks_right", count(summary.bottlenecks_right));
  const auto share = [](std::size_t part, std::size_t all) {
    return all == 0 ? std::nullopt : std::optional(count(part) / count(all));
  };
  out.number("figures_with_a_band", count(summary.banded));
  out.number("coverage", share(summary.inside, summary.banded));
  const auto adjusted = [&](double value) {
    return summary.adjusted == 0 ? std::nullopt : std::optional(value);
  };
  out.number("canary_adjusted_median_absolute_error", adjusted(summary.adjusted_median));
  out.number("canary_adjusted_mean_absolute_error", adjusted(summary.adjusted_mean));
  out.number("canary_adjusted_bias", adjusted(summary.adjusted_bias)).end();
  out.key("cases").begin_array(Layout::block);
  for (const CaseResult& result : of.cases) write_case(result, out);
  out.end().end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
