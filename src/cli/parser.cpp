#include "cli/parser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <regex>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/quote.hpp"
#include "cli/help.hpp"

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
    return fmt::format("{}: expected {} after it, got nothing", match[1].str(), match[2].str());
  }
  if (is("(\\S+): At Most 1 required but received (\\d+)")) {
    return fmt::format("{}: expected it once, got it {} times", match[1].str(), match[2].str());
  }
  if (is("(\\S+): At least 2 required but received 1")) {
    const std::string plural = match[1];
    const CLI::Option* const option = where.get_option_no_throw(plural);
    const std::string got = option == nullptr || option->results().empty()
                                ? ""
                                : ": " + in_quotes(option->results().front());
    return fmt::format("{}: expected two {} or more, got one{}", path_of(where), plural, got);
  }
  if (is("(\\S+) excludes (\\S+)")) {
    return fmt::format("expected one of {} and {}, got both", match[1].str(), match[2].str());
  }
  if (is("(\\S+) requires (\\S+)")) {
    return fmt::format("{}: expected {} together with it, got none", match[1].str(),
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
  // What stands after "--" belongs to another command line.
  if (left_over.empty() || left_over.front() == "--") return in_our_words(*where, error);
  const std::vector<std::string> commands = subcommands_of(*where);
  if (commands.empty()) {
    return fmt::format("{}: unexpected argument {}", where->get_name(),
                       in_quotes(left_over.front()));
  }
  return fmt::format("{} has no command {}{}; feedrate {}--help lists them", where->get_name(),
                     in_quotes(left_over.front()), did_you_mean(left_over.front(), commands),
                     where == &app ? "" : path_of(*where) + " ");
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::sort(names.begin(), names.end());  // the set's order is that of addresses
  return names;
}

OptionTold told_of(const CLI::Option& option) {
  OptionTold told;
  told.name = option.get_name();
  told.short_names = option.get_snames();
  told.long_names = option.get_lnames();
  told.type = option.get_type_name();
  told.about = option.get_description();
  told.default_value = option.get_default_str();
  told.group = option.get_group();
  told.needs = names_of(option.get_needs());
  told.excludes = names_of(option.get_excludes());
  told.positional = option.get_positional();
  told.required = option.get_required();
  told.several = option.get_items_expected_max() > 1 && option.get_allow_extra_args();
  told.takes_value = option.get_items_expected_max() > 0;
  told.listed = !option.get_group().empty();
  return told;
}

CommandTold told_of(const CLI::App& app) {
  CommandTold told{
      .name = app.get_name(),
      .about = app.get_description(),
      .footer = app.get_footer(),
      .group = app.get_group() == "Subcommands" ? "Commands" : app.get_group(),
      .needs_command = app.get_parent() == nullptr || app.get_require_subcommand_min() > 0,
      .options = {},
      .commands = {}};
  for (const CLI::Option* option : app.get_options()) told.options.push_back(told_of(*option));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    told.commands.push_back(told_of(*sub));
  }
  return told;
}

}  // namespace

Option* Option::type_name(const std::string& name) {
  option_.type_name(name);
  return this;
}

Option* Option::group(const std::string& name) {
  option_.group(name);
  return this;
}

Option* Option::required() {
  option_.required();
  return this;
}

Option* Option::excludes(const Option* other) {
  option_.excludes(&other->option_);
  return this;
}

Option* Option::needs(const Option* other) {
  option_.needs(&other->option_);
  return this;
}

Option* Option::expected(int count) {
  option_.expected(count);
  return this;
}

Option* Option::expected(int least, int most) {
  option_.expected(least, most);
  return this;
}

Option* Option::allow_extra_args(bool allow) {
  option_.allow_extra_args(allow);
  return this;
}

Option* Option::capture_default_str() {
  option_.capture_default_str();
  return this;
}

Option* Option::default_is(const std::string& text) {
  option_.default_str(text);
  return this;
}

Option* Option::range(int least, int most) {
  option_.check(CLI::Range(least, most).description(""));
  return this;
}

Option* Option::check(const std::function<std::string(const std::string&)>& problem_of) {
  option_.check(CLI::Validator([problem_of](std::string& text) { return problem_of(text); }, ""));
  return this;
}

Option* Option::each(const std::function<void(const std::string&)>& do_with) {
  option_.each(do_with);
  return this;
}

Parser::Parser(const std::string& about, const std::string& name)
    : owned_(std::make_unique<CLI::App>(about, name)), app_(*owned_) {}

Parser::Parser(CLI::App& app) : app_(app) {}

Parser::~Parser() = default;

Option* Parser::kept(CLI::Option& option) {
  return options_.emplace_back(std::make_unique<Option>(option)).get();
}

Parser* Parser::add_subcommand(const std::string& name, const std::string& about) {
  commands_.push_back(std::unique_ptr<Parser>(new Parser(*app_.add_subcommand(name, about))));
  return commands_.back().get();
}

Option* Parser::add_option(const std::string& names, std::string& into, const std::string& about) {
  return kept(*app_.add_option(names, into, about));
}

Option* Parser::add_option(const std::string& names, std::vector<std::string>& into,
                           const std::string& about) {
  return kept(*app_.add_option(names, into, about));
}

Option* Parser::add_option(const std::string& names, int& into, const std::string& about) {
  return kept(*app_.add_option(names, into, about));
}

Option* Parser::add_option(const std::string& names, std::uint64_t& into,
                           const std::string& about) {
  return kept(*app_.add_option(names, into, about));
}

Option* Parser::add_option(const std::string& names, double& into, const std::string& about) {
  return kept(*app_.add_option(names, into, about));
}

Option* Parser::add_flag(const std::string& names, bool& into, const std::string& about) {
  return kept(*app_.add_flag(names, into, about));
}

void Parser::set_version_flag(const std::string& names, const std::string& text) {
  app_.set_version_flag(names, text);
}

Option* Parser::get_option(const std::string& name) {
  return kept(*app_.get_option(name));
}

void Parser::footer(const std::string& text) {
  app_.footer(text);
}

void Parser::group(const std::string& name) {
  app_.group(name);
}

void Parser::require_subcommand(int count) {
  app_.require_subcommand(count);
}

Asked Parser::parse(std::span<const char* const> arguments) {
  try {
    app_.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::CallForHelp&) {
    return Asked::help;
  } catch (const CLI::CallForVersion&) {
    return Asked::version;
  } catch (const CLI::ParseError& error) {
    throw InputError(explained(app_, error));
  }
  return Asked::command;
}

bool Parser::parsed() const {
  return app_.parsed();
}

bool Parser::parsed_any() const {
  return !app_.get_subcommands().empty();
}

std::string Parser::help(std::size_t width) const {
  const CLI::App* const app = innermost(&app_);
  const std::string path = app->get_parent() == nullptr ? "feedrate" : "feedrate " + path_of(*app);
  return help_text(told_of(*app), path, width);
}

std::vector<std::string> Parser::subcommand_names() const {
  return subcommands_of(app_);
}

CommandTold Parser::told() const {
  return told_of(app_);
}

}  // namespace feedrate::cli
