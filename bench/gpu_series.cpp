#include "bench/gpu_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace feedrate::bench {
namespace {

constexpr int most_in_a_row = 1 << 20;

/// The name under which it is known how often a series is done in a row.
std::string name_of(const Measurement& what) {
  std::string name = what.quantity;
  for (const auto& [key, value] : what.at) name += fmt::format(" {} {:g}", key, value);
  for (const auto& [key, value] : what.how) name += fmt::format(" {} {}", key, value);
  return name;
}

/// The mean of what is there.
template <class Number>
void mean_of(const std::vector<GpuState>& states, std::optional<Number> GpuState::*member,
             GpuState& into) {
  Number sum{};
  double count = 0.0;
  for (const GpuState& state : states) {
    if (!(state.*member)) continue;
    sum += *(state.*member);
    count += 1.0;
  }
  if (count > 0.0) into.*member = sum / count;
}

}  // namespace

GpuTimes gpu_times(const Settings& settings) {
  if (settings.quick) {
    return {milliseconds(10.0), milliseconds(1.0), Duration(), milliseconds(30.0)};
  }
  const auto rounds = static_cast<double>(planned_rounds(settings));
  // Of the probe's 30 s eight seconds of warming up; the sustained series' ten come on top.
  return {settings.time_limit / 30.0, milliseconds(20.0), seconds(0.5) / rounds,
          settings.time_limit / 3.0};
}

int times_for(const gpu::Repeated& once, Duration least) {
  int times = 1;
  while (once(times, {}) < least && times < most_in_a_row) times *= 2;
  return times;
}

GpuState together(const std::vector<GpuState>& states) {
  GpuState all;
  mean_of(states, &GpuState::sm_clock, all);
  mean_of(states, &GpuState::memory_clock, all);
  mean_of(states, &GpuState::power, all);
  std::set<std::string> reasons;
  for (const GpuState& state : states) {
    if (state.temperature) {
      all.temperature = std::max(all.temperature.value_or(*state.temperature), *state.temperature);
    }
    if (!state.held_back.empty()) reasons.insert(state.held_back);
  }
  for (const std::string& reason : reasons) {
    all.held_back += (all.held_back.empty() ? "" : "; ") + reason;
  }
  return all;
}

GpuSeries::GpuSeries(const Settings& settings, Recorder& recorder, int gpu)
    : recorder_(recorder), times_(gpu_times(settings)), gpu_(gpu) {
  const std::string reason = gpu::nvml_unavailable();
  if (!reason.empty()) {
    recorder.remark("clocks, power and heat of the GPU are not recorded: " + reason, "nvml");
  }
}

void GpuSeries::warm_up(const gpu::Repeated& once) {
  Duration sum;
  for (int times = 1; sum < times_.warm_up;) {
    recorder_.check();
    const Duration took = once(times, {});
    sum += took;
    // No longer than a sample, so that Ctrl-C is heard.
    if (took < times_.sample && times < most_in_a_row) times *= 2;
  }
}

void GpuSeries::look() {
  recorder_.check();
  GpuState state = gpu::state_of(gpu_);
  if (state != GpuState{}) states_.push_back(std::move(state));
}

std::vector<GpuState> GpuSeries::take_states() {
  return std::exchange(states_, {});
}

bool GpuSeries::repeat(Measurement what, const std::function<gpu::Repeated()>& make) {
  gpu::Repeated once;
  try {
    once = make();
  } catch (const gpu::OutOfMemory& full) {
    recorder_.remark(
        fmt::format("{} was left out at the largest size: {}", what.quantity, full.what()),
        what.quantity);
    return false;
  }
  int& times = in_a_row_[name_of(what)];
  if (times == 0) times = times_for(once, times_.sample);
  what.work *= times;
  take_states();
  Series series;
  series.what.push_back(std::move(what));
  series.once = [&, this] { return std::vector<Duration>{once(times, [this] { look(); })}; };
  series.least = times_.series;
  series.gpu = [this] {
    const std::vector<GpuState> states = take_states();
    return states.empty() ? states : std::vector<GpuState>{together(states)};
  };
  recorder_.repeat(std::move(series));
  return true;
}

void describe_gpus(Recorder& recorder) {
  std::vector<GpuFacts>& known = recorder.host().gpu_details;
  if (!known.empty()) return;
  for (int gpu = 0; gpu < gpu::count(); ++gpu) known.push_back(gpu::facts(gpu));
}

}  // namespace feedrate::bench
