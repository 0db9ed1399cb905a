#include "bench/numa.hpp"

#include <sched.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

namespace feedrate::bench {
namespace {

namespace fs = std::filesystem;

constexpr int most_cpus = CPU_SETSIZE;

/// "" where there is none.
std::string line_of(const fs::path& file) {
  std::string line;
  std::ifstream stream(file);
  std::getline(stream, line);
  return line;
}

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<int> allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < most_cpus; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<int> usable(const std::vector<int>& cpus) {
  const std::vector<int> may = allowed();
  std::vector<int> both;
  std::set_intersection(cpus.begin(), cpus.end(), may.begin(), may.end(), std::back_inserter(both));
  return both;
}

}  // namespace

std::vector<int> cpu_list(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t dash = part.find('-');
    const auto first = number_in(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_in(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= most_cpus) return {};
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

Numa::Numa(fs::path sys) : sys_(std::move(sys)) {
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(sys_ / "devices/system/node", missing)) {
    const std::string name = entry.path().filename().string();
    const auto number = name.starts_with("node") ? number_in(name.substr(4)) : std::nullopt;
    if (!number) continue;
    NumaNode node{*number, usable(cpu_list(line_of(entry.path() / "cpulist")))};
    if (!node.cpus.empty()) nodes_.push_back(std::move(node));
  }
  std::sort(nodes_.begin(), nodes_.end(),
            [](const NumaNode& a, const NumaNode& b) { return a.number < b.number; });
}

fs::path Numa::device(const std::string& bus_id) const {
  std::string name = bus_id;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return sys_ / "bus/pci/devices" / name;
}

int Numa::node_of(const std::string& bus_id) const {
  return number_in(line_of(device(bus_id) / "numa_node")).value_or(-1);
}

std::vector<int> Numa::near(const std::string& bus_id) const {
  if (nodes_.size() < 2 || bus_id.empty() || node_of(bus_id) < 0) return {};
  return usable(cpu_list(line_of(device(bus_id) / "local_cpulist")));
}

std::vector<int> Numa::far(const std::string& bus_id) const {
  if (near(bus_id).empty()) return {};
  const int own = node_of(bus_id);
  // A distance to each node that is online, in the order of their numbers.
  const std::vector<int> online = cpu_list(line_of(sys_ / "devices/system/node/online"));
  std::istringstream distances(
      line_of(sys_ / "devices/system/node" / ("node" + std::to_string(own)) / "distance"));
  const NumaNode* best = nullptr;
  int farthest = -1;
  int distance = 0;
  for (std::size_t i = 0; i < online.size() && distances >> distance; ++i) {
    const auto node = std::find_if(nodes_.begin(), nodes_.end(),
                                   [&](const NumaNode& one) { return one.number == online[i]; });
    if (node == nodes_.end() || node->number == own || distance <= farthest) continue;
    best = &*node;
    farthest = distance;
  }
  for (const NumaNode& node : nodes_) {
    if (best == nullptr && node.number != own) best = &node;
  }
  return best == nullptr ? std::vector<int>() : best->cpus;
}

bool run_on(const std::vector<int>& cpus) {
  if (cpus.empty()) return true;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace feedrate::bench
