// Limits, over drawn results beside drawn baselines: what breaks one, what the result's own band
// explains, what is stale, and where the time went.
#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "model/metrics.hpp"
#include "pipeline/generated.hpp"
#include "seed.hpp"
#include "study/check.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;

/// A result whose time is busy or waits, with figures that are often nearly the same.
Result drawn(Generator& random) {
  Result result;
  const auto about = [&](double value) {
    return random.chance(0.3) ? value : value * random.uniform(0.85, 1.15);
  };
  result.gpu_busy_time = seconds(about(600.0));
  result.times.total = result.gpu_busy_time;
  for (const Stage stage : {Stage::decode, Stage::disk, Stage::gpu, Stage::startup}) {
    if (random.chance(0.4)) continue;
    result.stages[stage].stall = seconds(about(100.0));
    result.times.total += result.stages[stage].stall;
  }
  result.times.epoch = 0.2 * result.times.total;
  result.steps_per_epoch = 10.0;
  result.gpu_busy = result.gpu_busy_time / result.times.total;
  result.bottleneck.stage = random.chance(0.5) ? Stage::decode : Stage::disk;
  result.bill.money = usd(random.chance(0.1) ? 0.0 : about(12.0));
  result.bill.total = result.bill.money + usd(random.chance(0.5) ? 0.0 : about(5.0));
  if (random.chance(0.5)) {
    Bands& bands = result.bands.emplace();
    const auto around = [&](double value) {
      const double width = random.uniform(0.0, 0.2);
      return Band{value * (1.0 - width), value, value * (1.0 + width)};
    };
    bands.total_s = around(result.times.total.base());
    bands.money_usd = around(result.bill.money.base());
    bands.total_usd = around(result.bill.total.base());
    bands.gpu_busy = around(result.gpu_busy);
    bands.epoch_s = around(result.times.epoch.base());
  }
  return result;
}

Limit limit(Generator& random) {
  static const std::vector<std::string> metrics = {"total_s",
                                                   "money_usd",
                                                   "total_usd",
                                                   "gpu_busy",
                                                   "epoch_s",
                                                   "bottleneck is decode",
                                                   stall_metric(Stage::decode)};
  Limit made;
  made.metric = metrics[static_cast<std::size_t>(
      random.whole(0.0, static_cast<double>(metrics.size()) - 1.0))];
  const double of = random.uniform(0.0, 3.0);
  made.of = of < 1.0 ? LimitOf::value : of < 2.0 ? LimitOf::increase : LimitOf::decrease;
  made.comparison = static_cast<Comparison>(static_cast<int>(random.whole(0.0, 3.0)));
  made.relative = made.of != LimitOf::value && random.chance(0.6);
  made.level = random.chance(0.5) ? Level::fail : Level::warn;
  made.text = made.metric + " limited";
  return made;
}

/// Whether `old` lies as near to `now` as the band lies about its middle.
bool near(double old, double now, const Band& band) {
  if (band[1] == 0.0) return false;
  const double ends[] = {now * band[0] / band[1], now * band[2] / band[1]};
  return std::abs(ends[1] - ends[0]) > 0.0 && old >= std::min(ends[0], ends[1]) &&
         old <= std::max(ends[0], ends[1]);
}

TEST_CASE(
    "judged: a limit is broken where what it compares lies beyond its bound and no band says") {
  Generator random(141);
  int broken = 0, explained = 0, from_nothing = 0, absent = 0;
  for (int i = 0; i < 4000; ++i) {
    const Result was = drawn(random), now = drawn(random);
    Figures before = study::figures_of(was);
    if (random.chance(0.1)) before.values.erase("epoch_s");
    Limit of = limit(random);
    const auto value = metric(now, of.metric);
    REQUIRE(value);
    std::optional<double> old = before.find(of.metric);
    if (of.metric == "bottleneck is decode") {
      old = before.bottleneck == Stage::decode ? 1.0 : 0.0;
    } else if (!old && of.metric == stall_metric(Stage::decode)) {
      old = 0.0;  // what stalls nobody is not kept
    }
    double compared = *value;
    if (of.of != LimitOf::value) {
      compared = *value - old.value_or(0.0);
      if (of.of == LimitOf::decrease) compared = -compared;
      if (of.relative && compared != 0.0) {
        from_nothing += old.value_or(0.0) == 0.0 ? 1 : 0;
        compared = old.value_or(0.0) == 0.0
                       ? std::copysign(std::numeric_limits<double>::infinity(), compared)
                       : compared / std::abs(*old);
      }
    }
    of.bound = random.chance(0.2) ? 0.0
               : std::isfinite(compared)
                   ? compared * random.uniform(0.8, 1.2) + random.uniform(-0.02, 0.02)
                   : 0.05;
    if (std::isfinite(compared) && std::abs(compared - of.bound) < 1e-6) continue;
    const std::vector<Limit> limits{of};
    const Bands* const again = now.bands ? &*now.bands : nullptr;
    const Judgement judged = study::judge(&before, now, limits, again).limits.front();
    INFO(of.metric << " " << compared << " against " << of.bound);
    CHECK(judged.now == value);
    CHECK(judged.before == old);
    CHECK_FALSE(judged.message.empty());
    if (of.of != LimitOf::value && !old) {
      ++absent;
      CHECK(judged.level == Level::note);
      continue;
    }
    if (holds(compared, of.comparison, of.bound)) {
      CHECK(judged.level == Level::pass);
      CHECK_FALSE(judged.within_band);
      continue;
    }
    ++broken;
    const auto band = metric_band(now, of.metric);
    const bool inside =
        band && (of.of == LimitOf::value ? holds((*band)[0], of.comparison, of.bound) ||
                                               holds((*band)[2], of.comparison, of.bound)
                                         : near(*old, *value, *band));
    CHECK(judged.within_band == inside);
    CHECK(judged.level == (inside ? Level::note : of.level));
    explained += inside ? 1 : 0;
  }
  CHECK_DRAWN(broken > 500);
  CHECK_DRAWN(explained > 100);
  CHECK_DRAWN(from_nothing > 10);
  CHECK_DRAWN(absent > 10);
}

