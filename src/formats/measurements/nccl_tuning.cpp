// What NCCL itself reckons with, out of the log of a job: NCCL_DEBUG=INFO with
// NCCL_DEBUG_SUBSYS=INIT,TUNING. A communicator prints its table once, from its rank 0; over how
// many ranks it goes stands in lines of INIT, of the same thread.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/text_lines.hpp"
#include "formats/measurements/import_parts.hpp"
#include "formats/nccl_tuning_lines.hpp"

namespace feedrate::formats {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> tuned_operations = {
    {{"AllReduce", "all_reduce"},
     {"AllGather", "all_gather"},
     {"ReduceScatter", "reduce_scatter"}}};
/// Others stay as the log has them, in lower case.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> tuned_algorithms = {
    {{"Ring", "ring"}, {"Tree", "tree"}, {"NVLS", "nvls"}, {"NVLSTree", "nvls_tree"}}};

/// More are a damaged line.
constexpr double most_ranks = 1e9;

template <std::size_t n>
std::string_view word_for(const std::array<std::pair<std::string_view, std::string_view>, n>& words,
                          std::string_view name) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const auto& one) { return one.first == name; });
  return found == words.end() ? std::string_view() : found->second;
}

/// The number after one of `words`: "nranks 16".
std::optional<double> number_after(const std::vector<std::string_view>& line,
                                   std::initializer_list<std::string_view> words) {
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    if (std::find(words.begin(), words.end(), line[i]) == words.end()) continue;
    return number_of(line[i + 1]);
  }
  return std::nullopt;
}

/// "host:pid:tid", which stands before the device and behind whatever a launcher puts in front
/// ("[1,0]<stdout>:host:pid:tid").
std::string_view thread_in(const std::vector<std::string_view>& words) {
  std::string_view found;
  for (const std::string_view word : words) {
    if (std::count(word.begin(), word.end(), ':') < 2) continue;
    const std::size_t host_end = word.rfind(':', word.rfind(':') - 1);
    const std::size_t before =
        host_end == 0 ? std::string_view::npos : word.rfind(':', host_end - 1);
    found = before == std::string_view::npos ? word : word.substr(before + 1);
  }
  return found;
}

struct TunedRow {
  std::string_view operation;
  std::vector<NcclCell> cells;
};

/// Of a communicator, as one thread printed it.
struct TunedTable {
  double ranks = 0.0;  ///< 0: the log does not say
  double nodes = 0.0;
  std::vector<TunedRow> rows;

  [[nodiscard]] bool has(std::string_view operation) const {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const TunedRow& row) { return row.operation == operation; });
  }
};

/// What one thread of a process prints.
struct TunedThread {
  NcclTuningLines lines;
  double ranks = 0.0, nodes = 0.0;  ///< of the communicator that it is about to make
  std::vector<TunedTable> tables;
};

class TuningLog {
 public:
  explicit TuningLog(const std::string& path) : path_(path) {}

  void read(std::string_view line, int number) {
    const std::size_t start = after_nccl_info(line);
    if (start == std::string_view::npos) return;
    if (line.find(" Bytes -> Algo ", start) != std::string_view::npos) ++single_operations_;
    const std::vector<std::string_view> prefix = words_of_line(line.substr(0, start));
    TunedThread& thread = threads_[std::string(thread_in(prefix))];
    say_ranks(thread, words_of_line(line.substr(start)));
    switch (thread.lines.read(line)) {
      case NcclTuningLines::Found::nothing: return;
      case NcclTuningLines::Found::header: ++headers_; return;
      case NcclTuningLines::Found::row: break;
    }
    add_row(thread, line, number);
  }

  /// Lines "1026048 Bytes -> Algo 1 proto 2 time 34.69": older versions do not say of which
  /// operation they are, newer ones give no time.
  [[nodiscard]] int single_operations() const { return single_operations_; }

  /// The table over the most ranks.
  [[nodiscard]] TunedTable largest(Imported& imported) const {
    std::vector<TunedTable> all;
    for (const auto& [who, thread] : threads_) {
      for (const TunedTable& table : thread.tables) {
        if (table.has("all_reduce")) all.push_back(table);
      }
    }
    if (all.empty()) {
      refuse_import(path_, 0,
                    fmt::format("expected NCCL's tuning table with a row AllReduce (a job with "
                                "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING), got {}",
                                headers_ > 0 ? "only its header: the log is cut off"
                                             : "an NCCL log without it"));
    }
    const auto best = std::max_element(
        all.begin(), all.end(),
        [](const TunedTable& a, const TunedTable& b) { return a.ranks < b.ranks; });
    if (all.size() > 1) {
      imported.remark(fmt::format("{} communicators have a table: that {} is taken", all.size(),
                                  best->ranks > 0.0
                                      ? fmt::format("of the most ranks, {:g},", best->ranks)
                                      : std::string("which comes first")));
    }
    return *best;
  }

