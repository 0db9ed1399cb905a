// Copies: inside the host's memory, from there to the GPUs, and between GPUs.
#include <fmt/format.h>

#include <algorithm>

#include "fit/series.hpp"

namespace feedrate::fit {
namespace {

constexpr double out_of_caches = 32e6;  ///< bytes; batches are about as large
constexpr double disturbed = 0.1;       ///< slower by this share is said

struct Copies {
  SeriesList list;  ///< ascending in size
  RobustFit fit;    ///< seconds, seconds per byte
};

/// latency + bytes/bandwidth over sizes; the bandwidth alone from one size.
std::optional<Copies> fit_sizes(SeriesList list) {
  if (list.empty()) return std::nullopt;
  std::stable_sort(list.begin(), list.end(),
                   [](const Series& a, const Series& b) { return a.bytes() < b.bytes(); });
  const bool sizes = distinct(list, "bytes") > 1;
  std::vector<Observation> observations;
  for (const Series& s : list) {
    const double time = s.time.value * s.bytes() / s.what->work;
    observations.push_back({{sizes ? 1.0 : 0.0, s.bytes()}, time, s.time.relative_error});
  }
  return Copies{list, robust_non_negative(observations)};
}

Doubts doubts_of(const Copies& copies) {
  Doubts doubts;
  doubts.points(distinct(copies.list, "bytes"));
  doubts.spread(copies.list);
  doubts.residuals(copies.fit.residuals);
  return doubts;
}

/// Rate of the largest copies of a list, in bytes per second, or 0.
double largest_rate(const SeriesList& list) {
  const Series* best = nullptr;
  for (const Series& s : list) {
    if (best == nullptr || s.bytes() > best->bytes()) best = &s;
  }
  return best == nullptr ? 0.0 : best->rate();
}

/// Copies that share a switch, a link or the memory with something else.
void compare(const SeriesList& all, double alone, Doubts& doubts) {
  double most_gpus = 1.0;
  for (const Series& s : all) most_gpus = std::max(most_gpus, s.at("gpus", 1.0));
  const double together = largest_rate(where(all, [&](const Series& s) {
    return s.at("gpus", 1.0) == most_gpus && s.how("load") != "kernel";
  }));
  if (most_gpus > 1.0 && together / most_gpus < alone * (1.0 - disturbed)) {
    doubts.words.push_back(
        fmt::format("with {:g} GPUs copying at once each gets {}", most_gpus,
                    Findings::text(together / most_gpus, dimension_of(Bandwidth{}))));
  }
  const double busy = largest_rate(where(
      all, [&](const Series& s) { return s.at("gpus", 1.0) == 1.0 && s.how("load") == "kernel"; }));
  if (busy > 0.0 && busy < alone * (1.0 - disturbed)) {
    doubts.words.push_back(fmt::format("while a kernel runs it is {}",
                                       Findings::text(busy, dimension_of(Bandwidth{}))));
  }
}

void fit_host_to_device(Findings& findings, const char* memory,
                        std::optional<Value<Bandwidth>> HostProfile::*member) {
  HostProfile& profile = findings.out.profile;
  const SeriesList all = where(findings.select("h2d", "copy"), [&](const Series& s) {
    return s.how("direction") == "h2d" && s.how("memory") == memory && s.bytes() > 0.0;
  });
  const auto copies = fit_sizes(where(
      all, [](const Series& s) { return s.at("gpus", 1.0) == 1.0 && s.how("load") != "kernel"; }));
  if (!copies || copies->fit.coefficients[1] <= 0.0) return;
  const double bandwidth = 1.0 / copies->fit.coefficients[1];
  Doubts doubts = doubts_of(*copies);
  compare(all, largest_rate(copies->list), doubts);
  profile.*member =
      findings.value<Bandwidth>(copies->list, fmt::format("{} copies to a GPU", memory), bandwidth,
                                copies->fit.uncertainty(1), copies->list.size(), doubts);
  const bool sizes = distinct(copies->list, "bytes") > 1;
  if (!sizes || profile.copy_latency) return;
  profile.copy_latency = findings.value<Duration>(
      copies->list, fmt::format("latency of a {} copy", memory), copies->fit.coefficients[0],
      copies->fit.uncertainty(0), copies->list.size(), doubts_of(*copies));
}

void fit_memory(Findings& findings) {
  SeriesList alone = with_users(findings.select("memcpy", "copy"), 1.0);
  SeriesList large = where(alone, [](const Series& s) { return s.bytes() >= out_of_caches; });
  Doubts doubts;
  if (large.empty() && !alone.empty()) {
    double most = 0.0;
    for (const Series& s : alone) most = std::max(most, s.bytes());
    large = where(alone, [&](const Series& s) { return s.bytes() == most; });
    doubts.words.push_back(fmt::format("copies of {} may stay in the caches",
                                       Findings::text(most, dimension_of(Bytes{}))));
  }
  if (large.empty()) return;
  const Estimate each = pooled(large);
  doubts.points(each.count, "samples");
  doubts.spread(large);
  findings.out.profile.memcpy_bandwidth =
      findings.value<Bandwidth>(large, "copies in memory, one thread", 1.0 / each.value,
                                {each.relative_error}, each.count, doubts);
}

}  // namespace

void fit_copies(Findings& findings) {
  fit_memory(findings);
  fit_host_to_device(findings, "pinned", &HostProfile::pinned_bandwidth);
  fit_host_to_device(findings, "pageable", &HostProfile::pageable_bandwidth);
}

/// A ring: 2(n−1)/n·M/busbw + 2(n−1)·latency.
void fit_allreduce(Findings& findings) {
  SeriesList list = where(findings.select("allreduce", "allreduce"), [](const Series& s) {
    return s.at("ranks", 0.0) >= 2.0 && s.bytes() > 0.0;
  });
  if (list.empty()) return;
  std::stable_sort(list.begin(), list.end(),
                   [](const Series& a, const Series& b) { return a.bytes() < b.bytes(); });
  const std::size_t points = distinct(list, "bytes");
  std::vector<Observation> observations;
  for (const Series& s : list) {
    const double n = s.at("ranks", 2.0);
    const double time = s.time.value * s.bytes() / s.what->work;
    observations.push_back({{points > 1 ? 2.0 * (n - 1.0) : 0.0, 2.0 * (n - 1.0) / n * s.bytes()},
                            time,
                            s.time.relative_error});
  }
  const Copies ring{list, robust_non_negative(observations)};
  if (ring.fit.coefficients[1] <= 0.0) return;
  const Doubts doubts = doubts_of(ring);
  HostProfile& profile = findings.out.profile;
  profile.allreduce_busbw =
      findings.value<Bandwidth>(list, "bus bandwidth", 1.0 / ring.fit.coefficients[1],
                                ring.fit.uncertainty(1), list.size(), doubts);
  if (points < 2) return;
  profile.allreduce_latency =
      findings.value<Duration>(list, "latency of a hop", ring.fit.coefficients[0],
                               ring.fit.uncertainty(0), list.size(), doubts);
}

}  // namespace feedrate::fit
