#pragma once
// Heat maps of observations, in the terminal and as a page.
#include <span>
#include <string>
#include <vector>

#include "model/diagnosis.hpp"
#include "observe/heat_map.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// An observation that is shown, and what the rules say of it.
struct ShownObservation {
  std::string file;
  observe::HeatMap map;
  Diagnosis diagnosis;
};

/// Columns for each of `observations` beside each other in a terminal of `width`.
std::size_t heat_columns(int width, std::size_t observations);

/// A row a CPU, GPU, …, one map an observation beside the other. Precondition: one or two.
Report heat_map_report(std::span<const ShownObservation> observations);

/// The same as a page that needs nothing but itself: a picture and a table of each.
std::string heat_map_page(std::span<const ShownObservation> observations);

/// A row a CPU, GPU, … and column: "file", "row", "begin_s", "share" (empty: not seen).
std::string heat_map_csv(std::span<const ShownObservation> observations);

}  // namespace feedrate::report
