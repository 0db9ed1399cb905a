// Of a job on several ranks one tells its steps: what it waits in all-reduces for the batches of
// the others is no part of the step.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "observe/job_observer.hpp"
#include "study/observed_scenario.hpp"
#include "study/run.hpp"
#include "tests/catch.hpp"
#include "tests/seed.hpp"

using namespace feedrate;

namespace {

using observe::JobObserver;

/// Steps of `own` s, with what all wait, by ranks whose W workers make a batch in `batch` s each.
struct Ranks {
  int ranks = 4;
  int workers = 2;
  double batch = 0.64;
  double batch_cv = 0.1;
  double own = 0.07;
  double own_cv = 0.0;
};

struct Told {
  double time = 0.0;
  double wait = 0.0;
};

struct Played {
  std::vector<Told> steps;  ///< of the first rank
  double own = 0.0;         ///< s, the mean of the slowest rank's steps
  double interval = 0.0;    ///< s, after the first queues
};

/// As DistributedDataParallel does: whoever has its batch begins, and all end together. Each rank's
/// workers take turns, two batches ahead each.
Played play(const Ranks& job, unsigned seed, int steps = 800) {
  std::mt19937_64 random(feedrate::test::seeded(seed));
  const auto drawn = [&](double mean, double cv) {
    if (cv <= 0.0) return mean;
    return std::gamma_distribution<double>(1.0 / (cv * cv), mean * cv * cv)(random);
  };
  const auto n = static_cast<std::size_t>(steps);
  const auto workers = static_cast<std::size_t>(job.workers);
  const auto ranks = static_cast<std::size_t>(job.ranks);
  std::vector<std::vector<double>> free(ranks, std::vector<double>(workers, 0.0));
  std::vector<std::vector<double>> ready(ranks, std::vector<double>(n, 0.0));
  const auto make = [&](std::size_t rank, std::size_t k, double at) {
    double& worker = free[rank][k % workers];
    worker = std::max(worker, at) + drawn(job.batch, job.batch_cv);
    ready[rank][k] = worker;
  };
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t k = 0; k < std::min(n, 2 * workers); ++k) make(rank, k, 0.0);
  }
  Played played;
  double now = 0.0;
  double begin = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double before = now;
    double end = 0.0;
    double slowest = 0.0;
    double wait = 0.0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const double got = std::max(before, ready[rank][k]);
      if (rank == 0) wait = got - before;
      if (k + 2 * workers < n) make(rank, k + 2 * workers, got);
      const double own = drawn(job.own, job.own_cv);
      slowest = std::max(slowest, own);
      end = std::max(end, got + own);
    }
    now = end;
    if (k + 1 == 2 * workers) begin = now;
    played.steps.push_back({now - before, wait});
    played.own += slowest / static_cast<double>(n);
  }
  played.interval = (now - begin) / static_cast<double>(n - 2 * workers);
  return played;
}

void tell(JobObserver& observer, MetricId metric, double value, int step, double at,
          const std::string& rank = "", double of = 1.0) {
  Sample sample{.at = seconds(at), .metric = metric, .name = rank, .value = value};
  sample.step = step;
  sample.epoch = 0;
  sample.steps = of;
  observer.add(sample);
}

/// As a log of the first rank tells it, each step or means of `of`.
ObservedJob observed(const Ranks& job, const std::vector<Told>& steps, int of = 1) {
  JobObserver observer;
  ObservationHeader header;
  header.clock = ClockKind::relative;
  observer.add(header);
  double at = 0.0;
  Told sum;
  int told = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    at += steps[i].time;
    sum.time += steps[i].time;
    sum.wait += steps[i].wait;
    if (++told < of) continue;
    tell(observer, MetricId::step_time, sum.time / of, static_cast<int>(i), at, "", of);
    tell(observer, MetricId::data_wait, sum.wait / of, static_cast<int>(i), at, "", of);
    sum = {};
    told = 0;
  }
  return observer.finish(
      {64.0, static_cast<double>(job.ranks), static_cast<double>(job.workers), {}, {}}, "drawn");
}

double predicted(const ObservedJob& job, double workers) {
  Scenario scenario = study::observed_scenario(job).scenario;
  scenario.loader.num_workers = WorkerCount(workers);
  return study::run(scenario, Catalog{}, nullptr).throughput->base();
}

