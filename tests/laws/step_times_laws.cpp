// Laws of steps as they were measured: the slowest of many, exactly, and the same in the events.
#include <algorithm>
#include <cmath>
#include <random>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/simulate.hpp"
#include "queueing/empirical.hpp"
#include "seed.hpp"

using namespace feedrate;
using queueing::Empirical;

namespace {

using Counted = std::vector<std::pair<double, double>>;

Counted generated(pipeline::Generator& random, double most) {
  Counted counted;
  const double size = random.whole(2.0, most);
  for (double i = 0.0; i < size; i += 1.0) {
    counted.emplace_back(random.whole(1.0, 9.0), random.log_uniform(0.5, 3.0));
  }
  return counted;
}

/// E[max] of n draws by all combinations of them.
double by_combinations(const Counted& counted, int n) {
  double all = 0.0;
  double mean = 0.0;
  for (const auto& [count, value] : counted) {
    all += count;
    mean += count * value;
  }
  mean /= all;
  double sum = 0.0;
  std::vector<std::size_t> at(static_cast<std::size_t>(n), 0);
  for (;;) {
    double chance = 1.0;
    double largest = 0.0;
    for (const std::size_t i : at) {
      chance *= counted[i].first / all;
      largest = std::max(largest, counted[i].second);
    }
    sum += chance * largest;
    std::size_t digit = 0;
    while (digit < at.size() && ++at[digit] == counted.size()) at[digit++] = 0;
    if (digit == at.size()) return sum / mean;
  }
}

/// A job whose GPUs never wait for their loader.
pipeline::Inputs fed_job(double instances, double ranks) {
  pipeline::Inputs in;
  in.instances = instances;
  in.ranks = ranks;
  in.batch = 8.0;
  in.samples = 400.0 * instances * ranks * in.batch;
  in.workers = 2.0;
  in.cores = {{{1.0, 1.0}, {64.0, 64.0}}, 0.0};
  in.cpu = seconds_per_sample(1e-5);
  in.step.fixed = milliseconds(100.0);
  return in;
}

void give(pipeline::Inputs& in, const Counted& counted) {
  std::vector<std::pair<double, Duration>> times;
  for (const auto& [count, value] : counted) times.emplace_back(count, seconds(value));
  in.step_times = pipeline::step_times_of(times, in.accumulation);
  in.step_cv = in.step_times ? in.step_times->step.cv() : 0.0;
}

}  // namespace

TEST_CASE("law: the slowest of n measured steps is that of all combinations of them") {
  pipeline::Generator random(1);
  for (int i = 0; i < 100; ++i) {
    const Counted counted = generated(random, 6.0);
    const Empirical times(counted);
    CHECK(times.largest(1.0).mean == 1.0);
    for (const int n : {2, 3, 5}) {
      CHECK(times.largest(n).mean == Approx(by_combinations(counted, n)).epsilon(1e-12));
    }
  }
}

TEST_CASE("law: more ranks and wider times wait longer; how times are counted does not matter") {
  pipeline::Generator random(2);
  for (int i = 0; i < 200; ++i) {
    const Counted counted = generated(random, 40.0);
    const Empirical times(counted);
    double before = 1.0;
    for (const double n : {1.0, 1.5, 2.0, 7.0, 64.0, 1e3, 1e6}) {
      const double now = times.largest(n).mean;
      CHECK(now >= before * (1.0 - 1e-14));
      CHECK(now <= times.values().back() * (1.0 + 1e-12));
      before = now;
    }
    Counted doubled = counted;
    doubled.insert(doubled.end(), counted.begin(), counted.end());
    std::shuffle(doubled.begin(), doubled.end(), std::mt19937(7));
    Counted split;
    Counted wider;
    for (const auto& [count, value] : counted) {
      split.emplace_back(0.25 * count, value);
      split.emplace_back(0.75 * count, value);
      // A spread that keeps the mean: heavier tails.
      wider.emplace_back(0.5 * count, 0.7 * value);
      wider.emplace_back(0.5 * count, 1.3 * value);
    }
    for (const double n : {2.0, 30.0, 5000.0}) {
      const double here = times.largest(n).mean;
      CHECK(Empirical(doubled).largest(n).mean == Approx(here).epsilon(1e-12));
      CHECK(Empirical(split).largest(n).mean == Approx(here).epsilon(1e-12));
      CHECK(Empirical(wider).largest(n).mean >= here * (1.0 - 1e-12));
    }
    CHECK(Empirical(wider).cv() > times.cv());
  }
}

