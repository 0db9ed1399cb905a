#include "study/interruptions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/portable_math.hpp"
#include "base/random.hpp"
#include "pipeline/interruptions.hpp"
#include "reliability/interval.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/context.hpp"
#include "study/billing.hpp"
#include "study/cost.hpp"
#include "study/drawn_job.hpp"
#include "words/interruptions.hpp"

namespace feedrate::study {
namespace {

// The distribution of single interrupted jobs around their mean.

using reliability::Course;
using reliability::InterruptedJob;

/// The cost of a course: the mean bill, plus the price of each additional hour of each kind,
/// interruption and block. The cost is linear in all of them, so that the bill of the mean is the
/// mean of the bills.
class Price {
 public:
  Price(const resolve::Resolved& resolved, const pipeline::Outcome& outcome, Money mean)
      : resolved_(resolved), outcome_(outcome), mean_(mean) {
    const Duration hour = hours(1.0);
    reliability::Course more;
    more.wall = hour;
    paid_ = with(more) - mean;
    more.waits = hour;
    waited_ = with(more) - mean;
    more.waits = {};
    more.on_demand = hour;
    on_demand_ = with(more) - mean;
    more.on_demand = {};
    more.startups = hour;
    started_ = with(more) - mean;
    more.on_demand = more.startups_on_demand = hour;
    started_on_demand_ = with(more) - mean;
    more = {};
    more.interruptions = 1.0;
    struck_ = with(more) - mean;
    more = {};
    more.copies += 1.0;
    copied_ = with(more) - mean;
    more = {};
    more.loads = 1.0;
    loaded_ = with(more) - mean;
    const auto& of = resolved.terms.compute;
    block_ = of.instances * (of.price.value * resolved.inputs.booked);
    if (resolved.inputs.booked <= Duration{}) return;
    more = {};
    more.blocks = 2.0;
    block_ += with(more) - mean;
  }

  [[nodiscard]] Money of(const Course& course) const {
    const Course& mean = outcome_.interrupted.mean;
    const double waits = (course.waits - mean.waits) / hours(1.0);
    const double there = (course.startups_on_demand - mean.startups_on_demand) / hours(1.0);
    const double fallen_back = (course.on_demand - mean.on_demand) / hours(1.0) - there;
    const double started = (course.startups - mean.startups) / hours(1.0) - there;
    const double rest =
        (course.wall - mean.wall) / hours(1.0) - waits - fallen_back - started - there;
    return mean_ + waits * waited_ + fallen_back * on_demand_ + started * started_ +
           there * started_on_demand_ + rest * paid_ +
           (course.interruptions - mean.interruptions) * struck_ +
           (course.copies - mean.copies) * copied_ + (course.loads - mean.loads) * loaded_ +
           (course.blocks - mean.blocks) * block_;
  }

 private:
  [[nodiscard]] Money with(const reliability::Course& more) const {
    pipeline::Outcome longer = outcome_;
    longer.total.wall += more.wall;
    longer.interrupted.counted.waits += more.waits;
    longer.interrupted.counted.on_demand += more.on_demand;
    longer.interrupted.counted.interruptions += more.interruptions;
    longer.interrupted.counted.blocks += more.blocks - 1.0;
    longer.interrupted.counted.copies += more.copies - 1.0;
    longer.interrupted.counted.loads += more.loads;
    longer.interrupted.counted.startups += more.startups;
    longer.interrupted.counted.startups_on_demand += more.startups_on_demand;
    const Bill bill = bill_for(longer);
    if (resolved_.inputs.booked <= Duration{}) return bill.money;
    // The whole block is paid for, however much of it the job uses.
    const Bill mean = bill_for(outcome_);
    return mean_ + (bill.money - bill.compute) - (mean.money - mean.compute);
  }
  [[nodiscard]] Bill bill_for(const pipeline::Outcome& outcome) const {
    std::vector<std::string> remarks;
    return bill_of(bill_input(resolved_.terms, resolved_.inputs, outcome, remarks), false);
  }

