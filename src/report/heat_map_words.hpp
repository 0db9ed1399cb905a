#pragma once
// What the heat map's report and page have in common. Internal to heat_map_*.cpp.
#include <string>

#include "report/heat_map_report.hpp"

namespace feedrate::report::heat {

/// "worker CPU", "eth0, of 1.2 MB/s".
std::string row_name(const observe::HeatRow& row);
/// "before.jsonl: python train.py"
std::string title_of(const ShownObservation& shown);
/// "12.5 s, a column is 0.5 s".
std::string times_of(const observe::HeatMap& map);
/// A row of all observations, and that of each: null where it has none of the kind and name.
struct RowOfAll {
  const observe::HeatRow* row;
  std::vector<const observe::HeatRow*> of_each;
};
/// In the order of kinds, each name once. The pointers live as long as `shown`.
std::vector<RowOfAll> all_rows(std::span<const ShownObservation> shown);

}  // namespace feedrate::report::heat
