#include "resolve/efficiency.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pipeline/known_loading.hpp"
#include "pipeline/simulate.hpp"

namespace feedrate::resolve {
namespace {

using pipeline::Inputs;

constexpr double rounding = 1e-9;

bool has_burst(const std::vector<pipeline::RateLimit>& limits) {
  return std::any_of(limits.begin(), limits.end(),
                     [](const pipeline::RateLimit& limit) { return limit.burst_rate > 0.0; });
}

/// Where nothing fails and no state is written, epochs take as long; and after copying that uses up
/// no credit.
Inputs uninterrupted(Inputs inputs) {
  if (inputs.staging && !has_burst(inputs.staging->read.limits) &&
      !has_burst(inputs.staging->write_limits)) {
    inputs.staging.reset();
  }
  inputs.interruptions.reset();
  inputs.booked = inputs.checkpoint_interval = Duration{};
  inputs.checkpoint_steps = inputs.checkpoint_epochs = 0.0;
  inputs.best_interval = false;
  return inputs;
}

Duration training(const Inputs& inputs, pipeline::KnownLoading* loading = nullptr) {
  pipeline::SimulationOptions plain;
  plain.details = false;
  plain.loading = loading;
  return pipeline::simulate(inputs, plain).training();
}

struct Point {
  double at = 0.0;
  double over = 0.0;
};

/// Where `over`, which rises with its argument, is 0: between `below`, where it is less, and
/// `above`, where it is more (regula falsi with the weights of Anderson and Björck, BIT 13, 1973;
/// where three of its steps leave more than half of what lay between, the next one halves it: next
/// to a kink they may creep along).
template <class Over>
Point zero_of(const Over& over, Point below, Point above) {
  Point middle = below;
  bool was_below = false;
  double before = above.at - below.at;
  for (int i = 0; i < 200 && above.at - below.at > 1e-13 * above.at; ++i) {
    bool halves = false;
    if (i > 0 && i % 3 == 0) {
      halves = above.at - below.at > 0.5 * before;
      before = above.at - below.at;
    }
    middle.at = (below.at * above.over - above.at * below.over) / (above.over - below.over);
    if (halves || !(middle.at > below.at && middle.at < above.at)) {
      middle.at = (below.at + above.at) / 2.0;
    }
    middle.over = over(middle.at);
    if (std::abs(middle.over) < rounding) break;
    const bool is_below = middle.over < 0.0;
    Point& nearer = is_below ? below : above;
    if (i > 0 && is_below == was_below) {
      const double left = 1.0 - middle.over / nearer.over;
      (is_below ? above : below).over *= left > 0.0 ? left : 0.5;
    }
    nearer = middle;
    was_below = is_below;
  }
  return middle;
}

/// What makes batches, up to the GPU: all of it loses alike.
constexpr Stage input_pipeline[] = {Stage::download, Stage::network, Stage::disk,     Stage::remote,
                                    Stage::decode,   Stage::collate, Stage::handover, Stage::h2d};

/// The exchange that loses as much of steps which wait for nothing may hide behind the input
/// pipeline. To make such a job slower it would have to be several times the step, which no
/// exchange is: most of what is missing is then lost where the job waits, and the input pipelines
/// are slower beside each other. False where little of it hides, or where a longer one would not,
/// or something else binds than they.
template <class Over>
bool lose_by_loading(Inputs& job, double free, Duration goal, Inputs& tried, const Over& over) {
  const Duration step =
      step_time(job, job.batch) + job.gpu_preprocess * feedrate::samples(job.batch);
  tried.exposed_allreduce = job.accumulation * step * (-free / (1.0 + free));
  const auto slower = [&](double times) {
    tried.speed = job.speed;
    for (const Stage stage : input_pipeline) tried.speed[stage] /= times;
    return over();
  };
  const Point fast{1.0, slower(1.0)};
  if (fast.over > 0.5 * free) return false;
  const Duration exchange = tried.exposed_allreduce;
  constexpr double longer = 0.1;
  tried.exposed_allreduce = (1.0 + longer) * exchange;
  const double shown = (over() - fast.over) * (goal / (longer * exchange)) / exchanges(job);
  tried.exposed_allreduce = exchange;
  if (shown > 0.5) return false;
  constexpr double most = 2.0;  // times what the efficiency itself says
  const Point slow{most / (1.0 + free), slower(most / (1.0 + free))};
  if (slow.over <= 0.0) return false;
  // The last that was tried.
  if (std::abs(zero_of(slower, fast, slow).over) > 1e-6) return false;
  job.exposed_allreduce = tried.exposed_allreduce;
  job.speed = tried.speed;
  job.loading_loses = true;
  return true;
}

}  // namespace

void hold_to_one_instance(Inputs& job, OfOneInstance wanted, const Inputs& alone) {
  Duration goal = wanted.ratio * training(uninterrupted(alone));
  job.exposed_allreduce = Duration{};
  job.exposed_is_of_job = true;
  Inputs tried = uninterrupted(job);
  pipeline::KnownLoading loading;
  const Duration unhindered = training(tried, &loading);
  if (wanted.caches_gain) goal = std::min(goal, job.instances_alike() * wanted.ratio * unhindered);
  const auto over = [&] { return training(tried, &loading) / goal - 1.0; };
  const auto with_exposed = [&](double each) {
    tried.exposed_allreduce = seconds(each);
    return over();
  };
  const auto waiting_for = [&](double gpus) {
    tried.slowest_of = gpus;
    return over();
  };
  const double free = unhindered / goal - 1.0;
  if (free < -rounding) {
    if (lose_by_loading(job, free, goal, tried, over)) return;
    tried = uninterrupted(job);
    // What is missing, were nothing else to wait meanwhile; and all of the job's time.
    const double all = goal.base() / pipeline::exchanges(job);
    const auto point = [&](double each) { return Point{each, with_exposed(each)}; };
    const Point missing = point(-free * all);
    const bool is_it = std::abs(missing.over) < rounding;
    job.exposed_allreduce =
        seconds(is_it                ? missing.at
                : missing.over < 0.0 ? zero_of(with_exposed, missing, point(1.01 * all)).at
                                     : zero_of(with_exposed, {0.0, free}, missing).at);
    return;
  }
  if (free <= rounding) return;
  if ((job.step_cv > 0.0 || job.handover_cv > 0.0) && job.gpus() > job.ranks) {
    const double fewest = waiting_for(job.ranks);
    if (fewest < 0.0) {
      job.slowest_of = zero_of(waiting_for, {job.ranks, fewest}, {job.gpus(), free}).at;
      return;
    }
    job.slowest_of = job.ranks;
    if (fewest <= rounding) return;
  }
  job.efficiency_missed = true;
}

}  // namespace feedrate::resolve
