#include "reliability/interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/portable_math.hpp"
#include "reliability/schedule.hpp"

namespace feedrate::reliability {
namespace {

/// The shortest interval that writes `count` checkpoints: a hair above an equal share, so that no
/// further one is written at the very end.
Duration interval_of(const InterruptedJob& job, double count) {
  constexpr double hair = 1e-9;
  return job.work / (count + 1.0) * (1.0 + hair);
}

/// The time of a job but for blocks. One with a fallback is on spot instances for a part of its
/// work and on those that take it over for the rest: both closed forms, each by its part.
struct Plan {
  InterruptedJob spot;
  std::optional<InterruptedJob> on_demand{};
  double on_spot = 1.0;  ///< share of the work

  [[nodiscard]] double time(Duration interval) const {
    const auto of = [&](InterruptedJob job) {
      job.interval = interval;
      return expected(job).wall.base();
    };
    if (!on_demand) return of(spot);
    const double rest = (1.0 - on_spot) * of(*on_demand);
    return on_spot > 0.0 ? on_spot * of(spot) + rest : rest;
  }
  [[nodiscard]] double time(double count) const { return time(interval_of(spot, count)); }
};

using Tried = std::vector<std::pair<double, double>>;  // intervals, times

Duration longest_as_good(Tried tried, double within) {
  std::sort(tried.begin(), tried.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
  const double shortest = std::min_element(tried.begin(), tried.end(), by_time)->second;
  const auto found = std::find_if(tried.begin(), tried.end(),
                                  [&](const auto& one) { return one.second <= within * shortest; });
  return seconds(found->first);
}

/// All of the range is looked at, for the time has a dip wherever one checkpoint more is just
/// usable before the end.
Duration best_in_background(const Plan& plan, Duration least) {
  constexpr int places = 200;
  const double longest = interval_of(plan.spot, 0.0).base();
  const double step = portable::pow(std::min(1.0, least / plan.spot.work), 1.0 / places);
  Tried tried;
  const auto look_at = [&](double interval) {
    tried.emplace_back(interval, plan.time(seconds(interval)));
  };
  for (int i = 0; i <= places; ++i) look_at(longest * portable::pow(step, i));
  const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
  // The dip itself lies between two places.
  constexpr int between = 40;
  const double around = std::min_element(tried.begin(), tried.end(), by_time)->first;
  for (int i = -between; i <= between; ++i) {
    const double interval = around * portable::pow(step, static_cast<double>(i) / between);
    if (interval <= longest) look_at(interval);
  }
  return longest_as_good(std::move(tried), as_good_in_background);
}

/// Writes in a row have no room below their own time; and no schedule is finer than a second.
Duration least_interval(const InterruptedJob& job) {
  return std::max(job.writing.time, seconds(1.0));
}

Duration best_of(const Plan& plan) {
  const InterruptedJob& job = plan.spot;
  const bool struck = job.rate() > Frequency{} || plan.on_demand;
  if (job.work <= Duration{} || !struck) return interval_of(job, 0.0);
  const Duration least = least_interval(job);
  if (job.writing.background) return best_in_background(plan, least);
  double low = 0.0;
  double high = std::max(0.0, std::floor(job.work / least) - 1.0);
  // The expected time falls with more checkpoints, then rises: thirds of the range, whole numbers.
  while (high - low > 8.0) {
    const double a = std::floor(low + (high - low) / 3.0);
    const double b = std::ceil(high - (high - low) / 3.0);
    const double at_a = plan.time(a);
    const double at_b = plan.time(b);
    // Where both are beyond a double there are too few.
    if (at_a < at_b) {
      high = b;
    } else {
      low = a;
    }
  }
  double best = low;
  double time = plan.time(low);
  for (double count = low + 1.0; count <= high; count += 1.0) {
    const double now = plan.time(count);
    if (now < time) {
      time = now;
      best = count;
    }
  }
  return interval_of(job, best);
}

/// Share of its work that a job does before on-demand instances take it over: as many interruptions
/// as it meets until then, of those that all of it would meet.
double share_on_spot(const Fallback& fallback, const InterruptedJob& spot) {
  const double met = expected(spot).interruptions;
  if (met <= 0.0) return 1.0;
  // Each wait is too long with the same chance.
  const double too_long = fallback.after_wait && spot.wait > Duration{}
                              ? portable::exp(-(*fallback.after_wait / spot.wait))
                              : 0.0;
  double until = fallback.after_interruptions.value_or(met);
  if (too_long > 0.0) {
    const double none = fallback.after_interruptions
                            ? portable::pow(1.0 - too_long, *fallback.after_interruptions)
                            : 0.0;
    until = (1.0 - none) / too_long;
  }
  return std::isfinite(met) ? std::min(1.0, until / met) : 0.0;
}

/// What the ends of blocks add to a job that takes `without` them. A block's end is no surprise:
/// where nothing struck in it, the loss is what the last checkpoint that fits leaves; after an
/// interruption its place is anyone's guess.
double lost_at_ends(const InterruptedJob& job, double without) {
  const double booked = job.booked.base();
  const double period = (job.interval + job.writing.stop(job.interval)).base();
  const double delay = job.writing.delay(job.interval).base();
  const auto lost_of = [&](Duration start) {
    const double room = std::max(0.0, booked - start.base());
    const double fits = room >= period + delay ? std::floor((room - delay) / period) * period : 0.0;
    const double calm = portable::exp(-job.rate().base() * booked);
    const double somewhere = std::min(room, 0.5 * period + delay);
    return start.base() + calm * (room - fits) + (1.0 - calm) * somewhere;
  };
  const double first = lost_of(job.launch) - job.launch.base();
  const double later = lost_of(job.relaunch);
  const double gained = booked - later;
  // A block that begins where the one before it began, and saves nothing either, has no end.
  const double room = booked - job.relaunch.base();
  if (gained <= 0.0 || (room < period + delay && room < Schedule(job).length)) {
    return std::numeric_limits<double>::infinity();
  }
  // Ends that a job meets are whole, those of the mean are not.
  constexpr double half = 0.5;
  const double ends = (without - booked + first) / gained + half;
  if (ends <= 0.0) return 0.0;
  const double relaunched = ends * job.relaunch.base();
  return relaunched + std::min(1.0, ends) * first +
         std::max(0.0, ends - 1.0) * (later - job.relaunch.base());
}

/// Intervals by which so many checkpoints can be used just before a block ends.
std::vector<double> pieces_of_blocks(const InterruptedJob& job, Duration alone) {
  constexpr double hair = 1e-6;  // the last write ends before the block does
  constexpr double most = 64.0;
  const double write = job.writing.time.base();
  const double busy = job.writing.storage_busy;
  std::vector<double> pieces;
  for (const Duration start : {job.launch, job.relaunch}) {
    const double room = (job.booked - start).base() * (1.0 - hair);
    if (room <= 0.0) continue;
    const auto add = [&](double count) {
      if (!job.writing.background) {
        pieces.push_back(room / count - write);
        return;
      }
      if (busy >= 1.0) return;
      pieces.push_back((room - write / (1.0 - busy)) / count);
      // Where writes do not come to an end meanwhile, one lasts for the whole next interval.
      if (busy > 0.0) pieces.push_back((room / (count + 1.0) - write) / busy);
    };
    const double around = std::floor(room / (alone.base() + write));
    for (double count = 1.0; count <= most; count += 1.0) {
      add(count);
      if (around > most) add(around + count - 0.5 * most);
    }
  }
  return pieces;
}

/// The best of each reach of intervals, the best first.
Tried best_of_reaches(Tried tried) {
  constexpr double reach = 1.2;
  std::sort(tried.begin(), tried.end());
  Tried best;
  double from = 0.0;
  for (const auto& one : tried) {
    if (best.empty() || one.first > from * reach) {
      best.push_back(one);
      from = one.first;
    } else if (one.second < best.back().second) {
      best.back() = one;
    }
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
  return best;
}

/// The best of a job in blocks: `alone`, others near it, and those that fit a block. What their
/// ends lose in closed form tells which of them are worth playing.
Duration best_in_blocks(const InterruptedJob& of, const Plan& plan, Duration alone) {
  InterruptedJob job = of;
  // Without interruptions one course is all that there is.
  const bool calm = job.rate() <= Frequency{} && !job.fallback;
  const double longest = interval_of(job, 0.0).base();
  const double least = std::min(longest, least_interval(job).base());
  Tried tried;
  const auto look_at = [&](double interval) {
    if (!(interval >= least && interval <= longest)) return;
    job.interval = seconds(interval);
    if (calm) {
      tried.emplace_back(interval, expected(job).wall.base());
    } else {
      const double without = plan.time(job.interval);
      tried.emplace_back(interval, without + lost_at_ends(job, without));
    }
  };
  look_at(longest);
  constexpr int near = 16;
  constexpr double farthest = 4.0;
  for (int i = -near; i <= near; ++i) {
    look_at(alone.base() * portable::pow(farthest, static_cast<double>(i) / near));
  }
  for (const double interval : pieces_of_blocks(job, alone)) look_at(interval);
  const double within = job.writing.background ? as_good_in_background : 1.0;
  if (calm) return tried.empty() ? alone : longest_as_good(std::move(tried), within);
  Tried played;
  const auto play = [&](double interval) {
    constexpr double share = 0.1;
    job.interval = seconds(interval);
    played.emplace_back(interval, expected_by(job, share).wall.base());
  };
  constexpr std::size_t most = 6;
  Tried promising = best_of_reaches(std::move(tried));
  promising.resize(std::min(most, promising.size()));
  job.interval = alone;
  const double as_it_was = plan.time(alone);
  promising.emplace_back(alone.base(), as_it_was + lost_at_ends(job, as_it_was));
  for (const auto& [interval, time] : promising) {
    if (std::isfinite(time)) play(interval);
  }
  if (played.empty()) return alone;
  return longest_as_good(std::move(played), within);
}

}  // namespace

Duration young_interval(Duration write, Duration between) {
  return seconds(std::sqrt(2.0 * write.base() * between.base()));
}

Duration daly_interval(Duration write, Duration between) {
  return std::max(Duration{}, young_interval(write, between) - write);
}

Duration best_interval(const InterruptedJob& of) {
  Plan plan{of};
  plan.spot.fallback.reset();
  plan.spot.booked = Duration{};
  Duration best = best_of(plan);
  if (of.fallback && of.work > Duration{}) {
    plan.spot.interval = best;
    plan.on_spot = share_on_spot(*of.fallback, plan.spot);
    plan.on_demand = plan.spot;
    plan.on_demand->sudden = of.fallback->sudden;
    plan.on_demand->announced = Frequency{};
    if (plan.on_spot < 1.0) best = best_of(plan);
  }
  const bool in_one = of.rate() <= Frequency{} && of.launch + of.work <= of.booked;
  if (of.booked <= Duration{} || of.work <= Duration{} || in_one) return best;
  return best_in_blocks(of, plan, best);
}

}  // namespace feedrate::reliability
