#pragma once
// Text that becomes part of GitHub's workflow commands: "::error file=…,line=…,title=…::…".
#include <string>
#include <string_view>

namespace feedrate::report {

/// As the message of a command: on one line, on which lines are told apart.
std::string github_message(std::string_view text);

/// As the value of a property, which ends at a comma or a colon.
std::string github_property(std::string_view text);

}  // namespace feedrate::report
