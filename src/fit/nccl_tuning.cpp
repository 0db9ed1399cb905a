// What NCCL reckons with, as its log printed it: nothing is fitted, it is NCCL's own line for each
// algorithm and protocol.
#include <fmt/format.h>

#include <algorithm>

#include "fit/series.hpp"

namespace feedrate::fit {

void keep_nccl_tuning(Findings& findings) {
  const SeriesList all = findings.select("allreduce", "tuning");
  if (all.empty()) return;
  TuningTable table;
  table.gpus = all.front().at("ranks", 0.0);
  table.nodes = all.front().at("hosts", 0.0);
  for (const Series& s : all) {
    // Of several logs the first one's.
    if (s.at("ranks", 0.0) != table.gpus || s.at("hosts", 0.0) != table.nodes) continue;
    const auto same = [&](const TunedWay& way) {
      return way.operation == s.how("operation") && way.algorithm == s.how("algorithm") &&
             way.protocol == s.how("protocol");
    };
    auto way = std::find_if(table.ways.begin(), table.ways.end(), same);
    if (way == table.ways.end()) {
      table.ways.push_back({std::string(s.how("operation")),
                            std::string(s.how("algorithm")),
                            std::string(s.how("protocol")),
                            {},
                            {}});
      way = std::prev(table.ways.end());
    }
    if (s.how("part") == "latency") {
      way->latency = seconds(rounded(s.time.value));
    } else {
      way->bandwidth = bytes_per_second(rounded(s.rate()));
    }
  }
  std::erase_if(table.ways, [](const TunedWay& way) { return way.bandwidth <= Bandwidth{}; });
  const auto sums = [](const TunedWay& way) { return way.operation == "all_reduce"; };
  if (std::none_of(table.ways.begin(), table.ways.end(), sums)) {
    findings.out.profile.remarks.emplace_back(
        "NCCL's own table is left out: it has no way of a sum over all GPUs (all_reduce)");
    return;
  }
  FitLine said;
  said.probe = "allreduce";
  said.what = "NCCL's own table";
  said.value = fmt::format("{} ways{}", table.ways.size(),
                           table.gpus > 0.0 ? fmt::format(" over {:g} GPUs", table.gpus) : "");
  said.points = table.ways.size();
  findings.line(std::move(said));
  if (!table.ways.empty()) findings.out.profile.nccl_tuning = std::move(table);
}

}  // namespace feedrate::fit
