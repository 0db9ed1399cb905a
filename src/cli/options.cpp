#include "cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"

namespace feedrate::cli {
namespace {

std::string rendered(const OutputOptions& options, const Rendering& rendering) {
  if (options.format == "json") return rendering.json();
  if (options.format == "csv") return rendering.csv();
  const report::Report report = report::shown_in(
      rendering.currency, rendering.brief && !options.full ? rendering.brief : rendering.report);
  if (options.format == "markdown") return report::to_markdown(report);
  const bool to_file = !options.file.empty();
  return report::to_text(report, to_file ? style_of_file() : style_of_stdout());
}

}  // namespace

void refuse_to_overwrite(const std::string& flag, const std::string& output,
                         std::span<const std::string> inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (input == standard_input_path) continue;
    if (!std::filesystem::equivalent(output, input, ignored)) continue;
    throw InputError(
        {{.file = "",
          .line = 0,
          .pointer = "",
          .message = fmt::format("{} would overwrite the input {}", flag, in_quotes(input))}});
  }
}

void refuse_one_file(std::span<const WrittenFile> outputs) {
  // What a device takes twice is not lost.
  const auto counts = [](const std::string& file) {
    std::error_code ignored;
    return !file.empty() && file != standard_input_path &&
           (std::filesystem::is_regular_file(file, ignored) ||
            !std::filesystem::exists(file, ignored));
  };
  const auto same = [](const std::string& a, const std::string& b) {
    std::error_code failed;
    // Absolute: of a name that is not there yet nothing would be resolved.
    const auto real = [&](const std::string& file) {
      return std::filesystem::weakly_canonical(std::filesystem::absolute(file), failed);
    };
    if (real(a) == real(b) && !failed) return true;
    return std::filesystem::equivalent(a, b, failed);  // as hard links are
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool both = counts(outputs[i].file) && counts(outputs[j].file);
      if (!both || !same(outputs[i].file, outputs[j].file)) continue;
      throw InputError(
          {{.file = "",
            .line = 0,
            .pointer = outputs[j].flag,
            .message = fmt::format("expected a different file than {}", outputs[i].flag)}});
    }
  }
}

void refuse_empty(Option& option) {
  option.check([](const std::string& text) {
    return text.empty() ? std::string("expected a value, got \"\"") : std::string();
  });
}

void expect_folders(Option& option) {
  option.check([](const std::string& folder) {
    std::error_code ignored;
    return std::filesystem::is_directory(folder, ignored)
               ? std::string()
               : fmt::format("expected a folder, got {}", in_quotes(folder, 200));
  });
}

void allow_whole_numbers(Option& option, std::uint64_t least, std::uint64_t most,
                         const std::string& why) {
  option.check([=](const std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool whole = stop == end && !text.empty();
    const bool fine = error == std::errc() && whole && value >= least && value <= most;
    const bool more = whole && (error == std::errc::result_out_of_range || value > most);
    return fine ? std::string()
                : fmt::format("expected a whole number from {} to {}, got {}{}", least, most,
                              in_quotes(text), more ? why : "");
  });
}

void allow_only(Option& option, const std::vector<std::string>& words,
                const std::vector<std::string>& former) {
  const auto check = [words, former](const std::string& word) {
    const auto named = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), word) != list.end();
    };
    if (named(words) || named(former)) return std::string();
    return fmt::format("expected {}{}, got {}{}", words.size() > 1 ? "one of " : "",
                       fmt::join(words, ", "), in_quotes(word), did_you_mean(word, words));
  };
  option.check(check);
  // The name of the type is the list itself: --help shows it, completion reads it.
  option.type_name(fmt::format("{}", fmt::join(words, "|")));
}

void add_full_flag(Parser& app, OutputOptions& options) {
  app.add_flag("--full", options.full,
               "Print all of the report as text or Markdown, not what matters first; JSON and CSV "
               "are whole anyway")
      ->group("Output");
}

void add_output_flags(Parser& app, OutputOptions& options,
                      const std::vector<std::string>& formats) {
  allow_only(*app.add_option("-f,--format", options.format, "Output format")
                  ->capture_default_str()
                  ->group("Output"),
             formats);
  app.add_option("-o,--output", options.file, "Write to this file instead of standard output")
      ->type_name("FILE")
      ->group("Output");
}

void add_jobs_flag(Parser& app, int& jobs) {
  app.add_option("-j,--jobs", jobs, "Number of points simulated in parallel")
      ->type_name("N")
      ->default_is("one per core")
      ->range(1, 4096);
}

namespace {

constexpr const char* simulation_group = "Simulation";

void add_inputs(Parser& app, SimulationOptions& options) {
  app.add_option("--host", options.host, "Host profile: what was measured on the machine")
      ->type_name("PROFILE")
      ->group(simulation_group);
  app.add_option("--set", options.settings,
                 "Set a key of the scenario: a short name or a JSON pointer, and a value with its "
                 "unit; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(simulation_group);
  expect_folders(
      *app.add_option("--allow-files", options.allow_files,
                      "Also read files below this folder that a scenario names (include, step "
                      "times), which otherwise lie below the scenario's folder or in its "
                      "repository; may be given several times")
           ->type_name("DIR")
           ->allow_extra_args(false)
           ->group(simulation_group));
}

void add_seed(Parser& app, SimulationOptions& options) {
  allow_whole_numbers(*app.add_option("--seed", options.seed, "Seed of the random numbers")
                           ->type_name("S")
                           ->capture_default_str()
                           ->group(simulation_group),
                      0, std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

void add_scenario_flags(Parser& app, SimulationOptions& options) {
  add_inputs(app, options);
  add_seed(app, options);
}

Option* add_mean_flag(Parser& app, SimulationOptions& options) {
  return app
      .add_flag(
          "--mean", options.mean,
          "Compute the mean in closed form alone. Without it, run, report, compare, cases and "
          "check also simulate the events that take about 0.1 s, and state their time where "
          "it parts from the mean by more than 1 %; sweep, optimize, scale, advise, "
          "feeds and --find simulate so what they are about to recommend")
      ->group(simulation_group);
}

void add_simulation_flags(Parser& app, SimulationOptions& options) {
  add_inputs(app, options);
  allow_whole_numbers(
      *app.add_option("--replications", options.replications,
                      "Number of draws of uncertain inputs and random times for the 5-95 % bands "
                      "and for the probability of each bottleneck")
           ->type_name("R")
           ->default_is("100 in run, elsewhere as many as the answer needs")
           ->group(simulation_group),
      1, most_replications,
      ": with 100,000, the ranks of the 5 and 95 % limits are known to 0.07 percentage points, and "
      "more replications would not change any digit that is shown");
  add_seed(app, options);
  Option* const events =
      app.add_flag("--events,--exact", options.exact,
                   "Simulate every event of the job (each chunk of every worker, with its "
                   "variability) instead of the mean in closed form");
  events->group(simulation_group);
  add_mean_flag(app, options)->excludes(events);
}

void deliver(const OutputOptions& options, std::span<const std::string> inputs,
             const Rendering& rendering) {
  if (!options.file.empty()) refuse_to_overwrite("--output", options.file, inputs);
  const std::string text = rendered(options, rendering);
  if (options.file.empty()) {
    write_stdout(text);
  } else {
    write_text_file(options.file, text);
  }
  if (options.format != "csv") return;
  for (const std::string& remark : rendering.remarks) write_stderr("remark: " + remark);
}

}  // namespace feedrate::cli
