#include "api/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "api/advise_work.hpp"
#include "api/case_work.hpp"
#include "api/check_work.hpp"
#include "api/constraints.hpp"
#include "api/diagnose_work.hpp"
#include "api/fit_work.hpp"
#include "api/inputs.hpp"
#include "api/instance_filter.hpp"
#include "api/optimize_work.hpp"
#include "api/scale_work.hpp"
#include "api/sweep.hpp"
#include "api/sweep_points.hpp"
#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/documents/documents.hpp"
#include "schema/documents/result.hpp"
#include "schema/requests/request.hpp"
#include "study/case_summary.hpp"
#include "study/diagnose.hpp"

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

std::vector<Vary> varied_in(const schema::Request& request, const schema::Document& document,
                            const Place& place, const std::string& command,
                            const std::string& flag) {
  const schema::AskedKeys& asked = request.asked;
  std::optional<Vary> instances;
  if (!asked.instances.empty()) {
    instances =
        filtered_instances(asked.instances, document,
                           schema::read_whole_catalog(place.pricing(), place.files), "instances")
            .vary;
  }
  return varied_by(command, std::move(instances), asked.vary, flag);
}

/// Of the points, and of the machine that the host profile is of.
Catalog catalog_of(const SweepPoints& points, const schema::Request& request, const Place& place) {
  std::set<std::string> instances = points.instances();
  add_instances(instances, request.host);
  return catalog_of(instances, place);
}

/// A case, a remedy or a scenario of another machine may name any instance.
Catalog whole_catalog_of(const Place& place) {
  return schema::read_whole_catalog(place.pricing(), place.files);
}

std::string sweep(const schema::Request& request, const Place& place) {
  const schema::AskedKeys& asked = request.asked;
  const schema::Document document = document_of(request);
  std::vector<Vary> varied = varied_in(request, document, place, "sweep", "vary");
  if (const std::size_t size = Grid(varied, "vary").size(); size > place.most_points) {
    refuse_flag("vary", fmt::format("expected at most {} points, got {}", place.most_points, size));
  }
  const SweepPoints points(document, std::move(varied), "vary");
  const Scenario& first = points.first();
  const Constraints constraints =
      constraints_of({asked.deadline, asked.budget}, first.currency, "");
  const Catalog catalog = catalog_of(points, request, place);
  std::vector<study::SweepInput> inputs;
  for (std::size_t i = 0; i < points.size(); ++i) inputs.push_back(points.at(i));
  const Sweep swept = with_places(document, [&] {
    Sweep made = study::sweep(inputs, catalog, profile_of(request),
                              options_of_points(request.depth, inputs.size()), asked.jobs);
    conclude(made, inputs, catalog, profile_of(request), request.depth, constraints, asked.jobs);
    return made;
  });
  return schema::write_sweep(swept, first.name, request.file);
}

std::string advise(const schema::Request& request, const Place& place) {
  const schema::AskedKeys& asked = request.asked;
  const ScenarioMaker make(document_of(request), "set");
  const Advice advice =
      advice_for(make, whole_catalog_of(place), profile_of(request),
                 {asked.target, {asked.deadline, asked.budget}}, request.depth, "");
  return schema::write_advice(advice, make.scenario().name, request.file);
}

std::string optimize(const schema::Request& request, const Place& place) {
  const schema::AskedKeys& asked = request.asked;
  const schema::Document document = document_of(request);
  const SweepPoints points(document, varied_in(request, document, place, "optimize", "over"),
                           "over");
  const Scenario& first = points.first();
  const OptimizeAsked what{asked.minimize,
                           constraints_of({asked.deadline, asked.budget}, first.currency, ""),
                           asked.jobs};
  const Catalog catalog = catalog_of(points, request, place);
  return schema::write_optimum(
      optimum_of(points, document, catalog, profile_of(request), what, request.depth, "over"),
      first.name, request.file);
}

std::string scale(const schema::Request& request, const Place& place) {
  static_assert(schema::most_scaled == static_cast<double>(study::most_instances));
  const schema::AskedKeys& asked = request.asked;
  const ScaleTexts what{asked.vary,   asked.deadline, asked.value_of_hour, std::lround(asked.to),
                        asked.strong, asked.jobs};
  const std::vector<Vary> varied = scale_varied(what, "");
  const schema::Document document = scale_document(document_of(request), what, "");
  const SweepPoints points(document, varied, "vary");
  const study::ScaleOptions options = scale_options(points.first(), what, request.depth, "");
  const Catalog catalog = catalog_of(points, request, place);
  return schema::write_scaling(
      scaling_over(points, document, catalog, profile_of(request), options, request.depth, ""),
      points.first().name, request.file);
}

std::string cases(const schema::Request& request, const Place& place) {
  const std::vector<ScenarioCases> made = {cases_of(document_of(request), whole_catalog_of(place),
                                                    profile_of(request),
                                                    case_options(request.depth))};
  return schema::write_cases(made, study::summary_of(made));
}

std::string fit(const schema::Request& request, const Place& place) {
  const schema::Document document = document_of(request);
  const std::vector<schema::FreeKey> free = keys_of(document, request.asked.free, "free");
  UnknownsFit found = fit_of(document, free, whole_catalog_of(place), profile_of(request));
  found.file = request.file;
  if (request.host) found.flags = {"--host", request.host->name};
  for (const auto& [key, value] : request.set) {
    found.flags.insert(found.flags.end(), {"--set", key + '=' + value});
  }
  return schema::write_unknowns_fit(found);
}

