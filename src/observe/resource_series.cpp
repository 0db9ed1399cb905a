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
    case disk_reads: return "disk reads";
    case link_receive: return sample.name == "lo" ? "" : "receive";
    case network_receive: return sample.name == "Platform" ? "" : "receive in all";
    case process_cpu:
      return role == ProcessRole::worker    ? "worker cpu"
             : role == ProcessRole::trainer ? "main cpu"
                                            : "";
    case process_device_read: return loads ? "device read" : "";
    case process_cached_read: return loads ? "cached read" : "";
    case stage_busy: return sample.name == "h2d" ? "h2d" : "";
    case throughput: return "throughput";
    default: return "";
  }
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
  Point& point = points_[kind][at];
  point.at = at;
  point.length = std::max(point.length, length);
  point.sum += value;
  point.count += 1.0;
}

std::optional<ObservedNumber> ResourceSeries::over(const std::string& kind,
                                                   const std::vector<Run>& runs, bool sum) const {
  const auto found = points_.find(kind);
  if (found == points_.end()) return std::nullopt;
  double weighted = 0.0;
  double weights = 0.0;
  std::vector<double> values;
  const auto take = [&](const Point& point, double share) {
    const double value = sum ? point.sum : point.sum / point.count;
    const double weight = (point.length > 0.0 ? point.length : 1.0) * share;
    weighted += value * weight;
    weights += weight;
    values.push_back(value);
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
  if (values.empty()) {
    for (const auto& [at, point] : found->second) take(point, 1.0);
  }
  if (weights <= 0.0) return std::nullopt;
  return ObservedNumber{weighted / weights, error_of_mean(values),
                        static_cast<double>(values.size()), "samples"};
}

std::optional<ObservedNumber> ResourceSeries::mean(const std::string& kind,
                                                   const std::vector<Run>& runs) const {
  return over(kind, runs, false);
}

std::optional<ObservedNumber> ResourceSeries::sum(const std::string& kind,
                                                  const std::vector<Run>& runs) const {
  return over(kind, runs, true);
}

}  // namespace feedrate::observe
