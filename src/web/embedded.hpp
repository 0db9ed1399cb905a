#pragma once
// The files of pricing/ and scenarios/, put into the program where it is built.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace feedrate::web {

/// Names ("pricing/gpus.json") and texts, sorted by name.
const std::vector<std::pair<std::string, std::string_view>>& embedded_files();

}  // namespace feedrate::web
