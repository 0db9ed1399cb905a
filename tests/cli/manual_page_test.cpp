// The manual page, which the same tables make as --help.
#include <sstream>

#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

/// roff as it is read: its signs for "-" and "\" as they look.
std::string plain(std::string text) {
  for (const auto& [sign, shown] : {std::pair{"\\-", "-"}, {"\\(dq", "\""}, {"\\e", "\\"}}) {
    for (std::size_t at = 0; (at = text.find(sign, at)) != std::string::npos;) {
      text.replace(at, std::string(sign).size(), shown);
    }
  }
  return text;
}

/// The flags that a --help shows.
std::vector<std::string> flags_of(const std::string& help) {
  std::vector<std::string> flags;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  -")) continue;
    const std::size_t start = line.find("--");
    if (start == std::string::npos) continue;
    flags.push_back(line.substr(start, line.find_first_of(" ,", start) - start));
  }
  return flags;
}

}  // namespace

TEST_CASE("manual page: every command has every flag of its --help there") {
  const Outcome page = shell("feedrate completion man");
  REQUIRE(page.status == 0);
  const std::string text = plain(page.out);
  for (const std::string command :
       {"run", "sweep", "scale", "calibrate", "check", "catalog show"}) {
    INFO(command);
    const std::size_t start = text.find("\n.SS \"feedrate " + command + "\"\n");
    REQUIRE(start != std::string::npos);
    const std::string part = text.substr(start, text.find("\n.SS ", start + 1) - start);
    const auto flags = flags_of(shell("feedrate " + command + " --help").out);
    CHECK(flags.size() > 1);
    for (const std::string& flag : flags) {
      INFO(flag);
      CHECK(has(part, flag));
    }
  }
}

TEST_CASE("manual page: roff takes it without a warning") {
  if (shell("command -v groff").status != 0) {
    WARN("groff is not installed: the page was not set");
    return;
  }
  const Outcome set = shell("feedrate completion man | groff -man -Tutf8 -ww");
  INFO(set.err);
  CHECK(set.status == 0);
  CHECK(set.err.empty());
  CHECK(has(set.out, "feedrate run scenarios/"));
}
