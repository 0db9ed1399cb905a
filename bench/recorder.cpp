#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/precision.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {
namespace {

constexpr std::size_t least_samples = 3;
constexpr std::size_t wanted_samples = 7;  ///< fewer may agree by chance
constexpr std::size_t most_samples = 1000;
constexpr double good_enough = 0.01;
constexpr Duration quick_share = milliseconds(20.0);

std::string number_text(const std::string& name, double value) {
  if (name != "bytes") return fmt::format("{} {:g}", name, value);
  if (value >= 1e6) return fmt::format("{:g} MB", value / 1e6);
  return value >= 1e3 ? fmt::format("{:g} KB", value / 1e3) : fmt::format("{:g} B", value);
}

std::string words(const Measurement& what) {
  std::string text = what.quantity;
  for (const auto& [name, value] : what.at) text += ", " + number_text(name, value);
  for (const auto& [name, value] : what.how) text += ", " + value;
  return text;
}

bool settled(const Series& series) {
  return std::all_of(series.what.begin(), series.what.end(), [](const Measurement& what) {
    if (what.times.size() >= most_samples) return true;
    return what.times.size() >= wanted_samples &&
           relative_error_of_median(what.times) < good_enough;
  });
}

Duration sample(const Series& series) {
  Duration sum;
  for (const Duration time : series.once()) sum += time;
  return sum;
}

void record(Series& series) {
  const std::vector<Duration> times = series.once();
  for (std::size_t i = 0; i < times.size(); ++i) series.what[i].times.push_back(times[i]);
}

/// Caches, clock rates and allocators settle: until a run is no faster than the one before.
void warm_up(const Series& series, Duration at_most) {
  const Duration end = now() + at_most;
  Duration before = sample(series);
  for (int runs = 1; runs < 5 && now() < end; ++runs) {
    const Duration again = sample(series);
    if (again > before * 0.95) return;
    before = again;
  }
}

}  // namespace

Recorder::Recorder(const Settings& settings, MeasurementSet& set, const std::atomic<bool>& stop,
                   std::function<void(const std::string&)> progress)
    : settings_(settings), set_(set), stop_(stop), progress_(std::move(progress)) {}

void Recorder::begin(const std::string& probe) {
  probe_ = probe;
  remarks_.clear();
  planned_ = 0;
  first_ = set_.measurements.size();
  started_ = now();
}

ProbeOutcome Recorder::end() {
  ProbeOutcome outcome;
  outcome.probe = probe_;
  outcome.measured = set_.measurements.size() > first_;
  outcome.remarks = std::move(remarks_);
  outcome.took = now() - started_;
  return outcome;
}

void Recorder::plan(std::size_t series) {
  planned_ = series;
}

Duration Recorder::share(std::size_t series) {
  const auto count = static_cast<double>(series);
  if (settings_.quick) return quick_share * count;
  if (planned_ == 0) return settings_.time_limit * (count / 20.0);
  const Duration left = settings_.time_limit - (now() - started_);
  const Duration share = left * (count / static_cast<double>(std::max(planned_, series)));
  planned_ -= std::min(planned_, series);
  return std::max(share, Duration());
}

void Recorder::repeat(Measurement what, std::function<Duration()> once) {
  Series series;
  series.what.push_back(std::move(what));
  series.once = [once = std::move(once)] { return std::vector<Duration>{once()}; };
  repeat_in_turn({std::move(series)});
}

void Recorder::repeat_in_turn(std::vector<Series> series) {
  const Duration share_of_all = share(series.size());
  const Duration end = now() + share_of_all;
  const auto keep = [&] {
    for (Series& one : series) {
      for (Measurement& what : one.what) {
        if (!what.times.empty()) add(std::move(what));
      }
    }
  };
  try {
    for (Series& one : series) {
      check();
      say(one.what.front());
      warm_up(one, share_of_all / (10.0 * static_cast<double>(series.size())));
    }
    for (bool going_on = true; going_on;) {
      going_on = false;
      for (Series& one : series) {
        const bool enough = one.what.front().times.size() >= least_samples && now() >= end;
        if (enough || settled(one)) continue;
        check();
        record(one);
        going_on = true;
      }
    }
  } catch (...) {
    keep();
    throw;
  }
  keep();
}

void Recorder::say(const Measurement& what) const {
  if (progress_) progress_(probe_ + ": " + words(what));
}

void Recorder::add(Measurement what) {
  what.probe = probe_;
  set_.measurements.push_back(std::move(what));
}

void Recorder::remark(std::string words) {
  remarks_.push_back(std::move(words));
}

void Recorder::check() const {
  if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
}

const std::atomic<bool>& Recorder::stop() const {
  return stop_;
}

bool Recorder::out_of_time() const {
  return now() - started_ >= settings_.time_limit;
}

}  // namespace feedrate::bench
