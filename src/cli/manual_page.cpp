#include "cli/manual_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "base/version.hpp"
#include "cli/help.hpp"
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

void write_options(std::string& page, const CommandTold& command) {
  for (const OptionTold& option : command.options) {
    if (!option.listed) continue;  // --help leaves it out too
    page +=
        fmt::format(".TP\n.B {}\n{}\n", quoted_argument(typed(option)), roff(described(option)));
  }
}

void write_footer(std::string& page, const std::string& footer) {
  for (const FooterPart& part : footer_parts(footer)) {
    if (!part.paragraph.empty()) page += fmt::format(".PP\n{}\n", roff(part.paragraph));
    if (!part.lines.empty()) page += verbatim(fmt::format("{}", fmt::join(part.lines, "\n")));
  }
}

void write_command(std::string& page, const CommandTold& command, const std::string& path) {
  page += fmt::format(".SS {}\n{}\n", quoted_argument(path), roff(command.about));
  write_options(page, command);
  write_footer(page, command.footer);
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
  page += ".SH NOTES\n";
  write_footer(page, root.footer);
  page +=
      ".SH FILES\n.TP\n.I share/feedrate/pricing\nThe catalogue: machines and prices, each with "
      "its "
      "source and date.\n.TP\n.I share/feedrate/scenarios\nScenarios with published "
      "measurements.\n";
  return page;
}

}  // namespace feedrate::cli
