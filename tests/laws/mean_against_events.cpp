// The mean of a job against its events: two implementations that share what a sample costs
// (pipeline/loading.hpp) and nothing else.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/random.hpp"
#include "pipeline/simulate.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

double by_events(const Inputs& inputs, std::uint64_t seed) {
  Effort effort;
  return random_epoch(inputs, {}, seed, effort).wall.base();
}

/// A pool's threads take samples one by one, each with events of its own: a few large pools would
/// take half of the time of all jobs.
bool has_too_many_events(const Inputs& in) {
  return in.kind == LoaderKind::pool && in.samples > 60'000.0;
}

/// A loader whose batches nobody waits for, of `workers` threads that read and decode.
Inputs loader_alone(double workers) {
  Inputs in;
  in.kind = LoaderKind::pool;
  in.in_order = false;
  in.workers = workers;
  in.batch = 128.0;
  in.prefetch = 64.0;
  in.samples = 128.0 * 1000.0;
  in.size_cv = 0.3;
  in.step.fixed = seconds(1e-9);
  return in;
}

Read reading(double seconds_each, Discipline discipline) {
  Read read;
  read.bytes = bytes_per_sample(1.0);
  read.rate = {{{1.0, bytes_per_second(1.0 / seconds_each)}}, 0.0};
  read.discipline = discipline;
  return read;
}

Curve<double> cores(double most) {
  if (most <= 1.0) return {{{1.0, 1.0}}, 0.0};
  return {{{1.0, 1.0}, {most, most}}, 0.0};
}

}  // namespace

TEST_CASE(
    "loader: X(n) is the simulated one within 1 %, for each discipline and mixtures of them") {
  struct Mixture {
    const char* name;
    void (*set)(Inputs&);
  };
  const std::vector<Mixture> mixtures = {
      {"delay and cores",
       [](Inputs& in) {
         in.source = reading(1.0, Discipline::shared);
         in.source->latency = milliseconds(10.0);
         in.source->bytes = {};
         in.cpu = seconds_per_sample(2e-3);
         in.cores = cores(4.0);
       }},
      {"shared disk and cores",
       [](Inputs& in) {
         in.disk = reading(1e-3, Discipline::shared);
         in.cpu = seconds_per_sample(4e-3);
         in.cores = cores(4.0);
       }},
      {"delay, shared link, shared disk, cores",
       [](Inputs& in) {
         in.source = reading(0.7e-3, Discipline::shared);
         in.source->latency = milliseconds(5.0);
         in.disk = reading(0.5e-3, Discipline::shared);
         in.cpu = seconds_per_sample(8e-3);
         in.cores = {{{1.0, 1.0}, {8.0, 8.0}, {16.0, 10.4}}, 0.0};
       }},
      {"rate limit in bytes before cores",
       [](Inputs& in) {
         in.disk = reading(1e-9, Discipline::shared);
         in.disk->limits.push_back({"limit", 900.0, 0.0, 0.0, 1.0, false});
         in.cpu = seconds_per_sample(4e-3);
         in.cores = cores(4.0);
       }},
      {"connections, each with its latency",
       [](Inputs& in) {
         in.source = reading(0.2e-3, Discipline::shared);
         in.source->latency = milliseconds(8.0);
         in.source->connections = 6.0;
         in.cpu = seconds_per_sample(1e-3);
         in.cores = cores(8.0);
       }},
  };
  for (const Mixture& mixture : mixtures) {
    for (const double workers : {1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0, 64.0}) {
      Inputs in = loader_alone(workers);
      mixture.set(in);
      in.first_source = in.source;
      const double predicted = loader_curve(in, EpochKind::first, 1.0).back();
      const double simulated = in.samples / by_events(in, 1);
      INFO(mixture.name << ", " << workers << " workers");
      CHECK(predicted == Approx(simulated).epsilon(0.01));
    }
  }
}

