#include "model/shares.hpp"

#include <algorithm>

namespace feedrate {
namespace {

/// How several of a kind make one reading at a moment.
enum class Together { mean, busiest };

struct ShareMetric {
  MetricId metric;
  std::string_view reading;
  Together together = Together::mean;
};
constexpr ShareMetric share_metrics[] = {
    {MetricId::cpu_busy, "cpu"},
    {MetricId::cpu_io_wait, "io-wait"},
    {MetricId::gpu_busy, "gpu"},
    {MetricId::gpu_memory_used, "gpu-memory"},
    {MetricId::memory_used, "ram"},
    {MetricId::disk_busy, "disk", Together::busiest},
    {MetricId::disk_limit_busy, "disk", Together::busiest},
    {MetricId::link_busy, "network", Together::busiest},
    {MetricId::throttled_periods, "throttled", Together::busiest},
};

/// No reading of its own: what the hypervisor takes of the CPUs is busy with the work of others.
constexpr std::string_view stolen = "stolen";

/// The reading that Debugger's totals would tell if they were shares.
std::string_view reading_of_total(std::string_view type) {
  return type == "i/o" ? "disk" : type == "network" ? "network" : "";
}

}  // namespace

void ShareFold::add(const Sample& sample) {
  if (sample.cumulative) return;
  if (sample.metric == MetricId::process_cpu) {
    const ProcessRole role = role_in(sample.name);
    trainer_ = trainer_ || role == ProcessRole::trainer;
    // A pinning thread is a part of its trainer.
    if (role != ProcessRole::pin) own_cpus_[sample.at.base()] += sample.value / 100.0;
    return;
  }
  if (sample.metric == MetricId::cpu_busy) {
    each_cpu_ =
        each_cpu_ && !sample.name.empty() && sample.name.back() >= '0' && sample.name.back() <= '9';
  }
  const auto* const found =
      std::find_if(std::begin(share_metrics), std::end(share_metrics),
                   [&](const ShareMetric& row) { return row.metric == sample.metric; });
  const bool steal = sample.metric == MetricId::cpu_steal;
  if (found == std::end(share_metrics) && !steal) {
    const std::string_view type = metric(sample.metric).type;
    if (const auto reading = reading_of_total(type); !reading.empty()) {
      totals_.emplace(type, reading);
    }
    return;
  }
  Moment& moment = moments_[steal ? stolen : found->reading][sample.at.base()];
  const double share = std::min(1.0, sample.value / 100.0);  // a limit lets bursts through
  moment.sum += share;
  moment.count += 1.0;
  moment.most = std::max(moment.most, share);
}

void ShareFold::add(const ObservationHeader& header) {
  cpus_ = header.cpus && *header.cpus >= 1.0 ? header.cpus : std::nullopt;
  const bool some = header.ranks && header.gpus && *header.ranks >= 1.0;
  ranks_of_one_ = some ? std::max(1.0, *header.gpus / *header.ranks) : 1.0;
}

ShareFold ShareFold::within(const std::function<bool(Duration)>& time) const {
  ShareFold out = *this;
  const auto beyond = [&](const auto& of) { return !time(seconds(of.first)); };
  for (auto& [reading, moments] : out.moments_) std::erase_if(moments, beyond);
  std::erase_if(out.moments_, [](const auto& of) { return of.second.empty(); });
  std::erase_if(out.own_cpus_, beyond);
  return out;
}

Shares ShareFold::shares() const {
  Shares shares;
  for (const ShareMetric& row : share_metrics) {
    const auto found = moments_.find(row.reading);
    if (found == moments_.end()) continue;
    std::vector<double>& series = shares[std::string(row.reading)];
    if (!series.empty()) continue;  // of another metric of the same reading
    for (const auto& [at, moment] : found->second) {
      series.push_back(row.together == Together::busiest ? moment.most : moment.mean());
    }
    if (row.metric == MetricId::cpu_busy) add_stolen(series, found->second);
  }
  const auto cpus = moments_.find("cpu");
  if (!trainer_ || !(each_cpu_ || cpus_) || cpus == moments_.end()) return shares;
  for (const auto& [at, own] : own_cpus_) {
    const auto moment = cpus->second.find(at);
    if (moment == cpus->second.end()) continue;
    const double all = each_cpu_ ? moment->second.count : *cpus_;
    shares["own-cpu"].push_back(std::min(1.0, own * ranks_of_one_ / all));
  }
  return shares;
}

/// As pasted screens of top and iostat are read.
void ShareFold::add_stolen(std::vector<double>& busy, const std::map<double, Moment>& at) const {
  const auto taken = moments_.find(stolen);
  if (taken == moments_.end()) return;
  auto share = busy.begin();
  for (const auto& [time, moment] : at) {
    const auto others = taken->second.find(time);
    if (others != taken->second.end()) *share = std::min(1.0, *share + others->second.mean());
    ++share;
  }
}

std::vector<std::string_view> ShareFold::not_shares() const {
  std::vector<std::string_view> types;
  for (const auto& [type, reading] : totals_) {
    if (!moments_.contains(reading)) types.push_back(type);
  }
  return types;
}

void add_shares(Readings& readings, const Shares& shares) {
  for (const ReadingRow& row : all_readings()) {
    const ReadingRow& of = row.quantile > 0.0 ? reading(row.samples_of) : row;
    const auto found = shares.find(std::string(of.name));
    if (found == shares.end()) continue;
    readings[row.id] = summary_of(row, found->second);
  }
}

}  // namespace feedrate
