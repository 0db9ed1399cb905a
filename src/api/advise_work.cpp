#include "api/advise_work.hpp"

#include <functional>

#include "api/inputs.hpp"
#include "api/sweep.hpp"
#include "study/advise.hpp"

namespace feedrate::api {

Advice advice_for(const ScenarioMaker& make, const Catalog& catalog, const HostProfile* host,
                  const AdviseAsked& asked, const Depth& depth, std::string_view dashes) {
  const Scenario& scenario = make.scenario();
  study::AdviseOptions options;
  options.target = asked.target;
  // What is paid once is paid for all runs of a job that says how many there are.
  options.jobs = scenario.job.jobs.value_or(scenario.accounting.runs.value_or(1.0));
  options.constraints = constraints_of(asked.constraints, scenario.currency, dashes);
  options.seed = depth.seed;
  options.events = confirms(depth);
  return with_places(make.document(),
                     [&] { return study::advise(std::cref(make), catalog, host, options); });
}

}  // namespace feedrate::api
