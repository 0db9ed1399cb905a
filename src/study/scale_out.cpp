#include "study/scale_out.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace feedrate::study {
namespace {

using OneSetting = std::pair<std::string, std::string>;

/// "instances", "cluster.instances", "/cluster/instances".
bool sets_instances(const OneSetting& setting) {
  const std::string_view key = setting.first;
  const std::size_t last = key.find_last_of("./");
  const std::string_view name = last == std::string_view::npos ? key : key.substr(last + 1);
  return name == "instances" && key.find("remote") == std::string_view::npos;
}

/// The settings of a point, without its number of instances.
std::vector<OneSetting> others(const SweepPoint& point) {
  std::vector<OneSetting> kept;
  std::copy_if(point.set.begin(), point.set.end(), std::back_inserter(kept),
               [](const OneSetting& one) { return !sets_instances(one); });
  return kept;
}

bool varies_instances(const SweepPoint& point) {
  return std::any_of(point.set.begin(), point.set.end(), sets_instances);
}

ScaleOut beside(const Result& few, const Result& many) {
  ScaleOut out;
  out.instances = few.instances;
  out.time = many.times.total / few.times.total - 1.0;
  const auto change = [](Money now, Money before) -> std::optional<double> {
    if (before <= Money{}) return std::nullopt;
    return now / before - 1.0;
  };
  out.money = change(many.bill.money, few.bill.money);
  out.total = change(many.bill.total, few.bill.total);
  if (!many.efficiency || *many.efficiency <= 0.0 || few.bill.total <= Money{}) return out;
  const CostByEfficiency cost(many);
  out.break_even = cost.efficiency_at(few.bill.total);
  for (std::size_t i = 0; i < ladder_efficiencies.size(); ++i) {
    out.total_at.push_back(cost.total(ladder_efficiencies[i]) / few.bill.total);
  }
  return out;
}

}  // namespace

CostByEfficiency::CostByEfficiency(const Result& at) {
  const Bill& bill = at.bill;
  const Duration epochs = at.times.total - at.times.startup - at.times.staging;
  const auto share_of = [&](Duration all) { return all > Duration{} ? epochs / all : 0.0; };
  const Money rented = bill.compute + bill.auxiliary;
  const Money held = bill.storage + bill.hour_value;
  const Money of_epochs =
      std::min(1.0, share_of(bill.billed_time)) * rented + share_of(at.times.total) * held;
  fixed_ = bill.total - of_epochs;
  at_one_ = *at.efficiency * of_epochs;
}

Money CostByEfficiency::total(double efficiency) const {
  return fixed_ + at_one_ / efficiency;
}

std::optional<double> CostByEfficiency::efficiency_at(Money cost) const {
  if (cost <= fixed_) return std::nullopt;
  const double efficiency = at_one_ / (cost - fixed_);
  if (efficiency > 1.0) return std::nullopt;
  return efficiency;
}

std::optional<Money> cost_alone(const Result& several) {
  if (!several.job_efficiency) return std::nullopt;
  const Bill& bill = several.bill;
  const double longer = several.as_many_alike.value_or(several.instances) * *several.job_efficiency;
  return longer *
             (bill.compute / several.instances + bill.auxiliary + bill.storage + bill.hour_value) +
         bill.requests + bill.transfer;
}

std::vector<std::optional<ScaleOut>> scale_out(std::span<const SweepPoint> points) {
  std::vector<std::optional<ScaleOut>> all(points.size());
  std::vector<std::size_t> several;
  std::map<std::vector<OneSetting>, std::size_t> fewest;
  std::vector<std::size_t*> fewest_of;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].answered() || !varies_instances(points[i])) continue;
    std::size_t& least = fewest.try_emplace(others(points[i]), i).first->second;
    if (points[i].result.instances < points[least].result.instances) least = i;
    several.push_back(i);
    fewest_of.push_back(&least);
  }
  for (std::size_t k = 0; k < several.size(); ++k) {
    const Result& many = points[several[k]].result;
    const Result& few = points[*fewest_of[k]].result;
    if (few.instances < many.instances) all[several[k]] = beside(few, many);
  }
  return all;
}

}  // namespace feedrate::study
