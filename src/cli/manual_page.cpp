#include "cli/manual_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "base/version.hpp"
#include "cli/parser.hpp"

namespace feedrate::cli {
namespace {

/// Text as roff prints it: its own signs are escaped, and "-" stays what can be typed.
std::string roff(std::string_view text) {
  std::string out;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) out += "\\&";
    line_starts = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

/// A word as an argument of a macro.
std::string quoted_argument(std::string_view text) {
  std::string out = "\"";
  for (const char c : roff(text)) out += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return out + "\"";
}

/// Lines as they are.
std::string verbatim(std::string_view text) {
  return fmt::format(".nf\n{}\n.fi\n", roff(text));
}

/// A list of words that no line holds is told in the sentence, which can be broken.
bool is_long_list(const OptionTold& option) {
  constexpr std::size_t longest = 60;
  return option.type.size() > longest && option.type.find('|') != std::string::npos;
}

/// What is typed for an option: "-o, --output FILE".
std::string typed(const OptionTold& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.short_names) names.push_back("-" + name);
  for (const std::string& name : option.long_names) names.push_back("--" + name);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (text.empty()) text = option.name;
  if (option.takes_value && !option.type.empty() && option.type != "TEXT") {
    text += is_long_list(option) ? " WORD" : " " + option.type;
  }
  return text;
}

std::string described(const OptionTold& option) {
  std::string text = option.about;
  if (is_long_list(option)) {
    text += ": ";
    for (const char c : option.type) text += c == '|' ? std::string(", ") : std::string(1, c);
  }
  if (!option.default_value.empty()) {
    text += fmt::format(" (default: {})", option.default_value);
  }
  return text;
}

void write_options(std::string& page, const CommandTold& command) {
  for (const OptionTold& option : command.options) {
    if (!option.listed) continue;  // --help leaves it out too
    page +=
        fmt::format(".TP\n.B {}\n{}\n", quoted_argument(typed(option)), roff(described(option)));
  }
}

void write_command(std::string& page, const CommandTold& command, const std::string& path) {
  page += fmt::format(".SS {}\n{}\n", quoted_argument(path), roff(command.about));
  write_options(page, command);
  if (!command.footer.empty()) page += ".PP\n" + verbatim(command.footer);
  for (const CommandTold& sub : command.commands) {
    write_command(page, sub, path + " " + sub.name);
  }
}

}  // namespace

std::string manual_page(const CommandTold& root) {
  std::string page = fmt::format(".TH FEEDRATE 1 \"\" {} {}\n.SH NAME\nfeedrate \\- {}\n",
                                 quoted_argument(fmt::format("feedrate {}", version)),
                                 quoted_argument("User commands"), roff(root.about));
  page += ".SH SYNOPSIS\n.B feedrate\n.I COMMAND\n[\\fIarguments\\fR]\n.SH OPTIONS\n";
  write_options(page, root);
  page += ".SH COMMANDS\n";
  for (const CommandTold& sub : root.commands) {
    write_command(page, sub, "feedrate " + sub.name);
  }
  page += ".SH NOTES\n" + verbatim(root.footer);
  page +=
      ".SH FILES\n.TP\n.I share/feedrate/pricing\nThe catalogue: machines and prices, each with "
      "its "
      "source and date.\n.TP\n.I share/feedrate/scenarios\nScenarios with published "
      "measurements.\n";
  return page;
}

}  // namespace feedrate::cli
