#include "api/answer.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "api/constraints.hpp"
#include "api/inputs.hpp"
#include "api/instance_filter.hpp"
#include "api/sweep.hpp"
#include "api/sweep_points.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "schema/catalog_reader.hpp"
#include "schema/request.hpp"
#include "schema/result.hpp"

namespace feedrate::api {
namespace {

/// The document with what the request sets in it. InputError with every setting that cannot be, and
/// with what is wrong with the document as far as it could be set.
schema::Document document_of(const schema::Request& request) {
  schema::Document document = request.scenario;
  std::vector<Problem> problems;
  const auto keep = [&](const InputError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  };
  for (const auto& [key, value] : request.set) {
    try {
      schema::set_value(document, key, value, "set");
    } catch (const InputError& error) {
      keep(error);
    }
  }
  document.keep_as_base();
  if (problems.empty()) return document;
  try {
    static_cast<void>(schema::read_scenario(document));
  } catch (const InputError& error) {
    keep(error);
  }
  throw InputError(std::move(problems));
}

Catalog catalog_of(const std::set<std::string>& instances, const Place& place) {
  return schema::read_catalog(
      place.pricing(), std::vector<std::string>(instances.begin(), instances.end()), place.files);
}

const HostProfile* profile_of(const schema::Request& request) {
  return request.host ? &*request.host : nullptr;
}

std::string run(const schema::Request& request, const Place& place) {
  const schema::Document document = document_of(request);
  const Scenario scenario = scenario_of(document);
  std::set<std::string> instances;
  add_instances(instances, scenario);
  add_instances(instances, request.host);
  const Catalog catalog = catalog_of(instances, place);
  return schema::write_result({scenario.name, request.file,
                               with_places(document,
                                           [&] {
                                             return study::run(scenario, catalog,
                                                               profile_of(request),
                                                               weighing_options(request.depth));
                                           }),
                               request.set});
}

std::vector<Vary> varied_in(const schema::SweepRequest& asked, const schema::Document& document,
                            const Place& place) {
  std::optional<Vary> instances;
  if (!asked.instances.empty()) {
    instances =
        filtered_instances(asked.instances, document,
                           schema::read_whole_catalog(place.pricing(), place.files), "instances")
            .vary;
  }
  std::vector<Vary> varied = varied_by("sweep", std::move(instances), asked.vary, "vary");
  if (const std::size_t size = Grid(varied, "vary").size(); size > most_kept) {
    refuse_flag("vary", fmt::format("expected at most {} points, got {}", most_kept, size));
  }
  return varied;
}

std::string sweep(const schema::Request& request, const schema::SweepRequest& asked,
                  const Place& place) {
  const schema::Document document = document_of(request);
  const SweepPoints points(document, varied_in(asked, document, place), "vary");
  const Scenario& first = points.first();
  const Constraints constraints =
      constraints_of({asked.deadline, asked.budget}, first.currency, "");
  std::set<std::string> instances = points.instances();
  add_instances(instances, request.host);
  const Catalog catalog = catalog_of(instances, place);
  std::vector<study::SweepInput> inputs;
  for (std::size_t i = 0; i < points.size(); ++i) inputs.push_back(points.at(i));
  const Sweep swept = with_places(document, [&] {
    Sweep made =
        study::sweep(inputs, catalog, profile_of(request), run_options(request.depth), asked.jobs);
    conclude(made, inputs, catalog, profile_of(request), request.depth, constraints, asked.jobs);
    return made;
  });
  return schema::write_sweep(swept, first.name, request.file);
}

}  // namespace

std::string answer(std::string_view request, const Place& place) {
  try {
    const schema::Request asked =
        schema::read_request(std::string(request), place.files, place.folders);
    return asked.sweep ? sweep(asked, *asked.sweep, place) : run(asked, place);
  } catch (const InputError& error) {
    return schema::write_error(error.what(), error.problems(), wrong_input);
  } catch (const std::bad_alloc&) {
    return schema::write_error("out of memory", {}, host_failed);
  } catch (const std::exception& error) {
    return schema::write_error(error.what(), {}, host_failed);
  }
}

}  // namespace feedrate::api
