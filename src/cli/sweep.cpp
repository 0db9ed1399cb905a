#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "cli/commands.hpp"
#include "cli/filter_help.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/parser.hpp"
#include "cli/progress.hpp"
#include "cli/shard.hpp"
#include "cli/sweep_share.hpp"
#include "cli/sweep_work.hpp"
#include "cli/terminal.hpp"
#include "study/sweep.hpp"
#include "study/sweep_stream.hpp"

namespace feedrate::cli {
namespace {

struct SweepArguments {
  SweepQuestion question;
  int jobs = 0;  // 0: one per core
  std::string shard;
  bool resume = false;
  OutputOptions output;
};

std::vector<std::string> files_read(const SweepQuestion& question) {
  return files_read({&question.scenario, 1}, question.simulation);
}

int sweep_a_share(const SweepArguments& arguments) {
  const SweepShare share = parse_shard(arguments.shard, environment());
  const OutputOptions& output = arguments.output;
  if (output.format != "text" && output.format != "csv") {
    refuse_flag("--format", "expected csv, or no --format for whole results, with --shard, got " +
                                in_quotes(output.format) +
                                ": merge writes the other formats from the shares");
  }
  if (arguments.resume && (output.file.empty() || output.file == "-")) {
    refuse_flag("--resume", "expected --output FILE, in which the share's points are kept");
  }
  const PreparedSweep sweep = prepared_sweep(arguments.question, output.format);
  if (!output.file.empty()) {
    refuse_to_overwrite("--output", output.file, files_read(arguments.question));
  }
  return write_share(sweep, share, output.file, arguments.resume, arguments.jobs).whole
             ? fine
             : host_failed;
}

/// The whole sweep, its points kept beside the output until that is written.
int sweep_in_a_file(const SweepArguments& arguments) {
  const OutputOptions& output = arguments.output;
  if (output.file.empty() || output.file == "-") {
    refuse_flag("--resume",
                "expected --output FILE, next to which the points are kept, or --shard");
  }
  const std::string kept = output.file + ".part";
  const PreparedSweep sweep = prepared_sweep(arguments.question, output.format);
  const std::vector<std::string> inputs = files_read(arguments.question);
  refuse_to_overwrite("--output", output.file, inputs);
  refuse_to_overwrite("--output", kept, inputs);
  // Held until it is gone, so no process continues in a file that is being removed.
  const WrittenShare share = write_share(sweep, {}, kept, true, arguments.jobs);
  if (!share.whole) return host_failed;
  const int status = deliver_share(sweep, kept, output, inputs);
  std::error_code ignored;
  std::filesystem::remove(kept, ignored);
  return status;
}

/// A sweep in one piece that was stopped, which keeps its points only when told to.
struct Stopped {
  int signal;
  std::size_t done, total;
};

int sweep_in_one_piece(const SweepArguments& arguments) {
  const PreparedSweep sweep = prepared_sweep(arguments.question, arguments.output.format);
  const std::vector<std::string> inputs = files_read(arguments.question);
  Progress progress("sweep");
  std::atomic<std::size_t> points_done = 0;
  // Signals end the program at once again as soon as the points are simulated.
  const auto stop_if = [&](const Interrupt& interrupt) {
    if (!interrupt.flag() || points_done == sweep.points.size()) return;
    throw Stopped{interrupt.signal(), points_done, sweep.points.size()};
  };
  const auto update = [&](const Interrupt& interrupt) {
    return [&](std::size_t done, std::size_t total) {
      points_done = done;
      stop_if(interrupt);
      progress.update(done, total);
    };
  };
  if (sweep.question.rows) {
    return deliver_rows(sweep, arguments.output, inputs, [&](Spool& spool) {
      const Interrupt interrupt;
      study::SweepStream stream = row_stream(sweep, [&] { stop_if(interrupt); });
      stream.write = [&](std::string_view rows) { spool.append(rows); };
      return study::stream_sweep(stream, arguments.jobs, update(interrupt));
    });
  }
  return deliver_results(
      sweep,
      [&](std::span<const study::SweepInput> points) {
        const Interrupt interrupt;
        return study::sweep(points, sweep.world.catalog, sweep.world.profile(),
                            sweep.options([&] { stop_if(interrupt); }), arguments.jobs,
                            update(interrupt));
      },
      arguments.output, inputs);
}

int sweep(SweepArguments arguments) {
  arguments.question.rows = arguments.output.format == "csv";
  if (!arguments.shard.empty()) return sweep_a_share(arguments);
  if (arguments.resume) return sweep_in_a_file(arguments);
  try {
    return sweep_in_one_piece(arguments);
  } catch (const Stopped& stopped) {
    return end_by_signal(
        stopped.signal,
        fmt::format("{} of {} points are done, and none is kept; with --resume and --output FILE a "
                    "sweep keeps its points, and the same command continues from them",
                    stopped.done, stopped.total));
  }
}

}  // namespace

Command add_sweep(Parser& parent) {
  const auto arguments = std::make_shared<SweepArguments>();
  Parser* app = parent.add_subcommand(
      "sweep", "Simulate a scenario with many settings: the fastest, the cheapest, the Pareto set");
  app->add_option("scenario", arguments->question.scenario, "Scenario file; - reads standard input")
      ->type_name("SCENARIO")
      ->required();
  app->add_option("--vary", arguments->question.vary,
                  "Values for a key: KEY=A,B,C or KEY=FROM:TO:STEP or KEY=FROM:TO:*FACTOR; several "
                  "keys form a grid")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  refuse_empty(*app->add_option("--instances", arguments->question.instances,
                                "All instances, purchase options and regions in the catalogue that "
                                "meet the conditions KEY OP VALUE, separated by commas")
                    ->type_name("FILTER"));
  add_constraint_flags(*app, arguments->question.constraints);
  add_jobs_flag(*app, arguments->jobs);
  refuse_empty(*app->add_option("--shard", arguments->shard,
                                "Simulate only the K-th of N shares, for merge to join; auto: the "
                                "share of this task in a Slurm, AWS Batch or Kubernetes array job; "
                                "auto/N: the share of its index, counted from 0")
                    ->type_name("K/N"));
  app->add_flag("--resume", arguments->resume,
                "Continue from the points that a stopped sweep left in the --output FILE (without "
                "--shard: in FILE.part), if any");
  add_simulation_flags(*app, arguments->question.simulation);
  add_output_flags(*app, arguments->output);
  app->footer(
      "With --format csv, points are written as they are simulated, up to a million of them\n"
      "in little memory; the other formats keep every result (33 kB) in memory and allow\n"
      "30,000 points. The row of a point that cannot be simulated or priced says why. Exit\n"
      "status 1 if no point meets the deadline and the budget that were given.\n" +
      filter_help() +
      "Examples:\n"
      "  feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1:8:1\n"
      "  feedrate sweep my.json --instances 'gpu>=A10G, region=us-east-1, price<40'\n"
      "  feedrate sweep my.json --vary 'instances=1:64:*2' --vary "
      "instance=ml.p3.2xlarge,ml.g5.2xlarge\n"
      "  feedrate sweep my.json --vary instances=1:8:1 --deadline '3 h' --budget '40 USD'\n"
      "  feedrate sweep my.json --vary efficiency=0.1:1:0.1 --format csv --output sweep.csv\n"
      "  feedrate sweep my.json --vary instances=1:64:1 --shard 3/8 --resume --output 3.share");
  return {app, [arguments] { return sweep(*arguments); }};
}

}  // namespace feedrate::cli
