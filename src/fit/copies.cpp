// Copies: inside the host's memory, and from there to the GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/portable_math.hpp"
#include "fit/series.hpp"

namespace feedrate::fit {
namespace {

constexpr double out_of_caches = 32e6;  ///< bytes; batches are about as large

struct Copies {
  SeriesList list;  ///< ascending in size
  RobustFit fit;    ///< seconds, seconds per byte
};

/// latency + bytes/bandwidth over sizes; the bandwidth alone from one size.
std::optional<Copies> fit_sizes(SeriesList list) {
  if (list.empty()) return std::nullopt;
  list = by_size(std::move(list));
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

/// The series of the largest copies, whose latency weighs least.
const Series* largest(const SeriesList& list) {
  const Series* best = nullptr;
  for (const Series& s : list) {
    if (best == nullptr || s.bytes() > best->bytes()) best = &s;
  }
  return best;
}

double gpus(const Series& s) {
  return s.at("gpus", 1.0);
}

bool beside_kernel(const Series& s) {
  return s.how("load") == "kernel";
}

/// From the memory of another NUMA node than the GPU's.
bool from_afar(const Series& s) {
  return s.how("numa") == "remote";
}

/// Shown for comparison: nothing that is simulated depends on it.
void show_rate(Findings& findings, const SeriesList& from, const std::string& what) {
  const Series* best = largest(from);
  if (best == nullptr) return;
  findings.line({best->what->probe,
                 what,
                 Findings::text(best->rate(), dimension_of(Bandwidth{})),
                 rounded(best->time.relative_error),
                 1,
                 {},
                 false});
}

/// What 1, 2, 4 … GPUs get in all when they copy at once.
void fit_together(Findings& findings, const SeriesList& idle, const std::string& what,
                  std::optional<Curve<Bandwidth>> HostProfile::*member) {
  std::map<double, Series> by_gpus;
  for (const Series& s : idle) {
    const auto [known, is_new] = by_gpus.try_emplace(gpus(s), s);
    if (!is_new && s.bytes() > known->second.bytes()) known->second = s;
  }
  if (by_gpus.size() < 2) return;
  SeriesList list;
  std::vector<RatePoint> points;
  for (const auto& [number, s] : by_gpus) {
    list.push_back(s);
    points.push_back({number, s.rate(), s.time.relative_error});
  }
  const ConcaveFit fit = concave_curve(std::move(points));
  Doubts doubts;
  doubts.spread(list);
  doubts.residuals(fit.residuals);
  findings.out.profile.*member = findings.curve<Bandwidth>(list, what, fit, doubts);
}

/// What is left of the rate of one GPU's copies while the GPU computes.
void fit_beside_kernel(Findings& findings, const SeriesList& near, const std::string& what) {
  const auto of_one = [&](bool busy) {
    return where(near, [&](const Series& s) { return gpus(s) == 1.0 && beside_kernel(s) == busy; });
  };
  const SeriesList idle = of_one(false);
  const SeriesList loaded = of_one(true);
  const Series* busy = nullptr;
  const Series* same = nullptr;
  for (const Series& s : loaded) {
    if (busy != nullptr && s.bytes() <= busy->bytes()) continue;
    const auto found = std::find_if(idle.begin(), idle.end(),
                                    [&](const Series& one) { return one.bytes() == s.bytes(); });
    if (found == idle.end()) continue;
    busy = &s;
    same = &*found;
  }
  if (busy == nullptr) return;
  const SeriesList list = {*busy, *same};
  Doubts doubts;
  doubts.spread(list);
  findings.out.profile.copy_beside_kernel = findings.value<double>(
      list, what, std::min(1.0, busy->rate() / same->rate()),
      {portable::hypot(busy->time.relative_error, same->time.relative_error)}, list.size(), doubts);
}

void fit_host_to_device(Findings& findings, const std::string& memory,
                        std::optional<Value<Bandwidth>> HostProfile::*single,
                        std::optional<Curve<Bandwidth>> HostProfile::*together) {
  HostProfile& profile = findings.out.profile;
  const auto copies_of = [&](std::string_view direction) {
    return where(findings.select("h2d", "copy"), [&](const Series& s) {
      return s.how("direction") == direction && s.how("memory") == memory && s.bytes() > 0.0;
    });
  };
  const auto alone = [](const Series& s) { return gpus(s) == 1.0 && !beside_kernel(s); };
  const SeriesList all = copies_of("h2d");
  const SeriesList near = where(all, [](const Series& s) { return !from_afar(s); });
  const auto copies = fit_sizes(where(near, alone));
  if (!copies) return;
  if (copies->fit.coefficients[1] <= 0.0) {
    return findings.no_rate(copies->list, fmt::format("{} copies to a GPU", memory));
  }
  const double bandwidth = 1.0 / copies->fit.coefficients[1];
  profile.*single = findings.value<Bandwidth>(
      copies->list, fmt::format("{} copies to a GPU", memory), bandwidth,
      copies->fit.uncertainty(1), copies->list.size(), doubts_of(*copies));
  if (distinct(copies->list, "bytes") > 1 && !profile.copy_latency) {
    profile.copy_latency = findings.value<Duration>(
        copies->list, fmt::format("latency of a {} copy", memory), copies->fit.coefficients[0],
        copies->fit.uncertainty(0), copies->list.size(), doubts_of(*copies));
  }
  fit_together(findings, where(near, [](const Series& s) { return !beside_kernel(s); }),
               fmt::format("{} simultaneous copies to GPUs, total", memory), together);
  if (memory == "pinned") {
    fit_beside_kernel(findings, near, "share of a pinned copy's rate beside a kernel");
  }
  show_rate(findings, where(where(all, alone), from_afar),
            fmt::format("{} copies from the other NUMA node", memory));
  show_rate(findings, where(copies_of("d2h"), alone), fmt::format("{} copies from a GPU", memory));
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
  fit_host_to_device(findings, "pinned", &HostProfile::pinned_bandwidth,
                     &HostProfile::pinned_copies);
  fit_host_to_device(findings, "pageable", &HostProfile::pageable_bandwidth,
                     &HostProfile::pageable_copies);
}

}  // namespace feedrate::fit
