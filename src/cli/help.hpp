#pragma once
// What --help and the manual page say of a command, from what its parser told.
#include <string>
#include <vector>

#include "cli/parser.hpp"

namespace feedrate::cli {

/// What is typed for an option or an argument: "-o, --output FILE". A list of words that no column
/// holds is "WORD" there, and stands in `described`.
std::string typed(const OptionTold& option);

/// What is said of it: the sentence, what it goes with, and at the end "(default: X)".
std::string described(const OptionTold& option);

/// A part of the text behind the options: a paragraph without line feeds, or lines that stay as
/// they are and start with two spaces.
struct FooterPart {
  std::string paragraph;
  std::vector<std::string> lines;
};

/// Lines that follow each other are a paragraph, except those that start with a space; a line that
/// says only "Examples:" starts one.
std::vector<FooterPart> footer_parts(const std::string& footer);

/// The page of `command`; `path` is how it is called, "feedrate catalog show".
std::string help_text(const CommandTold& command, const std::string& path, std::size_t width);

}  // namespace feedrate::cli
