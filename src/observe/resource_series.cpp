#include "observe/resource_series.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "observe/observed_means.hpp"

namespace feedrate::observe {
namespace {

/// Under what a sample's value is kept; "" where nothing is made of it. "Platform" holds
/// "Algorithm", and the loopback is no network.
std::string kind_of(const Sample& sample) {
  using enum MetricId;
  const ProcessRole role = role_in(sample.name);
  const bool loads = role == ProcessRole::trainer || role == ProcessRole::worker;
  switch (sample.metric) {
    case cpu_busy: return sample.name == "cpu" ? "cpu all" : "cpu";
    case gpu_busy: return "gpu";
    case disk_busy: return "disk";
    case disk_read:
    case io_read: return sample.metric == disk_read ? "disk read" : "disk read in all";
    case disk_write: return "written";
    case disk_reads: return "disk reads";
    case disk_limit_busy: return "limit";
    case disk_limit_bytes: return "limit bytes";
    case disk_limit_reads: return "limit reads";
    case link_busy: return sample.name == "lo" ? "" : "link";
    case cpu_steal: return sample.name == "cpu" ? "steal all" : "steal";
    case gpu_receive: return "gpu bytes";
    case gpu_clock: return "gpu clock";
    case link_receive: return sample.name == "lo" ? "" : "receive";
    case network_receive: return sample.name == "Platform" ? "" : "receive in all";
    case process_cpu:
      return role == ProcessRole::worker    ? "worker cpu"
             : role == ProcessRole::trainer ? "main cpu"
             : role == ProcessRole::other   ? "other cpu"
                                            : "";
    case process_cpu_wait: return role == ProcessRole::worker ? "worker wait" : "";
    case process_lock_wait: return role == ProcessRole::worker ? "worker lock" : "";
    case process_device_read: return loads ? "device read" : "";
    case process_cached_read: return loads ? "cached read" : "";
    case stage_busy: return sample.name == "h2d" ? "h2d" : "";
    case throttled_periods: return "throttled";
    default: return "";
  }
}

bool is_of_device(MetricId id) {
  using enum MetricId;
  return id == throttled_periods || id == disk_busy || id == disk_read || id == disk_write ||
         id == disk_limit_busy || id == disk_limit_bytes || id == disk_limit_reads ||
         id == link_busy || id == link_receive;
}

}  // namespace

void ResourceSeries::add(const Sample& sample, double usual) {
  const std::string kind = kind_of(sample);
  if (kind.empty()) return;
  const double at = sample.at.base();
  const std::string series =
      fmt::format("{}/{}/{}", static_cast<int>(sample.metric), sample.name, sample.node);
  const auto before = last_.find(series);
  double length = usual;
  if (before != last_.end()) {
    length = at - before->second;
    // What lies between parts that were seen is not the sample's.
    if (usual > 0.0) {
      length = std::min(length, usual + (sample.late ? sample.late->base() : 0.0));
    }
  }
  double value = sample.value;
  if (sample.cumulative) {
    const auto [counter, fresh] = counters_.try_emplace(series, value);
    const double grown = value - counter->second;
    counter->second = value;
    if (fresh || grown < 0.0 || before == last_.end()) {
      last_[series] = at;
      return;
    }
    value = grown / (at - before->second);
    length = at - before->second;
  }
  last_[series] = at;
  const auto put = [&](const std::string& under) {
    Point& point = points_[under][at];
    point.at = at;
    point.length = std::max(point.length, length);
    point.sum += value;
    point.count += 1.0;
  };
  put(kind);
  if (is_of_device(sample.metric)) put(fmt::format("{}:{}/{}", kind, sample.name, sample.node));
}

std::vector<ResourceSeries::Weighted> ResourceSeries::in(const std::string& kind,
                                                         const std::vector<Run>& runs,
                                                         bool sum) const {
  std::vector<Weighted> all;
  const auto found = points_.find(kind);
  if (found == points_.end()) return all;
  const auto take = [&](const Point& point, double share) {
    const double weight = (point.length > 0.0 ? point.length : 1.0) * share;
    all.push_back({sum ? point.sum : point.sum / point.count, weight});
  };
  for (const Run& run : runs) {
    const double from = run.front().end - run.front().length;
    const double to = run.back().end;
    for (auto at = found->second.lower_bound(from); at != found->second.end(); ++at) {
      const Point& point = at->second;
      const double begin = point.at - point.length;
      if (begin >= to) break;
      const double inside = std::min(to, point.at) - std::max(from, begin);
      if (point.length <= 0.0) {
        if (point.at <= to) take(point, 1.0);
      } else if (inside > 0.0) {
        take(point, inside / point.length);
      }
    }
  }
  if (all.empty()) {
    for (const auto& [at, point] : found->second) take(point, 1.0);
  }
  return all;
}

std::optional<ObservedNumber> ResourceSeries::mean_of(const std::vector<Weighted>& all) {
  double weighted = 0.0;
  double weights = 0.0;
  std::vector<double> values;
  for (const Weighted& one : all) {
    weighted += one.value * one.weight;
    weights += one.weight;
    values.push_back(one.value);
  }
  if (weights <= 0.0) return std::nullopt;
  return ObservedNumber{weighted / weights, error_of_mean(values),
                        static_cast<double>(values.size()), "samples"};
}

std::optional<ObservedNumber> ResourceSeries::mean(const std::string& kind,
                                                   const std::vector<Run>& runs) const {
  return mean_of(in(kind, runs, false));
}

std::optional<ObservedNumber> ResourceSeries::sum(const std::string& kind,
                                                  const std::vector<Run>& runs) const {
  return mean_of(in(kind, runs, true));
}

double ResourceSeries::highest(const std::string& kind, const std::vector<Run>& runs) const {
  double highest = 0.0;
  for (const Weighted& one : in(kind, runs, true)) highest = std::max(highest, one.value);
  return highest;
}

double ResourceSeries::share_above(const std::string& kind, const std::vector<Run>& runs,
                                   double bound) const {
  double above = 0.0;
  double whole = 0.0;
  for (const Weighted& one : in(kind, runs, false)) {
    whole += one.weight;
    if (one.value >= bound) above += one.weight;
  }
  return whole > 0.0 ? above / whole : 0.0;
}

std::string ResourceSeries::busiest(const std::string& kind, const std::vector<Run>& runs) const {
  std::string found;
  double most = -1.0;
  const std::string prefix = kind + ':';
  for (auto at = points_.lower_bound(prefix); at != points_.end() && at->first.starts_with(prefix);
       ++at) {
    const auto seen = mean(at->first, runs);
    if (!seen || seen->value <= most) continue;
    most = seen->value;
    found = at->first.substr(prefix.size());
  }
  return found;
}

}  // namespace feedrate::observe
