#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/child_process.hpp"
#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/secrets.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "bench/clock.hpp"
#include "bench/observe/observer.hpp"
#include "catalog/lookup.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/kept_output.hpp"
#include "cli/live_view.hpp"
#include "cli/observe_fit.hpp"
#include "cli/observe_import.hpp"
#include "cli/observe_show.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "formats/recordings/import_observations.hpp"
#include "report/numbers.hpp"
#include "schema/documents/observation.hpp"

namespace feedrate::cli {
namespace {

struct ObserveArguments {
  std::string pid;
  std::string interval;  ///< "" where not given
  std::string length;    ///< "" for as long as there is something to observe
  std::string output;
  bool live = false;
  bool advise = false;
  bool steps = false;
  std::string node;
  std::string batch_size;  ///< with advise; "" where nobody said
  std::string instance;
  bool secrets = false;
  std::vector<std::string> command;
  ObserveImportArguments imported;
};

/// That of SageMaker Debugger.
const std::string default_interval = "500ms";

struct Plan {
  std::optional<std::int64_t> pid;
  Duration interval;
  std::optional<Duration> length;
};

Duration time_of(const std::string& text, const char* flag, Duration least, Duration most) {
  const ParsedQuantity parsed = parse_quantity(text, dimension_of(Duration{}));
  if (!parsed.ok()) throw InputError({{"", 0, flag, parsed.problem}});
  const Duration time = seconds(parsed.base);
  if (time < least || time > most) {
    throw InputError({{"", 0, flag,
                       fmt::format("expected a time from {} to {}, got {}", report::duration(least),
                                   report::duration(most), in_quotes(text))}});
  }
  return time;
}

Plan plan_of(const ObserveArguments& arguments) {
  Plan plan;
  const std::string& interval = arguments.interval.empty() ? default_interval : arguments.interval;
  plan.interval = time_of(interval, "--interval", milliseconds(10.0), hours(1.0));
  if (!arguments.length.empty()) {
    plan.length = time_of(arguments.length, "--for", plan.interval, hours(24.0 * 365.0));
  }
  if (arguments.advise && arguments.command.empty()) {
    throw InputError("--advise: expected a command after --, whose output tells of its steps");
  }
  if (arguments.steps && (arguments.command.empty() || arguments.output.empty())) {
    throw InputError("--steps: expected --output and a command after --, which prints its steps");
  }
  if (!arguments.batch_size.empty() && !arguments.advise) {
    throw InputError(
        "--batch-size: expected --advise with it; observe fit takes it of a recording");
  }
  if (!arguments.pid.empty()) {
    if (!arguments.command.empty()) {
      throw InputError("expected either --pid or a command, got both");
    }
    plan.pid = std::stoll(arguments.pid);
  }
  return plan;
}

report::GlanceWords words_of(const ObserveArguments& arguments, const ObservationHeader& header) {
  report::GlanceWords words;
  words.job = header.command.empty() ? fmt::format("all of {}", header.node) : header.command;
  words.instance = arguments.instance;
  if (arguments.instance.empty()) return words;
  const Catalog catalog = catalog_of({arguments.instance});
  OfferQuery query;
  query.instance = arguments.instance;
  const auto offer = find_offer(catalog, query);
  if (!offer) throw InputError({{"", 0, "--instance", offer.failure.message}});
  words.price = offer->price.value;
  return words;
}

/// Where samples go: to a file, before somebody's eyes, or both.
class Outputs {
 public:
  Outputs(const ObserveArguments& arguments, const ObservationHeader& header)
      : node_(header.node), glances_(header.started) {
    const bool to_stdout = arguments.output == "-";
    if (to_stdout && !arguments.command.empty()) {
      throw InputError(
          "--output -: expected a file, because standard output belongs to the command");
    }
    if (!arguments.output.empty()) {
      writer_ = std::make_unique<schema::ObservationWriter>(arguments.output, header);
    }
    if (arguments.live || arguments.output.empty()) {
      view_ = std::make_unique<LiveView>(to_stdout || !arguments.command.empty(),
                                         words_of(arguments, header));
    }
  }

  void take(const bench::observe::Seen& seen) {
    for (const ObservationRemark& remark : seen.remarks) {
      write_stderr("remark: " + remark.text);
      if (writer_) writer_->put(remark);
    }
    if (writer_) {
      for (const Sample& sample : seen.samples) writer_->put(sample);
      writer_->flush();
    }
    if (seen.samples.empty()) return;
    ++looks_;
    if (seen.samples.front().late) ++late_;
    if (view_) view_->show(glances_.add(seen.samples));
  }
  /// The reader of what is written has gone away.
  [[nodiscard]] bool gone() const { return writer_ && writer_->gone(); }

