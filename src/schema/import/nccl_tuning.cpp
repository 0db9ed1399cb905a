// NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING: what NCCL reckons each algorithm and protocol to take,
// µs of latency and GB/s, as "25.2/ 11.3". Older versions name both in one line ("Latency/AlgBw |
// Tree/ LL |"), newer ones in two ("Algorithm |", "Protocol |"), an algorithm over three protocols.
#include "base/number_text.hpp"
#include "schema/import/line_kinds.hpp"

namespace feedrate::schema {
namespace {

constexpr std::string_view collectives[] = {"Broadcast", "Reduce", "AllGather", "ReduceScatter",
                                            "AllReduce"};

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find('|'), line.size());
    std::string_view cell = line.substr(0, end);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    cells.push_back(cell);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

class NcclTuning : public LineKind {
 public:
  bool read(std::string_view line, Collector& to) override {
    constexpr std::string_view mark = "NCCL INFO";
    const std::size_t start = line.find(mark);
    if (start == std::string_view::npos || line.find('|') == std::string_view::npos) return false;
    std::vector<std::string_view> cells = cells_of(line.substr(start + mark.size()));
    const std::string_view what = cells.front();
    cells.erase(cells.begin());
    if (what == "Latency/AlgBw") {
      columns_.clear();
      for (const std::string_view cell : cells) {
        const std::size_t slash = cell.find('/');
        if (slash == std::string_view::npos) continue;
        std::string_view protocol = cell.substr(slash + 1);
        while (protocol.starts_with(' ')) protocol.remove_prefix(1);
        columns_.push_back(std::string(cell.substr(0, slash)) + "/" + std::string(protocol));
      }
    } else if (what == "Algorithm") {
      algorithms_.assign(cells.begin(), cells.end());
      std::erase(algorithms_, "");
    } else if (what == "Protocol") {
      columns_.clear();
      std::erase(cells, "");
      const std::size_t each = algorithms_.empty() ? 1 : cells.size() / algorithms_.size();
      for (std::size_t i = 0; i < cells.size() && each > 0 && !algorithms_.empty(); ++i) {
        const std::size_t algorithm = std::min(i / each, algorithms_.size() - 1);
        columns_.push_back(algorithms_[algorithm] + "/" + std::string(cells[i]));
      }
    } else if (const bool row = is_collective(what); row && !columns_.empty()) {
      read_row(what, cells, to);
      return true;
    } else {
      return false;
    }
    to.skip(skipped::header);
    return true;
  }

 private:
  static bool is_collective(std::string_view word) {
    for (const std::string_view name : collectives) {
      if (name == word) return true;
    }
    return false;
  }

  void read_row(std::string_view collective, const std::vector<std::string_view>& cells,
                Collector& to) {
    Row row(to, 0.0, std::nullopt);
    for (std::size_t i = 0; i < cells.size() && i < columns_.size(); ++i) {
      const std::size_t slash = cells[i].find('/');
      if (slash == std::string_view::npos) continue;
      const auto latency = leading_number(cells[i].substr(0, slash));
      std::string_view rate = cells[i].substr(slash + 1);
      while (rate.starts_with(' ')) rate.remove_prefix(1);
      const auto bandwidth = leading_number(rate);
      // Without bandwidth it is not used on this machine.
      if (!latency || !bandwidth || bandwidth->value <= 0.0) continue;
      const std::string name = std::string(collective) + "/" + columns_[i];
      row.tell(MetricId::collective_latency, name, latency->value * 1e-6);
      row.tell(MetricId::collective_bandwidth, name, bandwidth->value * 1e9);
    }
    row.end(FormatId::nccl_tuning);
  }

  std::vector<std::string> algorithms_;
  std::vector<std::string> columns_;  ///< "Ring/Simple"
};

}  // namespace

std::unique_ptr<LineKind> nccl_tuning() {
  return std::make_unique<NcclTuning>();
}

}  // namespace feedrate::schema
