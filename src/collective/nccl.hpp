#pragma once
// How long a collective operation of NCCL takes, by NCCL's own reckoning: latency + bytes/bandwidth
// for each algorithm and protocol, of which the fastest is taken. Source: NCCL's tuning model
// (src/graph/tuning.cc, version 2.19 era), whose table PyTorch's comm_analysis.py repeats.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"

namespace feedrate::collective {

enum class Collective : std::uint8_t { all_reduce, all_gather, reduce_scatter };
enum class Algorithm : std::uint8_t { ring, tree, nvls, nvls_tree };
enum class Protocol : std::uint8_t { ll, ll128, simple };
enum class Link : std::uint8_t { nvlink, pcie };
/// Generations of GPUs, each with NCCL's constants for it.
enum class Generation : std::uint8_t { before_ampere, ampere, hopper, blackwell };

std::string_view name_of(Algorithm algorithm);  ///< "ring"
std::string_view name_of(Protocol protocol);    ///< "Simple"

/// What ranks are connected by. Bandwidths are bus bandwidths as nccl-tests defines them, of a ring
/// with large messages: not line rates.
struct Fabric {
  double nodes = 1.0;
  double gpus = 1.0;  ///< of a node; where they are unequal, the most of one
  double all = 0.0;   ///< of all nodes, where they are unequal
  Link link = Link::nvlink;
  Bandwidth inside;   ///< unused where a node has one GPU
  Bandwidth between;  ///< of all NICs of a node together; unused with one node
  /// `between` is a bus bandwidth that was measured over the nodes, by whatever NCCL chose: what
  /// trees save on two and three nodes is in it. Of one node the same of `inside`.
  bool between_measured = false;
  Generation generation = Generation::ampere;
  bool switch_sums = false;  ///< NVLS: the NVSwitch may reduce; from Hopper on
  /// What a hop over the network takes beyond NCCL's own figures, which are InfiniBand's at its
  /// best.
  Duration beyond{};
  /// What a large message takes longer than NCCL reckons, because small pieces do not fill all
  /// channels; a message whose bytes take 0.4 of it, half (nccl-tests on 12 machines,
  /// scenarios/published). NCCL chooses without it.
  Duration filling{};
  /// Latency of a hop of either kind, measured or given; it replaces all of NCCL's latencies.
  std::optional<Duration> hop{};

  [[nodiscard]] double ranks() const { return all > 0.0 ? all : nodes * gpus; }
  /// Bus bandwidth of a ring over all ranks: that of the slower of its two kinds of links.
  [[nodiscard]] Bandwidth bus() const;
};

/// What the busiest of so many nodes sends of a buffer that is summed by two trees at a time, each
/// with a half, in buffers: a node that passes on in one is a leaf of the other. Of two nodes each
/// is the root of one tree and the leaf of the other, and sends half the buffer in each.
double sent_in_trees(double nodes);

/// Factor on the latency of a ring all-reduce over several nodes with the protocol Simple; 1 for
/// all others.
double plateau_of(const Fabric& fabric);

struct Cost {
  Duration latency;
  Duration transfer;  ///< bytes over the algorithm's bandwidth
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;

  [[nodiscard]] Duration time() const { return latency + transfer; }
};

/// What `operation` costs for `size` bytes (all-reduce: of each rank's buffer; all-gather and
/// reduce-scatter: of the whole one, of which each rank has a part). 0 for one rank. With `only`,
/// that algorithm alone; ring where the operation does not have it.
Cost cost(Collective operation, Bytes size, const Fabric& fabric,
          std::optional<Algorithm> only = std::nullopt);

/// One way to do an operation: latency + bytes / bandwidth.
struct Way {
  Collective operation = Collective::all_reduce;
  std::string algorithm;  ///< "ring", "tree", "nvls", "nvls_tree", or what else the machine has
  std::string protocol;   ///< "LL", "LL128", "Simple"
  Duration latency;
  Bandwidth bandwidth;  ///< of the buffer, above 0
};

/// Every way that NCCL's model has for this fabric, with latencies that are not multiplied by
/// plateau_of() yet. Precondition: no `hop`.
std::vector<Way> ways_of(const Fabric& fabric);

/// Measured all-reduces (bytes, time), ascending in bytes: linear in the logarithms of both between
/// two points. Below the first point a latency and a bandwidth as the first two have them, or one
/// has alone: its bandwidth; beyond the last its bandwidth.
class Measured {
 public:
  explicit Measured(std::vector<std::pair<Bytes, Duration>> points);

  [[nodiscard]] Duration all_reduce(Bytes size) const;
  [[nodiscard]] bool below(Bytes size) const;  ///< all points
  [[nodiscard]] bool alone() const { return points_.size() == 1; }
  [[nodiscard]] bool above(Bytes size) const;

 private:
  std::vector<std::pair<Bytes, Duration>> points_;
};

}  // namespace feedrate::collective
