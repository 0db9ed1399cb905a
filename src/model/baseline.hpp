#pragma once
// What a check remembers of a scenario, and the groups into which its inputs fall.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/stage.hpp"

namespace feedrate {

/// The inputs of a simulation in six groups, in the order in which a difference is split.
enum class InputGroup : std::uint8_t {
  price,      ///< offers, storage and request prices, region, purchase option, value of an hour
  machine,    ///< the cluster, its disk, what the catalogue or a host profile says of them
  dataset,    ///< the dataset and where it is read from
  loader,     ///< the loader and the preprocessing
  model,      ///< the job: epochs, step, communication, checkpoints
  simulator,  ///< feedrate itself
};

inline constexpr std::size_t input_group_count = 6;

inline constexpr std::array<std::string_view, input_group_count> input_group_names = {
    "price", "machine", "dataset", "loader", "model", "simulator"};

constexpr std::string_view name_of(InputGroup group) {
  return input_group_names[static_cast<std::size_t>(group)];
}

/// The groups of a scenario and the catalogue, to loop over: all but the simulator.
constexpr std::array<InputGroup, input_group_count - 1> scenario_groups() {
  return {InputGroup::price, InputGroup::machine, InputGroup::dataset, InputGroup::loader,
          InputGroup::model};
}

/// Figures of a result by the names of model/metrics.hpp, which carry the unit ("total_s").
struct Figures {
  std::optional<Stage> bottleneck;
  std::map<std::string, double, std::less<>> values;
  /// Dollars of the lines of the bill, "requests: S3 GET"; empty where an older feedrate kept none.
  std::map<std::string, double> lines{};

  [[nodiscard]] std::optional<double> find(std::string_view name) const {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  }
  bool operator==(const Figures&) const = default;
};

/// One input that is not as it was. Empty text: not there.
struct KeyChange {
  InputGroup group = InputGroup::model;
  std::string key;  ///< JSON pointer, or "pricing: p3.2xlarge … price"
  std::string before;
  std::string after;
  std::string file;  ///< where the new value stands; "" when in no file
  int line = 0;
  bool operator==(const KeyChange&) const = default;
};

}  // namespace feedrate
