#pragma once
// Which CPUs are near a device: a copy that crosses from one NUMA node to another is slower.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::bench {

/// "0-3,8,10-11", as the kernel writes lists of CPUs; ascending. Empty where it is none.
std::vector<int> cpu_list(std::string_view text);

/// CPUs of a NUMA node, as far as this process may use them.
struct NumaNode {
  int number = -1;
  std::vector<int> cpus;
};

/// What the kernel says under `sys`, usually /sys.
class Numa {
 public:
  explicit Numa(std::filesystem::path sys = "/sys");

  /// Nodes with CPUs that this process may use. One node, or none, where memory is all the same.
  [[nodiscard]] const std::vector<NumaNode>& nodes() const { return nodes_; }

  /// The CPUs near a PCI device ("0000:3B:00.0") that this process may use; empty where the kernel
  /// does not say, there is but one node, or none of them may be used.
  [[nodiscard]] std::vector<int> near(const std::string& bus_id) const;

  /// Those of the node that is farthest from the device; empty where there is no other.
  [[nodiscard]] std::vector<int> far(const std::string& bus_id) const;

 private:
  [[nodiscard]] int node_of(const std::string& bus_id) const;
  [[nodiscard]] std::filesystem::path device(const std::string& bus_id) const;

  std::filesystem::path sys_;
  std::vector<NumaNode> nodes_;
};

/// The calling thread runs on these CPUs only; empty: as before. False where the system refuses.
bool run_on(const std::vector<int>& cpus);

}  // namespace feedrate::bench
