#include "cli/app.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"

namespace feedrate::cli {
namespace {

/// "help" as people type it: "help scale" is "scale --help".
std::vector<const char*> help_as_flag(int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "help") return words;
  words.erase(words.begin() + 1);
  words.push_back("--help");
  return words;
}

struct Entry {
  std::string_view name;
  Command (*add)(Parser&);
  const char* group;  ///< the headings of docs/guide/README.md
};

constexpr const char* to_plan = "Plan a job";
constexpr const char* to_choose = "Choose";
constexpr const char* to_measure = "Measure";
constexpr const char* to_share = "Share and automate";
constexpr const char* to_look_up = "Files and shell";

// In the order in which --help lists them.
constexpr std::array entries = {
    Entry{"init", add_init, to_plan},
    Entry{"run", add_run, to_plan},
    Entry{"advise", add_advise, to_choose},
    Entry{"sweep", add_sweep, to_choose},
    Entry{"optimize", add_optimize, to_choose},
    Entry{"scale", add_scale, to_choose},
    Entry{"feeds", add_feeds, to_choose},
    Entry{"compare", add_compare, to_choose},
    Entry{"catalog", add_catalog, to_choose},
    Entry{"merge", add_merge, to_choose},
    Entry{"calibrate", add_calibrate, to_measure},
    Entry{"validate", add_validate, to_measure},
    Entry{"observe", add_observe, to_measure},
    Entry{"diagnose", add_diagnose, to_measure},
    Entry{"fit", add_fit, to_measure},
    Entry{"cases", add_cases, to_measure},
    Entry{"check", add_check, to_share},
    Entry{"showback", add_showback, to_share},
    Entry{"report", add_report, to_share},
    Entry{"plot", add_plot, to_share},
    Entry{"export", add_export, to_share},
    Entry{"serve", add_serve, to_share},
    Entry{"schema", add_schema, to_look_up},
    Entry{"completion", add_completion, to_look_up},
};

// Declaring the flags of all commands takes longer than a small scenario: who names a command gets
// that one. Completion tells of all.
std::vector<Command> declared(Parser& app, std::string_view first) {
  const bool known =
      first != "completion" &&
      std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == first; });
  std::vector<Command> commands;
  for (const Entry& entry : entries) {
    if (first == "--version" || first == "-V" || (known && entry.name != first)) continue;
    commands.push_back(entry.add(app));
    commands.back().app->group(entry.group);
  }
  return commands;
}

}  // namespace

int execute(int argc, const char* const* argv) {
  Parser app("Simulates GPU training input pipelines and prices them.", "feedrate");
  app.set_version_flag("-V,--version", fmt::format("feedrate {}", version));
  app.footer(
      "feedrate COMMAND --help explains a command, with examples.\n"
      "Exit status: 0 success, 1 a verdict is negative (a limit, tolerance or deadline is missed), "
      "2 wrong usage or input, 3 the host or feedrate failed.");
  const std::vector<const char*> typed = help_as_flag(argc, argv);
  const std::vector<Command> commands = declared(app, typed.size() > 1 ? typed[1] : "");
  const Asked asked = app.parse(typed);
  if (asked == Asked::help) {
    // "help scal": whose help, the words behind it say.
    if (typed.size() > 2 && std::string_view(argv[1]) == "help" && !app.parsed_any()) {
      throw InputError(fmt::format("feedrate has no command {}{}; feedrate --help lists them",
                                   in_quotes(typed[1]),
                                   did_you_mean(typed[1], app.subcommand_names())));
    }
    write_stdout(app.help(help_width()));
    return fine;
  }
  if (asked == Asked::version) {
    write_stdout(fmt::format("feedrate {}\n", version));
    return fine;
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  write_stderr_lines(app.help(help_width()));
  return wrong_input;
}

}  // namespace feedrate::cli