TEST_CASE(
    "loader: the table of two workers that read and decode, from the scenario's own numbers") {
  const std::vector<double> shared = {95.0, 164.0, 199.0, 217.0, 227.0, 234.0};
  const std::vector<double> limited = {155.0, 246.0, 246.0, 246.0, 246.0, 246.0};
  for (std::size_t n = 1; n <= 6; ++n) {
    Inputs in = loader_alone(static_cast<double>(n));
    in.cpu = seconds_per_sample(1.0 / 155.0);
    in.cores = {{{1.0, 1.0}, {2.0, 300.0 / 155.0}, {3.0, 350.0 / 155.0}}, 0.0};
    in.disk = reading(4.06e-3, Discipline::shared);
    CHECK(loader_curve(in, EpochKind::first, 1.0).back() == Approx(shared[n - 1]).margin(0.6));
    in.disk->rate = {};
    in.disk->limits.push_back({"limit", 1.0 / 4.06e-3, 0.0, 0.0, 1.0, false});
    CHECK(loader_curve(in, EpochKind::first, 1.0).back() == Approx(limited[n - 1]).margin(0.6));
  }
}

TEST_CASE("loader: a latency is no longer for a large sample, in the mean and in the events") {
  // Six workers wait 20 ms for the first byte of each sample and 0.04 ms for the rest of it: 299
  // samples a second, whatever their sizes, for a GPU that takes 181.
  for (const double batch : {1.0, 4.0, 16.0}) {
    for (const double size_cv : {0.0, 1.0, 2.0}) {
      Inputs in;
      in.kind = LoaderKind::pytorch;
      in.workers = 6.0;
      in.prefetch = 2.0;
      in.batch = batch;
      in.samples = 4000.0;
      in.size_cv = size_cv;
      Read read;
      read.latency = milliseconds(20.0);
      read.bytes = bytes_per_sample(20e3);
      read.rate = linear_until(bytes_per_second(500e6), bytes_per_second(500e9));
      in.source = in.first_source = read;
      in.step.per_sample = seconds_per_sample(5.51e-3);
      INFO("batches of " << batch << ", cv " << size_cv);
      const double by_hand = 4000.0 * 5.51e-3 + batch * 20.04e-3;
      CHECK(simulate(in).first.wall.base() == Approx(by_hand).epsilon(0.005));
      CHECK(by_events(in, 1) == Approx(by_hand).epsilon(0.005));
      in.read_cv = 1.5;
      CHECK(by_events(in, 1) > 1.02 * by_hand);
    }
  }
}

TEST_CASE(
    "loader: a pool that has begun hardly more samples than it has threads waits for the slowest") {
  std::vector<double> errors;
  int waiting = 0;
  for (const double size_cv : {0.05, 0.3, 0.6}) {
    for (const bool in_order : {false, true}) {
      for (const double batch : {1.0, 2.0, 4.0, 8.0, 32.0}) {
        for (const double prefetch : {1.0, 2.0, 4.0}) {
          for (const double threads : {2.0, 4.0, 8.0, 12.0, 32.0}) {
            Inputs in = loader_alone(threads);
            in.in_order = in_order;
            in.batch = batch;
            in.prefetch = prefetch;
            in.samples = 400.0 * batch;
            in.size_cv = size_cv;
            in.make_cv = 0.15;
            in.cpu = seconds_per_sample(0.01);
            in.cores = cores(32.0);
            const double events = by_events(in, 1);
            const double busy = in.samples * 0.01 / events;
            waiting += busy < 0.9 * std::min(threads, batch * prefetch) ? 1 : 0;
            errors.push_back(std::abs(simulate(in).first.wall.base() / events - 1.0));
          }
        }
      }
    }
  }
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    return errors[static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1))];
  };
  INFO("median " << at(0.5) << ", 90 % " << at(0.9) << ", worst " << errors.back());
  CHECK(waiting > 100);
  CHECK(at(0.5) < 0.02);
  CHECK(at(0.9) < 0.06);
  CHECK(errors.back() < 0.2);
}

