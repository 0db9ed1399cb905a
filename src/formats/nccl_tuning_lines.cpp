#include "formats/nccl_tuning_lines.hpp"

#include <algorithm>
#include <array>

#include "base/number_text.hpp"

namespace feedrate::formats {
namespace {

constexpr std::array<std::string_view, 5> collective_names = {"Broadcast", "Reduce", "AllGather",
                                                              "ReduceScatter", "AllReduce"};

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\r')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

/// Between bars; what follows the last bar is a cell where there is anything.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find('|'), line.size());
    cells.push_back(without_blanks(line.substr(0, end)));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

}  // namespace

std::size_t after_nccl_info(std::string_view line) {
  constexpr std::string_view mark = "NCCL INFO";
  const std::size_t start = line.find(mark);
  return start == std::string_view::npos ? start : start + mark.size();
}

NcclTuningLines::Found NcclTuningLines::read(std::string_view line) {
  const std::size_t start = after_nccl_info(line);
  if (start == std::string_view::npos) return Found::nothing;
  const std::string_view told = line.substr(start);
  if (told.find('|') == std::string_view::npos) return Found::nothing;
  std::vector<std::string_view> cells = cells_of(told);
  const std::string_view what = cells.front();
  cells.erase(cells.begin());
  if (what == "Latency/AlgBw") {
    columns_.clear();
    for (const std::string_view cell : cells) {
      const std::size_t slash = cell.find('/');
      if (slash == std::string_view::npos) continue;
      columns_.push_back({std::string(without_blanks(cell.substr(0, slash))),
                          std::string(without_blanks(cell.substr(slash + 1)))});
    }
    return Found::header;
  }
  if (what == "Algorithm") {
    algorithms_.assign(cells.begin(), cells.end());
    std::erase(algorithms_, "");
    return Found::header;
  }
  if (what == "Protocol") {
    columns_.clear();
    std::erase(cells, "");
    const std::size_t each = algorithms_.empty() ? 1 : cells.size() / algorithms_.size();
    for (std::size_t i = 0; i < cells.size() && each > 0 && !algorithms_.empty(); ++i) {
      const std::size_t algorithm = std::min(i / each, algorithms_.size() - 1);
      columns_.push_back({algorithms_[algorithm], std::string(cells[i])});
    }
    return Found::header;
  }
  if (std::find(collective_names.begin(), collective_names.end(), what) == collective_names.end()) {
    return Found::nothing;
  }
  collective_ = what;
  read_row(cells);
  cut_ = cut_ || !without_blanks(line).ends_with('|');
  return Found::row;
}

void NcclTuningLines::read_row(const std::vector<std::string_view>& cells) {
  cells_.clear();
  cut_ = cells.size() < columns_.size();
  for (std::size_t i = 0; i < std::min(cells.size(), columns_.size()); ++i) {
    const std::size_t slash = cells[i].find('/');
    if (slash == std::string_view::npos) {
      cut_ = true;
      continue;
    }
    const auto latency = number_of(without_blanks(cells[i].substr(0, slash)));
    const auto bandwidth = number_of(without_blanks(cells[i].substr(slash + 1)));
    // In us and GB/s; 0 GB/s is a way that does not exist.
    constexpr double longest = 1e9;
    constexpr double slowest = 1e-6;
    constexpr double fastest = 1e6;
    const bool in_range = latency && bandwidth && *latency >= 0.0 && *latency <= longest &&
                          (*bandwidth == 0.0 || (*bandwidth >= slowest && *bandwidth <= fastest));
    if (!in_range) {
      cut_ = true;
      continue;
    }
    const bool named = !columns_[i].algorithm.empty() && !columns_[i].protocol.empty();
    cut_ = cut_ || !named;
    if (*bandwidth > 0.0 && named) cells_.push_back({columns_[i], *latency, *bandwidth});
  }
}

}  // namespace feedrate::formats