TEST_CASE("law: the slowest mean of several steps is that of drawing them") {
  pipeline::Generator random(3);
  std::mt19937_64 draw(feedrate::test::seeded(11));
  for (const double count : {2.0, 3.0, 8.0}) {
    for (int i = 0; i < 4; ++i) {
      const Empirical times(generated(random, 12.0));
      const Empirical group = times.mean_of(count);
      constexpr int rounds = 4000;
      constexpr int ranks = 64;
      double sum = 0.0;
      std::uniform_real_distribution<double> uniform;
      for (int r = 0; r < rounds; ++r) {
        double largest = 0.0;
        for (int k = 0; k < ranks; ++k) {
          double one = 0.0;
          for (double c = 0.0; c < count; c += 1.0) {
            const auto at =
                std::upper_bound(times.up_to().begin(), times.up_to().end() - 1, uniform(draw)) -
                times.up_to().begin();
            one += times.values()[static_cast<std::size_t>(at)];
          }
          largest = std::max(largest, one / count);
        }
        sum += largest;
      }
      CHECK(group.largest(ranks).mean == Approx(sum / rounds).epsilon(0.01));
      CHECK(group.cv() == Approx(times.cv() / std::sqrt(count)).epsilon(0.02));
    }
  }
}

TEST_CASE(
    "law: measured steps cost the same in the mean and in the events, at any number of ranks") {
  pipeline::Generator random(4);
  for (int i = 0; i < 6; ++i) {
    for (const double ranks : {1.0, 2.0, 8.0, 64.0}) {
      pipeline::Inputs in = fed_job(ranks > 8.0 ? ranks / 8.0 : 1.0, std::min(ranks, 8.0));
      if (i % 2 == 1) in.accumulation = 4.0;
      give(in, generated(random, 20.0));
      const double mean = pipeline::simulate(in).training().base();
      constexpr int seeds = 8;
      double events = 0.0;
      for (std::uint64_t seed = 5; seed < 5 + seeds; ++seed) {
        events += pipeline::simulate(in, {.exact = true, .seed = seed}).training().base() / seeds;
      }
      INFO(ranks << " ranks, accumulation " << in.accumulation);
      // 400 steps of each seed, or so many groups, each the slowest of all ranks: four errors of
      // their mean, and how the loader starts and ends.
      const queueing::Largest slowest = in.step_times->group.largest(ranks);
      const double drawn = seeds * 400.0 / in.accumulation;
      const double error = slowest.deviation / slowest.mean / std::sqrt(drawn);
      CHECK(events == Approx(mean).epsilon(0.005 + 4.0 * error));
    }
  }
}

TEST_CASE("law: ranks whose loaders are not simulated keep every barrier waiting all the same") {
  // 512 instances of 8: far more processes than are simulated whole. Of the 50 steps, some are left
  // over by groups of 4 and of 7.
  for (const double accumulation : {1.0, 4.0, 7.0}) {
    for (const bool measured : {false, true}) {
      pipeline::Inputs in = fed_job(512.0, 8.0);
      in.samples /= 8.0;
      in.step_cv = 0.05;
      in.accumulation = accumulation;
      if (measured) give(in, {{90.0, 1.0}, {9.0, 1.2}, {1.0, 3.0}, {0.05, 5.0}});
      const double mean = pipeline::simulate(in).training().base();
      const double events = pipeline::simulate(in, {.exact = true, .seed = 3}).training().base();
      INFO("accumulation " << accumulation);
      CHECK(events == Approx(mean).epsilon(0.04));
    }
  }
}
