#include "study/interruptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "pipeline/interruptions.hpp"
#include "reliability/interval.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/context.hpp"
#include "study/billing.hpp"
#include "study/cost.hpp"
#include "study/drawn_job.hpp"

namespace feedrate::study {
namespace {

using reliability::Course;
using reliability::InterruptedJob;

/// Enough for a 95 % quantile, fewer of jobs with many interruptions, whose means vary less.
int draws_of(const Course& mean) {
  constexpr double events = 2e5;
  return static_cast<int>(std::clamp(events / (1.0 + mean.interruptions), 200.0, 2000.0));
}

/// The money of a course: what the bill of the mean says, and what an hour more of each kind costs.
class Price {
 public:
  Price(const resolve::Resolved& resolved, const pipeline::Outcome& outcome, Money mean)
      : resolved_(resolved), outcome_(outcome), mean_(mean) {
    const Duration hour = hours(1.0);
    paid_ = with(hour, {}, {}) - mean;
    waited_ = with(hour, hour, {}) - mean;
    on_demand_ = with(hour, {}, hour) - mean;
  }

  [[nodiscard]] Money of(const Course& course) const {
    const Course& mean = outcome_.interrupted.mean;
    const double waits = (course.waits - mean.waits) / hours(1.0);
    const double fallen_back = (course.on_demand - mean.on_demand) / hours(1.0);
    const double rest = (course.wall - mean.wall) / hours(1.0) - waits - fallen_back;
    return mean_ + waits * waited_ + fallen_back * on_demand_ + rest * paid_;
  }

 private:
  [[nodiscard]] Money with(Duration wall, Duration waits, Duration on_demand) const {
    pipeline::Outcome longer = outcome_;
    longer.total.wall += wall;
    longer.interrupted.mean.waits += waits;
    longer.interrupted.mean.on_demand += on_demand;
    std::vector<std::string> remarks;
    BillInput input = bill_input(resolved_.terms, resolved_.inputs, longer, remarks);
    input.booked = {};  // a block is paid whole, however long the job takes in it
    const Bill bill = bill_of(input, false);
    if (resolved_.inputs.booked <= Duration{}) return bill.money;
    return mean_ + (bill.money - bill.compute) - mean_beside();
  }
  /// Of the mean's bill, what is no instance of the cluster.
  [[nodiscard]] Money mean_beside() const {
    std::vector<std::string> remarks;
    const Bill bill =
        bill_of(bill_input(resolved_.terms, resolved_.inputs, outcome_, remarks), false);
    return bill.money - bill.compute;
  }

