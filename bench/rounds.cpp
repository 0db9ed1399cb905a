#include "bench/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <random>

#include "base/errors.hpp"
#include "bench/canary.hpp"
#include "bench/python_wheels.hpp"
#include "model/merge_measurements.hpp"

namespace feedrate::bench {
namespace {

constexpr std::size_t most_extra_rounds = 2;
constexpr double most_time = 1.25;  ///< of the limits of all probes, extra rounds included
constexpr Duration canary_time = milliseconds(100.0);

struct Running {
  const Probe* probe = nullptr;
  std::function<void()> turn;  ///< empty: it cannot go on
  ProbeOutcome outcome;
};

class Rounds {
 public:
  Rounds(std::span<const Probe* const> chosen, const Settings& settings, MeasurementSet& set,
         const std::atomic<bool>& stop, const Listener& listener, const Surroundings& around,
         bool alike)
      : settings_(settings),
        set_(set),
        stop_(stop),
        listener_(listener),
        around_(around),
        alike_(alike),
        planned_(planned_rounds(settings)),
        started_(around.clock()),
        recorder_(
            settings, set, stop, [this](const std::string& what) { tell(what); }, around.clock) {
    for (const Probe* probe : chosen) {
      Running one;
      one.probe = probe;
      one.outcome.probe = probe->name;
      running_.push_back(std::move(one));
    }
  }

  void run() {
    for (const bool first : {true, false}) {
      for (Running& one : running_) {
        if (!stop_ && one.probe->opens_first == first) open(one);
      }
    }
    if (going() > 0 && !stop_) prepare_canary();
    while (going() > 0 && !stop_ && wants_another()) {
      round();
      publish();
      if (listener_.after_round) listener_.after_round();
    }
    for (Running& one : running_) {
      if (!one.turn && !one.outcome.reason.empty()) continue;
      if (stop_) one.outcome.reason = "interrupted";
      one.turn = {};
      tell_end(one);
    }
    publish();
  }

 private:
  void open(Running& one) {
    one.outcome.reason = one.probe->unavailable(settings_);
    if (!one.outcome.reason.empty()) return tell_end(one);
    where_ = "prepare";
    tell(one.probe->name);
    recorder_.begin(one.probe->name, {0, settings_.time_limit, false});
    attempt(one, [&] { one.turn = one.probe->open(settings_, recorder_); });
  }

  /// A probe may fail in any way.
  void attempt(Running& one, const std::function<void()>& work) {
    std::string reason;
    try {
      work();
    } catch (const Interrupted&) {
      reason = "interrupted";
    } catch (const std::bad_alloc&) {
      reason = "not enough memory";
    } catch (const std::exception& error) {
      reason = error.what();
    }
    const ProbeOutcome until_now = recorder_.end();
    one.outcome.measured = until_now.measured;
    one.outcome.remarks = until_now.remarks;
    one.outcome.took = until_now.took;
    if (reason.empty()) return;
    one.turn = {};
    one.outcome.reason = reason;
    tell_end(one);
  }

  /// Without it the rest is still worth measuring.
  void prepare_canary() {
    if (!around_.canary) return;
    try {
      canary_ = std::make_unique<Canary>();
    } catch (const std::exception&) {
      canary_.reset();
    }
  }

  void sing() {
    if (!canary_) return;
    recorder_.begin("canary", {set_.rounds.size(), canary_time, false});
    const Duration budget = settings_.quick ? canary_time / 10.0 : canary_time;
    for (const Measurement& what : canary_->sing(budget, stop_)) {
      if (!what.times.empty()) recorder_.add(what);
    }
    recorder_.end();
  }

