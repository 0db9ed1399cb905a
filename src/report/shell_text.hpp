#pragma once
// Text to be pasted into a shell.
#include <string>
#include <utility>
#include <vector>

namespace feedrate::report {

/// The text as one word: in quotes where it needs them, as $'…' (POSIX 2024; bash, zsh) where it
/// has what would act on the terminal that shows it.
std::string shell_word(const std::string& text);

/// A file as one word that no program takes for an option.
std::string shell_file(const std::string& file);

/// "--set num_workers=3"
std::string set_flag(const std::string& key, const std::string& value);

/// The same for each, with a space between.
std::string set_flags(const std::vector<std::pair<std::string, std::string>>& set);

}  // namespace feedrate::report
