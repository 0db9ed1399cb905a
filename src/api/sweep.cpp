#include "api/sweep.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/inputs.hpp"
#include "study/choice.hpp"
#include "study/decision.hpp"

namespace feedrate::api {

study::RunOptions options_of_points(const Depth& depth, std::size_t points) {
  study::RunOptions options = run_options(depth);
  options.events = confirms(depth) && points <= study::most_points_by_events;
  options.refuse_unheld = true;
  return options;
}

void conclude(Sweep& sweep, std::span<const study::SweepInput> points, const Catalog& catalog,
              const HostProfile* host, const Depth& depth, const Constraints& constraints,
              int jobs) {
  sweep.decision = study::decide(sweep, points, catalog, host, depth.seed);
  study::hold_against(sweep, constraints);
  std::vector<study::Setting> settings;
  for (const study::SweepInput& point : points) settings.push_back(point.set);
  if (!points.empty()) {
    for (const std::string& remark :
         {study::data_follows(points.front().scenario, settings), study::batch_follows(settings)}) {
      if (!remark.empty()) sweep.remarks.push_back(remark);
    }
  }
  if (!confirms(depth)) return;
  std::vector<study::Placed> placed;
  for (const SweepPoint& point : sweep.points) placed.push_back(study::placed(point));
  sweep.confirmed =
      study::sweep_choices(placed, constraints, [&](std::span<const std::size_t> chosen) {
        const bool known_already =
            std::any_of(sweep.points.begin(), sweep.points.end(),
                        [](const SweepPoint& point) { return point.result.by_events.has_value(); });
        if (!known_already) {
          return study::confirm(
              chosen, [&](std::size_t i) { return points[i]; }, catalog, host, depth.seed, jobs);
        }
        return study::confirmed(
            chosen, [&](std::size_t i) -> const SweepPoint& { return sweep.points[i]; });
      });
  sweep.fastest = chosen_or(sweep.confirmed.fastest, sweep.fastest);
  sweep.cheapest = chosen_or(sweep.confirmed.cheapest, sweep.cheapest);
  if (auto& best = sweep.cheapest_meeting) {
    best = chosen_or(sweep.confirmed.cheapest_meeting, *best);
  }
}

}  // namespace feedrate::api