  void round() {
    const std::size_t number = set_.rounds.size();
    where_ = fmt::format("round {}/{}", number + 1, std::max(planned_, number + 1));
    Round round;
    round.began = around_.date();
    const Duration start = around_.clock();
    const Counters before = around_.counters();
    std::vector<Frequency> clocks;
    const auto look_at_clock = [&] {
      if (const auto clock = around_.core_clock()) clocks.push_back(*clock);
    };
    sing();
    look_at_clock();
    for (const std::size_t i : order(number)) {
      if (stop_) break;
      if (!running_[i].turn) continue;
      turn(running_[i], number);
      look_at_clock();
    }
    describe(before, around_.counters(), round);
    if (!clocks.empty()) {
      round.clock = std::accumulate(clocks.begin(), clocks.end(), Frequency()) /
                    static_cast<double>(clocks.size());
    }
    round.took = around_.clock() - start;
    set_.rounds.push_back(std::move(round));
    mark_disturbed(set_.rounds);
  }

  void turn(Running& one, std::size_t number) {
    Turn turn;
    turn.round = number;
    turn.last = number + 1 >= planned_;
    // What earlier rounds and preparing took too long is missing in the later ones.
    const Duration left =
        settings_.time_limit - (one.outcome.took - recorder_.left_out(one.probe->name));
    turn.time = number < planned_ ? left / static_cast<double>(planned_ - number)
                                  : settings_.time_limit / static_cast<double>(planned_);
    turn.time = std::max(turn.time, Duration());
    recorder_.begin(one.probe->name, turn);
    attempt(one, [&] { one.turn(); });
  }

  [[nodiscard]] std::vector<std::size_t> order(std::size_t number) const {
    std::vector<std::size_t> order(running_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(number + 1);
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }

  [[nodiscard]] bool wants_another() const {
    const std::size_t done = set_.rounds.size();
    if (done < planned_) return true;
    if (settings_.quick || alike_) return false;
    const auto disturbed = static_cast<std::size_t>(
        std::count_if(set_.rounds.begin(), set_.rounds.end(),
                      [](const Round& round) { return !round.disturbed.empty(); }));
    if (done - planned_ >= std::min(disturbed, most_extra_rounds)) return false;
    double limits = 0.0;
    for (const Running& one : running_) {
      if (one.outcome.measured) limits += one.probe->time_limits;
    }
    const Duration until_now = around_.clock() - started_;
    const Duration each = until_now / static_cast<double>(done);
    return until_now + each <= settings_.time_limit * limits * most_time;
  }

  /// Outcomes in the order of the list, and series in one that does not depend on chance.
  void publish() {
    set_.probes.clear();
    for (const Running& one : running_) {
      const bool told = one.turn || one.outcome.measured || !one.outcome.reason.empty();
      if (told) set_.probes.push_back(one.outcome);
    }
    const auto place = [&](const Measurement& what) {
      return std::find_if(running_.begin(), running_.end(),
                          [&](const Running& one) { return what.probe == one.probe->name; });
    };
    std::sort(set_.measurements.begin(), set_.measurements.end(),
              [&](const Measurement& a, const Measurement& b) {
                const auto of_a = place(a);
                const auto of_b = place(b);
                return of_a != of_b ? of_a < of_b : series_before(a, b);
              });
  }

  [[nodiscard]] std::size_t going() const {
    return static_cast<std::size_t>(std::count_if(
        running_.begin(), running_.end(), [](const Running& one) { return bool(one.turn); }));
  }

  void tell(const std::string& what) const {
    if (listener_.progress) listener_.progress(fmt::format("[{}] {}", where_, what));
  }

  void tell_end(const Running& one) const {
    if (listener_.ended) listener_.ended(one.outcome);
  }

  const Settings& settings_;
  MeasurementSet& set_;
  const std::atomic<bool>& stop_;
  const Listener& listener_;
  const Surroundings& around_;
  bool alike_;
  std::size_t planned_;
  Duration started_;
  std::string where_;
  Recorder recorder_;
  std::unique_ptr<Canary> canary_;
  std::vector<Running> running_;
};

}  // namespace

void run_probes(std::span<const Probe* const> chosen, const Settings& settings, MeasurementSet& set,
                const std::atomic<bool>& stop, const Listener& listener,
                const Surroundings& surroundings, bool alike) {
  use_packages_of(settings.python);
  Rounds(chosen, settings, set, stop, listener, surroundings, alike).run();
}

}  // namespace feedrate::bench
