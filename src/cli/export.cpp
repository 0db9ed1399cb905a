#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "catalog/lookup.hpp"
#include "cli/commands.hpp"
#include "cli/filter_help.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "cli/progress.hpp"
#include "cli/sweep_work.hpp"
#include "cli/terminal.hpp"
#include "model/exported.hpp"
#include "model/scenario.hpp"
#include "report/skypilot.hpp"
#include "schema/documents/exported.hpp"
#include "schema/documents/sweep_share.hpp"
#include "study/sweep.hpp"

namespace feedrate::cli {
namespace {

struct ExportArguments {
  SweepQuestion question;  // `scenario` may be a result
  int jobs = 0;
  std::string output;
  std::string format = "yaml";
  std::string minimize = "cost";
};

/// The figures, and the scenario that each point is of.
struct ExportInput {
  Exported figures;
  std::function<Scenario(std::size_t)> scenario;  ///< InputError where there is none
};

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

/// InputError for what is neither, and for flags that a result was simulated without.
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

void write_out(const ExportArguments& arguments, const std::string& text) {
  if (arguments.output.empty()) return write_stdout(text);
  const std::vector<std::string> inputs =
      files_read({&arguments.question.scenario, 1}, arguments.question.simulation);
  refuse_to_overwrite("--output", arguments.output, inputs);
  write_text_file(arguments.output, text);
}

void tell_unanswered(const Exported& figures) {
  const auto without = std::count_if(figures.points.begin(), figures.points.end(),
                                     [](const ExportedPoint& p) { return !p.problem.empty(); });
  if (without == 0) return;
  write_stderr(fmt::format("remark: {} of {} points have no result and are left out", without,
                           figures.points.size()));
}

/// "num_workers=8" of what a point sets, but for the machine.
std::string other_settings(const ExportedPoint& point) {
  std::string words;
  for (const auto& [key, value] : point.set) {
    if (schema::set_pointer(key).starts_with("/cluster/")) continue;
    words += fmt::format("{}{}={}", words.empty() ? "" : ", ", key, value);
  }
  return words;
}

/// SkyPilot rents machines whole: "" where the job uses all of their GPUs.
std::string of_its_gpus(const ExportedPoint& point, const Machine& machine) {
  const double gpus = point.figure(FigureId::gpus).value_or(0.0);
  const double instances = point.figure(FigureId::instances).value_or(1.0);
  if (!machine.gpus || !(instances > 0.0) || !(gpus > 0.0)) return "";
  const double used = gpus / instances;
  if (!(used < machine.gpus->value)) return "";
  return fmt::format(
      "the job uses {:g} of the {:g} GPUs that are rented: have the program use no more than "
      "these, or choose a smaller machine",
      used, machine.gpus->value);
}

/// Points that a task of SkyPilot has no place for.
struct LeftOut {
  std::size_t other_nodes = 0;
  bool recommended = false;  ///< what their number is other than
  std::size_t booked = 0;
  std::size_t beyond_limits = 0;
  std::set<std::string> nameless;

  [[nodiscard]] std::vector<std::string> words(int nodes) const {
    std::vector<std::string> list;
    if (beyond_limits > 0) {
      list.push_back(
          fmt::format("{} {} left out: later than the deadline of the result, or over "
                      "its budget",
                      counted(beyond_limits), beyond_limits == 1 ? "is" : "are"));
    }
    if (booked > 0) {
      list.push_back(
          fmt::format("{} with purchase capacity_block or training_plan {} left out: a SkyPilot "
                      "task rents on demand or on spot and would not use what is booked",
                      counted(booked), booked == 1 ? "is" : "are"));
    }
    if (!nameless.empty()) {
      list.push_back(fmt::format("{} left out: SkyPilot's name for {} is not known",
                                 fmt::join(nameless, ", "), nameless.size() == 1 ? "it" : "them"));
    }
    if (other_nodes > 0) {
      list.push_back(
          fmt::format("{} with a number of instances other than {} ({}) {} left out: "
                      "a SkyPilot task has a single number of nodes",
                      counted(other_nodes), nodes,
                      recommended ? "what the result recommends" : "that of the best",
                      other_nodes == 1 ? "is" : "are"));
    }
    return list;
  }

