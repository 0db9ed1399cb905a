#include "cli/calibrate.hpp"

#include <memory>

#include "bench/probe_names.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "cli/with_probes.hpp"

namespace feedrate::cli {
namespace {

void add_probe_flags(Parser& app, bench::Settings& settings) {
  const std::string group = "What to measure";
  const auto add = [&](const char* flag, std::string& into, const char* about, const char* type) {
    refuse_empty(*app.add_option(flag, into, about)->type_name(type)->group(group));
  };
  add("--data", settings.data, "Your samples, which are only read (default: generated ones)",
      "DIR");
  add("--url", settings.url,
      "http, https or s3://bucket/key of an object of your store (default: a server on loopback, "
      "which says nothing of it)",
      "URL");
  add("--step-command", settings.step_command,
      "A command that prints \"SAMPLES SECONDS\" lines of training steps", "COMMAND");
  add("--loader", settings.loader,
      "Your dataset for PyTorch's loader, as MODULE:DATASET; or images: --data as torchvision "
      "reads JPEGs",
      "MODULE:DATASET");
  add("--python", settings.python, "Python with PyTorch", "PROGRAM");
  add("--scratch", settings.scratch, "For scratch files (default: the system's folder)", "DIR");
  app.add_flag("--quick", settings.quick, "A few samples of everything, in seconds: for tests")
      ->group(group);
}

void add_file_flags(Parser& app, CalibrateArguments& arguments) {
  refuse_empty(*app.add_option("-o,--output", arguments.output, "Host profile to write")
                    ->type_name("PROFILE")
                    ->capture_default_str()
                    ->group("Output"));
  refuse_empty(*app.add_option("--measurements", arguments.measurements,
                               "Every sample, in a new file (default: named after the profile)")
                    ->type_name("FILE")
                    ->group("Output"));
  app.add_option("--name", arguments.name, "Of the host, for reports")
      ->type_name("TEXT")
      ->group("Output");
  app.add_option("--instance", arguments.instance, "Its name in the catalogue")
      ->type_name("NAME")
      ->group("Output");
}

}  // namespace

Command add_calibrate(Parser& parent) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  Parser* app = parent.add_subcommand(
      "calibrate", "Measure this machine and write a host profile that run --host uses");
  allow_only(*app->add_option("probes", arguments->probes,
                              "Which probes (default: all; none with --import)"),
             {bench::probe_names.begin(), bench::probe_names.end()});
  app->add_flag("--list", arguments->list, "What each probe measures, and whether it can run here");
  app->add_flag("--canary", arguments->canary,
                "Only time the small fixed pieces of work that tell how fast the machine is just "
                "now, and print seconds as JSON (--time-limit for all, default: 1 s)");
  add_probe_flags(*app, arguments->settings);
  app->add_option("--time-limit", arguments->time_limit,
                  "For each probe, over all rounds (default: 30 s)")
      ->type_name("TIME");
  Option* imports =
      app->add_option("--import", arguments->imports,
                      "Take what another tool measured (fio, nvbandwidth, nccl-tests, NCCL's "
                      "tuning log, steps as CSV), or fit measurements of feedrate again, those of "
                      "one host together; "
                      "may be given several times")
          ->type_name("FILE")
          ->allow_extra_args(false);
  app->add_option("--add", arguments->additions,
                  "Measurements of an earlier calibration of this host: the new one is put to "
                  "them, so that the profile knows how far the host drifts; may be given several "
                  "times")
      ->type_name("FILE")
      ->excludes(imports)
      ->allow_extra_args(false);
  add_file_flags(*app, *arguments);
  app->footer(
      "Ctrl-C ends it early and keeps what was measured (exit status 3); a second one kills it.\n"
      "Exit status 3 too when nothing could be measured, or a probe failed that was asked for by "
      "name\nor with --loader, --step-command or --url; what was measured is kept then.\n"
      "Examples:\n"
      "  feedrate calibrate --list\n"
      "  feedrate calibrate --data /data/imagenet/train --url s3://bucket/shard-0000.tar\n"
      "  feedrate calibrate disk decode --data /data --output disk.json\n"
      "  feedrate calibrate --add feedrate-host.measurements.json\n"
      "  feedrate calibrate --import fio.json --import nccl.txt --output imported.json");
  return {app, [arguments] { return with_probes().calibrate(*arguments); }};
}

}  // namespace feedrate::cli
