// Completion scripts, made from the parser itself and from the scenario's keys, so that they cannot
// say anything that the program does not know.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "base/exit_status.hpp"
#include "catalog/filter.hpp"
#include "cli/commands.hpp"
#include "cli/manual_page.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "model/figures.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string flags(const CommandTold& command) {
  std::vector<std::string> names;
  for (const OptionTold& option : command.options) {
    for (const std::string& name : option.long_names) names.push_back("--" + name);
  }
  return joined(names);
}

// What may follow: a list of words, or the kind of thing that the option's type names.
std::string values(const OptionTold& option) {
  std::string type = option.type;
  if (type.find('|') == std::string::npos) return "@" + type;
  for (char& c : type) c = c == '|' ? ' ' : c;
  return type;
}

struct Lines {
  std::string flags;       ///< of each command path
  std::string values;      ///< of each "path flag"
  std::string positional;  ///< of each command path
};

// `path` is "", "run", "catalog show" …: each becomes lines of the script's case statements.
void collect(Lines& lines, const CommandTold& command, const std::string& path) {
  std::vector<std::string> commands;
  for (const CommandTold& sub : command.commands) {
    commands.push_back(sub.name);
    collect(lines, sub, path.empty() ? sub.name : path + " " + sub.name);
  }
  lines.flags += fmt::format("    '{}') flags='{}' ;;\n", path, flags(command));
  std::string positional = joined(commands);
  for (const OptionTold& option : command.options) {
    if (option.positional) {
      // What comes first is what has to be known; a command's commands are.
      if (positional.empty()) positional = values(option);
    } else if (option.takes_value) {
      std::vector<std::string> patterns;
      for (const std::string& name : option.long_names) {
        patterns.push_back(fmt::format("'{} --{}'", path, name));
      }
      for (const std::string& name : option.short_names) {
        patterns.push_back(fmt::format("'{} -{}'", path, name));
      }
      lines.values +=
          fmt::format("    {}) values='{}' ;;\n", fmt::join(patterns, "|"), values(option));
    }
  }
  lines.positional += fmt::format("    '{}') values='{}' ;;\n", path, positional);
}

/// What --set takes: short names, and the loader's, of which other sections have a namesake.
std::vector<std::string> keys_to_set() {
  std::vector<std::string> keys = schema::scenario_short_keys();
  keys.emplace_back("loader.kind");
  return keys;
}

std::string key_lines() {
  std::string lines;
  for (const std::string& key : keys_to_set()) {
    const std::vector<std::string> words = schema::scenario_key_words(key);
    if (!words.empty()) lines += fmt::format("    '{}') values='{}' ;;\n", key, joined(words));
  }
  return lines;
}

std::string filter_words() {
  std::vector<std::string> names;
  for (const FilterKey& key : filter_keys()) names.emplace_back(key.name);
  return joined(names);
}

// What --max-increase takes.
std::vector<std::string> figures_that_may_rise() {
  std::vector<std::string> names;
  for (const Figure& figure : all_figures()) {
    if (figure.better != Better::less) continue;
    if (!figure.alias.empty()) names.emplace_back(figure.alias);
    names.emplace_back(figure.name);
  }
  return names;
}

// Both shells share the tables; PLACEHOLDERS in capitals are filled below.
constexpr std::string_view tables = R"shell(
_feedrate_flags() {
  case "$1" in
FLAGS  esac
}

_feedrate_values() {
  case "$1 $2" in
VALUES    *) return 1 ;;
  esac
}

_feedrate_positional() {
  case "$1" in
POSITIONAL  esac
}

_feedrate_key_words() {
  case "$1" in
KEYWORDS  esac
}

_feedrate_keys='KEYNAMES'
_feedrate_filter_keys='FILTERKEYS'
_feedrate_figures='FIGURENAMES'
_feedrate_charts='CHARTNAMES'
)shell";

// Words are taken from the line itself, because "=" splits words for bash.
constexpr std::string_view bash_function = R"shell(
_feedrate() {
  local line="${COMP_LINE:0:COMP_POINT}" flags='' values='' path='' previous='' word current='' i
  local -a words
  read -r -a words <<<"$line"
  if [[ "$line" != *[[:space:]] ]]; then
    current="${words[${#words[@]} - 1]}"
    unset "words[${#words[@]} - 1]"
  fi
  for ((i = 1; i < ${#words[@]}; i++)); do
    word="${words[i]}"
    previous="$word"
    _feedrate_positional "$path"
    if [[ "$values" != @* && "$word" != -* && " $values " == *" $word "* ]]; then
      case "$path" in
        '') path="$word" ;;
        *) _feedrate_flags "$path $word"; [[ -n "$flags" ]] && path="$path $word" ;;
      esac
    fi
    flags='' values=''
  done
  COMPREPLY=()
  if [[ "$current" == --*=* ]]; then
    previous="${current%%=*}"
    current="${current#*=}"
  elif [[ "$current" == -* ]]; then
    _feedrate_flags "$path"
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
    return
  fi
  _feedrate_values "$path" "$previous" || _feedrate_positional "$path"
  case "$values" in
    @KEY=*)
      compopt -o nospace 2>/dev/null
      if [[ "$current" == *=* ]]; then
        values=''
        _feedrate_key_words "${current%%=*}"
        COMPREPLY=($(compgen -W "$values" -- "${current#*=}"))
      else
        COMPREPLY=($(compgen -W "$_feedrate_keys" -S = -- "$current"))
      fi ;;
    @KEY) COMPREPLY=($(compgen -W "$_feedrate_keys" -- "$current")) ;;
    @KEY\[*)
      compopt -o nospace 2>/dev/null
      values=''
      [[ "$current" == *,* ]] && values="${current%,*},"
      COMPREPLY=($(compgen -W "$_feedrate_keys" -P "$values" -- "${current##*,}")) ;;
    @METRIC=*)
      compopt -o nospace 2>/dev/null
      [[ "$current" == *=* ]] || COMPREPLY=($(compgen -W "$_feedrate_figures" -S = -- "$current")) ;;
    @SCENARIO | @PROFILE)
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -X '!*.json' -- "$current") $(compgen -d -- "$current")) ;;
    @FILE | @OBS*)
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$current")) ;;
    @CHART)
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -W "$_feedrate_charts" -- "$current") $(compgen -f -- "$current")) ;;
    @FILTER)
      compopt -o nospace 2>/dev/null
      COMPREPLY=($(compgen -W "$_feedrate_filter_keys" -- "$current")) ;;
    @NAME)
      COMPREPLY=($(compgen -W "$(feedrate catalog list --format csv 2>/dev/null | cut -d, -f1 |
        tail -n +2)" -- "$current")) ;;
    @*) ;;
    *) COMPREPLY=($(compgen -W "$values" -- "$current")) ;;
  esac
}