  const resolve::Resolved& resolved_;
  const pipeline::Outcome& outcome_;
  Money mean_, paid_, waited_, on_demand_;
};

template <class T>
std::array<T, 2> middle(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  return {at(0.05), at(0.95)};
}

/// The bill of the same job on demand; empty where no price of it is known.
std::optional<Money> money_on_demand(const Scenario& scenario, const Catalog& catalog,
                                     const HostProfile* host) {
  const auto& spot = scenario.cluster.spot;
  if (!spot || scenario.cluster.purchase != Purchase::spot) return std::nullopt;
  Scenario other = scenario;
  other.cluster.purchase = Purchase::on_demand;
  other.cluster.price = spot->on_demand_price;
  try {
    return drawn_job(other, catalog, host, {}).bill.money;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void fill_plays(Interruptions& out, const InterruptedJob& job, const Price& price,
                const pipeline::Interrupted& in, std::optional<Money> on_demand, Money spot) {
  constexpr double too_many = 1e4;
  if (in.mean.interruptions > too_many) return;
  std::vector<Duration> times;
  std::vector<Money> amounts;
  double loses = 0.0;
  for (const Course& course : reliability::draw_courses(job, 1, draws_of(in.mean))) {
    times.push_back(course.wall + in.between_blocks);
    amounts.push_back(price.of(course));
    if (on_demand && amounts.back() > *on_demand) loses += 1.0;
  }
  out.draws = static_cast<int>(times.size());
  if (on_demand && *on_demand > Money{}) {
    out.on_demand = OnDemandInstead{*on_demand, 1.0 - spot / *on_demand,
                                    loses / static_cast<double>(times.size())};
  }
  out.time = middle(std::move(times));
  out.money = middle(std::move(amounts));
}

std::string share_text(double share) {
  return fmt::format("{:.{}f} %", 100.0 * share, share < 0.0995 ? 1 : 0);
}

void fill_intervals(Interruptions& out, const InterruptedJob& job) {
  if (job.interval <= Duration{}) return;
  out.interval = job.interval;
  if (!out.between) return;
  out.best = reliability::best_interval(job);
  out.young = reliability::young_interval(job.writing.time, *out.between);
  out.daly = reliability::daly_interval(job.writing.time, *out.between);
}

/// Of a job for which nothing was asked: what is left out, where it would be noticed.
void say_left_out(Result& result, const Scenario& scenario, const resolve::Resolved& resolved,
                  const pipeline::Outcome& outcome) {
  const Cluster& cluster = scenario.cluster;
  if (cluster.purchase == Purchase::spot && !cluster.spot) {
    result.caveats.emplace_back(
        "Spot instances can be taken away at any time, and no interruption is counted here: "
        "/cluster/spot counts them.");
  }
  if (cluster.failures || cluster.purchase == Purchase::spot) return;
  constexpr double worth_a_word = 0.01;
  const double per_second = resolve::assumed::failures.value / 1000.0 / hours(24.0).base();
  InterruptedJob plan;
  plan.sudden = Frequency::of(per_second * resolved.inputs.instances);
  plan.restart = seconds(resolve::assumed::restart.value) + resolved.inputs.checkpoint_time;
  const InterruptedJob job = pipeline::interrupted_job(outcome, resolved.inputs, plan);
  const Course course = reliability::expected(job);
  const double lost = (course.rework + course.restarts) / course.wall;
  if (!(lost >= worth_a_word)) return;
  result.remarks.push_back(fmt::format(
      "machines fail: at {:g} failures per 1,000 node-days (published: {:g} to {:g}) interruptions "
      "would take {} of the time{}; /cluster/failures counts them",
      resolve::assumed::failures.value, resolve::assumed::failures.low,
      resolve::assumed::failures.high, share_text(lost),
      job.interval > Duration{} ? "" : ", without checkpoints"));
}

}  // namespace

void expect_an_end(const pipeline::Outcome& outcome) {
  const pipeline::Interrupted& in = outcome.interrupted;
  const InterruptedJob& job = in.job;
  constexpr double hopeless = 1e4;
  if (!(in.mean.wall > hopeless * (job.launch + job.work))) return;
  const Duration between = 1.0 / job.rate();
  const bool writes = job.interval > Duration{} && job.interval < job.work;
  const Duration stretch = writes ? job.interval + job.writing.time : job.work;
  const std::string why =
      job.restart > stretch
          ? fmt::format("a restart takes {}: expected one that takes less, or fewer instances",
                        resolve::short_text_of(job.restart))
      : writes ? fmt::format(
                     "has to run for {} to its next checkpoint: expected checkpoints more "
                     "often",
                     resolve::short_text_of(stretch))
               : fmt::format("has to run for {} without one: expected checkpoints",
                             resolve::short_text_of(stretch));
  throw InputError({{"", 0, "/job/checkpoint",
                     fmt::format("the job would in effect never end: it is interrupted every {} in "
                                 "the mean and {}",
                                 resolve::short_text_of(between), why),
                     "never ends"}});
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
  out.restarts = in.mean.restarts + in.between_blocks;
  out.lost = outcome.total.stall[Stage::interruption];
  out.effective = job.work / outcome.total.wall;
  if (job.rate() > Frequency{}) out.between = 1.0 / job.rate();
  if (resolved.inputs.booked > Duration{}) out.blocks = in.blocks;
  fill_intervals(out, job);
  fill_plays(out, job, Price(resolved, outcome, result.bill.money), in,
             money_on_demand(scenario, catalog, host), result.bill.money);
  // The same words for every point of a sweep: the numbers are figures.
  if (out.between) {
    result.caveats.emplace_back("Time and money are those expected with interruptions.");
  }
  if (in.blocks > 1.0) {
    result.caveats.push_back(fmt::format(
        "The job does not fit into what is booked once: it takes {:g} blocks, one after the other.",
        in.blocks));
  }
  if (out.expected >= 0.05 && !out.interval) {
    result.remarks.emplace_back(
        "no checkpoints are written: each interruption starts the job from its beginning "
        "(/job/checkpoint)");
  }
  result.interruptions = out;
}

}  // namespace feedrate::study
