#include "cli/export_input.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "schema/documents/exported.hpp"
#include "schema/documents/sweep_share.hpp"
#include "study/sweep.hpp"

namespace feedrate::cli {
namespace {

/// The scenario of a result, with what its point sets.
Scenario scenario_behind(const Exported& figures, const std::string& result,
                         const SimulationOptions& options, std::size_t point) {
  AllowedFiles allowed = allowed_files(options);
  allowed.folders.emplace_back(".");  // where the result was made
  NamedFiles named(allowed, result);
  std::string text;
  try {
    text = named.text(named.find(figures.file, ""));
  } catch (const InputError& error) {
    throw InputError(fmt::format(
        "expected the scenario of the result beside it, for the region and the purchase "
        "of its machines: {}",
        error.problems().front().message));
  }
  schema::Document document = schema::document_of(
      schema::parse_json(text, figures.file, schema::JsonErrors::without_its_text), figures.file,
      allowed_files(options));
  apply_settings(document, options);
  for (const auto& [key, value] : figures.points[point].set) {
    schema::set_value(document, key, value, "--vary");
  }
  return scenario_of(document);
}

ExportInput from_result(const ExportArguments& arguments, const schema::JsonPtr& root) {
  const SweepQuestion& question = arguments.question;
  if (!question.vary.empty() || !question.instances.empty() || !question.simulation.host.empty() ||
      question.simulation.exact) {
    throw InputError(
        fmt::format("{} is a result: expected no --vary, --instances, --host or --exact, which "
                    "apply only to a scenario that is simulated",
                    question.scenario));
  }
  ExportInput input{schema::read_exported(root), {}};
  input.scenario = [figures = input.figures, result = question.scenario,
                    options = question.simulation](std::size_t point) {
    return scenario_behind(figures, result, options, point);
  };
  return input;
}

ExportInput from_scenario(const ExportArguments& arguments, const schema::Document& document) {
  ExportInput input;
  input.figures.file = arguments.question.scenario;
  const SweepQuestion& question = arguments.question;
  if (question.vary.empty() && question.instances.empty()) {
    Scenario scenario = scenario_of(document);
    const std::optional<HostProfile> host = host_of(question.simulation);
    std::set<std::string> instances;
    add_instances(instances, scenario);
    add_instances(instances, host);
    const Result result = with_places(document, [&] {
      return study::run(scenario, catalog_of(instances), host ? &*host : nullptr,
                        stated_options(question.simulation));
    });
    input.figures.name = scenario.name;
    input.figures.points.push_back(exported(result));
    input.scenario = [scenario = std::move(scenario)](std::size_t) { return scenario; };
    return input;
  }
  const auto sweep = std::make_shared<PreparedSweep>(
      prepared_sweep(question, document, host_of(question.simulation)));
  std::vector<study::SweepInput> points;
  for (std::size_t i = 0; i < sweep->points.size(); ++i) points.push_back(sweep->points.at(i));
  Progress progress("export");
  const Sweep result = with_places(sweep->document, [&] {
    return study::sweep(points, sweep->world.catalog, sweep->world.profile(), sweep->options(),
                        arguments.jobs,
                        [&](std::size_t done, std::size_t total) { progress.update(done, total); });
  });
  input.figures.name = sweep->points.first().name;
  for (const SweepPoint& point : result.points) {
    ExportedPoint& made = input.figures.points.emplace_back();
    if (point.answered()) {
      made = exported(point.result);
    } else {
      for (const Problem& problem : point.problems) {
        made.problem += (made.problem.empty() ? "" : "; ") +
                        (problem.pointer.empty() ? "" : problem.pointer + ": ") + problem.message;
      }
    }
    made.set = point.set;
  }
  input.scenario = [sweep](std::size_t point) { return sweep->points.at(point).scenario; };
  return input;
}

/// A share holds points of a sweep that only all shares together tell of.
void refuse_share(std::string_view text, const std::string& file) {
  if (!schema::begins_like_a_share(text.substr(0, text.find('\n')))) return;
  refuse_file(file,
              "expected a scenario or a result, got a share of a sweep: feedrate merge SHARE... "
              "--format json --output sweep.json makes a result of all of them, to be exported");
}

}  // namespace

ExportInput input_of(const ExportArguments& arguments) {
  // A result is larger than a scenario may be.
  constexpr std::size_t largest_result = 2'000'000'000;
  const bool typed = arguments.question.scenario == standard_input_path;
  const std::string file = typed ? std::string(standard_input_name) : arguments.question.scenario;
  const std::string text = typed ? read_standard_input(largest_result)
                                 : read_text_file(arguments.question.scenario, largest_result);
  refuse_share(text, file);
  if (text.find("\"kind\"") != std::string::npos) {
    const schema::JsonPtr root = schema::parse_json(text, file);
    if (schema::is_result(*root)) return from_result(arguments, root);
    if (const schema::JsonValue* const kind = root->find("kind")) {
      refuse_file(file, fmt::format("expected a scenario, or what run, sweep, merge or scale wrote "
                                    "with --format json, got the kind {}",
                                    in_quotes(kind->text)));
    }
  }
  schema::Document document =
      schema::parse_document(text, file, allowed_files(arguments.question.simulation));
  apply_settings(document, arguments.question.simulation);
  return from_scenario(arguments, document);
}

}  // namespace feedrate::cli
