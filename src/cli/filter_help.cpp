#include "cli/filter_help.hpp"

#include <fmt/format.h>

#include "catalog/filter.hpp"

namespace feedrate::cli {

std::string filter_help() {
  std::string text =
      "A filter: conditions KEY OP VALUE, separated by commas, that must all hold.\n"
      "OP is =, !=, <, <=, >, >=. Words know = and != only, and may be several (A100|H100) or "
      "have\n"
      "stars (p4*). Quantities carry a unit; a price is in USD/h. What the catalogue does not say\n"
      "matches no condition, and is counted. Keys:\n";
  for (const FilterKey& key : filter_keys()) {
    text += fmt::format("  {:<20}{}\n", key.example, key.manual);
  }
  return text;
}

}  // namespace feedrate::cli
