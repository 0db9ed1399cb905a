#pragma once
// The page of `report`, for whoever has something to show on it.
#include <optional>
#include <string>
#include <vector>

#include "api/vary.hpp"
#include "cli/options.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::cli {

struct PageRequest {
  std::string scenario;                        ///< file
  std::optional<schema::Document> document{};  ///< of it, with all settings; empty: not read yet
  std::vector<api::Vary> varied;  ///< empty: instances around the scenario's own number
  std::string output;             ///< file
  std::string output_flag = "--output";
  int jobs = 0;
  SimulationOptions simulation;
};

/// Writes the page. InputError as `report`.
void write_page(const PageRequest& request);

}  // namespace feedrate::cli