  void say_end(const ObserveArguments& arguments, Duration length) const {
    std::string text = fmt::format("observed {} in {} {}", report::duration(length), looks_,
                                   looks_ == 1 ? "sample" : "samples");
    if (late_ > 0) text += fmt::format(", {} of them late", late_);
    if (writer_ && !arguments.output.empty() && arguments.output != "-")
      text += fmt::format(": {}", arguments.output);
    write_stderr(text);
  }

 private:
  std::string node_;
  observe::GlanceMaker glances_;
  std::unique_ptr<schema::ObservationWriter> writer_;
  std::unique_ptr<LiveView> view_;
  std::int64_t looks_ = 0;
  std::int64_t late_ = 0;
};

/// A folder of our own for what is only read again at the end.
class Scratch {
 public:
  Scratch() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "feedrate.XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr) {
      throw HostError("no folder for temporary files: " + system_reason());
    }
    folder_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

/// What the command printed, in a file that is gone at the end.
class PrintedLog {
 public:
  /// `recording`: where the recording stays; "" where it is gone as well.
  PrintedLog(std::string path, const KeptOutput& printed, std::string recording)
      : path_(std::move(path)), lines_(printed.lines()), recording_(std::move(recording)) {
    write_text_file(path_, lines_);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool empty() const { return lines_.empty(); }

  /// Why it tells no steps, and what may be done: it is kept beside the recording from here on.
  std::string complaint(const InputError& error) {
    if (empty()) return "the command printed nothing";
    std::vector<Problem> problems = error.problems();
    for (Problem& one : problems) {
      if (one.file == path_) one.file = "the command's output";
    }
    const std::string why = InputError(std::move(problems)).what();
    keep();
    if (!kept_.empty()) {
      return fmt::format(
          "{}. The output is kept in {}: `feedrate observe fit {} {}` takes lines of other forms "
          "with --step-regex",
          why, kept_, recording_, kept_);
    }
    return fmt::format(
        "{}. Steps are read from the program's output (`feedrate observe --help` lists the forms); "
        "with -o FILE it is kept beside the recording, and `feedrate observe fit` takes lines of "
        "other forms with --step-regex",
        why);
  }

 private:
  /// Under a name that nothing has.
  void keep() {
    if (recording_.empty() || !kept_.empty()) return;
    try {
      std::string name = recording_ + ".log";
      std::error_code ignored;
      for (int n = 2; std::filesystem::exists(name, ignored); ++n)
        name = fmt::format("{}.{}.log", recording_, n);
      write_text_file(name, lines_);
      kept_ = name;
    } catch (const std::runtime_error& error) {
      write_stderr(fmt::format("the command's output is not kept: {}", error.what()));
    }
  }

  std::string path_;
  const std::string& lines_;
  std::string recording_;
  std::string kept_;
};

/// Puts the steps that the command printed into its recording. That it printed none in a known form
/// is no failure of the command.
void record_steps(const std::string& observation, PrintedLog& log) {
  try {
    formats::ImportOptions options;
    const formats::ImportedObservation together =
        formats::import_observations({observation, log.path()}, options);
    write_observation(observation, together);
  } catch (const InputError& error) {
    write_stderr(fmt::format("no steps in {}: {}", observation, log.complaint(error)));
  }
}

/// What the command printed, and what was seen of it: advice, on standard error, where both tell
/// enough. That they do not is no failure of the command.
void advise_on(const ObserveArguments& arguments, const std::string& observation, PrintedLog& log) {
  ToldOfJob told;
  told.plainest = true;
  if (!arguments.batch_size.empty()) told.batch_size = std::stod(arguments.batch_size);
  std::vector<std::string> files = {observation};
  if (!log.empty()) files.push_back(log.path());
  try {
    write_stderr_lines(
        "\n" + advice_on_observed(files, told, arguments.instance, arguments.command.front()));
  } catch (const InputError& error) {
    write_stderr(fmt::format("no advice: {}", log.complaint(error)));
  }
}

/// The command that is observed runs with our own input and output, and our terminal. Signals that
/// reached us alone go on to it, once it had time to get them itself.
class Courier {
 public:
  void look(const Interrupt& interrupt, const ChildProcess& command) {
    constexpr Duration patience = milliseconds(300.0);
    if (!interrupt.flag() || sent_ || interrupt.by_terminal()) return;
    if (!since_) since_ = bench::now();
    if (bench::now() - *since_ < patience) return;
    command.send(interrupt.signal());
    sent_ = true;
  }

