#include "collective/nccl.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/portable_math.hpp"

namespace feedrate::collective {
namespace {

/// Microseconds by protocol: LL, LL128, Simple.
using Latencies = std::array<double, 3>;

struct OfAlgorithm {
  Latencies base;
  Latencies nvlink, pcie, network;  ///< of a hop
};

constexpr OfAlgorithm ring = {{6.6, 14.0, 8.4}, {0.6, 1.9, 3.4}, {1.0, 2.5, 5.7}, {2.7, 4.0, 14.0}};
constexpr OfAlgorithm tree = {
    {6.8, 14.0, 0.0}, {0.6, 1.25, 28.0}, {1.0, 1.9, 28.0}, {5.0, 8.5, 28.0}};
constexpr std::array all_algorithms = {Algorithm::ring, Algorithm::tree, Algorithm::nvls,
                                       Algorithm::nvls_tree};
constexpr double nvls_latency = 25.0;

constexpr double ll_share = 0.25;          ///< flags and data alternate, and lines are half used
constexpr double ll128_share = 0.92;       ///< 120 of 128 bytes, less what flags cost
constexpr double ll128_through_nic = 0.7;  ///< a rank sends and receives through the same NIC
constexpr double tree_share = 0.92;
constexpr double nvls_ratio = 5.0 / 6.0;  ///< of the bus bandwidth: the switch sums
/// Share of Fabric::filling at whose length a message takes half of it; the smallest messages'
/// bytes take 1 + 1/0.4 times as long.
constexpr double filled_half = 0.4;
constexpr double plateau_before_ampere = 1.9;
constexpr double plateau_from_ampere = 1.4;

/// GB/s that LL reaches at most over one node, two, and more, by generation.
constexpr std::array<std::array<double, 3>, 4> most_of_ll = {
    {{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {87.7, 22.5, 19.0}, {87.7, 22.5, 19.0}}};
/// Of the NVSwitch's reductions, by generation; 0: it has none.
constexpr std::array<double, 4> switch_efficiency = {0.0, 0.0, 0.85, 0.74};

template <class Table>
auto of_generation(const Table& table, const Fabric& f) {
  return table[static_cast<std::size_t>(f.generation)];
}

double steps(Collective operation, double n) {
  return operation == Collective::all_reduce ? 2.0 * (n - 1.0) : n - 1.0;
}

Duration latency(Collective operation, const Fabric& f, Algorithm algorithm, Protocol protocol) {
  const double n = f.ranks();
  const double all = steps(operation, n);
  const bool all_reduce = operation == Collective::all_reduce;
  const bool is_tree = algorithm == Algorithm::tree;
  const double in_tree = 2.0 * (f.gpus - 1.0);
  const bool in_switches = algorithm == Algorithm::nvls_tree;
  const double levels = is_tree || in_switches ? 2.0 * portable::log2(f.nodes) : 0.0;
  if (f.hop) return (is_tree ? in_tree + levels : all) * *f.hop;
  if (algorithm == Algorithm::nvls) return microseconds(nvls_latency);
  const OfAlgorithm& of = is_tree || in_switches ? tree : ring;
  const auto p = static_cast<std::size_t>(protocol);
  const double network = of.network[p] + f.beyond.base() * 1e6;
  const double inside = f.link == Link::nvlink ? of.nvlink[p] : of.pcie[p];
  if (in_switches) return microseconds(nvls_latency + levels * network);
  if (is_tree) {
    return microseconds(of.base[p] + in_tree * inside + levels * network);
  }
  const double between = f.nodes <= 1.0 ? 0.0 : all_reduce ? 2.0 * f.nodes : f.nodes - 1.0;
  // Two nodes of one GPU each have no more steps than that.
  const double over_network = std::min(between, all);
  double sum = of.base[p] + (all - over_network) * inside + over_network * network;
  if (all_reduce && protocol == Protocol::simple) sum *= plateau_of(f);
  return microseconds(sum);
}

/// As of a ring of two ranks or more: twice the bytes of the buffer per second.
Bandwidth bus_of_trees(const Fabric& f) {
  // Within a node all go one after the other: each sends the buffer up, and down again.
  const Bandwidth inside = tree_share * f.inside;
  if (f.nodes <= 1.0) return inside;
  const double saved = f.between_measured ? 1.0 : 2.0 / sent_in_trees(f.nodes);
  const Bandwidth between = saved * f.between;
  return f.gpus > 1.0 ? std::min(inside, between) : between;
}

/// Bytes of the buffer per second.
Bandwidth bandwidth(Collective operation, const Fabric& f, Algorithm algorithm, Protocol protocol) {
  const Bandwidth of_switch = nvls_ratio * of_generation(switch_efficiency, f) * f.inside;
  if (algorithm == Algorithm::nvls) return of_switch;
  if (algorithm == Algorithm::nvls_tree) {
    return std::min(of_switch, 1.0 / sent_in_trees(f.nodes) * f.between);
  }
  const bool is_tree = algorithm == Algorithm::tree;
  Bandwidth bus = is_tree ? bus_of_trees(f) : f.bus();
  if (protocol == Protocol::ll) {
    const std::size_t scale = f.nodes <= 1.0 ? 0 : f.nodes <= 2.0 ? 1 : 2;
    bus = std::min(ll_share * bus, bytes_per_second(1e9 * of_generation(most_of_ll, f)[scale]));
  }
  if (protocol == Protocol::ll128) {
    bus *= f.nodes > 1.0 && f.gpus < 2.0 ? ll128_through_nic : ll128_share;
  }
  return is_tree ? 0.5 * bus : f.ranks() / steps(operation, f.ranks()) * bus;
}

bool has(Collective operation, const Fabric& f, Algorithm algorithm, Protocol protocol) {
  const bool over_nodes = algorithm == Algorithm::nvls_tree;
  if (algorithm == Algorithm::nvls || over_nodes) {
    return f.switch_sums && of_generation(switch_efficiency, f) > 0.0 && !f.hop && f.gpus > 1.0 &&
           (f.nodes > 1.0) == over_nodes && protocol == Protocol::simple &&
           operation == Collective::all_reduce;
  }
  // NCCL does not trust LL128 over PCIe: a line may arrive in two parts.
  if (protocol == Protocol::ll128 && f.link != Link::nvlink) return false;
  return algorithm == Algorithm::ring || operation == Collective::all_reduce;
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  constexpr std::array<std::string_view, 4> names = {"ring", "tree", "nvls", "nvls_tree"};
  return names[static_cast<std::size_t>(algorithm)];
}

std::string_view name_of(Protocol protocol) {
  constexpr std::array<std::string_view, 3> names = {"LL", "LL128", "Simple"};
  return names[static_cast<std::size_t>(protocol)];
}

double sent_in_trees(double nodes) {
  return nodes <= 1.0 ? 0.0 : std::min(2.0, 0.5 * nodes);
}

double plateau_of(const Fabric& fabric) {
  if (fabric.nodes <= 1.0) return 1.0;
  return fabric.generation == Generation::before_ampere ? plateau_before_ampere
                                                        : plateau_from_ampere;
}

Bandwidth Fabric::bus() const {
  if (nodes <= 1.0) return inside;
  return gpus > 1.0 ? std::min(inside, between) : between;
}

Cost cost(Collective operation, Bytes size, const Fabric& fabric, std::optional<Algorithm> only) {
  if (fabric.ranks() <= 1.0 || size <= Bytes{}) return {};
  if (only && operation != Collective::all_reduce) only = Algorithm::ring;
  // Of a bus bandwidth that was measured in a node, bytes take what it says by whatever is asked
  // for.
  const bool as_measured = only && fabric.nodes <= 1.0 && fabric.between_measured;
  std::optional<Cost> best;
  for (const Algorithm algorithm : all_algorithms) {
    if (only && algorithm != *only) continue;
    const Algorithm carries = as_measured ? Algorithm::ring : algorithm;
    for (const Protocol protocol : {Protocol::simple, Protocol::ll128, Protocol::ll}) {
      if (!has(operation, fabric, algorithm, protocol)) continue;
      const Cost one = {latency(operation, fabric, algorithm, protocol),
                        size / bandwidth(operation, fabric, carries, protocol), algorithm,
                        protocol};
      if (!best || one.time() < best->time()) best = one;
    }
  }
  if (fabric.filling > Duration{}) {
    const double filled = best->transfer / (best->transfer + filled_half * fabric.filling);
    best->transfer += filled * fabric.filling;
  }
  return *best;
}

std::vector<Way> ways_of(const Fabric& fabric) {
  std::vector<Way> ways;
  using enum Collective;
  for (const Collective operation : {all_reduce, all_gather, reduce_scatter}) {
    for (const Algorithm algorithm : all_algorithms) {
      for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
        if (!has(operation, fabric, algorithm, protocol)) continue;
        const bool longer =
            operation == all_reduce && algorithm == Algorithm::ring && protocol == Protocol::simple;
        ways.push_back(
            {operation, std::string(name_of(algorithm)), std::string(name_of(protocol)),
             latency(operation, fabric, algorithm, protocol) / (longer ? plateau_of(fabric) : 1.0),
             bandwidth(operation, fabric, algorithm, protocol)});
      }
    }
  }
  return ways;
}

Measured::Measured(std::vector<std::pair<Bytes, Duration>> points) : points_(std::move(points)) {}

bool Measured::below(Bytes size) const {
  return size < points_.front().first;
}

bool Measured::above(Bytes size) const {
  return size > points_.back().first;
}

Duration Measured::all_reduce(Bytes size) const {
  if (size <= Bytes{}) return {};
  if (size <= points_.front().first) {
    const auto& [low, at_low] = points_.front();
    DurationPerByte each = at_low / low;
    if (points_.size() > 1) {
      const auto& [high, at_high] = points_[1];
      each = std::clamp((at_high - at_low) / (high - low), DurationPerByte{}, each);
    }
    return at_low - each * (low - size);
  }
  if (size >= points_.back().first) return points_.back().second * (size / points_.back().first);
  const auto above =
      std::upper_bound(points_.begin(), points_.end(), size,
                       [](Bytes wanted, const auto& point) { return wanted < point.first; });
  const auto& [low, at_low] = *std::prev(above);
  const auto& [high, at_high] = *above;
  const double share = portable::log(size / low) / portable::log(high / low);
  return at_low * portable::pow(at_high / at_low, share);
}

}  // namespace feedrate::collective
