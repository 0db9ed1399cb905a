#include "cli/observe_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "api/scenario_maker.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/files.hpp"
#include "base/line_file.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"
#include "cli/calibrate_files.hpp"
#include "cli/inputs.hpp"
#include "cli/observe_import.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "formats/recordings/import_observations.hpp"
#include "observe/job_observer.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"
#include "schema/documents/observation.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/advise.hpp"
#include "study/observed_nodes.hpp"
#include "study/observed_scenario.hpp"

namespace feedrate::cli {
namespace {

struct ObserveFitArguments {
  std::vector<std::string> files;
  std::string batch_size, gpus, workers, samples, throughput, instances, instance, cpus;
  ImportFlags how;
  std::string file;  ///< of the scenario
  std::string format = "text";
};

/// A scenario is one JSON document that is no line of an observation: it has no Type.
bool is_scenario(const std::string& path) {
  LineReader lines(path);
  std::string text;
  while (const auto line = lines.next()) {
    const std::size_t first = line->find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    if (text.empty() && (*line)[first] != '{') return false;
    text += *line;
    if (text.find("\"Type\"") != std::string::npos) return false;
    if (text.find("\"traceEvents\"") != std::string::npos) return false;
    for (const char* key : {"\"dataset\"", "\"loader\"", "\"cluster\"", "\"include\"", "\"job\""}) {
      if (text.find(key) != std::string::npos) return true;
    }
    constexpr std::size_t enough = 100'000;
    if (text.size() > enough) return false;
  }
  return false;
}

bool is_observation(const std::string& path) {
  LineReader lines(path);
  const auto line = lines.next();
  return line && line->find("\"Type\"") != std::string_view::npos;
}

std::optional<double> number_of(const std::string& text, const char* flag, bool whole) {
  if (text.empty()) return std::nullopt;
  std::size_t used = 0;
  double value = 0.0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const bool fine = used == text.size() && std::isfinite(value) && value <= 1e12 &&
                    (whole ? value >= 0.0 && std::floor(value) == value : value > 0.0);
  if (fine) return value;
  throw InputError(std::vector<Problem>{
      {"", 0, flag,
       fmt::format("expected a {}, got {}", whole ? "whole number" : "number above 0",
                   in_quotes(text))}});
}

std::optional<double> above_zero(const std::string& text, const char* flag) {
  const auto value = number_of(text, flag, true);
  if (value && *value < 1.0) {
    throw InputError(std::vector<Problem>{
        {"", 0, flag, fmt::format("expected a whole number above 0, got {}", in_quotes(text))}});
  }
  return value;
}

ToldOfJob told_by(const ObserveFitArguments& arguments) {
  ToldOfJob told;
  told.batch_size = above_zero(arguments.batch_size, "--batch-size");
  told.gpus = above_zero(arguments.gpus, "--gpus");
  told.workers = number_of(arguments.workers, "--num-workers", true);
  told.samples = above_zero(arguments.samples, "--samples");
  told.cpus = above_zero(arguments.cpus, "--cpus");
  if (told.cpus && !arguments.instance.empty()) {
    refuse_flag("--cpus", "expected without --instance, which tells how many CPUs the machine has");
  }
  told.throughput = number_of(arguments.throughput, "--throughput", false);
  told.nodes = above_zero(arguments.instances, "--instances").value_or(0.0);
  return told;
}

auto adding_to(observe::JobObserver& job) {
  return [&job](const schema::ObservationLine& line) {
    std::visit([&job](const auto& of) { job.add(of); }, line);
  };
}

/// `say`: what is recognised in the files.
observe::JobObserver read(const formats::ImportedObservation& observation, bool say) {
  if (say) say_imported(observation);
  observe::JobObserver job;
  job.add(observation.header());
  observation.for_each(adding_to(job));
  return job;
}

bool is_one_observation(const std::vector<std::string>& files) {
  return files.size() == 1 && (files.front() == "-" || is_observation(files.front()));
}

observe::JobObserver read(const std::vector<std::string>& files, const ImportFlags& how, bool say) {
  if (!is_one_observation(files)) {
    return read(formats::import_observations(files, import_options(how)), say);
  }
  import_options(how);  // a flag that is wrong is told all the same
  observe::JobObserver job;
  schema::for_each_line(files.front(), adding_to(job));
  return job;
}

/// An observed job as a scenario that can be run.
struct Fitted {
  ObservedJob job;
  std::optional<study::ObservedNodes> nodes;  ///< where several were observed
  study::ObservedScenario observed;
  std::string text;  ///< of the scenario
};

/// The node that a recording is of; "" of what is no recording.
std::string node_in(const std::string& path) {
  // What can be read only once is left to who reads all of it.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || !is_observation(path)) return "";
  LineReader lines(path);
  const auto line = schema::parse_observation_line(*lines.next(), path);
  if (!line) return "";
  return std::visit([](const auto& of) { return of.node; }, *line);
}

struct FilesOfNode {
  std::string node;
  std::vector<std::string> files;
};

/// Files by the nodes that `node_of` tells, in the order in which they come; of whom it tells none
/// goes to the one that has its name, else to the one before it. One group where there are fewer
/// than two nodes.
std::vector<FilesOfNode> grouped(const std::vector<std::string>& files,
                                 const std::function<std::string(const std::string&)>& node_of) {
  if (files.size() < 2) return {{"", files}};
  std::vector<FilesOfNode> nodes;
  std::vector<std::string> others;
  std::map<std::string, std::string> before;  // of a file of no node
  std::string last;
  for (const std::string& file : files) {
    const std::string node = node_of(file);
    if (node.empty()) {
      others.push_back(file);
      before[file] = last;
      continue;
    }
    last = node;
    const auto known = std::find_if(nodes.begin(), nodes.end(),
                                    [&](const FilesOfNode& one) { return one.node == node; });
    if (known == nodes.end()) {
      nodes.push_back({node, {file}});
    } else {
      known->files.push_back(file);
    }
  }
  if (nodes.size() < 2) return {{"", files}};
  for (const std::string& file : others) {
    const auto named_so = std::find_if(nodes.begin(), nodes.end(), [&](const FilesOfNode& one) {
      return std::any_of(one.files.begin(), one.files.end(), [&](const std::string& recording) {
        return without_endings(recording) == without_endings(file);
      });
    });
    const auto previous = std::find_if(nodes.begin(), nodes.end(), [&](const FilesOfNode& one) {
      return one.node == before[file];
    });
    const auto of = named_so != nodes.end() ? named_so : previous;
    if (of == nodes.end()) {
      throw InputError({{file, 0, "",
                         "expected the recording of its node before it, or one of its name: "
                         "several nodes were observed"}});
    }
    of->files.push_back(file);
  }
  return nodes;
}

/// By the recordings of `observe`, which name their node.
std::vector<FilesOfNode> by_node(const std::vector<std::string>& files) {
  return grouped(files, node_in);
}

/// By the logs that tell the same steps, which are called as they are.
std::vector<FilesOfNode> by_log(const std::vector<std::string>& files,
                                const formats::ImportedObservation& all) {
  std::vector<std::string> sorted = files;
  std::sort(sorted.begin(), sorted.end());  // as they are imported
  std::set<std::string> logs;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto& first = all.files()[i].same_steps_as;
    if (!first) continue;
    logs.insert(sorted[i]);
    logs.insert(sorted[*first]);
  }
  std::set<std::string> names;
  for (const std::string& log : logs) names.insert(file_stem(log));
  const bool told_apart = names.size() == logs.size();
  return grouped(files, [&](const std::string& file) {
    if (!logs.contains(file)) return std::string();
    return told_apart ? file_stem(file) : file;
  });
}

/// What is not observed of the machine, but known by its name.
void name_machine(ObservedJob& job, const std::string& instance) {
  if (!instance.empty()) job.instance = instance;
  if (job.instance.empty() || job.cpus) return;
  const Catalog catalog = catalog_of({job.instance});
  const auto machine = find_machine(catalog, job.instance);
  if (!machine) return;
  job.cpus = base_of((*machine)->vcpus);
  job.cores = base_of((*machine)->cores);
}

study::ObservedNodes read_nodes(const std::vector<FilesOfNode>& groups, const ImportFlags& how,
                                ToldOfJob told, const std::string& instance, bool say) {
  std::vector<observe::JobObserver> observers;
  for (const FilesOfNode& group : groups) observers.push_back(read(group.files, how, say));
  const auto tells = std::find_if(observers.begin(), observers.end(),
                                  [](const auto& one) { return one.tells_steps(); });
  const auto relative = [](const auto& one) { return one.header().clock == ClockKind::relative; };
  const bool one_clock = std::none_of(observers.begin(), observers.end(), relative);
  told.nodes = std::max(told.nodes, static_cast<double>(groups.size()));
  std::vector<study::ObservedNode> nodes;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (tells != observers.end() && one_clock) observers[i].take_steps_of(*tells);
    ObservedJob job =
        observers[i].finish(told, fmt::format("{}", fmt::join(groups[i].files, ", ")));
    name_machine(job, instance);
    nodes.push_back({groups[i].node, std::move(job)});
  }
  return study::judge_nodes(std::move(nodes));
}

