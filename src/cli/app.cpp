#include "cli/app.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
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
#include "cli/terminal.hpp"

namespace feedrate::cli {
namespace {

// The parser of the sub-command (or sub-sub-command) that the arguments name.
const CLI::App* innermost(const CLI::App* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return app;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> subcommands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

// What the parser could not place explains more than what it then missed: a misspelt flag first.
std::string explained(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* where = innermost(&app);
  const std::vector<std::string> left_over = app.remaining(true);
  for (const std::string& word : left_over) {
    if (!word.starts_with('-') || word == "-" || word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("{} has no flag {}{}", where->get_name(), in_quotes(name),
                       did_you_mean(name, flags_of(*where)));
  }
  if (left_over.empty()) return error.what();
  const std::vector<std::string> commands = subcommands_of(*where);
  if (commands.empty()) {
    return fmt::format("{}: unexpected argument {}", where->get_name(),
                       in_quotes(left_over.front()));
  }
  return fmt::format("{} has no command {}{}; feedrate --help lists them", where->get_name(),
                     in_quotes(left_over.front()), did_you_mean(left_over.front(), commands));
}

struct Entry {
  std::string_view name;
  Command (*add)(CLI::App&);
};

// In the order in which --help lists them.
constexpr std::array entries = {
    Entry{"init", add_init},              //
    Entry{"run", add_run},                //
    Entry{"advise", add_advise},          //
    Entry{"diagnose", add_diagnose},      //
    Entry{"observe", add_observe},        //
    Entry{"sweep", add_sweep},            //
    Entry{"merge", add_merge},            //
    Entry{"optimize", add_optimize},      //
    Entry{"scale", add_scale},            //
    Entry{"feeds", add_feeds},            //
    Entry{"compare", add_compare},        //
    Entry{"cases", add_cases},            //
    Entry{"fit", add_fit},                //
    Entry{"check", add_check},            //
    Entry{"calibrate", add_calibrate},    //
    Entry{"validate", add_validate},      //
    Entry{"report", add_report},          //
    Entry{"plot", add_plot},              //
    Entry{"export", add_export},          //
    Entry{"catalog", add_catalog},        //
    Entry{"schema", add_schema},          //
    Entry{"completion", add_completion},  //
};

// Declaring the flags of all commands takes longer than a small scenario: who names a command gets
// that one. Completion tells of all.
std::vector<Command> declared(CLI::App& app, std::string_view first) {
  const bool known =
      first != "completion" &&
      std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == first; });
  std::vector<Command> commands;
  for (const Entry& entry : entries) {
    if (first != "--version" && (!known || entry.name == first)) commands.push_back(entry.add(app));
  }
  return commands;
}

}  // namespace

int execute(int argc, const char* const* argv) {
  CLI::App app("Simulates GPU training input pipelines and prices them.", "feedrate");
  app.set_version_flag("--version", fmt::format("feedrate {}", version));
  app.footer(
      "feedrate COMMAND --help explains a command, with examples.\n"
      "Exit status: 0 fine, 1 a verdict went against you, 2 your usage or input, 3 the host or "
      "feedrate failed.");
  const std::vector<Command> commands = declared(app, argc > 1 ? argv[1] : "");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    write_stdout(app.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    write_stdout(fmt::format("feedrate {}\n", version));
    return 0;
  } catch (const CLI::ParseError& error) {
    throw InputError(explained(app, error));
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  write_stderr(app.help());
  return wrong_input;
}

}  // namespace feedrate::cli
