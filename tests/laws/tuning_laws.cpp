// NCCL's tuning log in place of its published model: a log that is written from the model's own
// numbers gives back the model's times, in whichever form it is written and however it is cut.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "catch.hpp"
#include "collective/generated_fabric.hpp"
#include "collective/nccl.hpp"
#include "collective/tuned.hpp"
#include "fit/profile.hpp"
#include "formats/measurements/import_measurements.hpp"
#include "formats/nccl_tuning_lines.hpp"
#include "pipeline/generated.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::collective;
using pipeline::Generator;

namespace {

constexpr Collective tuned_operations[] = {Collective::all_reduce, Collective::all_gather,
                                           Collective::reduce_scatter};

Fabric tuned_fabric(Generator& random) {
  return generated_fabric(random, 2e9);
}

/// Microseconds and GB/s as the log rounds them; 0 and 0 where there is no such way.
struct LogCell {
  double latency = 0.0, bandwidth = 0.0;
};

LogCell log_cell(const std::vector<Way>& ways, Collective operation, const std::string& algorithm,
                 const std::string& protocol) {
  for (const Way& way : ways) {
    if (way.operation != operation || way.algorithm != algorithm || way.protocol != protocol) {
      continue;
    }
    return {way.latency.base() * 1e6, way.bandwidth.base() / 1e9};
  }
  return {};
}

const std::vector<std::pair<std::string, std::string>> log_algorithms = {
    {"tree", "Tree"},     {"ring", "Ring"}, {"", "CollNetDirect"},
    {"", "CollNetChain"}, {"nvls", "NVLS"}, {"nvls_tree", "NVLSTree"}};
const std::vector<std::string> log_protocols = {"LL", "LL128", "Simple"};
const std::vector<std::pair<std::string, int>> log_rows = {
    {"Broadcast", -1}, {"Reduce", -1}, {"AllGather", 1}, {"ReduceScatter", 2}, {"AllReduce", 0}};

std::string row_of(const std::vector<Way>& ways, const std::string& name, int operation,
                   std::size_t from, std::size_t to) {
  std::string row = fmt::format("{:>13} |", name);
  for (std::size_t a = from; a < to; ++a) {
    for (const std::string& protocol : log_protocols) {
      LogCell cell;
      if (operation >= 0) {
        cell = log_cell(ways, tuned_operations[operation], log_algorithms[a].first, protocol);
      }
      row += fmt::format("{:8.1f}/{:6.1f} |", cell.latency, cell.bandwidth);
    }
  }
  return row;
}

/// As older versions print it: one line for all columns; or newer ones, in blocks of three
/// algorithms. `put` gets each line of it.
void table_of(const std::vector<Way>& ways, bool older,
              const std::function<void(const std::string&)>& put) {
  if (older) {
    std::string header = "Latency/AlgBw |";
    for (const auto& [own, name] : log_algorithms) {
      for (const std::string& protocol : log_protocols) {
        header += fmt::format(" {:>7}/{:>6} |", name, protocol);
      }
    }
    put(header);
    for (const auto& [name, operation] : log_rows) {
      put(row_of(ways, name, operation, 0, log_algorithms.size()));
    }
    return;
  }
  for (std::size_t from = 0; from < log_algorithms.size(); from += 3) {
    const std::size_t to = std::min(from + 3, log_algorithms.size());
    std::string header = "  Algorithm   |";
    std::string protocols = "  Protocol    |";
    std::string threads = " Max NThreads |";
    for (std::size_t a = from; a < to; ++a) {
      header += fmt::format(" {:>14}   {:>14}   {:>14} |", "", log_algorithms[a].second, "");
      for (const std::string& protocol : log_protocols) {
        protocols += fmt::format(" {:>14} |", protocol);
        threads += fmt::format(" {:>14} |", 512);
      }
    }
    put(header);
    put(protocols);
    put(threads);
    for (const auto& [name, operation] : log_rows) put(row_of(ways, name, operation, from, to));
  }
}

std::string log_of(const Fabric& f, bool older, bool with_init = true) {
  std::string log;
  const std::string who = "node-1:4021:4077 [0] NCCL INFO ";
  const auto put = [&](const std::string& line) { log += who + line + "\n"; };
  put("Bootstrap : Using eth0:10.0.0.1<0>");
  if (with_init) {
    put(fmt::format("comm 0x5581 rank 0 nRanks {:g} nNodes {:g} localRanks {:g} localRank 0",
                    f.ranks(), f.nodes, f.gpus));
  }
  table_of(ways_of(f), older, put);
  put("Connected all rings");
  return log;
}

TuningTable imported(const std::string& log) {
  const auto fitted = fit::fit_profile(formats::parse_import(log, "job.log"));
  REQUIRE(fitted.profile.nccl_tuning);
  return *fitted.profile.nccl_tuning;
}

Tuned tuned_by(const TuningTable& table, double plateau) {
  std::vector<Way> ways;
  for (const TunedWay& way : table.ways) {
    const Collective operation = way.operation == "all_gather"       ? Collective::all_gather
                                 : way.operation == "reduce_scatter" ? Collective::reduce_scatter
                                                                     : Collective::all_reduce;
    ways.push_back({operation, way.algorithm, way.protocol, way.latency, way.bandwidth});
  }
  return {std::move(ways), plateau};
}

std::string refused(const std::string& log) {
  try {
    static_cast<void>(formats::parse_import(log, "job.log"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("tuning: the model's own ways are the model") {
  Generator random(81);
  for (int i = 0; i < 400; ++i) {
    const Fabric f = tuned_fabric(random);
    const Tuned tuned(ways_of(f), plateau_of(f));
    for (const Collective operation : tuned_operations) {
      const Bytes size = bytes(random.log_uniform(1.0, 1e11));
      const Cost model = cost(operation, size, f);
      const TunedCost own = tuned.cost(operation, size);
      CHECK(own.time.base() == Approx(model.time().base()).epsilon(1e-12));
      REQUIRE(own.way != nullptr);
      const TunedCost tree = tuned.cost(Collective::all_reduce, size, "tree");
      CHECK(tree.time.base() ==
            Approx(cost(Collective::all_reduce, size, f, Algorithm::tree).time().base())
                .epsilon(1e-12));
    }
  }
}

TEST_CASE("tuning: a log of the model's numbers gives back its times within their rounding") {
  Generator random(82);
  for (int i = 0; i < 150; ++i) {
    const Fabric f = tuned_fabric(random);
    const bool older = random.chance(0.5);
    const TuningTable table = imported(log_of(f, older));
    INFO(i << (older ? " older" : " newer"));
    CHECK(table.gpus == f.ranks());
    CHECK(table.nodes == f.nodes);
    const Tuned tuned = tuned_by(table, plateau_of(f));
    // Half a unit of the last digit that is printed, and of the five that are kept.
    std::vector<Way> fast = ways_of(f);
    std::vector<Way> slow = fast;
    for (std::size_t k = 0; k < fast.size(); ++k) {
      fast[k].latency = std::max(Duration{}, fast[k].latency * (1.0 - 1e-4) - microseconds(0.051));
      slow[k].latency = slow[k].latency * (1.0 + 1e-4) + microseconds(0.051);
      fast[k].bandwidth = fast[k].bandwidth * (1.0 + 1e-4) + bytes_per_second(0.051e9);
      slow[k].bandwidth = std::max(bytes_per_second(1e6),
                                   slow[k].bandwidth * (1.0 - 1e-4) - bytes_per_second(0.051e9));
    }
    // A way too slow for its digits is not in the log.
    std::erase_if(slow, [](const Way& way) { return way.bandwidth < bytes_per_second(0.05e9); });
    for (const Collective operation : tuned_operations) {
      const Bytes size = bytes(random.log_uniform(1e2, 1e11));
      const Duration time = tuned.cost(operation, size).time;
      CHECK(time >= Tuned(fast, plateau_of(f)).cost(operation, size).time * (1.0 - 1e-9));
      CHECK(time <= Tuned(slow, plateau_of(f)).cost(operation, size).time * (1.0 + 1e-9));
    }
  }
}

TEST_CASE("tuning: ways of algorithms that are not simulated keep NCCL's name in small letters") {
  Generator random(87);
  for (const bool older : {false, true}) {
    std::vector<Way> ways = ways_of(tuned_fabric(random));
    // In the columns of both that have no name here.
    ways.push_back(
        {Collective::all_reduce, "", "Simple", microseconds(9.0), bytes_per_second(7e9)});
    std::string log;
    table_of(ways, older,
             [&](const std::string& line) { log += "a:1:2 [0] NCCL INFO " + line + "\n"; });
    std::set<std::string> told, expected = {"collnetdirect", "collnetchain"};
    for (const Way& way : ways) {
      if (!way.algorithm.empty()) expected.insert(way.algorithm);
    }
    for (const TunedWay& way : imported(log).ways) told.insert(way.algorithm);
    CHECK(told == expected);
  }
}

TEST_CASE("tuning: a log that is cut anywhere is refused with its line, or is what it was") {
  Generator random(83);
  int refusals = 0;
  int whole = 0;
  for (int i = 0; i < 60; ++i) {
    const Fabric f = tuned_fabric(random);
    const std::string log = log_of(f, random.chance(0.5));
    const TuningTable table = imported(log);
    for (int k = 0; k < 10; ++k) {
      const auto length =
          static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(log.size())));
      const std::string cut = log.substr(0, length);
      const std::string why = refused(cut);
      INFO(i << " " << length << " " << why);
      if (!why.empty()) {
        CHECK(why.find("job.log") != std::string::npos);
        CHECK(why.find("expected") != std::string::npos);
        ++refusals;
        continue;
      }
      // Newer versions print NVLS in a block of its own, which may be missing as a whole.
      for (const TunedWay& way : imported(cut).ways) {
        CHECK(std::find(table.ways.begin(), table.ways.end(), way) != table.ways.end());
      }
      ++whole;
    }
  }
  CHECK_DRAWN(refusals > 100);
  CHECK_DRAWN(whole > 20);
}

TEST_CASE("tuning: other lines between, other ranks and smaller groups change nothing") {
  Generator random(84);
  for (int i = 0; i < 40; ++i) {
    const Fabric f = tuned_fabric(random);
    const std::string log = log_of(f, random.chance(0.5));
    const TuningTable table = imported(log);
    Fabric inside = tuned_fabric(random);
    inside.nodes = 1.0;
    inside.gpus = std::max(2.0, std::floor(f.ranks() / 2.0));
    std::string other = log_of(inside, random.chance(0.5));
    for (std::size_t at = 0; (at = other.find("node-1:4021:4077", at)) != std::string::npos;) {
      other.replace(at, 16, "node-2:77:78");
    }
    // Line by line in turn, as two processes write into one file.
    std::string mixed;
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < log.size() || b < other.size()) {
      const bool first = b >= other.size() || (a < log.size() && random.chance(0.5));
      const std::string& from = first ? log : other;
      std::size_t& at = first ? a : b;
      const std::size_t end = from.find('\n', at) + 1;
      if (random.chance(0.2)) mixed += "Epoch: [0][10/5004] Time 0.412 | Data 0.003 | Loss 6.9\n";
      if (random.chance(0.2)) mixed += "[1,0]<stderr>:";
      mixed += from.substr(at, end - at);
      at = end;
    }
    INFO(i);
    if (inside.ranks() < f.ranks()) CHECK(imported(mixed) == table);
  }
}

TEST_CASE("tuning: logs without a table, without a header and without ranks say what they lack") {
  const Fabric f = {.nodes = 2.0,
                    .gpus = 8.0,
                    .link = Link::nvlink,
                    .inside = bytes_per_second(2e11),
                    .between = bytes_per_second(4e10)};
  CHECK(refused("h:1:2 [0] NCCL INFO Connected all rings\n").find("an NCCL log without it") !=
        std::string::npos);
  const std::string log = log_of(f, true);
  const std::size_t row = log.find("AllReduce");
  const std::string headless = log.substr(log.rfind('\n', row) + 1);
  CHECK(refused(headless).find("header") != std::string::npos);
  CHECK(refused(headless).find(":1") != std::string::npos);
  const auto set = formats::parse_import(log_of(f, false, false), "job.log");
  const auto& remarks = set.probes.front().remarks;
  CHECK(std::any_of(remarks.begin(), remarks.end(), [](const std::string& remark) {
    return remark.find("does not say for how many ranks") != std::string::npos;
  }));
  CHECK(imported(log_of(f, false, false)).gpus == 0.0);
  const std::string single =
      "node-1:4021:4077 [0] NCCL INFO 1026048 Bytes -> Algo 1 proto 2 time 34.7\n";
  const auto chosen = formats::parse_import(log + single + single, "job.log");
  const auto& words = chosen.probes.front().remarks;
  CHECK(std::any_of(words.begin(), words.end(), [](const std::string& remark) {
    return remark.find("2 lines about the choice for single operations") == 0;
  }));
}

TEST_CASE("tuning: figures beyond reason are refused with their line, and never become a profile") {
  const Fabric f = {.nodes = 2.0,
                    .gpus = 8.0,
                    .link = Link::nvlink,
                    .inside = bytes_per_second(2e11),
                    .between = bytes_per_second(4e10)};
  const std::string log = log_of(f, true);
  const std::size_t row = log.find("AllReduce");
  const std::size_t start = log.find('|', row) + 1;
  const std::size_t end = log.find('|', start);
  for (const std::string cell : {" 10.0/1e-320 ", " 10.0/1e300 ", " 10.0/-5.0 ", " -1.0/10.0 ",
                                 " 1e300/10.0 ", " nan/10.0 "}) {
    std::string hostile = log;
    hostile.replace(start, end - start, cell);
    INFO(cell);
    CHECK(refused(hostile).find("job.log:") == 0);
  }
}

TEST_CASE("tuning: a line whose bar stands before NCCL's mark is no line of a table") {
  formats::NcclTuningLines lines;
  for (const char* line :
       {"a|NCCL INFO", "|NCCL INFO", "| NCCL INFO  ", "NCCL INFO", "NCCL INFO a"}) {
    INFO(line);
    CHECK(lines.read(line) == formats::NcclTuningLines::Found::nothing);
  }
}
