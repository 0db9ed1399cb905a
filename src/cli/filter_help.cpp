#include "cli/filter_help.hpp"

#include <fmt/format.h>

#include "catalog/filter.hpp"

namespace feedrate::cli {

std::string filter_help() {
  std::string text =
      "A filter: conditions KEY OP VALUE, separated by commas, that must all hold. OP is =,\n"
      "!=, <, <=, >, >=. Words allow = and != only; they may be alternatives (A100|H100) or\n"
      "contain wildcards (p4*). Quantities have a unit; a price is in USD/h. A machine for\n"
      "which the catalogue lacks a value meets no condition on it; such machines are\n"
      "counted. Keys:\n";
  for (const FilterKey& key : filter_keys()) {
    text += fmt::format("  {:<20}{}\n", key.example, key.manual);
  }
  return text;
}

}  // namespace feedrate::cli
