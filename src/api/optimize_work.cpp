#include "api/optimize_work.hpp"

#include "api/inputs.hpp"
#include "api/scenario_maker.hpp"

namespace feedrate::api {
namespace {

/// Draws that say how sure the choice is, where --replications does not.
constexpr int choice_draws = 100;

study::Axes axes_of(const SweepPoints& points, const schema::Document& document,
                    const std::string& flag) {
  return {points.grid(), [&points](std::size_t point) { return points.at(point).scenario; },
          [lean = without_cases(document), flag](const study::Setting& set) {
            schema::Document changed = lean;
            for (const auto& [key, value] : set) schema::set_value(changed, key, value, flag);
            return scenario_of(changed);
          }};
}

}  // namespace

Optimum optimum_of(const SweepPoints& points, const schema::Document& document,
                   const Catalog& catalog, const HostProfile* host, const OptimizeAsked& asked,
                   const Depth& depth, const std::string& flag,
                   const study::SweepProgress& progress) {
  study::OptimizeOptions options;
  options.minimized = asked.minimized;
  options.constraints = asked.constraints;
  options.run = weighing_options(depth);
  options.draws = depth.replications > 0 ? depth.replications : choice_draws;
  options.jobs = asked.jobs;
  const study::Axes axes = axes_of(points, document, flag);
  return with_places(document,
                     [&] { return study::optimize(axes, catalog, host, options, progress); });
}

}  // namespace feedrate::api
