#pragma once
// The page of `report`, for whoever has something to show on it.
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/vary.hpp"

namespace feedrate::cli {

struct PageRequest {
  std::string scenario;      ///< file
  std::vector<Vary> varied;  ///< empty: instances around the scenario's own number
  std::string output;        ///< file
  std::string output_flag = "--output";
  int jobs = 0;
  SimulationOptions simulation;
};

/// Writes the page. InputError as `report`.
void write_page(const PageRequest& request);

}  // namespace feedrate::cli
