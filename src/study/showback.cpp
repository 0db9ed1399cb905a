#include "study/showback.hpp"

#include <algorithm>

#include "catalog/lookup.hpp"
#include "resolve/pieces.hpp"
#include "words/showback.hpp"

namespace feedrate::study {
namespace {

// A GPU that waits with a training program's context: 10 % of its limit where it idles at low
// clocks, 30 % where it spins. One that computes: 60 % where the step waits for memory, all of it
// where the tensor cores are busy (both: nvidia-smi of training jobs; assumed).
constexpr double waits_least = 0.1, waits_most = 0.3;
constexpr double computes_least = 0.6, computes_most = 1.0;
// The rest of a machine (processors, memory, fans) takes up to as much again: a DGX H100 is built
// for 10.2 kW, its eight GPUs for 5.6. A data centre takes another tenth to a third (PUE).
constexpr double machine_most = 1.8;
constexpr double site_least = 1.1, site_most = 1.3;

constexpr double joules_per_kwh = 3.6e6;

/// For which an instance is kept for a next job, as it is billed.
Duration kept_warm(const Bill& bill) {
  Duration time;
  for (const BillLine& line : bill.lines) {
    const auto* const machines = std::get_if<ChargedInstances>(&line.charge);
    if (machines != nullptr && machines->warm) time += machines->each;
  }
  return time;
}

/// The GPUs' time of a run, busy and waiting, of one instance.
struct GpuTime {
  double busy = 0.0, waiting = 0.0;
};

/// Work that is done again takes as much of its time as work itself does.
GpuTime gpu_time(const Result& result) {
  double busy = result.gpu_busy_time.base();
  const Duration held = result.bill.billed_time + kept_warm(result.bill);
  if (const auto& of = result.interruptions) {
    const double work = of->effective * result.times.total.base();
    if (work > 0.0) busy *= 1.0 + of->rework.base() / work;
  }
  return {busy, std::max(0.0, held.base() - busy)};
}

void add(ChargedJobs& sum, const ChargedJobs& job) {
  sum.runs_per_month += job.runs_per_month;
  sum.prepared += job.prepared;
  sum.month += job.month;
  sum.waiting += job.waiting;
  const bool first = sum.jobs == 0.0;
  sum.jobs += job.jobs;
  // A part that is not known leaves the sum unknown.
  const auto together = [&](std::optional<double>& into, const std::optional<double>& more) {
    into = (first || into) && more ? std::optional(into.value_or(0.0) + *more) : std::nullopt;
  };
  together(sum.least_kg, job.least_kg);
  together(sum.most_kg, job.most_kg);
}

ChargedJobs none_of(std::string name) {
  ChargedJobs sum;
  sum.name = std::move(name);
  sum.jobs = sum.runs_per_month = 0.0;
  return sum;
}

/// For GPUs that wait, that are booked and not used, and that are kept for a next job.
Money idle_of(const Bill& bill) {
  Money idle = bill.idle_gpu + bill.unused;
  for (const BillLine& line : bill.lines) {
    const auto* const machines = std::get_if<ChargedInstances>(&line.charge);
    if (machines != nullptr && machines->warm) idle += line.amount;
  }
  return idle;
}

void unit_costs(ChargedJobs& job, const Scenario& scenario, const Result& result) {
  const auto per = [&](FigureId id, double units) -> std::optional<Money> {
    const std::optional<double> cost = value_of(result, id);
    return cost ? std::optional(Money::of(*cost * units)) : std::nullopt;
  };
  job.per_epoch = per(FigureId::cost_per_epoch, 1.0);
  job.per_million_samples = per(FigureId::cost_per_million_samples, 1.0);
  const auto& step = scenario.job.step;
  if (step && step->tokens_per_sample) {
    // A sample that is packed with others is a part of one of the step's.
    const double tokens = *step->tokens_per_sample / resolve::documents_in_sample(scenario);
    job.per_billion_tokens = per(FigureId::cost_per_million_samples, 1e3 / tokens);
  }
}

ChargedJobs charged(const RunOf& run, const Catalog& catalog, const std::string& by,
                    std::vector<std::string>& remarks) {
  const Accounting& accounting = run.scenario->accounting;
  const Result& result = *run.result;
  ChargedJobs job;
  job.name = run.scenario->name;
  job.file = run.file;
  if (const auto found = accounting.tags.find(by); found != accounting.tags.end()) {
    job.tag = found->second;
  }
  job.bottleneck = result.bottleneck.stage;
  job.run_time = result.times.total;
  job.run = result.bill.money;
  unit_costs(job, *run.scenario, result);
  job.prepared = preparation_of(accounting);
  job.runs_per_month = accounting.runs_per_month.value_or(1.0);
  job.month = job.runs_per_month * *job.run;
  // What is prepared once is paid once, however often the job runs in a month.
  if (accounting.runs) {
    job.month += std::min(1.0, job.runs_per_month / *accounting.runs) * job.prepared;
  }
  job.waiting = job.runs_per_month * idle_of(result.bill);
  for (const auto* said : {&result.caveats, &result.remarks}) {
    for (const std::string& one : *said) {
      const bool of_bill = one.find(words::not_billed) != std::string::npos ||
                           one.find(words::paid_again) != std::string::npos;
      if (of_bill) remarks.push_back(words::remark_of(job.name, one));
    }
  }
  if (accounting.runs && *accounting.runs < job.runs_per_month) {
    remarks.push_back(words::more_runs_than_all(job.name, job.runs_per_month, *accounting.runs));
  }
  if (job.prepared > Money{} && !accounting.runs) {
    remarks.push_back(words::unshared_preparation(job.name));
  }
  if (const auto footprint = footprint_of(*run.scenario, result, catalog)) {
    const double kg = job.runs_per_month * footprint->grams_per_kwh / 1e3;
    job.least_kg = kg * footprint->least_kwh;
    job.most_kg = kg * footprint->most_kwh;
  }
  return job;
}

/// A month of a job whose instances a savings plan pays, at its prices.
struct CoveredJob {
  Money wanted;
  Money within;  ///< of it, what the plan's hours pay where the job runs alone
  Duration held;
  double kept = 1.0;  ///< the plan's price of an instance over that on demand
};

CoveredJob covered_by(HourlyPrice hourly, const RunOf& run) {
  const Cluster& cluster = run.scenario->cluster;
  const double runs = run.scenario->accounting.runs_per_month.value_or(1.0);
  const Bill& bill = run.result->bill;
  const Duration held = bill.billed_time + kept_warm(bill);
  CoveredJob job;
  job.wanted = runs * bill.compute;
  job.within = runs * std::min(bill.compute, hourly * held);
  job.held = runs * held;
  job.kept = 1.0 - cluster.savings.value_or(0.0);
  return job;
}

void remark_on(const Showback& made, std::span<const RunOf> runs,
               std::vector<std::string>& remarks) {
  const auto count = [](const auto& list, auto of) {
    return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), of));
  };
  const std::size_t once =
      count(runs, [](const RunOf& run) { return !run.scenario->accounting.runs_per_month; });
  const std::size_t untagged =
      count(made.jobs, [](const ChargedJobs& job) { return job.tag.empty(); });
  const std::size_t dark = count(made.jobs, [](const ChargedJobs& job) { return !job.most_kg; });
  if (once > 0) remarks.push_back(words::without_runs(once, runs.size()));
  if (untagged > 0) remarks.push_back(words::without_tag(made.by, untagged, runs.size()));
  if (dark > 0) remarks.push_back(words::unknown_emissions(dark, runs.size()));
}

}  // namespace