TEST_CASE("loader: large batches, many threads and samples of any variance are as in the events") {
  // Batches of 256 whose samples vary by three times their mean were 5.5 times too slow: they were
  // taken for as variable as their samples.
  Draws draws(8);
  std::vector<double> errors;
  int waiting = 0;
  for (int i = 0; i < 200; ++i) {
    Inputs in = loader_alone(std::floor(draws.log_uniform(2.0, 65.0)));
    in.in_order = draws.chance(0.7);
    in.batch = std::floor(draws.log_uniform(1.0, 1025.0));
    in.prefetch = std::floor(draws.log_uniform(1.0, 17.0));
    in.size_cv = draws.log_uniform(0.1, 5.0);
    in.cpu = seconds_per_sample(0.01);
    in.cores = cores(64.0);
    // As many as their mean needs to be known within 1.5 %.
    const double samples =
        std::max(100.0 * in.batch * in.prefetch, 4500.0 * in.size_cv * in.size_cv);
    in.samples = in.batch * std::ceil(samples / in.batch);
    if (in.samples > 200'000.0) continue;
    const double events = by_events(in, 1);
    const double error = simulate(in).first.wall.base() / events - 1.0;
    INFO(in.workers << " threads, batches of " << in.batch << ", " << in.prefetch << " ahead, cv "
                    << in.size_cv << ", in order " << in.in_order << ": " << error);
    // One sample more than threads and hardly any variance: the events have a round more for it.
    CHECK(std::abs(error) < 0.35);
    waiting += in.samples * 0.01 / events < 0.9 * in.workers ? 1 : 0;
    errors.push_back(std::abs(error));
  }
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    return errors[static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1))];
  };
  INFO("median " << at(0.5) << ", 90 % " << at(0.9) << ", worst " << errors.back());
  CHECK_DRAWN(waiting > 50);
  CHECK(at(0.5) < 0.02);
  CHECK(at(0.9) < 0.1);
}

TEST_CASE("job: the mean is that of its events, over 2,000 generated jobs") {
  // Half are within 1 %, nine of ten within 5 %; what is worse are epochs of few steps, and drains
  // that end with the epoch.
  Generator generate(1);
  std::vector<double> errors;
  double signed_sum = 0.0;
  for (int i = 0; i < 2000; ++i) {
    Inputs in = generate.inputs(120.0);
    in.epochs = 1.0;
    in.size_cv = std::max(0.2, in.size_cv);
    in.make_cv = std::max(0.05, in.make_cv);
    if (in.instances * in.ranks * (in.workers + 3.0) > 200.0 || has_too_many_events(in)) continue;
    const double mean = simulate(in).first.wall.base();
    // Once is enough for a pool, which draws for each of its threads' samples.
    const double events = in.kind == LoaderKind::pool ? by_events(in, 1)
                                                      : (by_events(in, 1) + by_events(in, 2)) / 2.0;
    errors.push_back(std::abs(mean / events - 1.0));
    signed_sum += mean / events - 1.0;
  }
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    return errors[static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1))];
  };
  INFO("median " << at(0.5) << ", 90 % " << at(0.9) << ", 99 % " << at(0.99) << ", worst "
                 << errors.back() << ", bias " << signed_sum / static_cast<double>(errors.size()));
  CHECK(errors.size() > 1500);
  CHECK(at(0.5) < 0.01);
  CHECK(at(0.9) < 0.055);  // of the population: 4.5 to 4.8 % over four seeds
  // 13 to 16 %; these are epochs of few steps.
  CHECK(at(0.99) < 0.19);
  CHECK(std::abs(signed_sum) < 0.02 * static_cast<double>(errors.size()));
}

TEST_CASE("job: the mean lies inside the band of 16 simulated jobs, widened by 1 %") {
  // Of 16 jobs, the shortest to the longest hold a further one with a probability of 15/17, 88 %. A
  // band shrinks with the length of a job, and no closed form is exact: 1 % is what it may be off.
  Generator generate(2);
  int inside = 0;
  int all = 0;
  for (int i = 0; i < test::some(1000); ++i) {
    Inputs in = generate.inputs(200.0);
    in.epochs = 1.0;
    in.size_cv = std::max(0.2, in.size_cv);
    in.make_cv = std::max(0.05, in.make_cv);
    if (in.instances * in.ranks * (in.workers + 3.0) > 60.0 || epoch_shape(in).steps < 40.0 ||
        has_too_many_events(in)) {
      continue;
    }
    std::vector<double> times;
    for (std::uint64_t seed = 1; seed <= 16; ++seed) times.push_back(by_events(in, seed));
    const auto [shortest, longest] = std::minmax_element(times.begin(), times.end());
    const double mean = simulate(in).first.wall.base();
    ++all;
    if (mean >= 0.99 * *shortest && mean <= 1.01 * *longest) ++inside;
  }
  INFO(inside << " of " << all);
  CHECK_DRAWN_OF_ALL(all > 400);
  CHECK(inside >= 0.83 * all);  // of the population: 84 to 90 % over eight seeds
}
