#include "study/metrics.hpp"

#include <array>
#include <utility>

namespace feedrate::study {
namespace {

using Getter = std::optional<double> (*)(const Result&);

constexpr std::array<std::pair<std::string_view, Getter>, 17> metrics = {{
    {"total_s", [](const Result& r) -> std::optional<double> { return r.times.total.base(); }},
    {"hours", [](const Result& r) -> std::optional<double> { return r.times.total / hours(1.0); }},
    {"startup_s", [](const Result& r) -> std::optional<double> { return r.times.startup.base(); }},
    {"staging_s", [](const Result& r) -> std::optional<double> { return r.times.staging.base(); }},
    {"first_epoch_s",
     [](const Result& r) -> std::optional<double> { return r.times.first_epoch.base(); }},
    {"epoch_s", [](const Result& r) -> std::optional<double> { return r.times.epoch.base(); }},
    {"step_ms",
     [](const Result& r) -> std::optional<double> {
       return r.times.epoch.base() / r.steps_per_epoch * 1e3;
     }},
    {"throughput_samples_per_s",
     [](const Result& r) -> std::optional<double> { return r.throughput.base(); }},
    {"gpu_busy", [](const Result& r) -> std::optional<double> { return r.gpu_busy; }},
    {"efficiency", [](const Result& r) { return r.efficiency; }},
    {"stall_s",
     [](const Result& r) -> std::optional<double> {
       return (r.times.total - r.gpu_busy_time).base();
     }},
    {"money_usd", [](const Result& r) -> std::optional<double> { return r.bill.money.base(); }},
    {"total_usd", [](const Result& r) -> std::optional<double> { return r.bill.total.base(); }},
    {"compute_usd", [](const Result& r) -> std::optional<double> { return r.bill.compute.base(); }},
    {"idle_gpu_usd",
     [](const Result& r) -> std::optional<double> { return r.bill.idle_gpu.base(); }},
    {"gain_if_twice_as_fast",
     [](const Result& r) -> std::optional<double> { return r.bottleneck.gain_if_twice_as_fast; }},
    {"gpus", [](const Result& r) -> std::optional<double> { return r.gpus; }},
}};

constexpr std::string_view stall_prefix = "stall_s.";
constexpr std::string_view bottleneck_prefix = "bottleneck is ";

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& [name, getter] : metrics) names.emplace_back(name);
  for (std::string_view stage : stage_names) {
    names.push_back(std::string(stall_prefix) + std::string(stage));
  }
  for (std::string_view stage : stage_names) {
    names.push_back(std::string(bottleneck_prefix) + std::string(stage));
  }
  return names;
}

std::optional<double> metric(const Result& result, std::string_view name) {
  for (const auto& [known, getter] : metrics) {
    if (known == name) return getter(result);
  }
  for (Stage stage : all_stages()) {
    if (name.starts_with(stall_prefix) && name.substr(stall_prefix.size()) == name_of(stage)) {
      return result.stages[stage].stall.base();
    }
    if (name.starts_with(bottleneck_prefix) &&
        name.substr(bottleneck_prefix.size()) == name_of(stage)) {
      return result.bottleneck.stage == stage ? 1.0 : 0.0;
    }
  }
  return std::nullopt;
}

std::optional<Band> metric_band(const Result& result, std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Band Bands::*>, 6> bands = {
      {{"total_s", &Bands::total_s},
       {"epoch_s", &Bands::epoch_s},
       {"money_usd", &Bands::money_usd},
       {"total_usd", &Bands::total_usd},
       {"throughput_samples_per_s", &Bands::throughput},
       {"gpu_busy", &Bands::gpu_busy}}};
  if (!result.bands) return std::nullopt;
  for (const auto& [known, band] : bands) {
    if (known == name) return *result.bands.*band;
  }
  return std::nullopt;
}

}  // namespace feedrate::study
