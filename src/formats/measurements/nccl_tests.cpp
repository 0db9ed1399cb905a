// The table of all_reduce_perf of nccl-tests.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/number_text.hpp"
#include "base/text_lines.hpp"
#include "formats/measurements/import_parts.hpp"

namespace feedrate::formats {
namespace {

using Words = std::vector<std::string_view>;

/// Words of a line without what mpirun puts in front ("0:", "[1,0]<stdout>:") and "#".
Words plain_words(std::string_view line) {
  Words words = words_of_line(line);
  while (!words.empty() && (words.front().ends_with(':') || words.front() == "#")) {
    words.erase(words.begin());
  }
  if (!words.empty() && words.front().starts_with('#')) words.front().remove_prefix(1);
  const std::size_t tag = words.empty() ? std::string_view::npos : words.front().rfind(":#");
  if (tag != std::string_view::npos) words.erase(words.begin());
  return words;
}

std::size_t index_of(const Words& words, std::string_view word) {
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

struct TestRow {
  double size = 0.0;
  double time = 0.0;   ///< us
  double algbw = 0.0;  ///< GB/s
  double busbw = 0.0;
};

/// Ranks that busbw/algbw = 2(n−1)/n tells; −1 when it is no all-reduce, 0 when it cannot tell.
double ranks_by_ratio(const std::vector<TestRow>& rows) {
  const TestRow& best =
      *std::max_element(rows.begin(), rows.end(),
                        [](const TestRow& a, const TestRow& b) { return a.algbw < b.algbw; });
  if (best.algbw < 0.1) return 0.0;
  const double ratio = best.busbw / best.algbw;
  if (ratio < 0.95 || ratio > 1.995) return -1.0;
  return std::round(2.0 / (2.0 - ratio));
}

}  // namespace

MeasurementSet import_nccl(std::string_view text, const std::string& path) {
  Imported imported(path, "nccl-tests", "allreduce");
  std::size_t time = 0;
  std::size_t algbw = 0;
  std::size_t busbw = 0;
  std::vector<TestRow> rows;
  std::set<std::string, std::less<>> ranks;
  std::set<std::string, std::less<>> hosts;
  for (const std::string_view line : lines_of(text)) {
    const Words words = plain_words(line);
    if (words.size() > 2 && words[0] == "Rank" && index_of(words, "device") < words.size()) {
      ranks.emplace(words[1]);
      const std::size_t on = index_of(words, "on");
      if (on + 1 < words.size()) hosts.emplace(words[on + 1]);
    }
    if (!words.empty() && words[0] == "size" && index_of(words, "busbw") < words.size()) {
      time = index_of(words, "time");  // the first of each is out of place
      algbw = index_of(words, "algbw");
      busbw = index_of(words, "busbw");
      continue;
    }
    if (busbw == 0 || words.size() <= std::max({time, algbw, busbw})) continue;
    const auto size = number_of(words[0]);
    const auto took = number_of(words[time]);
    const auto alg = number_of(words[algbw]);
    const auto bus = number_of(words[busbw]);
    if (!size || !took || !alg || !bus || *size <= 0.0 || *took <= 0.0) continue;
    rows.push_back({*size, *took, *alg, *bus});
  }
  if (rows.empty()) refuse_import(path, 0, "expected the table of all_reduce_perf, got no rows");
  auto n = static_cast<double>(ranks.size());
  const double told = ranks_by_ratio(rows);
  if (n < 2.0) n = told;
  const bool allreduce = n >= 2.0 && (told == 0.0 || std::abs(told / n - 1.0) < 0.1);
  if (!allreduce) {
    refuse_import(path, 0,
                  "expected all_reduce_perf over two or more GPUs, got a table whose busbw over "
                  "algbw is not 2(n-1)/n: another collective, or one GPU");
  }
  for (const TestRow& row : rows) {
    Measurement m;
    m.quantity = "allreduce";
    m.unit = "bytes";
    m.work = row.size;
    m.at = {{"bytes", row.size}, {"ranks", n}};
    if (!hosts.empty()) m.at["hosts"] = static_cast<double>(hosts.size());
    m.how = {{"library", "NCCL"}};
    m.times = {microseconds(row.time)};
    imported.add(std::move(m));
  }
  return std::move(imported).finish("expected rows of all_reduce_perf");
}

}  // namespace feedrate::formats