 private:
  static std::string counted(std::size_t points) {
    return fmt::format("{} point{}", points, points == 1 ? "" : "s");
  }
};

int export_skypilot(const ExportArguments& arguments) {
  const ExportInput input = input_of(arguments);
  const Exported& figures = input.figures;
  report::SkyTask task;
  task.name = figures.name;
  task.by_time = arguments.minimize == "time";
  std::vector<std::size_t> order;
  LeftOut left_out;
  for (std::size_t i = 0; i < figures.points.size(); ++i) {
    const ExportedPoint& point = figures.points[i];
    if (!point.problem.empty()) continue;
    const double time = point.figure(FigureId::total_time).value_or(0.0);
    const double money = point.figure(FigureId::money).value_or(0.0);
    if (figures.limits.met(seconds(time), usd(money))) {
      order.push_back(i);
    } else {
      ++left_out.beyond_limits;
    }
  }
  if (order.empty() && left_out.beyond_limits == 0) {
    throw InputError("export: expected a point with a result, got none");
  }
  const auto expect_candidates = [&](bool any) {
    if (any) return;
    throw InputError("export skypilot: no candidate is left: " +
                     left_out.words(task.nodes).front());
  };
  expect_candidates(!order.empty());
  const auto value = [&](std::size_t i) {
    const ExportedPoint& point = figures.points[i];
    const double time = point.figure(FigureId::total_time).value_or(0.0);
    const double cost = point.figure(FigureId::total_cost).value_or(0.0);
    // What lacks a price only looks cheap.
    const double unpriced = point.figure(FigureId::unpriced).value_or(0.0);
    return task.by_time ? std::tuple(time, unpriced, cost) : std::tuple(unpriced, cost, time);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
  const auto nodes_of = [&](std::size_t i) {
    return static_cast<int>(figures.points[i].figure(FigureId::instances).value_or(1.0));
  };
  task.nodes = nodes_of(order.front());
  const auto recommended = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
    return figures.recommended && nodes_of(i) == *figures.recommended;
  });
  if (!task.by_time && recommended != order.end()) {
    task.nodes = nodes_of(*recommended);
    left_out.recommended = true;
  }
  std::set<std::string> names;
  for (const std::size_t i : order) names.insert(figures.points[i].instance);
  if (names.contains("")) {
    throw InputError(
        {{"", 0, "/cluster/instance",
          "expected an instance for SkyPilot to rent, got none in the scenario: give --set "
          "instance=NAME, or --instances FILTER to take those of the catalogue"}});
  }
  const Catalog catalog = catalog_of(names);
  std::set<std::tuple<std::string, std::string, std::string, std::string, bool>> seen;
  bool sagemaker = false;
  bool plan = false;
  for (const std::size_t i : order) {
    if (nodes_of(i) != task.nodes) {
      ++left_out.other_nodes;
      continue;
    }
    const ExportedPoint& point = figures.points[i];
    const auto machine = find_machine(catalog, point.instance);
    if (!machine) throw InputError("export: " + machine.failure.message);
    const Scenario scenario = input.scenario(i);
    if (is_booked(scenario.cluster.purchase)) {
      ++left_out.booked;
      continue;
    }
    const auto as_sky = report::skypilot_machine(**machine);
    if (!as_sky) {
      left_out.nameless.insert(point.instance);
      continue;
    }
    plan = plan || scenario.cluster.purchase == Purchase::savings_plan;
    report::SkyCandidate candidate;
    candidate.machine = *as_sky;
    candidate.region = scenario.cluster.region.value_or("");
    candidate.spot = scenario.cluster.purchase == Purchase::spot;
    candidate.seconds = point.figure(FigureId::total_time).value_or(0.0);
    candidate.total_usd = point.figure(FigureId::total_cost).value_or(0.0);
    candidate.usd = point.figure(FigureId::money).value_or(candidate.total_usd);
    candidate.unpriced = point.figure(FigureId::unpriced).has_value();
    candidate.setting = other_settings(point);
    candidate.interruptions = report::exported_interruptions(point);
    candidate.remarks = point.remarks;
    if (const auto words = of_its_gpus(point, **machine); !words.empty()) {
      candidate.remarks.push_back(words);
    }
    // Of a machine at several settings the best is the one to run.
    if (seen.emplace(as_sky->cloud, candidate.region, as_sky->instance_type, as_sky->accelerators,
                     candidate.spot)
            .second) {
      task.candidates.push_back(std::move(candidate));
      sagemaker = sagemaker || without_prefix(point.instance) != point.instance;
    }
  }
  expect_candidates(!task.candidates.empty());
  tell_unanswered(figures);
  for (const std::string& words : left_out.words(task.nodes)) write_stderr("remark: " + words);
  if (plan) {
    write_stderr(
        "remark: SkyPilot has no savings plans: those candidates are listed as on-demand ones, but "
        "their costs include the plan's discount");
  }
  if (sagemaker) {
    write_stderr(
        "remark: SageMaker instances (ml.) are listed as the EC2 instances that SkyPilot rents, "
        "but their costs are SageMaker's");
  }
  write_out(arguments, arguments.format == "python" ? report::skypilot_python(task)
                                                    : report::skypilot_yaml(task));
  return fine;
}

void add_input_flags(Parser& app, ExportArguments& arguments) {
  app.add_option("input", arguments.question.scenario,
                 "Scenario, or the JSON that run, sweep, merge or scale wrote")
      ->type_name("FILE")
      ->required();
  app.add_option("--vary", arguments.question.vary, "Values for a key, as in sweep")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  refuse_empty(
      *app.add_option("--instances", arguments.question.instances, "Instances, as in sweep")
           ->type_name("FILTER"));
  add_jobs_flag(app, arguments.jobs);
  app.add_option("-o,--output", arguments.output, "Write to this file instead of standard output")
      ->type_name("FILE")
      ->group("Output");
  add_simulation_flags(app, arguments.question.simulation);
}

}  // namespace

