#include "observe/glance.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "model/shares.hpp"

namespace feedrate::observe {
namespace {

constexpr std::array roles_shown = {ProcessRole::trainer, ProcessRole::worker, ProcessRole::pin,
                                    ProcessRole::other};

void add_to(std::optional<Bandwidth>& sum, double value) {
  sum = sum.value_or(Bandwidth{}) + bytes_per_second(value);
}

/// Means of what each of the looks tells.
Readings mean_of(const auto& looks) {
  Readings mean;
  for (const ReadingRow& row : all_readings()) {
    std::vector<double> values;
    const ReadingRow& of = row.quantile > 0.0 ? reading(row.samples_of) : row;
    for (const auto& look : looks) {
      if (const auto& value = look.readings[of.id]) values.push_back(*value);
    }
    if (!values.empty()) mean[row.id] = summary_of(row, std::move(values));
  }
  return mean;
}

}  // namespace

Glance GlanceMaker::add(std::span<const Sample> look) {
  Glance glance;
  glance.at = look.front().at - started_;
  glance.late = look.front().late;
  ShareFold fold;
  std::map<ProcessRole, RoleGlance> roles;
  double busiest_disk = -1.0;
  double busiest_link = -1.0;
  for (const Sample& sample : look) {
    fold.add(sample);
    switch (sample.metric) {
      case MetricId::io_read: add_to(glance.disk_read, sample.value); break;
      case MetricId::network_receive: add_to(glance.network_receive, sample.value); break;
      case MetricId::process_device_read: add_to(glance.device_read, sample.value); break;
      case MetricId::process_cached_read: add_to(glance.cached_read, sample.value); break;
      case MetricId::throttled_periods:
        glance.throttled = std::max(glance.throttled, sample.value / 100.0);
        break;
      case MetricId::disk_busy:
      case MetricId::disk_limit_busy:
        if (sample.value > busiest_disk) {
          const bool limit = sample.metric == MetricId::disk_limit_busy;
          glance.busiest_disk = sample.name + (limit ? " limit" : "");
        }
        busiest_disk = std::max(busiest_disk, sample.value);
        break;
      case MetricId::link_busy:
        if (sample.value > busiest_link) glance.busiest_link = sample.name;
        busiest_link = std::max(busiest_link, sample.value);
        break;
      case MetricId::process_cpu: {
        RoleGlance& role = roles[role_in(sample.name)];
        ++role.processes;
        role.cpu += sample.value / 100.0;
        break;
      }
      default: break;
    }
  }
  add_shares(glance.readings, fold.shares());
  for (const ProcessRole role : roles_shown) {
    const auto found = roles.find(role);
    if (found == roles.end()) continue;
    found->second.role = role;
    glance.roles.push_back(found->second);
  }
  looks_.push_back({look.front().at, glance.readings});
  while (looks_.front().at < looks_.back().at - window_) looks_.pop_front();
  glance.window = looks_.back().at - looks_.front().at;
  glance.recent = mean_of(looks_);
  return glance;
}

std::optional<HourlyPrice> wasted(const Glance& glance, HourlyPrice price) {
  const auto& busy = glance.recent[ReadingId::gpu];
  return busy ? std::optional(price * (1.0 - *busy)) : std::nullopt;
}

}  // namespace feedrate::observe
