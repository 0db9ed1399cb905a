#pragma once
// Words of a filter beside those of the catalogue. Internal to catalog.
#include <string>
#include <string_view>

namespace feedrate {

/// `text` with A to Z in lower case.
std::string lower(std::string_view text);

/// Whether `text` is like `pattern`, in which a star stands for any characters.
bool is_like(std::string_view text, std::string_view pattern);

/// "A100-80GB" names "A100-SXM4-80GB": each of its parts is one of the model's.
bool names_model(std::string_view words, std::string_view model);

}  // namespace feedrate
