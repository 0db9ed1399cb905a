#pragma once
// The tables in a log of NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING: what NCCL reckons each algorithm
// and protocol to take, µs of latency and GB/s, as "25.2/ 11.3". Older versions name both in one
// line ("Latency/AlgBw | Tree/ LL |"), newer ones in two ("Algorithm |", "Protocol |"), an
// algorithm over three protocols.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::formats {

struct NcclColumn {
  std::string algorithm;  ///< as the log has it: "Ring", "CollNetDirect"
  std::string protocol;   ///< "LL", "LL128", "Simple"
};

/// One that has a bandwidth; of the others NCCL makes no use on that machine.
struct NcclCell {
  NcclColumn column;
  double latency = 0.0;    ///< µs
  double bandwidth = 0.0;  ///< GB/s of the buffer
};

/// Reads line after line of one process.
class NcclTuningLines {
 public:
  enum class Found { nothing, header, row };

  Found read(std::string_view line);

  // Of the last row.
  [[nodiscard]] const std::string& collective() const { return collective_; }  ///< "AllReduce"
  [[nodiscard]] const std::vector<NcclCell>& cells() const { return cells_; }
  /// Whether it ends before its last bar, has fewer cells than its header, or one that is no pair
  /// of numbers.
  [[nodiscard]] bool cut() const { return cut_; }
  /// Whether a header stood above it.
  [[nodiscard]] bool headed() const { return !columns_.empty(); }

 private:
  void read_row(const std::vector<std::string_view>& cells);

  std::vector<std::string> algorithms_;
  std::vector<NcclColumn> columns_;
  std::string collective_;
  std::vector<NcclCell> cells_;
  bool cut_ = false;
};

/// What follows "NCCL INFO" in a line of such a log; npos where it does not.
std::size_t after_nccl_info(std::string_view line);

}  // namespace feedrate::formats
