// The pages of --help: their width, their headings, and the one form in which defaults are told.
#include "cli/help.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

#include "catch.hpp"
#include "cli/help_pages.hpp"
#include "cli/process.hpp"

using namespace testing_cli;
using feedrate::cli::CommandTold;
using feedrate::cli::OptionTold;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) list.push_back(line);
  return list;
}

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const std::string& line : lines_of(text)) {
    width = std::max(width, line.size() - (line.ends_with('\r') ? 1 : 0));
  }
  return width;
}

/// A page with each entry and each paragraph in one line.
std::vector<std::string> unfolded(const std::string& page) {
  std::vector<std::string> list;
  bool prose = false;
  for (const std::string& line : lines_of(page)) {
    const bool starts = line.empty() || (line.starts_with("  ") && line[2] != ' ') ||
                        (!line.starts_with(' ') && !prose);
    prose = !line.empty() && !line.starts_with(' ');
    if (starts || list.empty()) {
      list.push_back(line);
    } else {
      list.back() += " " + line.substr(line.find_first_not_of(' '));
    }
  }
  return list;
}

/// Lines that tell a default in another form than "(default: X)" at their end.
std::vector<std::string> other_defaults(const std::string& page) {
  static const std::regex once(R"([^]*[^(] \(default: [^()]+\))");
  std::vector<std::string> list;
  for (const std::string& line : unfolded(page)) {
    const std::size_t at = line.find("efault");
    if (at == std::string::npos) continue;
    const bool again = line.find("efault", at + 1) != std::string::npos;
    if (again || !std::regex_match(line, once)) list.push_back(line);
  }
  return list;
}

CommandTold sample() {
  OptionTold input;
  input.name = "input";
  input.type = "FILE";
  input.about = "What is read";
  input.positional = input.required = input.several = true;
  OptionTold wide;
  wide.name = "--number-of-everything";
  wide.long_names = {"number-of-everything"};
  wide.type = "NUMBER";
  wide.takes_value = true;
  wide.about = "A sentence that does not fit on one line of the page beside the name";
  wide.group = "Numbers";
  wide.needs = {"--other"};
  wide.default_value = "12";
  OptionTold help;
  help.name = "--help";
  help.short_names = {"h"};
  help.long_names = {"help"};
  help.about = "Help";
  help.group = "Options";
  CommandTold command;
  command.about = "Does it";
  command.footer =
      "A paragraph\nof two lines.\nKeys:\n  key=1     said of it at such a length that it has to "
      "go on\nExamples:\n  feedrate it 'one word that has spaces' --number-of-everything 12 "
      "--output a_file.json";
  command.options = {input, wide, help};
  return command;
}

}  // namespace

TEST_CASE("help: columns, headings and what is behind them") {
  CHECK(feedrate::cli::help_text(sample(), "feedrate it", 60) ==
        "Does it\n"
        "\n"
        "Usage: feedrate it [OPTIONS] FILE...\n"
        "\n"
        "Arguments:\n"
        "  FILE...                   What is read\n"
        "\n"
        "Numbers:\n"
        "  --number-of-everything NUMBER\n"
        "                            A sentence that does not fit on\n"
        "                            one line of the page beside the\n"
        "                            name (needs --other) (default:\n"
        "                            12)\n"
        "\n"
        "Help:\n"
        "  -h, --help                Help\n"
        "\n"
        "A paragraph of two lines. Keys:\n"
        "  key=1     said of it at such a length that it has to go on\n"
        "\n"
        "Examples:\n"
        "  feedrate it 'one word that has spaces' \\\n"
        "      --number-of-everything 12 --output a_file.json\n");
}

TEST_CASE("help: a quoted word of an example is never parted") {
  CommandTold command = sample();
  command.footer =
      "Example:\n  feedrate it 'one word that has spaces and is so wide that no line "
      "holds it' --output x";
  const std::string page = feedrate::cli::help_text(command, "feedrate it", 60);
  CHECK(has(page, "\n      'one word that has spaces and is so wide that no line holds it' --out"));
}

TEST_CASE("help: no page is wider than 80 columns where there is no terminal") {
  const auto pages = help_pages();
  CHECK(pages.size() > 25);
  for (const auto& [command, page] : pages) {
    INFO(command);
    CHECK(has(page, "-h, --help"));
    CHECK(widest(page) <= 80);
  }
}

TEST_CASE("help: as wide as the terminal, from 60 to 100 columns") {
  const auto width = [](unsigned short columns) {
    return widest(on_terminal("feedrate run --help", "", "", {}, columns).out);
  };
  const std::size_t narrow = width(40);
  CHECK(narrow <= 60);
  CHECK(narrow > 50);
  CHECK(width(70) <= 70);
  const std::size_t wide = width(200);
  CHECK(wide <= 100);
  CHECK(wide > 90);
}

TEST_CASE("help: the rule on defaults finds other forms") {
  for (const char* page :
       {"  --to N     Largest number; default: 1024\n", "  --a       Keep it (the default): so\n",
        "  --b       Of it. Default: run, report\n", "  --c       It (default: 1), and more\n",
        "  --d       It (text;\n                  default: 1)\n"}) {
    INFO(page);
    CHECK(other_defaults(page).size() == 1);
  }
  CHECK(other_defaults("  --to N      Largest number (default:\n              1024)\n").empty());
}

TEST_CASE("help: every default is told as (default: X) at the end") {
  std::size_t told = 0;
  for (const auto& [command, page] : help_pages()) {
    INFO(command);
    CHECK(other_defaults(page) == std::vector<std::string>());
    if (has(page, "(default:")) ++told;
  }
  CHECK(told > 20);
}

TEST_CASE("help: the guide names every command that the first page lists") {
  const std::string page = shell("feedrate --help").out;
  const std::string guide = slurp(FEEDRATE_SOURCE_DIR "/docs/guide/README.md");
  const std::vector<std::string> commands = commands_on(page);
  CHECK(commands.size() > 20);
  for (const std::string& command : commands) {
    INFO(command);
    CHECK(std::regex_search(guide, std::regex("`" + command + "[` ]")));
  }
  for (const char* heading : {"Plan a job:", "Choose:", "Measure:", "Share and automate:"}) {
    CHECK(has(page, std::string("\n") + heading + "\n"));
  }
}