TEST_CASE("judged: the worst limit is the verdict, and much better with nothing worse is stale") {
  Generator random(142);
  int stale = 0, mixed = 0;
  for (int i = 0; i < 2000; ++i) {
    const Result was = drawn(random), now = drawn(random);
    const Figures before = study::figures_of(was);
    std::vector<Limit> limits;
    for (double k = random.whole(0.0, 3.0); k > 0.0; k -= 1.0) {
      limits.push_back(limit(random));
      limits.back().bound = random.uniform(-0.1, 0.3);
    }
    const ScenarioVerdict verdict = study::judge(&before, now, limits);
    CHECK(verdict.standing == Standing::compared);
    CHECK(verdict.bottleneck_before == was.bottleneck.stage);
    CHECK(verdict.bottleneck_now == now.bottleneck.stage);
    REQUIRE(verdict.limits.size() == limits.size());
    // How far a figure may rise says how far it has to fall to be much better.
    const auto allowed = [&](const char* metric_name) {
      for (const Limit& one : limits) {
        if (one.metric == metric_name && one.of == LimitOf::increase && one.relative &&
            one.bound > 0.0) {
          return one.bound;
        }
      }
      return 0.05;
    };
    bool better = false, worse = false;
    for (const char* name : {"money_usd", "total_usd", "total_s"}) {
      const double old = *before.find(name), value = *metric(now, name);
      better = better || value < old * (1.0 - allowed(name));
      worse = worse || value > old * (1.0 + 1e-9);
    }
    CHECK(verdict.stale == (better && !worse));
    stale += verdict.stale ? 1 : 0;
    mixed += better && worse ? 1 : 0;
    Level level = verdict.stale ? Level::note : Level::pass;
    for (const Judgement& one : verdict.limits) level = std::max(level, one.level);
    CHECK(verdict.level == level);
    for (const char* name : {"money_usd", "total_usd", "total_s", "gpu_busy"}) {
      const FigureChange* const change = verdict.figure(name);
      REQUIRE(change != nullptr);
      CHECK(change->before == before.find(name));
      CHECK(change->now == metric(now, name));
      CHECK(change->band == metric_band(now, name));
    }

    // Without an entry what is compared with it is left out.
    const ScenarioVerdict added = study::judge(nullptr, now, limits);
    CHECK(added.standing == Standing::added);
    CHECK(added.level >= Level::warn);
    CHECK(added.limits.size() ==
          static_cast<std::size_t>(std::count_if(limits.begin(), limits.end(), [](const Limit& l) {
            return l.of == LimitOf::value;
          })));
    CHECK(added.stages.empty());
    CHECK_FALSE(added.stale);
  }
  CHECK_DRAWN(stale > 50);
  CHECK_DRAWN(mixed > 50);
}

TEST_CASE("judged: stages that changed add up to the change of the time, the most grown first") {
  Generator random(143);
  for (int i = 0; i < 500; ++i) {
    const Result was = drawn(random), now = drawn(random);
    const Figures before = study::figures_of(was);
    const ScenarioVerdict verdict = study::judge(&before, now, {});
    double sum = 0.0;
    for (std::size_t k = 0; k < verdict.stages.size(); ++k) {
      const StageChange& one = verdict.stages[k];
      INFO(name_of(one.stage));
      const auto booked = [&](const Result& of) {
        Duration time = of.stages[one.stage].stall;
        if (one.stage == Stage::gpu) time += of.gpu_busy_time;
        return time.base();
      };
      CHECK(one.before.base() == Approx(booked(was)).margin(1e-6));
      CHECK(one.now.base() == Approx(booked(now)).margin(1e-6));
      CHECK(one.before != one.now);
      sum += (one.now - one.before).base();
      if (k > 0) {
        CHECK(one.now - one.before <= verdict.stages[k - 1].now - verdict.stages[k - 1].before);
      }
    }
    CHECK(sum == Approx((now.times.total - was.times.total).base()).margin(1e-5));
    CHECK(study::judge(&before, was, {}).stages.empty());
  }
}

TEST_CASE("judged: figures that are kept are those of the result, and of no other") {
  Generator random(144);
  for (int i = 0; i < 200; ++i) {
    const Result result = drawn(random);
    const Figures kept = study::figures_of(result);
    CHECK(kept.bottleneck == result.bottleneck.stage);
    for (const auto& [name, value] : kept.values) CHECK(metric(result, name) == value);
    for (const std::string& name : metric_names()) {
      const auto value = metric(result, name);
      const bool bottleneck = name.starts_with("bottleneck is");
      const bool nothing = !value || (*value == 0.0 && is_stall_of_stage(name));
      CHECK(kept.values.contains(name) == (!bottleneck && !nothing));
    }
    CHECK(study::as_kept(kept, result));
    Result other = result;
    other.times.total *= 1.001;
    CHECK_FALSE(study::as_kept(kept, other));
    other = result;
    other.bottleneck.stage = Stage::remote;
    CHECK_FALSE(study::as_kept(kept, other));
    std::vector<ScenarioVerdict> all(3);
    all[1].level = Level::warn;
    CHECK(study::worst(all) == Level::warn);
    all[2].level = Level::fail;
    CHECK(study::worst(all) == Level::fail);
  }
  CHECK(study::worst({}) == Level::pass);
}

}  // namespace