  const resolve::Resolved& resolved_;
  const pipeline::Outcome& outcome_;
  Money mean_, paid_, waited_, on_demand_, started_, started_on_demand_, struck_, copied_, loaded_,
      block_;
};

template <class T>
std::array<T, 2> middle(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  return {at(0.05), at(0.95)};
}

/// Courses of a job of few stretches that hardly any attempt gets through: the number of attempts
/// per stretch is geometric, so that the job's time is a sum of exponential ones.
std::vector<Course> attempts(const InterruptedJob& job, const Course& mean) {
  constexpr std::uint64_t count = 1000;
  // A checkpoint at the job's end has no stretch behind it.
  const double stretches =
      job.interval > Duration{} ? std::max(1.0, std::ceil(job.work / job.interval)) : 1.0;
  std::vector<Course> courses(count, mean);
  for (std::uint64_t i = 0; i < count; ++i) {
    double times = 0.0;
    for (double k = 0.0; k < stretches; k += 1.0) {
      times -= portable::log1p(-uniform_of(i + 1, static_cast<std::uint64_t>(k), "attempts"));
    }
    Course& course = courses[i];
    course.wall *= times / stretches;
    course.waits *= times / stretches;
    course.startups *= times / stretches;
    course.interruptions *= times / stretches;
    course.copies = 1.0 + (course.copies - 1.0) * times / stretches;
    course.loads *= times / stretches;
  }
  return courses;
}

/// As many as their mean takes, and more of those that are short: ranges show the rarest.
int plays_for_ranges(double each) {
  constexpr double events = 4e6;
  const double more = std::clamp(events / (1.0 + each), 20.0, 200.0);
  return std::max(static_cast<int>(more), reliability::plays_for(each));
}

/// Randomly interrupted jobs. Where there are very many interruptions, only a part of the job is
/// played; the deviation of a course from its mean is scaled by the square root of the number of
/// parts, as that of a sum of independent parts.
std::vector<Course> played(const InterruptedJob& job, const Course& mean) {
  constexpr double many = 1e4;
  constexpr double of_part = 1e3;
  constexpr double least_stretches = 10.0;
  if (mean.interruptions <= many || job.fallback || job.booked > Duration{}) {
    return reliability::draw_courses(job, 1, plays_for_ranges(mean.interruptions));
  }
  const double parts = std::min(mean.interruptions / of_part, job.checkpoints() / least_stretches);
  if (parts < 1.0) return attempts(job, mean);
  InterruptedJob part = job;
  part.work *= 1.0 / parts;
  const Course one = reliability::expected(part);
  std::vector<Course> courses =
      reliability::draw_courses(part, 1, plays_for_ranges(one.interruptions));
  const double grown = std::sqrt(parts);
  for (Course& course : courses) {
    course.wall = mean.wall + grown * (course.wall - one.wall);
    course.waits = mean.waits + grown * (course.waits - one.waits);
    course.startups = mean.startups + grown * (course.startups - one.startups);
    course.interruptions = mean.interruptions + grown * (course.interruptions - one.interruptions);
    course.copies = mean.copies + grown * (course.copies - one.copies);
    course.loads = mean.loads + grown * (course.loads - one.loads);
  }
  return courses;
}

/// Plays jobs with random interruptions and fills draws, time, money (the cost), on_demand and
/// more_blocks. `fewest` is the number of blocks of a job that nothing interrupts, `on_demand` the
/// bill of the same job on on-demand instances, where their price is known, and `mean` the mean
/// bill of this job.
void fill_plays(Interruptions& out, const resolve::Resolved& resolved,
                const pipeline::Outcome& outcome, double fewest, std::optional<Money> on_demand,
                Money mean) {
  const Price price(resolved, outcome, mean);
  const std::vector<Course> courses = played(outcome.interrupted.job, outcome.interrupted.mean);
  std::vector<Duration> times;
  std::vector<Money> amounts;
  // What costs as much as on demand, as where all of it fell back on that, loses nothing by
  // rounding.
  constexpr double rounding = 1.0 + 1e-9;
  double loses = 0.0;
  double more_blocks = 0.0;
  for (const Course& course : courses) {
    times.push_back(course.wall);
    amounts.push_back(price.of(course));
    if (on_demand && amounts.back() > rounding * *on_demand) loses += 1.0;
    if (course.blocks > fewest) more_blocks += 1.0;
  }
  const double share = 1.0 / static_cast<double>(courses.size());
  out.draws = static_cast<int>(courses.size());
  if (on_demand && *on_demand > Money{}) {
    out.on_demand = OnDemandInstead{*on_demand, 1.0 - mean / *on_demand, loses * share};
  }
  if (out.blocks) out.more_blocks = more_blocks * share;
  out.time = middle(std::move(times));
  out.money = middle(std::move(amounts));
}

using reliability::Course;
using reliability::InterruptedJob;

/// The bill of the same job on on-demand instances; empty where their price is not known. `stretch`
/// of the epochs: what the events that are stated of the job take over the mean.
std::optional<Money> money_on_demand(const Scenario& scenario, const Catalog& catalog,
                                     const HostProfile* host, double stretch) {
  const auto spot = scenario.cluster.interrupted_spot();
  if (!spot) return std::nullopt;
  Scenario other = scenario;
  other.cluster.purchase = Purchase::on_demand;
  if (!other.measured_on.price_purchase) other.measured_on.price_purchase = Purchase::spot;
  try {
    Own own;
    own.stretch = stretch;
    return drawn_job(other, catalog, host, {}, own).bill.money;
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
  plan.restart = seconds(resolve::assumed::restart.value) + resolved.inputs.single_checkpoint();
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
    const Duration alone = reliability::expected(unbooked).wall;
    throw InputError({{"", 0, "/cluster/booked",
                       job.relaunch >= job.booked
                           ? words::begins_for_all_of_block(alone, job.booked, job.relaunch)
                           : words::longer_than_booked(alone, job.booked),
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
                          const pipeline::Outcome& outcome, double stretch) {
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
  fill_plays(out, resolved, outcome, fewest, money_on_demand(scenario, catalog, host, stretch),
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
