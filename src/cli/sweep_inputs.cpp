#include "cli/sweep_inputs.hpp"

#include "cli/inputs.hpp"

namespace feedrate::cli {

std::vector<study::SweepInput> sweep_inputs(const schema::Document& document,
                                            const std::vector<Vary>& varied) {
  std::vector<study::SweepInput> inputs;
  for (Setting& setting : combinations(varied)) {
    schema::Document point = document;
    for (const auto& [key, value] : setting) schema::set_value(point, key, value, "--vary");
    inputs.push_back({std::move(setting), scenario_of(point)});
  }
  return inputs;
}

}  // namespace feedrate::cli
