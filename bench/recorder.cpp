#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "bench/precision.hpp"
#include "bench/probe.hpp"
#include "model/merge_measurements.hpp"

namespace feedrate::bench {
namespace {

constexpr std::size_t wanted_samples = 7;  ///< in a round: fewer may agree by chance
constexpr std::size_t most_samples = 1000;
constexpr double good_enough = 0.01;
constexpr Duration quick_share = milliseconds(20.0);
constexpr double usual_series = 20.0;  ///< of a probe that does not say how many it has
/// A share of time must hold so many samples before one is spent on warming up.
constexpr double many_samples = 10.0;

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

bool held_least(const Series& series) {
  return std::all_of(series.what.begin(), series.what.end(), [&](const Measurement& what) {
    return std::accumulate(what.times.begin(), what.times.end(), Duration()) >= series.least;
  });
}

bool settled(const Series& series) {
  if (!held_least(series)) return false;
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

void keep_times(Series& series, const std::vector<Duration>& times) {
  for (std::size_t i = 0; i < times.size(); ++i) series.what[i].times.push_back(times[i]);
}

bool sampled(const Series& series) {
  return !series.what.front().times.empty();
}

}  // namespace

std::size_t planned_rounds(const Settings& settings) {
  constexpr std::size_t rounds = 8;
  constexpr std::size_t quick_rounds = 3;
  return settings.quick ? quick_rounds : rounds;
}

Recorder::Recorder(const Settings& settings, MeasurementSet& set, const std::atomic<bool>& stop,
                   std::function<void(const std::string&)> progress, Clock clock)
    : settings_(settings),
      set_(set),
      stop_(stop),
      progress_(std::move(progress)),
      clock_(std::move(clock)) {}

void Recorder::begin(const std::string& probe) {
  begin(probe, {0, settings_.time_limit, true});
}

void Recorder::begin(const std::string& probe, Turn turn) {
  probe_ = probe;
  turn_ = turn;
  parts_left_ = 0;
  started_ = clock_();
}

ProbeOutcome Recorder::end() {
  Told& told = told_[probe_];
  told.took += clock_() - started_;
  ProbeOutcome outcome;
  outcome.probe = probe_;
  outcome.measured = told.measured;
  for (const auto& [about, words] : told.remarks) {
    if (!words.empty()) outcome.remarks.push_back(words);
  }
  outcome.took = told.took + told.left_out;
  return outcome;
}

/// Seeded by the round alone: processes of a group must agree.
std::vector<std::size_t> Recorder::order(const std::vector<std::size_t>& turns) const {
  std::vector<std::size_t> order(turns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(turn_.round + 1);
  std::shuffle(order.begin(), order.end(), random);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return turns[a] < turns[b]; });
  return order;
}

bool Recorder::skips(std::size_t turns) const {
  return out_of_time() && !(turn_.last && turns == 0);
}

void Recorder::tell_skipped(std::size_t skipped, std::size_t all) {
  remark(skipped == 0
             ? ""
             : fmt::format("there was not enough time for all series in every round: {} of {} were "
                           "left out of at least one round (--time-limit allows more)",
                           skipped, all),
         "time");
}

Duration Recorder::share() const {
  if (settings_.quick) return quick_share / static_cast<double>(planned_rounds(settings_));
  if (parts_left_ == 0) return turn_.time / usual_series;
  const Duration left = turn_.time - (clock_() - started_);
  return std::max(left / static_cast<double>(parts_left_), Duration());
}

void Recorder::take_turns(std::vector<Part>& parts, bool alike) {
  std::vector<std::size_t> turns;
  for (const Part& part : parts) turns.push_back(part.turns);
  parts_left_ = parts.size();
  for (const std::size_t i : order(turns)) {
    check();
    if (alike || parts_left_ == parts.size() || !skips(parts[i].turns)) {
      parts[i].run();
      ++parts[i].turns;
    }
    --parts_left_;
  }
  tell_skipped(
      static_cast<std::size_t>(std::count_if(
          parts.begin(), parts.end(), [&](const Part& part) { return part.turns <= turn_.round; })),
      parts.size());
}

void Recorder::repeat(Measurement what, std::function<Duration()> once) {
  Series one;
  one.what.push_back(std::move(what));
  one.once = [once = std::move(once)] { return std::vector<Duration>{once()}; };
  repeat(std::move(one));
}

void Recorder::repeat(Series series) {
  std::vector<Series> one = {std::move(series)};
  sample_in_turn(one, share());
}

void Recorder::repeat_in_turn(std::vector<Series>& series) {
  const bool planned = !settings_.quick;
  sample_in_turn(series, planned ? turn_.time - (clock_() - started_)
                                 : share() * static_cast<double>(series.size()));
  tell_skipped(static_cast<std::size_t>(
                   std::count_if(series.begin(), series.end(),
                                 [&](const Series& one) { return one.turns <= turn_.round; })),
               series.size());
}

void Recorder::sample_in_turn(std::vector<Series>& series, Duration share) {
  const Duration end = clock_() + share;
  std::vector<std::size_t> turns;
  for (const Series& one : series) turns.push_back(one.turns);
  std::vector<std::size_t> order = this->order(turns);
  std::vector<Duration> last(series.size());  // what the latest sample of each took
  const auto keep = [&] {
    for (Series& one : series) {
      if (sampled(one)) ++one.turns;
      const std::vector<GpuState> gpu = one.gpu ? one.gpu() : std::vector<GpuState>();
      for (Measurement& what : one.what) {
        what.gpu = gpu;
        if (!what.times.empty()) add(what);
        what.times.clear();
      }
    }
  };
  try {
    std::size_t begun = 0;
    for (const std::size_t i : order) {
      check();
      if (begun > 0 && skips(turns[i])) break;
      ++begun;
      say(series[i].what.front());
      last[i] = start(series[i], share / static_cast<double>(series.size()));
    }
    order.resize(begun);
    for (bool going_on = true; going_on;) {
      going_on = false;
      for (const std::size_t i : order) {
        // What would end too late would take the time of the series that come after these.
        const Duration began = clock_();
        const bool late = began >= end || began + last[i] > end;
        if (settled(series[i]) || (late && held_least(series[i]))) continue;
        check();
        keep_times(series[i], series[i].once());
        last[i] = clock_() - began;
        going_on = true;
      }
    }
  } catch (...) {
    keep();
    throw;
  }
  keep();
}

bool Recorder::known(const Series& series) const {
  Measurement what = series.what.front();
  what.probe = probe_;
  return std::any_of(set_.measurements.begin(), set_.measurements.end(),
                     [&](const Measurement& one) { return same_series(one, what); });
}

/// The first sample that counts, and how long it took. Before it caches, clock rates and allocators
/// settle: until a run is no faster than the one before.
Duration Recorder::start(Series& series, Duration share) {
  Duration began = clock_();
  const auto once = [&] {
    began = clock_();
    keep_times(series, series.once());
    return clock_() - began;
  };
  if (known(series)) {
    const std::vector<Duration> times = series.once();
    const Duration took = clock_() - began;
    check();
    if (took * many_samples < share) return once();
    keep_times(series, times);
    return took;
  }
  const Duration end = began + share / many_samples;
  Duration before = sample(series);
  for (int runs = 1; runs < 5 && clock_() < end; ++runs) {
    const Duration again = sample(series);
    if (again > before * 0.95) break;
    before = again;
  }
  check();
  return once();
}

void Recorder::say(const Measurement& what) const {
  if (progress_) progress_(probe_ + ": " + words(what));
}

void Recorder::add(Measurement what) {
  what.probe = probe_;
  told_[probe_].measured = true;
  const auto known = std::find_if(set_.measurements.begin(), set_.measurements.end(),
                                  [&](const Measurement& one) { return same_series(one, what); });
  if (known != set_.measurements.end()) return append_samples(*known, what, turn_.round);
  Measurement first = what;
  first.times.clear();
  first.rounds.clear();
  first.gpu.clear();
  append_samples(first, what, turn_.round);
  set_.measurements.push_back(std::move(first));
}

void Recorder::remark(const std::string& words, const std::string& about) {
  auto& remarks = told_[probe_].remarks;
  const auto known = std::find_if(remarks.begin(), remarks.end(), [&](const auto& told) {
    return about.empty() ? told.second == words : told.first == about;
  });
  if (known == remarks.end()) {
    remarks.emplace_back(about, words);
  } else {
    known->second = words;
  }
}

void Recorder::leave_out(Duration time) {
  started_ += time;
  told_[probe_].left_out += time;
}

Duration Recorder::left_out(const std::string& probe) const {
  const auto told = told_.find(probe);
  return told == told_.end() ? Duration{} : told->second.left_out;
}

void Recorder::check() const {
  if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
}

const std::atomic<bool>& Recorder::stop() const {
  return stop_;
}

bool Recorder::out_of_time() const {
  return clock_() - started_ >= turn_.time;
}

}  // namespace feedrate::bench
