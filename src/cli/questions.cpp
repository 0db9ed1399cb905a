#include "cli/questions.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "cli/terminal.hpp"

namespace feedrate::cli {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

bool can_ask() {
  return isatty(STDIN_FILENO) == 1 && stderr_is_terminal();
}

std::string Questions::ask(const std::string& question, const std::string& proposal,
                           const std::function<std::string(const std::string&)>& refuse) {
  if (!introduced_) {
    write_stderr("Enter takes what stands in brackets, Ctrl-D that of all further questions.");
    introduced_ = true;
  }
  while (!ended_) {
    write_prompt(fmt::format("{} [{}]: ", question, proposal));
    std::string line;
    if (!std::getline(std::cin, line)) {
      ended_ = true;
      write_stderr("");
      break;
    }
    const std::string answer = trimmed(line);
    if (answer.empty()) break;
    const std::string reason = refuse(answer);
    if (reason.empty()) return answer;
    write_stderr(reason);
  }
  return proposal;
}

}  // namespace feedrate::cli
