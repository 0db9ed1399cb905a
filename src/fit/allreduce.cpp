// All-reduce among the GPUs of the host, and over several hosts.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "fit/series.hpp"

namespace feedrate::fit {
namespace {

constexpr double differs = 0.1;  ///< by this share is said

double ranks(const Series& s) {
  return s.at("ranks", 2.0);
}

/// Measurements that do not say over how many hosts they went: over more than one if the host had
/// not as many GPUs.
bool over_hosts(const Series& s, const HostFacts& host) {
  const auto gpus = static_cast<double>(host.gpus.size());
  return s.at("hosts", gpus > 0.0 && ranks(s) > gpus ? 2.0 : 1.0) > 1.0;
}

/// 2(n−1)/n·M/busbw + 2(n−1)·latency; the bus bandwidth alone from one size.
struct Ring {
  SeriesList list;  ///< ascending in size
  RobustFit fit;    ///< seconds of a hop, seconds per byte
  bool sizes = false;

  [[nodiscard]] double busbw() const { return 1.0 / fit.coefficients[1]; }
};

std::optional<Ring> fit_ring(SeriesList list) {
  if (list.empty()) return std::nullopt;
  list = by_size(std::move(list));
  const bool sizes = distinct(list, "bytes") > 1;
  std::vector<Observation> observations;
  for (const Series& s : list) {
    const double n = ranks(s);
    const double time = s.time.value * s.bytes() / s.what->work;
    observations.push_back({{sizes ? 2.0 * (n - 1.0) : 0.0, 2.0 * (n - 1.0) / n * s.bytes()},
                            time,
                            s.time.relative_error});
  }
  Ring ring{list, robust_non_negative(observations), sizes};
  if (ring.fit.coefficients[1] <= 0.0) return std::nullopt;
  return ring;
}

/// Of a ring of another number of ranks than the one that is taken.
void compare(const Ring& other, const Ring& taken, Doubts& doubts) {
  const double ratio = other.busbw() / taken.busbw();
  if (ratio < 1.0 + differs && ratio > 1.0 / (1.0 + differs)) return;
  doubts.words.push_back(fmt::format("over {:g} GPUs the bus bandwidth is {}",
                                     ranks(other.list.front()),
                                     Findings::text(other.busbw(), dimension_of(Bandwidth{}))));
}

/// The law of the most ranks: jobs use all GPUs of an instance, and a bus bandwidth that changes
/// with the ranks (links in pairs, switches, other algorithms) would be nobody's in the mean.
void fit_rings(Findings& findings, const SeriesList& all, const std::string& where_to,
               std::optional<Value<Bandwidth>> HostProfile::*busbw,
               std::optional<Value<Duration>> HostProfile::*latency) {
  std::map<double, SeriesList> by_ranks;
  for (const Series& s : all) by_ranks[ranks(s)].push_back(s);
  if (by_ranks.empty()) return;
  const auto taken = fit_ring(by_ranks.rbegin()->second);
  if (!taken) return findings.no_rate(by_ranks.rbegin()->second, "bus bandwidth " + where_to);
  by_ranks.erase(std::prev(by_ranks.end()));
  Doubts doubts;
  doubts.points(distinct(taken->list, "bytes"));
  doubts.spread(taken->list);
  doubts.residuals(taken->fit.residuals);
  Doubts of_bandwidth = doubts;
  for (auto& [n, list] : by_ranks) {
    const auto other = fit_ring(std::move(list));
    if (other) compare(*other, *taken, of_bandwidth);
  }
  HostProfile& profile = findings.out.profile;
  profile.*busbw =
      findings.value<Bandwidth>(taken->list, "bus bandwidth " + where_to, taken->busbw(),
                                taken->fit.uncertainty(1), taken->list.size(), of_bandwidth);
  if (!taken->sizes) return;
  profile.*latency = findings.value<Duration>(taken->list, "latency of a hop " + where_to,
                                              taken->fit.coefficients[0], taken->fit.uncertainty(0),
                                              taken->list.size(), doubts);
}

}  // namespace

void fit_allreduce(Findings& findings) {
  const SeriesList all = where(findings.select("allreduce", "allreduce"), [](const Series& s) {
    return s.at("ranks", 0.0) >= 2.0 && s.bytes() > 0.0;
  });
  const auto over = [&](bool several) {
    return where(all, [&](const Series& s) { return over_hosts(s, findings.set.host) == several; });
  };
  fit_rings(findings, over(false), "among the host's GPUs", &HostProfile::allreduce_busbw,
            &HostProfile::allreduce_latency);
  fit_rings(findings, over(true), "between hosts", &HostProfile::allreduce_busbw_between,
            &HostProfile::allreduce_latency_between);
}

}  // namespace feedrate::fit
