#pragma once
// The manual page, made from the parser itself, as --help is.
#include <string>

namespace feedrate::cli {

struct CommandTold;

/// feedrate(1) in the man macros of roff: every command with its flags and examples.
std::string manual_page(const CommandTold& root);

}  // namespace feedrate::cli
