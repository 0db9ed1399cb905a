#pragma once
// The door to CLI11: only parser.cpp includes its header, which costs every other file ten seconds.
// Commands declare themselves through functions that are compiled once; --help, completion and the
// manual page tell what they declared.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace feedrate::cli {

/// An option or an argument of a command. Every function hands the same option back.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}
  Option* type_name(const std::string& name);
  Option* group(const std::string& name);
  Option* required();
  Option* excludes(const Option* other);
  Option* needs(const Option* other);
  Option* expected(int count);
  Option* expected(int least, int most);
  /// Whether values may follow each other behind the option given once.
  Option* allow_extra_args(bool allow);
  /// --help shows the value that the variable has now as the default.
  Option* capture_default_str();
  /// What --help shows as the default: a value, or words that say what it is.
  Option* default_is(const std::string& text);
  Option* range(int least, int most);
  /// `problem_of` says what is wrong with a value; "" where nothing is.
  Option* check(const std::function<std::string(const std::string&)>& problem_of);
  Option* each(const std::function<void(const std::string&)>& do_with);

 private:
  CLI::Option& option_;
};

struct OptionTold {
  std::string name;  ///< as messages call it
  std::vector<std::string> short_names;
  std::vector<std::string> long_names;
  std::string type;  ///< "FILE", "text|json"
  std::string about;
  std::string default_value;
  std::string group;                  ///< the heading that it stands under
  std::vector<std::string> needs;     ///< flags that have to be there as well
  std::vector<std::string> excludes;  ///< flags that must not
  bool positional = false;
  bool required = false;
  bool takes_value = false;
  bool several = false;  ///< values may follow each other
  bool listed = true;    ///< by --help
};

struct CommandTold {
  std::string name;
  std::string about;
  std::string footer;
  std::string group;           ///< the heading that its parent lists it under
  bool needs_command = false;  ///< one of `commands` has to be named
  std::vector<OptionTold> options;
  std::vector<CommandTold> commands;
};

/// What the arguments ask for.
enum class Asked { command, help, version };

/// A command, or the program itself. What it hands out lives as long as it does, and variables that
/// options write to must live until the arguments are parsed.
class Parser {
 public:
  Parser(const std::string& about, const std::string& name);
  ~Parser();

  Parser* add_subcommand(const std::string& name, const std::string& about);
  Option* add_option(const std::string& names, std::string& into, const std::string& about);
  Option* add_option(const std::string& names, std::vector<std::string>& into,
                     const std::string& about);
  Option* add_option(const std::string& names, int& into, const std::string& about);
  Option* add_option(const std::string& names, std::uint64_t& into, const std::string& about);
  Option* add_option(const std::string& names, double& into, const std::string& about);
  Option* add_flag(const std::string& names, bool& into, const std::string& about);
  void set_version_flag(const std::string& names, const std::string& text);
  /// Of this command, declared before; `name` with its dashes.
  Option* get_option(const std::string& name);
  void footer(const std::string& text);
  /// The heading that the parent's --help lists it under.
  void group(const std::string& name);
  void require_subcommand(int count);

  /// InputError: what was expected and what was typed, with a did-you-mean.
  Asked parse(std::span<const char* const> arguments);
  /// Whether the arguments named this command.
  bool parsed() const;
  /// Whether they named any command of this one.
  bool parsed_any() const;
  /// Of the innermost command that the arguments named, in lines of at most `width` columns.
  std::string help(std::size_t width) const;
  std::vector<std::string> subcommand_names() const;
  CommandTold told() const;

 private:
  explicit Parser(CLI::App& app);
  Option* kept(CLI::Option& option);

  std::unique_ptr<CLI::App> owned_;
  CLI::App& app_;
  std::vector<std::unique_ptr<Option>> options_;
  std::vector<std::unique_ptr<Parser>> commands_;
};

}  // namespace feedrate::cli
