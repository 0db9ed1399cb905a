#pragma once
// Questions on the terminal: on standard error, so that standard output stays the answer's.
#include <functional>
#include <optional>
#include <string>

namespace feedrate::cli {

/// Whether somebody is there to answer: standard input and standard error are a terminal.
bool can_ask();

class Questions {
 public:
  /// Says once how to answer, then asks; an empty line takes `proposal`. `refuse` returns why an
  /// answer will not do ("" where it does), which is shown before the question is asked again.
  /// At the end of the input (Ctrl-D) this and all further questions take what they propose. Ctrl-C
  /// ends the program as anywhere.
  std::string ask(const std::string& question, const std::string& proposal,
                  const std::function<std::string(const std::string&)>& refuse);

 private:
  bool introduced_ = false;
  bool ended_ = false;
};

}  // namespace feedrate::cli
