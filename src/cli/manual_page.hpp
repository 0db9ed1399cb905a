#pragma once
// The manual page, made from the parser itself, as --help is.
#include <string>

namespace CLI {
class App;
}

namespace feedrate::cli {

/// feedrate(1) in the man macros of roff: every command with its flags and examples.
std::string manual_page(const CLI::App& root);

}  // namespace feedrate::cli
