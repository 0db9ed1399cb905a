#pragma once
// What `catalog list` and `sweep --instances` say of filters.
#include <string>

namespace feedrate::cli {

/// The keys of a filter, a line each, for the end of a --help.
std::string filter_help();

}  // namespace feedrate::cli