Fitted fitted(const std::vector<std::string>& files, const ImportFlags& how, const ToldOfJob& told,
              const std::string& instance, const std::string& name, bool say) {
  std::vector<FilesOfNode> groups = by_node(files);
  std::optional<formats::ImportedObservation> imported;
  if (groups.size() < 2 && !is_one_observation(files)) {
    imported = formats::import_observations(files, import_options(how));
    groups = by_log(files, *imported);
    // The ranks of one machine may each write a log, too.
    if (told.nodes > 0.0 && static_cast<double>(groups.size()) > told.nodes) {
      groups = {{"", files}};
    } else if (say && groups.size() > 1 && told.nodes == 0.0) {
      write_stderr_lines(
          fmt::format("{0} logs tell the same steps and are taken to be of {0} machines; if they "
                      "are of ranks of one machine, add --instances 1",
                      groups.size()));
    }
  }
  std::optional<study::ObservedNodes> nodes;
  ObservedJob job;
  if (groups.size() > 1) {
    nodes = read_nodes(groups, how, told, instance, say);
    job = nodes->nodes[nodes->pace].job;
  } else {
    job = (imported ? read(*imported, say) : read(files, how, say)).finish(told, name);
    name_machine(job, instance);
  }
  study::ObservedScenario observed =
      nodes ? study::observed_scenario(*nodes) : study::observed_scenario(job);
  std::string text = schema::write_scenario(observed.scenario);
  // What is written must be a job: with its complaints nothing is.
  const Scenario again = schema::read_scenario(schema::parse_document(text, "observed job"));
  std::set<std::string> instances;
  add_instances(instances, again);
  const study::RunOptions options;
  static_cast<void>(study::run(again, catalog_of(instances), nullptr, options));
  return {std::move(job), std::move(nodes), std::move(observed), std::move(text)};
}