TEST_CASE("observed ranks: two that are late in turn wait for each other's batches") {
  // A step of 100 ms: in one its own batch is 30 ms late, in the next the other's by 50 ms.
  std::vector<Told> steps;
  for (int i = 0; i < 200; ++i) steps.push_back(i % 2 == 0 ? Told{0.13, 0.03} : Told{0.15, 0.0});
  const Ranks two{.ranks = 2, .workers = 1};
  const ObservedJob job = observed(two, steps);
  CHECK(job.interval.value == Approx(0.14).epsilon(0.01));
  CHECK(job.wait->value == Approx(0.015).epsilon(0.02));
  REQUIRE(job.others_wait);
  CHECK(job.others_wait->value == Approx(0.025).epsilon(0.02));
  CHECK(study::observed_scenario(job).scenario.job.step->fixed->base() ==
        Approx(0.1).epsilon(0.005));
  CHECK(predicted(job, 1.0) == Approx(128.0 / 0.14).epsilon(0.03));

  // Both tell the same by themselves.
  JobObserver observer;
  ObservationHeader header;
  header.clock = ClockKind::relative;
  observer.add(header);
  double at = 0.0;
  for (int i = 0; i < 200; ++i) {
    at += steps[static_cast<std::size_t>(i)].time;
    for (const char* rank : {"rank0", "rank1"}) {
      const double wait =
          std::string(rank) == "rank0" ? (i % 2 == 0 ? 0.03 : 0.0) : (i % 2 == 0 ? 0.0 : 0.05);
      tell(observer, MetricId::step_time, steps[static_cast<std::size_t>(i)].time, i, at, rank);
      tell(observer, MetricId::data_wait, wait, i, at, rank);
    }
  }
  const ObservedJob both = observer.finish({64.0, 2.0, 1.0, {}, {}}, "drawn");
  REQUIRE(both.others_wait);
  CHECK(both.others_wait->value == Approx(0.025).epsilon(0.01));

  // One GPU waits for nobody, whatever its steps are.
  Ranks one = two;
  one.ranks = 1;
  CHECK_FALSE(observed(one, steps).others_wait);
  // Five means tell nothing of it, but that both wait no longer than twice the wait of one.
  const ObservedJob means =
      observed(two, std::vector<Told>(steps.begin(), steps.begin() + 100), 20);
  CHECK_FALSE(means.others_wait);
  CHECK(*means.rest_error == Approx(0.5 * std::log(0.125 / (0.14 - 2.0 * (0.015 - 0.0028)))));
}

TEST_CASE("observed ranks: the step is its own, whether or not all wait for the latest batch") {
  // 2.56 s of loading over the GPUs' step of 70 ms: what more workers gain is known in advance.
  const Ranks four;
  const Played played = play(four, 401);
  const ObservedJob seen = observed(four, played.steps);
  CHECK(seen.waited() / played.interval == Approx(1.0 - 0.07 / played.interval).epsilon(0.03));
  for (const int workers : {2, 4, 8, 16}) {
    Ranks more = four;
    more.workers = workers;
    const double truth = 4.0 * 64.0 / play(more, 402).interval;
    INFO(workers);
    CHECK(predicted(seen, workers) == Approx(truth).epsilon(0.1));
  }
}

TEST_CASE("observed ranks: of drawn jobs, the step is within its error") {
  std::mt19937_64 random(feedrate::test::seeded(403));
  const auto of = [&](std::vector<double> values) { return values[random() % values.size()]; };
  int within = 0, waiting = 0, bad_before = 0;
  constexpr int jobs = 80;
  for (int i = 0; i < jobs; ++i) {
    Ranks job;
    job.ranks = static_cast<int>(of({2, 4, 8}));
    job.workers = static_cast<int>(of({1, 2, 3, 4, 8}));
    job.batch_cv = of({0.02, 0.05, 0.1, 0.3});
    job.own_cv = of({0.0, 0.02, 0.05, 0.1});
    const double ratio = of({0.5, 0.8, 1.2, 2.0, 3.0, 5.0});
    job.batch = ratio * job.own * job.workers;
    const Played played = play(job, 500U + static_cast<unsigned>(i));
    const ObservedJob seen = observed(job, played.steps);
    const double step = seen.interval.value - seen.waited();
    const double off = std::abs(std::log(step / played.own));
    INFO(job.ranks << " ranks, " << job.workers << " workers, cv " << job.batch_cv << " and "
                   << job.own_cv << ", ratio " << ratio << ": " << step << " for " << played.own);
    if (ratio < 1.0) {
      // Nobody waits for its loader: what is told of a step is the step.
      CHECK(off < 0.03);
      continue;
    }
    ++waiting;
    within += off < 1.645 * *seen.rest_error + 0.02 ? 1 : 0;
    const double before = seen.interval.value - seen.wait->value;
    bad_before += std::log(before / played.own) > 0.2 ? 1 : 0;
  }
  CHECK_DRAWN(bad_before > waiting / 3);
  CHECK(within > 0.8 * waiting);
}

}  // namespace
