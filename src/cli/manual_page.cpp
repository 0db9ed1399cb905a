#include "cli/manual_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "base/version.hpp"

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

/// What is typed for an option: "-o, --output FILE".
std::string typed(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (text.empty()) text = option.get_name();
  if (option.get_items_expected_max() > 0 && !option.get_type_name().empty() &&
      option.get_type_name() != "TEXT") {
    text += " " + option.get_type_name();
  }
  return text;
}

std::string described(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_default_str().empty()) {
    text += fmt::format(" (default: {})", option.get_default_str());
  }
  return text;
}

void write_options(std::string& page, const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // --help leaves it out too
    page +=
        fmt::format(".TP\n.B {}\n{}\n", quoted_argument(typed(*option)), roff(described(*option)));
  }
}

void write_command(std::string& page, const CLI::App& app, const std::string& path) {
  page += fmt::format(".SS {}\n{}\n", quoted_argument(path), roff(app.get_description()));
  write_options(page, app);
  if (!app.get_footer().empty()) page += ".PP\n" + verbatim(app.get_footer());
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    write_command(page, *sub, path + " " + sub->get_name());
  }
}

}  // namespace

std::string manual_page(const CLI::App& root) {
  std::string page = fmt::format(".TH FEEDRATE 1 \"\" {} {}\n.SH NAME\nfeedrate \\- {}\n",
                                 quoted_argument(fmt::format("feedrate {}", version)),
                                 quoted_argument("User commands"), roff(root.get_description()));
  page += ".SH SYNOPSIS\n.B feedrate\n.I COMMAND\n[\\fIarguments\\fR]\n.SH OPTIONS\n";
  write_options(page, root);
  page += ".SH COMMANDS\n";
  for (const CLI::App* sub : root.get_subcommands([](const CLI::App*) { return true; })) {
    write_command(page, *sub, "feedrate " + sub->get_name());
  }
  page += ".SH NOTES\n" + verbatim(root.get_footer());
  page +=
      ".SH FILES\n.TP\n.I share/feedrate/pricing\nThe catalogue: machines and prices, each with "
      "its "
      "source and date.\n.TP\n.I share/feedrate/scenarios\nScenarios with published "
      "measurements.\n";
  return page;
}

}  // namespace feedrate::cli