int fit_observed(const ObserveFitArguments& arguments) {
  std::vector<std::string> files = arguments.files;
  const ToldOfJob told = told_by(arguments);
  std::string scenario_file;
  if (files.size() > 1 && files.back() != "-" && is_scenario(files.back())) {
    scenario_file = files.back();
    files.pop_back();
  }
  if (!arguments.file.empty()) {
    refuse_to_overwrite("--output", arguments.file, arguments.files);
    expect_writable(arguments.file);
  }
  const auto [job, nodes, observed, text] = fitted(files, arguments.how, told, arguments.instance,
                                                   fmt::format("{}", fmt::join(files, ", ")), true);
  std::optional<study::ObservedComparison> comparison;
  if (!scenario_file.empty()) {
    const SimulationOptions simulation;
    const schema::Document document = load_with_settings(scenario_file, simulation);
    if (!arguments.file.empty()) {
      refuse_to_overwrite("--output", arguments.file, simulation.named->paths());
    }
    const api::ScenarioMaker make(document);
    std::set<std::string> names;
    add_instances(names, make.scenario());
    const study::ObservedScenario& seen = observed;
    comparison = with_places(document, [&] {
      return study::compare_observed(seen, make.scenario(), make, catalog_of(names), nullptr);
    });
  }
  if (!arguments.file.empty()) write_text_file(arguments.file, text);
  const ObservedJob& of = job;
  const study::ObservedNodes* const all = nodes ? &*nodes : nullptr;
  const study::ObservedScenario& seen = observed;
  const std::string& written = text;
  deliver({arguments.format, ""}, arguments.files,
          {.report =
               [&] {
                 return report::observe_fit_report(of, seen, comparison ? &*comparison : nullptr,
                                                   arguments.file, all);
               },
           .json = [&] { return written; },
           .csv = {},
           .remarks = {}});
  return fine;
}

}  // namespace