Command add_export(Parser& parent) {
  Parser* app = parent.add_subcommand("export", "Predicted figures for another program: SkyPilot");
  app->require_subcommand(1);
  Parser* skypilot =
      app->add_subcommand("skypilot", "The machines of a sweep as a SkyPilot task, best first");
  const auto arguments = std::make_shared<ExportArguments>();
  add_input_flags(*skypilot, *arguments);
  allow_only(*skypilot
                  ->add_option("-f,--format", arguments->format,
                               "A task, or a program that gives SkyPilot's optimizer the "
                               "predicted times")
                  ->capture_default_str()
                  ->group("Output"),
             {"yaml", "python"});
  allow_only(
      *skypilot->add_option("--minimize", arguments->minimize, "What the candidates are sorted by")
           ->capture_default_str(),
      {"cost", "time"});
  skypilot->footer(
      "SkyPilot's YAML has no field for how long a task runs: without an estimator its\n"
      "optimizer assumes one hour for every candidate. The task therefore lists them in\n"
      "feedrate's order (resources: ordered); the program of --format python sets the\n"
      "predicted seconds as the task's time estimator and has the optimizer choose among them\n"
      "at SkyPilot's own prices.\n"
      "Examples:\n"
      "  feedrate export skypilot my.json --instances 'gpu>=A10G, region=us-east-1' -o task.yaml\n"
      "  feedrate export skypilot sweep.json --format python -o choose.py");
  return {app, [arguments] { return export_skypilot(*arguments); }};
}

}  // namespace feedrate::cli