 private:
  /// Before its table, or after it: "… rank 0 nranks 16 …", "… nRanks 16 nNodes 2 …".
  static void say_ranks(TunedThread& thread, const std::vector<std::string_view>& words) {
    const auto ranks = number_after(words, {"nranks", "nRanks"});
    const auto nodes = number_after(words, {"nNodes", "nnodes"});
    if (ranks && *ranks >= 1.0 && *ranks <= most_ranks) thread.ranks = *ranks;
    if (nodes && *nodes >= 1.0 && *nodes <= most_ranks) thread.nodes = *nodes;
    if (thread.tables.empty()) return;
    TunedTable& last = thread.tables.back();
    if (ranks && last.ranks == 0.0) last.ranks = thread.ranks;
    if (nodes && last.nodes == 0.0) last.nodes = thread.nodes;
  }

  void add_row(TunedThread& thread, std::string_view line, int number) {
    const NcclTuningLines& lines = thread.lines;
    const std::string_view operation = word_for(tuned_operations, lines.collective());
    if (operation.empty()) return;  // a broadcast, which no step waits for
    if (!lines.headed()) {
      refuse_import(
          path_, number,
          fmt::format("expected the table's header (\"Algorithm |\" and \"Protocol |\", or "
                      "\"Latency/AlgBw |\") above its rows, got {}",
                      in_quotes(line.substr(after_nccl_info(line)), 60)));
    }
    if (lines.cut()) {
      refuse_import(path_, number,
                    fmt::format("expected a pair such as \"25.2/ 11.3\" in each column of the "
                                "table, got a row of {} that is cut off",
                                lines.collective()));
    }
    if (thread.tables.empty() || thread.tables.back().has("all_reduce")) {
      // AllReduce is the last row of a table, but newer versions print it in several blocks.
      const bool block = !thread.tables.empty() && thread.tables.back().ranks == thread.ranks &&
                         !repeats(thread.tables.back(), operation, lines.cells());
      if (!block) thread.tables.push_back({thread.ranks, thread.nodes, {}});
    }
    thread.tables.back().rows.push_back({operation, lines.cells()});
  }

  /// Whether the table has one of these ways already: then they are of another communicator.
  static bool repeats(const TunedTable& table, std::string_view operation,
                      const std::vector<NcclCell>& cells) {
    for (const TunedRow& row : table.rows) {
      if (row.operation != operation) continue;
      for (const NcclCell& old : row.cells) {
        for (const NcclCell& cell : cells) {
          if (old.column.algorithm == cell.column.algorithm &&
              old.column.protocol == cell.column.protocol) {
            return true;
          }
        }
      }
    }
    return false;
  }

  const std::string& path_;
  std::map<std::string, TunedThread> threads_;
  int headers_ = 0;
  int single_operations_ = 0;
};

}  // namespace

MeasurementSet import_nccl_tuning(std::string_view text, const std::string& path) {
  Imported imported(path, "NCCL's tuning log", "allreduce");
  TuningLog log(path);
  int number = 0;
  for (const std::string_view line : lines_of(text)) log.read(line, ++number);
  const TunedTable table = log.largest(imported);
  if (table.ranks == 0.0) {
    imported.remark(
        "the log does not say for how many ranks its table is (NCCL_DEBUG_SUBSYS=INIT,TUNING "
        "would); it is used for any number of ranks");
  }
  if (log.single_operations() > 0) {
    imported.remark(
        fmt::format("{} lines about the choice for single operations are left out: they lack the "
                    "operation or its time; the table has the choice by size",
                    log.single_operations()));
  }
  for (const auto& row : table.rows) {
    const auto& operation = row.operation;
    for (const NcclCell& cell : row.cells) {
      const auto add = [&](const char* part, const char* unit, double work, Duration time) {
        if (time <= Duration{}) return;  // NCCL counts no latency there
        Measurement m;
        m.quantity = "tuning";
        m.unit = unit;
        m.work = work;
        if (table.ranks > 0.0) m.at["ranks"] = table.ranks;
        if (table.nodes > 0.0) m.at["hosts"] = table.nodes;
        std::string algorithm(word_for(tuned_algorithms, cell.column.algorithm));
        if (algorithm.empty()) {
          algorithm = cell.column.algorithm;
          for (char& c : algorithm) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        }
        m.how = {{"library", "NCCL"},
                 {"operation", std::string(operation)},
                 {"algorithm", algorithm},
                 {"protocol", cell.column.protocol},
                 {"part", part}};
        m.times = {time};
        imported.add(std::move(m));
      };
      constexpr double bytes = 1e9;
      add("latency", "operations", 1.0, microseconds(cell.latency));
      add("transfer", "bytes", bytes, seconds(bytes / (cell.bandwidth * 1e9)));
    }
  }
  return std::move(imported).finish("expected entries with a bandwidth above 0 in NCCL's table");
}

}  // namespace feedrate::formats