std::string advice_on_observed(const std::vector<std::string>& files, const ToldOfJob& told,
                               const std::string& instance, const std::string& name) {
  const Fitted one = fitted(files, {}, told, instance, name, false);
  const report::Style style = style_of_file();
  const std::string seen =
      report::to_text(report::observe_fit_report(one.job, one.observed, nullptr, ""), style);
  // A rate alone is as fast as it is for whatever reason.
  if (!one.job.wait && !one.job.gpu_busy && !one.job.exposed_copy) {
    return seen +
           "\nNothing is advised: the output tells how fast steps are, and not what they wait "
           "for.\n"
           "One reading decides: the time of each step that waits for its batch, as PyTorch's\n"
           "ImageNet example prints it (Time 0.251 Data 0.180), or how busy the GPU is.\n";
  }
  const api::ScenarioMaker make(schema::parse_document(one.text, "observed job"));
  const Catalog catalog = whole_catalog();
  study::AdviseOptions options;
  options.events = true;
  const Advice advice = with_places(
      make.document(), [&] { return study::advise(std::cref(make), catalog, nullptr, options); });
  report::Report advised = report::advise_brief(advice, make.scenario().name);
  advised.blocks.back() = report::Paragraph{
      "`feedrate observe --output FILE` keeps the recording, of which `feedrate observe fit FILE "
      "-o "
      "job.json` makes a scenario; `feedrate advise job.json --full` has every remedy."};
  return seen + "\n" + report::to_text(advised, style);
}

Command add_observe_fit(Parser& observe) {
  const auto arguments = std::make_shared<ObserveFitArguments>();
  Parser* app =
      observe.add_subcommand("fit",
                             "Turn an observed job into a scenario: what a sample demands of each "
                             "resource, and the observed figures as cases");
  app->add_option("observations", arguments->files,
                  "Observations, or logs and traces as --import takes them; those of several "
                  "nodes are compared, and the one that the others wait for is named; a scenario "
                  "after them is compared with what was observed")
      ->type_name("OBS... [SCENARIO]")
      ->required();
  const auto add = [&](const char* flag, std::string& into, const char* about, const char* type) {
    refuse_empty(*app->add_option(flag, into, about)->type_name(type)->group("Job"));
  };
  add("--batch-size", arguments->batch_size, "Samples per GPU and step", "N");
  add("--gpus", arguments->gpus, "GPUs that train together", "N");
  add("--num-workers", arguments->workers, "Loader workers per GPU; 0: none", "N");
  add("--samples", arguments->samples, "Samples in an epoch", "N");
  add("--throughput", arguments->throughput,
      "Samples per second of all GPUs together, if steps were not recorded, or not all", "N");
  add("--instances", arguments->instances,
      "Machines that train together, each as the one that was observed", "N");
  add("--instance", arguments->instance, "Instance type of the machine", "NAME");
  add("--cpus", arguments->cpus, "CPUs (hardware threads) of the machine, if not recorded", "N");
  add_import_flags(*app, arguments->how);
  refuse_empty(*app->add_option("--interval", arguments->how.interval,
                                "Time from one row to the next in tables without times")
                    ->type_name("TIME")
                    ->default_is("1s")
                    ->group("Import"));
  refuse_empty(*app->add_option("-o,--output", arguments->file, "Write the scenario to this file")
                    ->type_name("FILE")
                    ->group("Output"));
  allow_only(*app->add_option("-f,--format", arguments->format, "Output format; json: the scenario")
                  ->group("Output"),
             {"text", "json", "markdown"});
  app->footer(
      "The flags describe what the job's records do not contain. The scenario lists where each\n"
      "number comes from (/about/fitted), how certain it is (/errors), what could not be seen\n"
      "(/about/expectation), and what was observed (/cases).\n"
      "Examples:\n"
      "  feedrate observe fit before.jsonl train.log --batch-size 64 --gpus 1 -o job.json\n"
      "  feedrate observe fit nodes/*.jsonl --batch-size 64 -o job.json\n"
      "  feedrate cases job.json\n"
      "  feedrate run job.json --set num_workers=8\n"
      "  feedrate observe fit before.jsonl train.log --batch-size 64 --gpus 1 mine.json");
  return {app, [arguments] { return fit_observed(*arguments); }};
}

}  // namespace feedrate::cli
