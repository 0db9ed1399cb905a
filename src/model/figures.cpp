#include "model/figures.hpp"

#include <algorithm>
#include <cmath>

namespace feedrate {
namespace {

using enum FigureGroup;
using Value = std::optional<double>;
using R = const Result&;

// A stage has these two as the whole job has.
constexpr std::string_view stall_name = "stall_s";
constexpr std::string_view idle_name = "idle_gpu_usd";

constexpr auto second = FigureUnit::seconds;
constexpr auto dollar = FigureUnit::dollars;
constexpr auto share = FigureUnit::share;
constexpr auto number = FigureUnit::count;
constexpr auto less = Better::less;
constexpr auto more = Better::more;
constexpr auto neither = Better::neither;

template <auto member>
Value shown(R r) {
  return r.monitors ? Value((*r.monitors).*member) : std::nullopt;
}

Value number_of(double value) {
  return value;
}
template <int T, int B, int M, int S>
Value number_of(Quantity<T, B, M, S> value) {
  return value.base();
}
template <class T>
Value number_of(const std::optional<T>& value) {
  return value ? number_of(*value) : std::nullopt;
}

template <auto member>
Value of_interruptions(R r) {
  return r.interruptions ? number_of((*r.interruptions).*member) : std::nullopt;
}

/// An end of what the middle 90 % of played jobs have.
template <auto member, std::size_t end>
Value drawn(R r) {
  if (!r.interruptions || r.interruptions->draws == 0) return std::nullopt;
  return number_of(((*r.interruptions).*member)[end]);
}

const OnDemandInstead* instead(R r) {
  const bool known = r.interruptions && r.interruptions->on_demand;
  return known ? &*r.interruptions->on_demand : nullptr;
}

std::optional<AfterFirstSteps> after_first_steps(R r) {
  const Times& t = r.times;
  return after_first_steps(r.steps, r.steps_per_epoch, t.total - t.startup - t.staging,
                           t.first_step);
}

constexpr std::array<Figure, figure_count> table = {{
    {FigureId::instances, cluster, "instances", number, neither, "instances", "how many",
     [](R r) -> Value { return r.instances; }},
    {FigureId::gpus, cluster, "gpus", number, neither, "GPUs", "in all",
     [](R r) -> Value { return r.gpus; }},

    {FigureId::gain_if_twice_as_fast, bottleneck, "gain_if_twice_as_fast", share, neither,
     "gain if twice as fast", "fraction of total_s",
     [](R r) -> Value { return r.bottleneck.gain_if_twice_as_fast; }},

    {FigureId::startup, time, "startup_s", second, less, "start-up", "before any data",
     [](R r) -> Value { return r.times.startup.base(); }},
    {FigureId::staging, time, "staging_s", second, less, "staging",
     "copying the dataset, File mode", [](R r) -> Value { return r.times.staging.base(); }},
    {FigureId::first_epoch, time, "first_epoch_s", second, less, "first epoch", "",
     [](R r) -> Value { return r.times.first_epoch.base(); }, &Bands::first_epoch_s},
    {FigureId::epoch, time, "epoch_s", second, less, "later epochs", "a later epoch; where they differ, the last one",
     [](R r) -> Value { return r.times.epoch.base(); }, &Bands::epoch_s},
    {FigureId::total_time, time, "total_s", second, less, "whole job", "",
     [](R r) -> Value { return r.times.total.base(); }, &Bands::total_s, "time"},

    {FigureId::throughput, pace, "throughput_samples_per_s", FigureUnit::samples_per_second, more,
     "throughput", "over the epochs; null: no dataset is given",
     [](R r) -> Value { return r.throughput ? Value(r.throughput->base()) : std::nullopt; },
     &Bands::throughput, "", true},
    {FigureId::gpu_busy, pace, "gpu_busy", share, more, "GPUs busy after staging",
     "share of the time after start-up and staging", [](R r) -> Value { return r.gpu_busy; }, &Bands::gpu_busy},
    {FigureId::gpu_busy_time, pace, "gpu_busy_s", second, neither, "GPU busy time",
     "per GPU; with all stalls adds up to total_s",
     [](R r) -> Value { return r.gpu_busy_time.base(); }},
    {FigureId::gpu_busy_of_total, pace, "gpu_busy_of_total", share, more, "GPUs busy",
     "gpu_busy_s / total_s: start-up and staging count",
     [](R r) -> Value {
       return r.times.total > Duration{} ? r.gpu_busy_time / r.times.total : 0.0;
     }},
    {FigureId::efficiency, pace, "efficiency", share, more, "efficiency", "S(N) = T(1)/(N T(N)) of the epochs",
     [](R r) { return r.efficiency; }, nullptr, "", true},
    {FigureId::job_efficiency, pace, "job_efficiency", share, more, "efficiency of the job",
     "the same of total_s; null: one instance, or one alone would never end",
     [](R r) { return r.job_efficiency; }, nullptr, "", true},
    {FigureId::steps_per_epoch, pace, "steps_per_epoch", number, neither, "steps per epoch", "",
     [](R r) -> Value { return r.steps_per_epoch; }},
    {FigureId::steps, pace, "steps", number, neither, "steps", "of each GPU, whole job",
     [](R r) -> Value { return r.steps; }},

    {FigureId::cpu_shown, monitors, "cpu_busy", share, neither, "CPU in top",
     "of all hardware threads, as in top", shown<&Monitors::cpu>, nullptr, "", true},
    {FigureId::disk_shown, monitors, "disk_busy", share, neither, "disk in iostat",
     "time with a request in flight: %util of iostat", shown<&Monitors::disk>, nullptr, "", true},
    {FigureId::disk_of_limit, monitors, "disk_of_limit", share, neither, "disk, of its limit",
     "reads, relative to the most that the disk delivers", shown<&Monitors::disk_of_limit>, nullptr, "", true},
    {FigureId::network_shown, monitors, "network_busy", share, neither, "network in sar",
     "received, relative to the line rate: %ifutil of sar", shown<&Monitors::network>, nullptr, "", true},
    {FigureId::gpu_shown, monitors, "gpu_kernels", share, neither, "GPU in nvidia-smi",
     "time in which a kernel runs, all-reduce included", shown<&Monitors::gpu>, nullptr, "", true},
    {FigureId::memory_shown, monitors, "memory_used", share, neither, "memory in use",
     "without the page cache", shown<&Monitors::memory>, nullptr, "", true},
    {FigureId::before_training, monitors, "before_training_s", second, neither, "before training",
     "start-up and staging",
     [](R r) { return r.monitors ? Value(r.monitors->start.base()) : std::nullopt; }, nullptr, "",
     true},
    {FigureId::gap_every, monitors, "gap_every_steps", number, neither, "steps between gaps",
     "steps from one long wait to the next; null: none", shown<&Monitors::gap_every>, nullptr, "",
     true},

    {FigureId::compute, cost, "compute_usd", dollar, less, "compute", "",
     [](R r) -> Value { return r.bill.compute.base(); }},
    {FigureId::auxiliary, cost, "auxiliary_usd", dollar, less, "auxiliary", "",
     [](R r) -> Value { return r.bill.auxiliary.base(); }},
    {FigureId::storage, cost, "storage_usd", dollar, less, "storage", "",
     [](R r) -> Value { return r.bill.storage.base(); }},
    {FigureId::requests, cost, "requests_usd", dollar, less, "requests", "",
     [](R r) -> Value { return r.bill.requests.base(); }},
    {FigureId::transfer, cost, "transfer_usd", dollar, less, "transfer", "",
     [](R r) -> Value { return r.bill.transfer.base(); }},
    {FigureId::money, cost, "money_usd", dollar, less, "cost", "sum of the above",
     [](R r) -> Value { return r.bill.money.base(); }, &Bands::money_usd, "cost"},
    {FigureId::hour_value, cost, "hour_value_usd", dollar, less, "value of the hours",
     "wall time times the value of an hour", [](R r) -> Value { return r.bill.hour_value.base(); }},
    {FigureId::total_cost, cost, "total_usd", dollar, less, "total cost",
     "money_usd + hour_value_usd", [](R r) -> Value { return r.bill.total.base(); },
     &Bands::total_usd, "total_cost"},
    {FigureId::idle_gpu, cost, idle_name, dollar, less, "idle GPU",
     "part of compute_usd while GPUs waited", [](R r) -> Value { return r.bill.idle_gpu.base(); }},
    {FigureId::billed_time, cost, "billed_time_s", second, less, "billed time",
     "of one instance, after rounding", [](R r) -> Value { return r.bill.billed_time.base(); }},
    {FigureId::unpriced, cost, "unpriced", number, less, "without a price",
     "1: something of the job has no price, so it looks cheaper than it is; null: all has",
     [](R r) { return r.bill.unpriced ? Value(1.0) : std::nullopt; }, nullptr, "", true},

    {FigureId::interruptions, interrupted, "expected_interruptions", number, less,
     "interruptions", "on average", of_interruptions<&Interruptions::expected>, nullptr, "", true},
    {FigureId::between_interruptions, interrupted, "between_interruptions_s", second, neither,
     "between two", "mean time between interruptions anywhere in the cluster; null: none", of_interruptions<&Interruptions::between>, nullptr, "", true},
    {FigureId::rework, interrupted, "rework_s", second, less, "work done again", "since the last usable checkpoint",
     of_interruptions<&Interruptions::rework>, nullptr, "", true},
    {FigureId::restarts, interrupted, "restarts_s", second, less, "restarts", "start-up, staging and cold caches included",
     of_interruptions<&Interruptions::restarts>, nullptr, "", true},
    {FigureId::capacity_wait, interrupted, "capacity_wait_s", second, less, "waiting for capacity", "instances that are not taken away are paid, but for SageMaker's",
     of_interruptions<&Interruptions::waits>, nullptr, "", true},
    {FigureId::effective_time, interrupted, "effective_time_ratio", share, more, "effective time",
     "training that lasts, as a share of total_s", of_interruptions<&Interruptions::effective>, nullptr, "", true},
    {FigureId::checkpoint_interval, interrupted, "checkpoint_interval_s", second, neither, "checkpoint every",
     "training time between checkpoints; null: none is written", of_interruptions<&Interruptions::interval>, nullptr, "", true},
    {FigureId::best_interval, interrupted, "best_interval_s", second, neither, "best interval",
     "interval with the shortest expected time; of background writes the longest within 1 % of it", of_interruptions<&Interruptions::best>, nullptr, "", true},
    {FigureId::young_interval, interrupted, "young_interval_s", second, neither, "Young's interval",
     "sqrt(2 * time to write a checkpoint * mean time between interruptions that lose work)", of_interruptions<&Interruptions::young>, nullptr, "", true},
    {FigureId::daly_interval, interrupted, "daly_interval_s", second, neither, "Daly's interval",
     "the same less the time to write a checkpoint", of_interruptions<&Interruptions::daly>, nullptr, "", true},
    {FigureId::time_p5, interrupted, "total_p5_s", second, less, "time, 5 %", "one job in 20 is faster",
     drawn<&Interruptions::time, 0>, nullptr, "", true},
    {FigureId::time_p95, interrupted, "total_p95_s", second, less, "time, 95 %", "one job in 20 is slower",
     drawn<&Interruptions::time, 1>, nullptr, "", true},
    {FigureId::money_p5, interrupted, "money_p5_usd", dollar, less, "cost, 5 %", "one job in 20 is cheaper",
     drawn<&Interruptions::money, 0>, nullptr, "", true},
    {FigureId::money_p95, interrupted, "money_p95_usd", dollar, less, "cost, 95 %", "one job in 20 is more expensive",
     drawn<&Interruptions::money, 1>, nullptr, "", true},
    {FigureId::on_demand_money, interrupted, "on_demand_usd", dollar, neither, "on demand", "the same job on demand; null: not on spot, or no price",
     [](R r) { return instead(r) ? Value(instead(r)->money.base()) : std::nullopt; }, nullptr, "", true},
    {FigureId::spot_saving, interrupted, "spot_saving", share, more, "saved by spot", "of on_demand_usd, on average",
     [](R r) { return instead(r) ? Value(instead(r)->saving) : std::nullopt; }, nullptr, "", true},
    {FigureId::spot_loses, interrupted, "spot_loses", share, less, "spot loses", "share of spot jobs that cost more than on_demand_usd",
     [](R r) { return instead(r) ? Value(instead(r)->loses) : std::nullopt; }, nullptr, "", true},
    {FigureId::blocks, interrupted, "blocks", number, less, "blocks", "booked one after another, on average; null: nothing is booked",
     of_interruptions<&Interruptions::blocks>, nullptr, "", true},
    {FigureId::more_blocks, interrupted, "more_blocks", share, less, "block overrun", "share of jobs that need one block more because of interruptions",
     of_interruptions<&Interruptions::more_blocks>, nullptr, "", true},
    {FigureId::unused, interrupted, "unused_usd", dollar, less, "booked and not used", "part of compute_usd",
     [](R r) { return r.interruptions && r.interruptions->blocks ? Value(r.bill.unused.base()) : std::nullopt; }, nullptr, "", true},

    {FigureId::hours, derived, "hours", FigureUnit::hours, less, "hours", "total_s in hours",
     [](R r) -> Value { return r.times.total / hours(1.0); }, nullptr, "", false, FigureId::total_time},
    {FigureId::step_time, derived, "step_ms", FigureUnit::milliseconds, less, "step",
     "epoch_s / steps_per_epoch",
     [](R r) -> Value {
       if (r.steps_per_epoch <= 0.0) return std::nullopt;
       return r.times.epoch.base() / r.steps_per_epoch * 1e3;
     },
     nullptr, "", true, FigureId::epoch},
    {FigureId::cost_per_epoch, derived, "epoch_usd", dollar, less, "cost of an epoch",
     "money_usd over the epochs",
     [](R r) -> Value {
       if (r.steps_per_epoch <= 0.0 || r.steps <= 0.0) return std::nullopt;
       return r.bill.money.base() * r.steps_per_epoch / r.steps;
     },
     nullptr, "", true, FigureId::money},
    {FigureId::cost_per_million_samples, derived, "million_samples_usd", dollar, less,
     "cost of a million samples", "money_usd over the samples of all epochs",
     [](R r) -> Value {
       if (r.samples <= 0.0) return std::nullopt;
       return r.bill.money.base() * 1e6 / r.samples;
     },
     nullptr, "", true, FigureId::money},
    {FigureId::month, derived, "month_usd", dollar, less, "cost of a month",
     "money_usd times accounting.runs_per_month",
     [](R r) -> Value {
       return r.runs_per_month ? Value(r.bill.money.base() * *r.runs_per_month) : std::nullopt;
     },
     nullptr, "", true, FigureId::money},
    {FigureId::stall, derived, stall_name, second, less, "GPU waits", "total_s - gpu_busy_s",
     [](R r) -> Value { return (r.times.total - r.gpu_busy_time).base(); }},
    {FigureId::later_epoch, derived, "later_epoch_s", second, less, "later epochs on average",
     "mean of the epochs after the first; null: fewer than two",
     [](R r) -> Value {
       const double later = r.steps_per_epoch > 0.0 ? r.steps / r.steps_per_epoch - 1.0 : 0.0;
       if (later <= 1.0 || !r.throughput) return std::nullopt;
       return (r.samples / r.throughput->base() - r.times.first_epoch.base()) / later;
     },
     nullptr, "", true},
    {FigureId::first_step, derived, "first_step_s", second, less, "first step",
     "from an epoch's beginning to the end of its first step, on average",
     [](R r) -> Value {
       if (r.steps <= 0.0) return std::nullopt;
       return r.times.first_step.base();
     },
     nullptr, "", true},
    {FigureId::busy_after_first_step, derived, "gpu_busy_after_first_step", share, more,
     "GPUs busy after each epoch's first step", "MLPerf Storage's AU; null: epochs of one step",
     [](R r) -> Value {
       const auto left = after_first_steps(r);
       if (!left) return std::nullopt;
       return r.gpu_busy_time * left->steps / left->time;
     },
     &Bands::busy_after_first_step, "", true},
    {FigureId::throughput_after_first_step, derived, "after_first_step_samples_per_s",
     FigureUnit::samples_per_second, more, "throughput after each epoch's first step",
     "as training loops and benchmarks state it that leave the first step out",
     [](R r) -> Value {
       const auto left = after_first_steps(r);
       if (!left || r.samples <= 0.0) return std::nullopt;
       return r.samples * left->steps / left->time.base();
     },
     nullptr, "", true},
}};

constexpr bool ids_are_places() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].id) != i) return false;
  }
  return true;
}
static_assert(ids_are_places());

