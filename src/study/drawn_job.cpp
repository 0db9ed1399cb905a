#include "study/drawn_job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "study/billing.hpp"
#include "study/cost.hpp"
#include "study/interruptions.hpp"
#include "study/model_error.hpp"

namespace feedrate::study {
namespace {

/// One job of all that have this mean: its epochs' time is a sum of very many batches, so it is
/// normal, and its relative deviation falls with the root of their number.
void vary(pipeline::Outcome& outcome, double deviate) {
  const double wall = outcome.trained.wall.base();
  if (deviate == 0.0 || outcome.variance <= 0.0 || wall <= 0.0) return;
  const double more = std::max(-1.0, deviate * std::sqrt(outcome.variance) / wall);
  // A single epoch varies more, relatively, than many together.
  const double one = std::max(-1.0, more * std::sqrt(std::max(1.0, outcome.epochs)));
  // Steps and waiting are scaled alike, because it is not known which of the two varied.
  outcome.total += more * outcome.trained;
  outcome.first += one * outcome.first;
  outcome.later += one * outcome.later;
  outcome.trained += more * outcome.trained;
}

}  // namespace

Own Own::of(std::uint64_t seed, std::uint64_t stream) {
  Own own;
  own.wobble = normal_quantile(uniform_of(seed, stream, "the job's own"));
  own.course = seed_of(seed, stream);
  return own;
}

DrawnJob drawn_job(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                   const resolve::Draw& draw, const Own& own) {
  resolve::Resolved resolved =
      resolve::resolve(scenario, catalog, host, draw, resolve::Want::numbers);
  draw_model_error(resolved.inputs, scenario, host, draw, own);
  pipeline::SimulationOptions options;
  options.details = false;
  options.course = own.course;
  options.stretch = own.stretch;
  DrawnJob job;
  job.outcome = pipeline::simulate(resolved.inputs, options);
  job.before_wobble = job.outcome.total.wall;
  vary(job.outcome, own.wobble);
  std::vector<std::string> remarks;
  job.bill = bill_of(bill_input(resolved.terms, resolved.inputs, job.outcome, remarks), false);
  job.inputs = std::move(resolved.inputs);
  job.unheld = std::move(resolved.unheld);
  return job;
}

Outlay outlay_of(const DrawnJob& job) {
  expect_an_end(job.outcome);
  if (job.unheld) throw InputError({*job.unheld});
  return {job.outcome.total.wall, job.bill.money, job.bill.total, job.inputs.step_is_guess,
          job.bill.unpriced};
}

bool never_ends(const pipeline::Outcome& outcome) {
  constexpr double hopeless = 1e4;
  const pipeline::Interrupted& in = outcome.interrupted;
  return in.counted.wall > hopeless * (in.job.launch + in.job.work);
}

double figure_of(const DrawnJob& job, FigureId id) {
  const pipeline::Outcome& outcome = job.outcome;
  const Duration after_staging = outcome.total.wall - outcome.startup - outcome.staging;
  switch (id) {
    case FigureId::total_time: return outcome.total.wall.base();
    case FigureId::first_epoch: return outcome.first.wall.base();
    case FigureId::epoch: return outcome.later.wall.base();
    case FigureId::money: return job.bill.money.base();
    case FigureId::total_cost: return job.bill.total.base();
    case FigureId::throughput: return outcome.trained_samples / outcome.training().base();
    case FigureId::gpu_busy: return outcome.total.busy / after_staging;
    case FigureId::busy_after_first_step: {
      const Duration first_step = outcome.trained.first_step / pipeline::epochs_begun(job.inputs);
      const auto left =
          after_first_steps(outcome.effort.steps, outcome.steps, after_staging, first_step);
      // Epochs of one step have none after it; the figure is empty then.
      return left ? outcome.total.busy * left->steps / left->time : 0.0;
    }
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace feedrate::study
