#include "api/scale_work.hpp"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "api/constraints.hpp"
#include "api/inputs.hpp"
#include "api/scenario_maker.hpp"
#include "api/sweep.hpp"
#include "base/errors.hpp"

namespace feedrate::api {
namespace {

/// Tables that anyone would read one below the other.
constexpr std::size_t most_curves = 64;
constexpr const char* hour_key = "/job/value_of_hour";

/// "--value-of-hour" of a command line, "value_of_hour" of a request.
std::string hour_flag(std::string_view dashes) {
  return dashes.empty() ? "value_of_hour" : std::string(dashes) + "value-of-hour";
}

std::string vary_flag(std::string_view dashes) {
  return std::string(dashes) + "vary";
}

}  // namespace

std::vector<Vary> scale_varied(const ScaleTexts& asked, std::string_view dashes) {
  const std::string flag = vary_flag(dashes);
  std::vector<Vary> varied;
  for (const std::string& text : asked.vary) {
    varied.push_back(parse_vary(text, flag));
    std::string pointer;
    try {
      pointer = schema::set_pointer(varied.back().key);
    } catch (const InputError&) {
      continue;  // reading the first point says what is wrong with it
    }
    if (pointer == "/cluster/instances") {
      refuse_flag(flag, fmt::format("expected a key other than instances, which scale itself "
                                    "varies up to {}",
                                    dashes.empty() ? "\"to\"" : "--to"));
    }
    if (pointer == hour_key && !asked.value_of_hour.empty()) {
      refuse_flag(flag, fmt::format("expected either {} or {} of the same key, got both",
                                    hour_flag(dashes), flag));
    }
  }
  if (const std::size_t size = varied.empty() ? 1 : Grid(varied, flag).size(); size > most_curves) {
    refuse_flag(flag, fmt::format("expected at most {} settings, each with its own table, got {}",
                                  most_curves, size));
  }
  return varied;
}

schema::Document scale_document(schema::Document document, const ScaleTexts& asked,
                                std::string_view dashes) {
  if (!asked.value_of_hour.empty()) {
    schema::set_value(document, hour_key, asked.value_of_hour, hour_flag(dashes));
    document.keep_as_base();
  }
  return document;
}

study::ScaleOptions scale_options(const Scenario& first, const ScaleTexts& asked,
                                  const Depth& depth, std::string_view dashes) {
  require_alike(first, "scale");
  study::ScaleOptions options;
  options.to = asked.to;
  options.kept = asked.strong ? BatchKept::global : BatchKept::per_gpu;
  options.deadline = constraints_of({asked.deadline, ""}, first.currency, dashes).deadline;
  options.jobs = asked.jobs;
  // As many as a run takes for its bands, so that each row is that run.
  options.draws = weighing_options(depth).replications;
  options.seed = depth.seed;
  return options;
}

Scaling scaling_over(const SweepPoints& points, const schema::Document& document,
                     const Catalog& catalog, const HostProfile* host, study::ScaleOptions options,
                     const Depth& depth, std::string_view dashes,
                     const study::SweepProgress& progress) {
  // A curve has a dozen rows or two.
  constexpr std::size_t most_curves = 3;
  options.events = confirms(depth) && points.size() <= most_curves;
  const ScenarioMaker make(document, vary_flag(dashes));
  std::vector<ScaleCurve> curves;
  for (std::size_t i = 0; i < points.size(); ++i) {
    curves.push_back(with_places(document, [&] {
      return study::scale_curve(points.setting(i), std::cref(make), catalog, host, options,
                                [&](std::size_t done, std::size_t total) {
                                  if (progress) progress(i * total + done, points.size() * total);
                                });
    }));
  }
  Scaling scaling = study::scaling_of(std::move(curves), points.first(), options);
  if (confirms(depth)) {
    with_places(document,
                [&] { study::confirm(scaling, std::cref(make), catalog, host, options); });
  }
  return scaling;
}

}  // namespace feedrate::api