Money preparation_of(const Accounting& accounting) {
  Money sum;
  for (const Preparation& item : accounting.preparation) {
    if (item.cost) sum += *item.cost;
    if (item.time && item.price) sum += *item.price * *item.time;
  }
  return sum;
}

std::optional<Footprint> footprint_of(const Scenario& scenario, const Result& result,
                                      const Catalog& catalog) {
  const auto machine = find_machine(catalog, result.instance);
  if (!machine) return std::nullopt;
  const bool of_aws = (*machine)->cloud == "aws";
  const auto gpu = std::find_if(catalog.gpus.begin(), catalog.gpus.end(),
                                [&](const Gpu& one) { return one.name == (*machine)->gpu_model; });
  const std::string region =
      scenario.cluster.region.value_or(of_aws ? std::string(default_region) : "");
  const auto grid = std::find_if(catalog.grids.begin(), catalog.grids.end(),
                                 [&](const GridCarbon& one) { return one.region == region; });
  if (gpu == catalog.gpus.end() || !gpu->power) return std::nullopt;
  if (grid == catalog.grids.end() || !grid->grams_per_kwh) return std::nullopt;
  const GpuTime time = gpu_time(result);
  const double all = result.gpus * gpu->power->value / joules_per_kwh;
  Footprint made;
  made.grid = region;
  made.grams_per_kwh = grid->grams_per_kwh->value;
  made.least_kwh = site_least * all * (computes_least * time.busy + waits_least * time.waiting);
  made.most_kwh =
      site_most * machine_most * all * (computes_most * time.busy + waits_most * time.waiting);
  return made;
}

Commitment commitment_of(std::span<const RunOf> runs, Money month_of_jobs, HourlyPrice hourly) {
  Commitment made;
  made.month = hourly * months(1);
  made.jobs = month_of_jobs;
  Money within;  // what the jobs' hours have of the plan, were the month as long as all of them
  std::vector<CoveredJob> covered;
  for (const RunOf& run : runs) {
    if (run.scenario->cluster.purchase != Purchase::savings_plan) continue;
    covered.push_back(covered_by(hourly, run));
    made.wanted += covered.back().wanted;
    made.hours += covered.back().held;
    within += covered.back().within;
  }
  const double share = within > made.month ? made.month / within : 1.0;
  made.used = share * within;
  for (const CoveredJob& job : covered) {
    if (job.kept > 0.0) made.on_demand += 1.0 / job.kept * (job.wanted - share * job.within);
  }
  return made;
}

Showback showback(std::span<const RunOf> runs, const Catalog& catalog, const std::string& by) {
  Showback made;
  made.by = by;
  made.all = none_of("all");
  for (const RunOf& run : runs) {
    const ChargedJobs job = charged(run, catalog, by, made.remarks);
    const auto found = std::find_if(made.groups.begin(), made.groups.end(),
                                    [&](const ChargedJobs& one) { return one.name == job.tag; });
    add(found == made.groups.end() ? made.groups.emplace_back(none_of(job.tag)) : *found, job);
    add(made.all, job);
    made.jobs.push_back(job);
  }
  std::stable_sort(made.groups.begin(), made.groups.end(),
                   [](const ChargedJobs& a, const ChargedJobs& b) { return a.month > b.month; });
  remark_on(made, runs, made.remarks);
  return made;
}

}  // namespace feedrate::study