complete -F _feedrate feedrate
)shell";

constexpr std::string_view zsh_function = R"shell(
_feedrate() {
  local flags='' values='' path_='' word i current=$PREFIX previous=${words[CURRENT-1]}
  for ((i = 2; i < CURRENT; i++)); do
    word=${words[i]}
    values='' flags=''
    _feedrate_positional "$path_"
    if [[ $values != @* && $word != -* && " $values " == *" $word "* ]]; then
      if [[ -z $path_ ]]; then
        path_=$word
      else
        _feedrate_flags "$path_ $word"
        [[ -n $flags ]] && path_="$path_ $word"
      fi
    fi
  done
  flags='' values=''
  if [[ $current == --*=* ]]; then
    previous=${current%%=*}
    compset -P '*='
    current=$PREFIX
  elif [[ $current == -* ]]; then
    _feedrate_flags "$path_"
    compadd -- ${=flags}
    return
  fi
  _feedrate_values "$path_" "$previous" || _feedrate_positional "$path_"
  case $values in
    @KEY=*)
      if [[ $current == *=* ]]; then
        values=''
        _feedrate_key_words "${current%%=*}"
        compset -P '*='
        compadd -- ${=values}
      else
        compadd -S = -- ${=_feedrate_keys}
      fi ;;
    @KEY) compadd -- ${=_feedrate_keys} ;;
    @KEY\[*)
      compset -P '*,'
      compadd -S '' -- ${=_feedrate_keys} ;;
    @METRIC=*) [[ $current == *=* ]] || compadd -S = -- ${=_feedrate_figures} ;;
    @SCENARIO | @PROFILE) _files -g '*.json' ;;
    @FILE | @OBS*) _files ;;
    @CHART) compadd -- ${=_feedrate_charts}; _files ;;
    @FILTER) compadd -S '' -- ${=_feedrate_filter_keys} ;;
    @NAME) compadd -- ${(f)"$(feedrate catalog list --format csv 2>/dev/null | cut -d, -f1 | tail -n +2)"} ;;
    @*) ;;
    *) compadd -- ${=values} ;;
  esac
}

# Found by name in fpath this file is the function; sourced it only defines it.
if [[ $funcstack[1] == _feedrate ]]; then
  _feedrate "$@"
else
  compdef _feedrate feedrate
fi
)shell";

void fill(std::string& text, std::string_view placeholder, const std::string& content) {
  text.replace(text.find(placeholder), placeholder.size(), content);
}

std::string script(const CommandTold& root, const std::string& shell) {
  Lines lines;
  collect(lines, root, "");
  std::string text(tables);
  fill(text, "FLAGS", lines.flags);
  fill(text, "VALUES", lines.values);
  fill(text, "POSITIONAL", lines.positional);
  fill(text, "KEYWORDS", key_lines());
  fill(text, "KEYNAMES", joined(keys_to_set()));
  fill(text, "FILTERKEYS", filter_words());
  fill(text, "FIGURENAMES", joined(figures_that_may_rise()));
  fill(text, "CHARTNAMES", fmt::format("{}", fmt::join(chart_names, " ")));
  if (shell == "zsh") return "#compdef feedrate\n" + text + std::string(zsh_function);
  return "# bash completion for feedrate: source it, or put it into\n"
         "# ~/.local/share/bash-completion/completions/feedrate\n" +
         text + std::string(bash_function);
}

}  // namespace

Command add_completion(Parser& parent) {
  const auto shell = std::make_shared<std::string>();
  Parser* app = parent.add_subcommand("completion",
                                      "Print the completion script of a shell, or the manual page");
  allow_only(*app->add_option("shell", *shell, "Shell to complete in, or man for the manual page")
                  ->required(),
             {"bash", "zsh", "man"});
  app->footer(
      "Examples:\n"
      "  source <(feedrate completion bash)\n"
      "  feedrate completion zsh > ~/.zfunc/_feedrate\n"
      "  feedrate completion man | man -l -");
  return {
      app, [shell, &parent] {
        write_stdout(*shell == "man" ? manual_page(parent.told()) : script(parent.told(), *shell));
        return fine;
      }};
}

}  // namespace feedrate::cli