std::vector<TypedReading> readings_in(const schema::Request& request) {
  std::vector<TypedReading> typed;
  std::vector<Problem> problems;
  for (const auto& [name, text] : request.asked.readings) {
    const ReadingRow* const row = find_reading(name);
    if (row != nullptr && row->quantile == 0.0) {
      typed.push_back({row, text, name});
      continue;
    }
    std::vector<std::string> known;
    for (const ReadingRow& one : all_readings()) {
      if (one.quantile == 0.0) known.emplace_back(one.name);
    }
    problems.push_back({"request", 0, schema::join_pointer("/readings", name),
                        fmt::format("expected one of {}, got {}{}", fmt::join(known, ", "),
                                    in_quotes(name), did_you_mean(name, known))});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return typed;
}

std::string diagnose(const schema::Request& request, const Place& place) {
  const Thresholds thresholds = thresholds_of(request.asked.threshold, "threshold");
  Readings readings;
  add_readings(readings, readings_in(request));
  complete_readings(readings, "");
  if (!readings.any())
    refuse_flag("readings", "expected what monitors show, such as {\"gpu\": 35}");
  std::optional<Simulated> beside;
  if (request.has_scenario) {
    const schema::Document document = document_of(request);
    const Scenario scenario = scenario_of(document);
    std::set<std::string> instances;
    add_instances(instances, scenario);
    add_instances(instances, request.host);
    beside = simulated_beside(document, scenario, request.file, catalog_of(instances, place),
                              profile_of(request), request.depth);
  }
  const Diagnosis diagnosis = diagnosed(readings, thresholds, std::move(beside), {});
  return schema::write_diagnosis(diagnosis);
}

namespace fs = std::filesystem;

/// Whether the file lies in or below one of the folders, by their names alone: a request learns of
/// no link elsewhere.
bool lies_below(const std::string& file, const std::vector<std::string>& folders) {
  const auto named = [](const std::string& path) { return fs::absolute(path).lexically_normal(); };
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    const fs::path inside = named(file).lexically_relative(named(folder + "/."));
    return !inside.empty() && *inside.begin() != "..";
  });
}

/// `file` from the folder of `baseline`, by their names alone. InputError where they do not tell.
std::string key_from(const std::string& file, const std::string& baseline) {
  const fs::path folder = fs::path(baseline).lexically_normal().parent_path();
  const fs::path key =
      fs::path(file).lexically_normal().lexically_relative(folder.empty() ? "." : folder);
  if (!key.empty()) return key.generic_string();
  throw InputError(
      std::vector<Problem>{{"request", 0, "/baseline_file",
                            fmt::format("expected a file from whose folder {} can be named, got {}",
                                        in_quotes(file), in_quotes(baseline))}});
}

CheckRules rules_of(const schema::AskedKeys& asked) {
  CheckRules rules;
  rules.max_increase = asked.max_increase;
  rules.max_change = asked.max_change;
  rules.thresholds = asked.threshold;
  rules.max_price_age = asked.max_price_age;
  rules.hold_prices = asked.hold_prices;
  rules.strict = asked.strict;
  return rules;
}

std::string check(const schema::Request& request, const Place& place) {
  CheckInputs inputs;
  inputs.baseline = *request.baseline;
  inputs.looks_for_gone =
      request.baseline_is_placed && lies_below(inputs.baseline.file, request.files.folders);
  if (request.asked.strict && !inputs.looks_for_gone) {
    throw InputError(std::vector<Problem>{
        {"request", 0, "/strict",
         fmt::format(
             "expected \"baseline_file\" below a folder of {} beside it: scenarios that are "
             "gone are looked for there",
             request.files.remedy)}});
  }
  for (const schema::NamedScenario& scenario : request.scenarios) {
    inputs.scenarios.push_back({scenario.file, key_from(scenario.file, inputs.baseline.file), [&] {
                                  schema::Document document = scenario.read();
                                  for (const auto& [key, value] : request.set) {
                                    schema::set_value(document, key, value, "set");
                                  }
                                  document.keep_as_base();
                                  return document;
                                }});
  }
  inputs.files = request.files;
  inputs.host = profile_of(request);
  inputs.catalog = [&](const std::set<std::string>& names) { return catalog_of(names, place); };
  inputs.catalog_files = &place.files;
  inputs.depth = request.depth;
  return schema::write_verdict(
      check_scenarios(std::move(inputs), rules_of(request.asked), "").verdict);
}

std::string answered(const schema::Request& request, const Place& place) {
  switch (request.question) {
    case schema::Question::run: return run(request, place);
    case schema::Question::sweep: return sweep(request, place);
    case schema::Question::advise: return advise(request, place);
    case schema::Question::optimize: return optimize(request, place);
    case schema::Question::scale: return scale(request, place);
    case schema::Question::cases: return cases(request, place);
    case schema::Question::fit: return fit(request, place);
    case schema::Question::diagnose: return diagnose(request, place);
    case schema::Question::check: return check(request, place);
  }
  return {};
}

}  // namespace

std::string answer(std::string_view request, const Place& place) {
  try {
    const schema::Request asked =
        schema::read_request(std::string(request), {place.files, place.folders, place.may_allow});
    return answered(asked, place);
  } catch (const InputError& error) {
    return schema::write_error(error.what(), error.problems(), wrong_input);
  } catch (const std::bad_alloc&) {
    return schema::write_error("out of memory", {}, host_failed);
  } catch (const std::exception& error) {
    return schema::write_error(error.what(), {}, host_failed);
  }
}

}  // namespace feedrate::api
