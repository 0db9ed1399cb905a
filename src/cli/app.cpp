#include "cli/app.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <regex>
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

/// "export skypilot"
std::string path_of(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  if (parent == nullptr || parent->get_parent() == nullptr) return app.get_name();
  return path_of(*parent) + " " + app.get_name();
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

std::string joined_words(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The option that an error is of, with what it takes: "--to N", "SCENARIO".
std::string option_words(const CLI::App& app, const std::string& name) {
  const CLI::Option* const option = app.get_option_no_throw(name);
  if (option == nullptr) return name;
  const std::string type = option->get_type_name();
  if (!name.starts_with('-')) return type.empty() ? name : type;
  return type.empty() ? name : name + " " + type;
}

/// The parser's own words in ours: what was expected, and what was given instead.
std::string in_our_words(const CLI::App& where, const CLI::ParseError& error) {
  const std::string text = error.what();
  std::smatch match;
  const auto is = [&](const char* pattern) {
    return std::regex_match(text, match, std::regex(pattern));
  };
  if (is("A subcommand is required")) {
    return fmt::format("{}: expected a command of {}, got none", path_of(where),
                       joined_words(subcommands_of(where)));
  }
  if (is("(\\S+) is required")) {
    return fmt::format("{}: expected {}, got nothing; feedrate {} --help explains it",
                       path_of(where), option_words(where, match[1]), path_of(where));
  }
  if (is("(\\S+): \\d+ required (.*) missing")) {
    return fmt::format("{}: expected {} behind it, got nothing", match[1].str(), match[2].str());
  }
  if (is("(\\S+): At Most 1 required but received (\\d+)")) {
    return fmt::format("{}: expected it once, got it {} times", match[1].str(), match[2].str());
  }
  if (is("(\\S+) excludes (\\S+)")) {
    return fmt::format("expected one of {} and {}, got both", match[1].str(), match[2].str());
  }
  if (is("(\\S+) requires (\\S+)")) {
    return fmt::format("{}: expected {} beside it, got none", match[1].str(),
                       option_words(where, match[2]));
  }
  if (is("Could not convert: (\\S+) = (.*)")) {
    const CLI::Option* const option = where.get_option_no_throw(match[1]);
    const bool flag = option != nullptr && option->get_items_expected_max() == 0;
    return fmt::format("{}: expected {}, got {}", match[1].str(),
                       flag ? std::string("no value") : "another value", in_quotes(match[2].str()));
  }
  if (is("(\\S+): Value (.*) not in range (\\S+) to (\\S+)")) {
    return fmt::format("{}: expected a whole number from {} to {}, got {}", match[1].str(),
                       match[3].str(), match[4].str(), in_quotes(match[2].str()));
  }
  return text;
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
  if (left_over.empty()) return in_our_words(*where, error);
  const std::vector<std::string> commands = subcommands_of(*where);
  if (commands.empty()) {
    return fmt::format("{}: unexpected argument {}", where->get_name(),
                       in_quotes(left_over.front()));
  }
  return fmt::format("{} has no command {}{}; feedrate {}--help lists them", where->get_name(),
                     in_quotes(left_over.front()), did_you_mean(left_over.front(), commands),
                     where == &app ? "" : path_of(*where) + " ");
}

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
    if (first != "--version" && first != "-V" && (!known || entry.name == first))
      commands.push_back(entry.add(app));
  }
  return commands;
}

}  // namespace

int execute(int argc, const char* const* argv) {
  CLI::App app("Simulates GPU training input pipelines and prices them.", "feedrate");
  app.set_version_flag("-V,--version", fmt::format("feedrate {}", version));
  app.footer(
      "feedrate COMMAND --help explains a command, with examples.\n"
      "Exit status: 0 fine, 1 a verdict went against you, 2 your usage or input, 3 the host or "
      "feedrate failed.");
  const std::vector<const char*> typed = help_as_flag(argc, argv);
  const std::vector<Command> commands = declared(app, typed.size() > 1 ? typed[1] : "");
  try {
    app.parse(static_cast<int>(typed.size()), typed.data());
  } catch (const CLI::CallForHelp&) {
    // "help scal": whose help, the words behind it say.
    if (typed.size() > 2 && std::string_view(argv[1]) == "help" && app.get_subcommands().empty()) {
      throw InputError(fmt::format("feedrate has no command {}{}; feedrate --help lists them",
                                   in_quotes(typed[1]),
                                   did_you_mean(typed[1], subcommands_of(app))));
    }
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
