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
  out.number("error", result.error).key("bottleneck");
  if (result.bottleneck.empty()) {
    out.null();
  } else {
    out.text(result.bottleneck);
  }
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
  out.number("bottlenecks_right", count(summary.bottlenecks_right)).end();
  out.key("cases").begin_array(Layout::block);
  for (const CaseResult& result : of.cases) write_case(result, out);
  out.end().end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
