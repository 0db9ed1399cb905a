#include "study/interruptions.hpp"

#include <cmath>
#include <string>

#include "base/errors.hpp"
#include "pipeline/interruptions.hpp"
#include "reliability/interval.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/context.hpp"
#include "study/drawn_job.hpp"
#include "study/interrupted_plays.hpp"
#include "words/interruptions.hpp"

namespace feedrate::study {
namespace {

using reliability::Course;
using reliability::InterruptedJob;

/// The bill of the same job on on-demand instances; empty where their price is not known.
std::optional<Money> money_on_demand(const Scenario& scenario, const Catalog& catalog,
                                     const HostProfile* host) {
  const auto spot = scenario.cluster.interrupted_spot();
  if (!spot) return std::nullopt;
  Scenario other = scenario;
  other.cluster.purchase = Purchase::on_demand;
  other.cluster.price = spot->on_demand_price;
  try {
    return drawn_job(other, catalog, host, {}).bill.money;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void fill_intervals(Interruptions& out, const InterruptedJob& job) {
  if (job.interval <= Duration{}) return;
  out.interval = job.interval;
  if (!out.between) return;
  out.best = reliability::best_interval(job);
  // Interruptions that are announced in time lose no work, so they need no checkpoints at
  // intervals.
  if (job.sudden <= Frequency{}) return;
  out.young = reliability::young_interval(job.writing.time, 1.0 / job.sudden);
  out.daly = reliability::daly_interval(job.writing.time, 1.0 / job.sudden);
}

/// For a job without settings of interruptions: adds what is left out, where it would matter.
void say_left_out(Result& result, const Scenario& scenario, const resolve::Resolved& resolved,
                  const pipeline::Outcome& outcome) {
  const Cluster& cluster = scenario.cluster;
  if (cluster.interrupted()) return;
  constexpr double worth_a_word = 0.01;
  const resolve::Assumption failures =
      cluster.unequal_gpus.empty() ? resolve::assumed::failures_of(resolved.inputs.cluster_ranks())
                                   : resolve::assumed::failures_of(cluster.unequal_gpus);
  const double per_second = failures.value / 1000.0 / hours(24.0).base();
  InterruptedJob plan;
  plan.sudden = Frequency::of(per_second * resolved.inputs.cluster_instances());
  plan.restart = seconds(resolve::assumed::restart.value) + resolved.inputs.checkpoint_time;
  InterruptedJob job = pipeline::interrupted_job(outcome, resolved.inputs, plan);
  job.booked = Duration{};  // what its end loses is counted
  const Course course = reliability::expected(job);
  const double lost = (course.rework + course.restarts) / course.wall;
  if (!(lost >= worth_a_word)) return;
  result.remarks.push_back(words::failures_uncounted(failures.value, failures.low, failures.high,
                                                     lost, job.interval > Duration{}));
  result.remark_kinds.insert_or_assign(result.remarks.back(), RemarkKind::check);
}

/// Adds caveats about blocks: they are paid for as a whole, however much of them the job uses.
void say_of_blocks(Result& result, const Interruptions& of, double fewest) {
  if (!of.blocks) return;
  if (fewest > 1.0) result.caveats.push_back(words::several_blocks(fewest));
  constexpr double worth_a_word = 0.005;
  if (const double share = of.more_blocks.value_or(0.0); share >= worth_a_word) {
    result.caveats.push_back(words::further_block(share));
  }
  const double unused = result.bill.unused / result.bill.money;
  if (unused >= worth_a_word) result.caveats.push_back(words::booked_in_vain(unused));
}

}  // namespace

void expect_an_end(const pipeline::Outcome& outcome) {
  const pipeline::Interrupted& in = outcome.interrupted;
  const InterruptedJob& job = in.job;
  if (!never_ends(outcome)) return;
  InterruptedJob unbooked = job;
  unbooked.booked = Duration{};
  if (job.booked > Duration{} && std::isfinite(reliability::expected(unbooked).wall.base())) {
    throw InputError({{"", 0, "/cluster/booked",
                       words::longer_than_booked(reliability::expected(unbooked).wall, job.booked),
                       std::string(words::ends_too_late)}});
  }
  const Duration between = 1.0 / job.rate();
  const bool writes = job.interval > Duration{} && job.interval < job.work;
  const Duration stretch = writes ? job.interval + job.writing.time : job.work;
  const std::string why = job.restart > stretch ? words::restart_too_long(job.restart)
                          : writes              ? words::checkpoint_too_far(stretch)
                                                : words::job_too_long(stretch);
  throw InputError({{"", 0, "/job/checkpoint", words::never_ends(between, why),
                     std::string(words::ends_never)}});
}

void report_interruptions(Result& result, const Scenario& scenario, const Catalog& catalog,
                          const HostProfile* host, const resolve::Resolved& resolved,
                          const pipeline::Outcome& outcome) {
  const pipeline::Interrupted& in = outcome.interrupted;
  say_left_out(result, scenario, resolved, outcome);
  if (!resolved.inputs.interruptions) return;
  const InterruptedJob& job = in.job;
  expect_an_end(outcome);
  Interruptions out;
  out.expected = in.mean.interruptions;
  out.rework = in.mean.rework;
  out.waits = in.mean.waits;
  out.restarts = in.mean.restarts;
  out.lost = outcome.total.stall[Stage::interruption];
  out.effective = job.work / outcome.total.wall;
  if (job.rate() > Frequency{}) out.between = 1.0 / job.rate();
  if (resolved.inputs.booked > Duration{}) out.blocks = in.mean.blocks;
  fill_intervals(out, job);
  InterruptedJob undisturbed = job;
  undisturbed.sudden = undisturbed.announced = Frequency{};
  const double fewest = job.booked > Duration{} ? reliability::expected(undisturbed).blocks : 1.0;
  fill_plays(out, resolved, outcome, fewest, money_on_demand(scenario, catalog, host),
             result.bill.money);
  // The words are the same for every point of a sweep: the numbers are in the figures.
  if (out.between) {
    result.caveats.emplace_back(words::expected_with_interruptions);
  }
  say_of_blocks(result, out, fewest);
  if (out.expected >= 0.05 && !out.interval) {
    result.remarks.emplace_back(words::no_checkpoints);
    result.remark_kinds.insert_or_assign(result.remarks.back(), RemarkKind::check);
  }
  result.interruptions = out;
}

}  // namespace feedrate::study
