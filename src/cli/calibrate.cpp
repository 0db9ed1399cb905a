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
  const auto add = [&](const char* flag, std::string& into, const char* about, const char* type,
                       const char* value = "") {
    refuse_empty(
        *app.add_option(flag, into, about)->type_name(type)->default_is(value)->group(group));
  };
  add("--data", settings.data,
      "Directory with your own samples, which are only read; repeat with --add and data of another "
      "size to learn how times grow with bytes",
      "DIR", "generated samples");
  add("--url", settings.url,
      "URL of an object in your store, for the probe download: http, https, s3://bucket/key, or "
      "file://PATH of one on a mount (Mountpoint, gcsfuse, NFS)",
      "URL");
  add("--step-command", settings.step_command,
      "Command that prints a line \"SAMPLES SECONDS\" for each training step", "COMMAND");
  add("--loader", settings.loader,
      "Your loader in Python, as MODULE:NAME: a dataset, an iterable dataset, a DataLoader, an "
      "iterator of batches, or a function that makes one; or images: the JPEGs of --data, read "
      "by torchvision",
      "MODULE:NAME");
  add("--python", settings.python, "Python with PyTorch", "PROGRAM");
  add("--scratch", settings.scratch, "Folder for scratch files", "DIR",
      "the system's temporary folder");
  app.add_flag("--quick", settings.quick,
               "Take only a few samples of everything, within seconds: for tests")
      ->group(group);
}

void add_file_flags(Parser& app, CalibrateArguments& arguments) {
  refuse_empty(*app.add_option("-o,--output", arguments.output, "Host profile to write")
                    ->type_name("PROFILE")
                    ->capture_default_str()
                    ->group("Output"));
  refuse_empty(
      *app.add_option("--measurements", arguments.measurements, "New file for every sample taken")
           ->type_name("FILE")
           ->default_is("named after the profile")
           ->group("Output"));
  app.add_option("--name", arguments.name, "Name of the host in reports")
      ->type_name("TEXT")
      ->group("Output");
  app.add_option("--instance", arguments.instance,
                 "Instance type of this host, as named in the catalogue")
      ->type_name("NAME")
      ->group("Output");
}

}  // namespace

Command add_calibrate(Parser& parent) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  Parser* app = parent.add_subcommand(
      "calibrate", "Measure this machine and write a host profile that run --host uses");
  Option* probes = app->add_option("probes", arguments->probes, "Which probes")
                       ->default_is("all; none with --import or --join");
  allow_only(*probes, {bench::probe_names.begin(), bench::probe_names.end()});
  app->add_flag("--list", arguments->list,
                "List what each probe measures and whether it can run here");
  app->add_flag(
      "--canary", arguments->canary,
      "Only time the canary (small, fixed pieces of work that show how fast the machine is right "
      "now) and print the seconds as JSON; takes 1 s, or the --time-limit that is given");
  add_probe_flags(*app, arguments->settings);
  app->add_option("--time-limit", arguments->time_limit,
                  "Time limit for each probe, over all rounds")
      ->type_name("TIME")
      ->default_is("30 s");
  Option* imports =
      app->add_option("--import", arguments->imports,
                      "Import what another tool measured (fio, nvbandwidth, nccl-tests, NCCL's "
                      "tuning log, steps as CSV), or fit feedrate's own measurements of one host "
                      "again; may be given several times")
          ->type_name("FILE")
          ->allow_extra_args(false);
  Option* additions =
      app->add_option("--add", arguments->additions,
                      "Measurements from an earlier calibration of this host, to combine with the "
                      "new ones so "
                      "that the profile knows how far the host drifts; may be given several times")
          ->type_name("FILE")
          ->excludes(imports)
          ->allow_extra_args(false);
  app->add_option("--join", arguments->joins,
                  "Measurements of several hosts of one kind, as calibrate wrote them on each: one "
                  "profile, with how far the hosts differ and which of them is slow")
      ->type_name("FILE")
      ->excludes(imports)
      ->excludes(additions)
      ->excludes(probes);
  add_file_flags(*app, *arguments);
  app->footer(
      "Ctrl-C ends the calibration early and keeps what was measured (exit status 3); a\n"
      "second Ctrl-C kills it. The exit status is also 3 when nothing could be measured, or\n"
      "when a probe failed that was requested by name or with --loader, --step-command or\n"
      "--url; what was measured is kept.\n"
      "Examples:\n"
      "  feedrate calibrate --list\n"
      "  feedrate calibrate --data /data/imagenet/train --url s3://bucket/shard-0000.tar\n"
      "  feedrate calibrate disk decode --data /data --output disk.json\n"
      "  feedrate calibrate --add feedrate-host.measurements.json\n"
      "  feedrate calibrate --import fio.json --import nccl.txt --output imported.json\n"
      "  feedrate calibrate --join hosts/*.measurements.json --output fleet.json");
  return {app, [arguments] { return with_probes().calibrate(*arguments); }};
}

}  // namespace feedrate::cli
