#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "base/spool.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/host_here.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "cli/search_work.hpp"
#include "cli/terminal.hpp"
#include "cli/watched_run.hpp"
#include "observe/twin.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "schema/documents/documents.hpp"
#include "schema/documents/observation.hpp"
#include "schema/documents/result.hpp"
#include "study/timeline.hpp"

namespace feedrate::cli {
namespace {

struct RunArguments {
  std::string scenario;
  SimulationOptions simulation;
  HostAgeOptions host_age;
  OutputOptions output;
  std::string trace;  ///< file; empty: none
  std::uint64_t trace_steps = 30;
  std::string samples;  ///< file; empty: none
  std::string interval = "500ms";
  std::vector<std::string> find;  ///< searches to answer instead
};

constexpr std::uint64_t most_trace_steps = 1'000'000;

/// Writes the timeline where it was asked for; what it left out becomes a remark of the result.
void write_trace(const RunArguments& arguments, const Timeline& timeline, NamedResult& named) {
  write_text_file(arguments.trace, schema::write_trace(timeline, named.name));
  auto& remarks = named.result.remarks;
  remarks.insert(remarks.end(), timeline.remarks.begin(), timeline.remarks.end());
}

/// Intervals of each epoch that samples are written of, beyond those in which its pipeline fills.
constexpr double intervals_sampled = 240.0;

/// More would be no file that anything draws.
constexpr std::uint64_t most_sampled_bytes = 256'000'000;

Duration interval_of(const RunArguments& arguments) {
  const ParsedQuantity parsed = parse_quantity(arguments.interval, dimension_of(Duration{}));
  std::string problem = parsed.problem;
  if (parsed.ok() && !(parsed.base >= 1e-4 && parsed.base <= 3600.0)) {
    problem =
        fmt::format("expected a time from 0.1 ms to 1 h, got {}", in_quotes(arguments.interval));
  }
  if (!problem.empty()) refuse_flag("--interval", problem);
  return seconds(parsed.base);
}

/// The first intervals of each epoch, as feedrate observe would have written them.
void write_samples(const RunArguments& arguments, const NamedResult& named, Duration interval,
                   const Timeline& timeline) {
  ObservationHeader header;
  header.source = "simulation";
  header.program = fmt::format("feedrate {}", version);
  header.node = "simulation";
  header.clock = ClockKind::relative;
  header.interval = interval;
  header.command = named.name;
  header.cpus = timeline.threads;
  header.cores = timeline.cores;
  header.gpus = timeline.gpus;
  // What is seen is of one of them, unless they are unequal.
  if (const Result& r = named.result; r.instances > 1.0 && !r.as_many_alike) {
    header.instances = r.instances;
    header.gpus = r.gpus / r.instances;
  }
  // A rank's workers or threads are shown, and helpers that work for all ranks are no rank's.
  const auto any = [&](TrackKind kind) {
    return std::any_of(timeline.sections.begin(), timeline.sections.end(),
                       [&](const TimelineSection& section) {
                         return std::any_of(section.tracks.begin(), section.tracks.end(),
                                            [&](const Track& track) { return track.kind == kind; });
                       });
  };
  const bool of_rank =
      any(TrackKind::worker) || (any(TrackKind::thread) && !any(TrackKind::remote));
  if (of_rank && *header.gpus > 1.0) header.ranks = 1.0;
  // Whole or not at all: a part of it would look like a shorter job.
  const bool printed = arguments.samples == standard_input_path;
  Spool spool(printed ? "" : arguments.samples);
  const auto put = [&](const schema::ObservationLine& line) {
    spool.append(schema::observation_line(line));
    if (spool.size() <= most_sampled_bytes) return;
    refuse_flag("--interval",
                fmt::format("expected a longer interval: the samples of this job at {} are more "
                            "than 256 MB",
                            in_quotes(arguments.interval)));
  };
  put(header);
  observe::write_twin(timeline, interval, header.node, [&](const observe::TwinLine& line) {
    std::visit([&](const auto& of) { put(of); }, line);
  });
  put(ObservationRemark{Duration{}, timeline.about, header.node});
  for (const std::string& remark : timeline.remarks) {
    put(ObservationRemark{Duration{}, remark, header.node});
  }
  if (printed) {
    spool.read([](std::string_view text) { write_stdout(text); });
  } else {
    spool.finish();
  }
}

/// Before anything is simulated.
void check_outputs(const RunArguments& arguments, std::span<const std::string> inputs) {
  const std::vector<WrittenFile> outputs = {{"--trace", arguments.trace},
                                            {"--samples", arguments.samples},
                                            {"--output", arguments.output.file}};
  for (const auto& [flag, file] : outputs) {
    if (!file.empty()) refuse_to_overwrite(flag, file, inputs);
  }
  refuse_one_file(outputs);
}

/// The answers to --find.
int find(const RunArguments& arguments) {
  std::vector<Search> searches;
  std::vector<Problem> problems;
  for (const std::string& text : arguments.find) {
    try {
      searches.push_back(search_of_flag(text, "--find"));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  const schema::Document document = load_with_settings(arguments.scenario, arguments.simulation);
  const std::optional<HostProfile> host = host_of(arguments.simulation);
  if (host) remark_on_host(*host, arguments.host_age);
  return answer_searches({arguments.scenario, arguments.simulation, arguments.output}, document,
                         searches, host);
}

int run(const RunArguments& arguments) {
  if (!arguments.find.empty()) return find(arguments);
  const schema::Document document = load_with_settings(arguments.scenario, arguments.simulation);
  const Scenario scenario = scenario_of(document);
  const std::optional<HostProfile> host = host_of(arguments.simulation);
  std::set<std::string> instances;
  add_instances(instances, scenario);
  add_instances(instances, host);
  const Catalog catalog = catalog_of(instances);
  const HostProfile* const profile = host ? &*host : nullptr;
  if (profile != nullptr) remark_on_host(*profile, arguments.host_age);
  const auto inputs = files_read({&arguments.scenario, 1}, arguments.simulation);
  check_outputs(arguments, inputs);
  NamedResult named{scenario.name, arguments.scenario, {}, settings_of(arguments.simulation)};
  int asked = 0;
  {
    WatchedRun run;
    const study::RunOptions options = run.watched(weighing_options(arguments.simulation));
    asked = options.replications;
    named.result =
        with_places(document, [&] { return study::run(scenario, catalog, profile, options); });
  }
  study::TimelineOptions shown;
  shown.seed = arguments.simulation.seed;
  shown.result = &named.result;
  if (!arguments.trace.empty()) {
    shown.steps = static_cast<double>(arguments.trace_steps);
    write_trace(arguments, study::timeline(scenario, catalog, profile, shown), named);
  }
  if (!arguments.samples.empty()) {
    const Duration interval = interval_of(arguments);
    shown.beyond_filling = intervals_sampled * interval;
    shown.most_events = 2'000'000;
    shown.to_the_end = true;
    write_samples(arguments, named, interval, study::timeline(scenario, catalog, profile, shown));
  }
  deliver(arguments.output, inputs,
          {.currency = scenario.currency,
           .report = [&] { return report::run_report(named); },
           .brief = [&] { return report::run_brief(named); },
           .json = [&] { return schema::write_result(named); },
           .csv =
               [&] {
                 return report::results_csv({&named, 1});
               },
           .remarks = named.result.remarks});
  const int drawn = named.result.bands ? named.result.bands->replications : asked;
  return drawn < asked ? stopped_early(drawn, asked) : fine;
}

}  // namespace

Command add_run(Parser& parent) {
  const auto arguments = std::make_shared<RunArguments>();
  Parser* app = parent.add_subcommand(
      "run",
      "Simulate a scenario: which stage is the bottleneck, how long the job takes, what it costs");
  app->add_option("scenario", arguments->scenario, "Scenario file; - reads standard input")
      ->type_name("SCENARIO")
      ->required();
  add_simulation_flags(*app, arguments->simulation);
  add_host_age_flags(*app, arguments->host_age);
  add_output_flags(*app, arguments->output);
  add_full_flag(*app, arguments->output);
  Option* const trace =
      app->add_option("--trace", arguments->trace,
                      "Also write a timeline, as Chrome trace events for ui.perfetto.dev")
          ->type_name("FILE")
          ->group("Output");
  Option* const steps = app->add_option("--trace-steps", arguments->trace_steps,
                                        "Number of steps of each epoch in the trace")
                            ->type_name("N")
                            ->default_is("30")
                            ->needs(trace)
                            ->group("Output");
  allow_whole_numbers(*steps, 1, most_trace_steps);
  Option* const samples =
      app->add_option("--samples", arguments->samples,
                      "Also write what monitors would record, in the format in which feedrate "
                      "observe records a real job: how the pipeline of an epoch fills, and "
                      "240 intervals more")
          ->type_name("FILE")
          ->group("Output");
  refuse_empty(*samples);
  refuse_empty(*app->add_option("--interval", arguments->interval, "Interval between samples")
                    ->type_name("TIME")
                    ->capture_default_str()
                    ->needs(samples)
                    ->group("Output"));
  app->add_option(
         "--find", arguments->find,
         "Answer a question instead: \"largest KEY in A..B with METRIC >= X\", or with smallest "
         "and <=; may be given several times. Exit status 1 if no value qualifies")
      ->type_name("SEARCH")
      ->allow_extra_args(false)
      ->excludes(trace)
      ->excludes(samples)
      ->group("Simulation");
  app->footer(
      "Ctrl-C ends replications with the answer of those that are done (exit status 3).\n"
      "Examples:\n"
      "  feedrate run scenarios/caltech256_p3.json\n"
      "  feedrate run my.json --set num_workers=8 --set instance=ml.g5.2xlarge\n"
      "  feedrate run my.json --set /source/bandwidth=\"2.5 GB/s\" --format json --output my.out\n"
      "  feedrate run my.json --replications 200 --seed 7\n"
      "  feedrate run my.json --trace steps.json --trace-steps 100\n"
      "  feedrate run my.json --samples twin.jsonl --interval 100ms\n"
      "  feedrate run my.json --find \"smallest num_workers in 1..32 with gpu_busy >= 95%\"");
  return {app, [arguments] { return unless_given_up([&] { return run(*arguments); }); }};
}

}  // namespace feedrate::cli
