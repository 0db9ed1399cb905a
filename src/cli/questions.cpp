#include "cli/questions.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "base/printable.hpp"
#include "base/trimmed.hpp"
#include "cli/terminal.hpp"

namespace feedrate::cli {
bool can_ask() {
  return isatty(STDIN_FILENO) == 1 && stderr_is_terminal();
}

std::string Questions::ask(const std::string& question, const std::string& proposal,
                           const std::function<std::string(const std::string&)>& refuse) {
  if (!introduced_) {
    write_stderr(
        "Enter accepts the value in brackets; Ctrl-D accepts those of all remaining questions.");
    introduced_ = true;
  }
  while (!ended_) {
    write_prompt(printable(fmt::format("{} [{}]: ", question, proposal)));
    std::string line;
    if (!std::getline(std::cin, line)) {
      ended_ = true;
      write_stderr("");
      break;
    }
    const std::string answer(trimmed(line, " \t\r"));
    if (answer.empty()) break;
    const std::string reason = refuse(answer);
    if (reason.empty()) return answer;
    write_stderr_lines(reason);
  }
  return proposal;
}

}  // namespace feedrate::cli
