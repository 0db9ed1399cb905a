#pragma once
// The pages of --help of all commands, found as a reader finds them: from one to the next.
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/process.hpp"

namespace testing_cli {

/// The commands that a page lists: rows that start with a small letter, before the first flag.
inline std::vector<std::string> commands_on(const std::string& page) {
  std::vector<std::string> names;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line) && !line.starts_with("  -");) {
    if (line.size() < 3 || !line.starts_with("  ") || line[2] < 'a' || line[2] > 'z') continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    if (name.find('|') == std::string::npos) names.push_back(name);  // words that an argument takes
  }
  return names;
}

/// By command line: "feedrate", "feedrate catalog show". An empty page is one that failed.
inline std::map<std::string, std::string> help_pages() {
  std::map<std::string, std::string> pages;
  std::vector<std::string> left = {"feedrate"};
  while (!left.empty()) {
    const std::string command = left.back();
    left.pop_back();
    if (pages.contains(command)) continue;
    const Outcome help = shell(command + " --help");
    pages[command] = help.status == 0 ? help.out : "";
    for (const std::string& name : commands_on(help.out)) left.push_back(command + " " + name);
  }
  return pages;
}

}  // namespace testing_cli
