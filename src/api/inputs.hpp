#pragma once
// From a scenario's document to what is simulated: decided once for the command line and for
// whoever asks through the library.
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/depth.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "schema/scenario/locate.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/run.hpp"

namespace feedrate::api {

/// What `ask` returns; an InputError of it names the document's files and lines.
template <class Ask>
auto with_places(const schema::Document& document, Ask&& ask) {
  try {
    return ask();
  } catch (const InputError& error) {
    throw schema::located(document, error);
  }
}

/// What is wrong with the input of `ask`, so that what is beside it can still be asked for.
template <class Ask>
std::vector<Problem> problems_of(Ask ask) {
  try {
    ask();
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

/// The document's scenario with everything fitted that it asks to be fitted (/job/scaling). Of a
/// whole document its cases are read too, so that all commands find the same wrong.
Scenario scenario_of(const schema::Document& document);

/// The instances that a scenario can ask the catalogue for.
void add_instances(std::set<std::string>& names, const Scenario& scenario);
/// The machine that a profile is of, to compare others with it.
void add_instances(std::set<std::string>& names, const std::optional<HostProfile>& host);

/// InputError where the instances, whose number `who` varies, have each its own number of GPUs.
void require_alike(const Scenario& scenario, std::string_view who);

study::RunOptions run_options(const Depth& depth);
/// The same for a job of its own: beside the mean as many events as are affordable, unless the mean
/// alone is asked for.
study::RunOptions stated_options(const Depth& depth);
/// The same for one answer that says how sure it is: inputs weighed, and bands of few draws where
/// no replications are asked for.
study::RunOptions weighing_options(const Depth& depth);

}  // namespace feedrate::api
