#pragma once
// What is exported: a scenario that is simulated, or a result that run, sweep, merge or scale
// wrote.
#include <functional>
#include <string>

#include "cli/sweep_work.hpp"
#include "model/exported.hpp"
#include "model/scenario.hpp"

namespace feedrate::cli {

struct ExportArguments {
  SweepQuestion question;  // `scenario` may be a result
  int jobs = 0;
  std::string output;
  std::string format = "yaml";
  std::string minimize = "cost";
};

/// The figures, and the scenario that each point is of.
struct ExportInput {
  Exported figures;
  std::function<Scenario(std::size_t)> scenario;  ///< InputError where there is none
};

/// InputError for what is neither, and for flags that a result was simulated without.
ExportInput input_of(const ExportArguments& arguments);

}  // namespace feedrate::cli