 private:
  std::optional<Duration> since_;
  bool sent_ = false;
};

/// What stands where a command may is one; where there is no such program a name of ours may have
/// been meant.
std::unique_ptr<ChildProcess> started(const std::vector<std::string>& command,
                                      const ChildFiles& files) {
  try {
    return std::make_unique<ChildProcess>(command, ChildGroup::ours, files);
  } catch (const NoSuchProgram& error) {
    const std::string ours[] = {"show", "fit"};
    const std::string meant = nearest(command.front(), ours);
    if (meant.empty()) throw;
    throw InputError(fmt::format("{} (did you mean `feedrate observe {}`?)", error.what(), meant));
  }
}

int observe_it(ObserveArguments arguments) {
  using bench::now;
  using bench::observe::utc_clock;
  Plan plan = plan_of(arguments);
  const Interrupt interrupt;
  std::unique_ptr<ChildProcess> command;
  std::unique_ptr<KeptOutput> printed;
  std::unique_ptr<Scratch> scratch;
  bool scratch_output = false;  ///< nobody asked for the observation
  if (arguments.advise || arguments.steps) {
    printed = std::make_unique<KeptOutput>();
    scratch = std::make_unique<Scratch>();
    scratch_output = arguments.output.empty();
    if (scratch_output) arguments.output = scratch->path("observation.jsonl");
    // Into a pipe, Python would hand out its lines in blocks, long after their time.
    ::setenv("PYTHONUNBUFFERED", "1", 0);
  }
  if (!arguments.command.empty()) {
    command = started(arguments.command, printed ? printed->files() : ChildFiles{});
    if (printed) printed->started();
    plan.pid = command->id();
  }
  const auto wait = [&](Duration patience) {
    if (printed) {
      printed->forward(patience);
    } else {
      poll(nullptr, 0, std::max(1, static_cast<int>(std::ceil(patience.base() * 1e3))));
    }
  };
  const std::vector<std::string> shown =
      arguments.secrets ? arguments.command : command_without_secrets(arguments.command);
  bench::observe::Observer observer(
      {plan.pid, fmt::format("{}", fmt::join(shown, " ")), arguments.secrets, arguments.node},
      plan.interval);
  Outputs outputs(arguments, observer.header());
  const Duration begin = now();
  Duration before = begin;
  outputs.take(observer.look(utc_clock()));
  Courier courier;
  std::string failure;
  const auto over = [&] {
    if (command) return command->ended();
    return interrupt.flag().load() || outputs.gone() || observer.ended();
  };
  const auto time_is_up = [&] { return plan.length && now() - begin >= *plan.length; };
  for (double next = 1.0;;) {
    const Duration due = begin + next * plan.interval;
    constexpr Duration longest_wait = milliseconds(50.0);
    while (now() < due && !over() && !time_is_up()) {
      wait(std::min(due - now(), longest_wait));
      if (command) courier.look(interrupt, *command);
    }
    const Duration at = now();
    const bool last = over() || time_is_up();
    // A rate over a few milliseconds would tell of the clock's ticks.
    if (at - before >= std::min(0.2 * plan.interval, milliseconds(50.0))) {
      try {
        outputs.take(observer.look(utc_clock(), at >= due ? at - due : Duration{}));
      } catch (const HostError& error) {
        if (!command) throw;
        failure = error.what();  // the job is worth more than what is seen of it
      }
      before = at;
    }
    if (last || !failure.empty()) break;
    next = std::max(next + 1.0, std::ceil((now() - begin) / plan.interval));
  }
  if (!failure.empty()) write_stderr(failure + ": observing stopped; the command keeps running");
  const Duration length = now() - begin;
  int status = 0;
  if (command) {
    while (!command->ended()) {
      wait(milliseconds(20.0));
      courier.look(interrupt, *command);
    }
    if (printed) printed->forward(milliseconds(1.0));  // what it wrote last
    status = command->wait().shell_status();
  }
  if (!failure.empty()) throw HostError(failure);
  outputs.say_end(scratch_output ? ObserveArguments{} : arguments, length);
  if (printed) {
    if (printed->cut()) write_stderr("remark: the command printed more than is kept of it");
    PrintedLog log(scratch->path("output.log"), *printed,
                   scratch_output ? std::string() : arguments.output);
    if (arguments.advise) advise_on(arguments, arguments.output, log);
    if (arguments.steps) record_steps(arguments.output, log);
  }
  return status;
}

int import_it(ObserveArguments& arguments) {
  const bool observes = !arguments.pid.empty() || !arguments.command.empty() || arguments.live ||
                        !arguments.length.empty() || !arguments.instance.empty() ||
                        arguments.steps || !arguments.node.empty();
  if (observes) {
    throw InputError(
        "expected --import or something to observe, got both: a recording is not a running job");
  }
  arguments.imported.how.interval = arguments.interval;
  arguments.imported.output = arguments.output;
  return observe_import(arguments.imported);
}

}  // namespace

Command add_observe(Parser& parent) {
  const auto arguments = std::make_shared<ObserveArguments>();
  Parser* app = parent.add_subcommand("observe",
                                      "Record what a running job does to this machine, or collect "
                                      "what other tools recorded of a job, in one file");
  Option* const pid = app->add_option("--pid", arguments->pid,
                                      "Observe a running process and everything it started")
                          ->type_name("NUMBER");
  allow_whole_numbers(*pid, 1, 4'194'304);
  app->add_option("command", arguments->command,
                  "Start this command, observe it to its end and exit with its exit status")
      ->type_name("-- COMMAND...");
  refuse_empty(
      *app->add_option("--interval", arguments->interval, "Time from one sample to the next")
           ->type_name("TIME")
           ->default_is("500ms; 1s for imported tables without times"));
  refuse_empty(
      *app->add_option("--for", arguments->length, "Stop after this time")->type_name("TIME"));
  refuse_empty(
      *app->add_option("-o,--output", arguments->output,
                       "Write an observation, one JSON object per line; - is standard output")
           ->type_name("FILE"));
  app->add_flag("--keep-secrets", arguments->secrets,
                "Record the command as it is, with what looks like a secret in it (--token X, "
                "API_KEY=X, a URL's password), for which *** stands otherwise");
  app->add_flag("--live", arguments->live,
                "Also show the last interval: redrawn in place on a terminal, otherwise one line "
                "per interval");
  app->add_flag("--advise", arguments->advise,
                "At the end, say what the job waited for and what to change, from the steps that "
                "the command prints (PyTorch's usual forms); its output is handed on as it comes");
  app->add_flag("--steps", arguments->steps,
                "Also record the steps that the command prints (PyTorch's usual forms); its output "
                "is handed on as it comes");
  refuse_empty(*app->add_option("--node", arguments->node, "Name of this machine in the recording")
                    ->type_name("NAME")
                    ->default_is("its own"));
  allow_whole_numbers(*app->add_option("--batch-size", arguments->batch_size,
                                       "With --advise: samples per GPU and step, if the output "
                                       "does not tell")
                           ->type_name("N"),
                      1, 1'000'000'000);
  refuse_empty(
      *app->add_option("--instance", arguments->instance,
                       "Instance type of this machine: shows what idle GPUs cost in dollars")
           ->type_name("NAME"));
  app->footer(
      import_formats_text() +
      "Observing needs no rights beyond seeing the job's own processes, and changes nothing.\n"
      "It ends with the job, after --for, or with Ctrl-C. A command receives Ctrl-C too and\n"
      "is observed until it has ended. Exit status: that of the command, or 128 + n if signal\n"
      "n ended it; always 3 if the observation could not be written. Without --output, the\n"
      "last interval is shown as with --live. A new file is readable by its owner only, since\n"
      "it contains the command and the host's name.\n"
      "Examples:\n"
      "  feedrate observe --advise --batch-size 64 -- python train.py\n"
      "  feedrate observe --output before.jsonl --steps -- python train.py\n"
      "  feedrate observe --pid 4711 --for 10min --output before.jsonl --live\n"
      "  feedrate observe show before.jsonl\n"
      "  feedrate observe fit job.jsonl --batch-size 64 -o job.json\n"
      "  feedrate observe --import train.log gpu.csv --start 2026-11-22T11:21:46 -o job.jsonl\n"
      "  feedrate diagnose before.jsonl");
  add_observe_import_flags(*app, arguments->imported);
  const Command show = add_observe_show(*app);
  const Command fit = add_observe_fit(*app);
  return {app, [arguments, show, fit] {
            if (show.app->parsed()) return show.run();
            if (fit.app->parsed()) return fit.run();
            return arguments->imported.files.empty() ? observe_it(*arguments)
                                                     : import_it(*arguments);
          }};
}

}  // namespace feedrate::cli