constexpr bool bands_are_listed() {
  return std::all_of(table.begin(), table.end(), [](const Figure& figure) {
    const bool listed =
        std::find(banded_figures.begin(), banded_figures.end(), figure.id) != banded_figures.end();
    return listed == (figure.band != nullptr);
  });
}
static_assert(bands_are_listed());
static_assert(static_cast<std::size_t>(FigureId::throughput_after_first_step) + 1 == figure_count);

constexpr std::array<StageFigure, 4> stage_table = {{
    {"capacity_samples_per_s", FigureUnit::samples_per_second,
     "what it could carry alone; once burst credit has ended, where burst_end is no null",
     [](const StageStats& s) { return s.capacity ? Value(s.capacity->base()) : std::nullopt; },
     true},
    {"utilization", share, "busy share of the steady epoch",
     [](const StageStats& s) { return s.utilization; }, true},
    {stall_name, second, "time for which a GPU waits for it, whole job",
     [](const StageStats& s) -> Value { return s.stall.base(); }},
    {idle_name, dollar, "what was paid for that waiting",
     [](const StageStats& s) -> Value { return s.idle_gpu.base(); }},
}};

}  // namespace

std::optional<AfterFirstSteps> after_first_steps(double steps, double steps_per_epoch,
                                                 Duration time, Duration first_step) {
  if (steps_per_epoch <= 1.0 || steps <= 1.0) return std::nullopt;
  const double epochs = std::ceil(steps / steps_per_epoch);
  const AfterFirstSteps left{1.0 - epochs / steps, time - epochs * first_step};
  if (left.steps <= 0.0 || left.time <= Duration{}) return std::nullopt;
  return left;
}

std::span<const Figure> all_figures() {
  return table;
}

std::span<const Figure> figures_in(FigureGroup group) {
  const auto in_group = [&](const Figure& figure) { return figure.group == group; };
  const auto first = std::find_if(table.begin(), table.end(), in_group);
  return {first, std::find_if_not(first, table.end(), in_group)};
}

const Figure& figure(FigureId id) {
  return table[static_cast<std::size_t>(id)];
}

const Figure* find_figure(std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Figure& f) { return f.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string_view name_of(FigureId id) {
  return figure(id).name;
}

std::optional<double> value_of(const Result& result, FigureId id) {
  return figure(id).of(result);
}

namespace {

/// `quantiles` of the figure whose spread `of` has, brought to what `of` is counted in.
template <class Quantiles>
std::optional<Quantiles> in_proportion(const Result& result, const Figure& of,
                                       Quantiles quantiles) {
  if (!of.spread_of) return quantiles;
  const auto value = of.of(result);
  const auto drawn = value_of(result, *of.spread_of);
  if (!value || !drawn || *drawn == 0.0) return std::nullopt;
  for (double& one : quantiles) one *= *value / *drawn;
  return quantiles;
}

}  // namespace

std::optional<Band> band_of(const Result& result, const Figure& of) {
  if (!result.bands) return std::nullopt;
  const auto band = band_of(*result.bands, of.spread_of ? figure(*of.spread_of) : of);
  return band ? in_proportion(result, of, *band) : std::nullopt;
}

std::optional<InnerBand> inner_band_of(const Result& result, const Figure& of) {
  if (!band_of(result, of)) return std::nullopt;
  const auto at =
      std::find(banded_figures.begin(), banded_figures.end(), of.spread_of.value_or(of.id));
  if (at == banded_figures.end()) return std::nullopt;
  return in_proportion(result, of,
                       result.bands->inner[static_cast<std::size_t>(at - banded_figures.begin())]);
}

std::optional<Band> band_of(const Bands& bands, const Figure& figure) {
  if (figure.band == nullptr) return std::nullopt;
  return bands.*figure.band;
}

std::string_view unit_text(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::seconds: return "s";
    case FigureUnit::milliseconds: return "ms";
    case FigureUnit::hours: return "h";
    case FigureUnit::dollars: return "USD";
    case FigureUnit::samples_per_second: return "samples/s";
    case FigureUnit::share:
    case FigureUnit::count: return "";
  }
  return "";
}

std::span<const StageFigure> stage_figures() {
  return stage_table;
}

}  // namespace feedrate
