#pragma once
// Every figure of a result, once: its name, its unit, which way is better, and where it is found.
// JSON, CSV, limits, cases, baselines and tables name and order figures as this table does. A new
// figure is an id here and a row in figures.cpp.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace feedrate {

/// In the order in which they are written.
enum class FigureId : std::uint8_t {
  instances,
  gpus,
  gain_if_twice_as_fast,
  startup,
  staging,
  first_epoch,
  epoch,
  total_time,
  throughput,
  gpu_busy,
  gpu_busy_time,
  gpu_busy_of_total,
  efficiency,
  job_efficiency,
  steps_per_epoch,
  steps,
  cpu_shown,
  disk_shown,
  disk_of_limit,
  network_shown,
  gpu_shown,
  memory_shown,
  before_training,
  gap_every,
  compute,
  auxiliary,
  storage,
  requests,
  transfer,
  money,
  hour_value,
  total_cost,
  idle_gpu,
  billed_time,
  unpriced,
  interruptions,
  between_interruptions,
  rework,
  restarts,
  capacity_wait,
  effective_time,
  checkpoint_interval,
  best_interval,
  young_interval,
  daly_interval,
  time_p5,
  time_p95,
  money_p5,
  money_p95,
  on_demand_money,
  spot_saving,
  spot_loses,
  blocks,
  more_blocks,
  unused,
  hours,
  step_time,
  cost_per_epoch,
  cost_per_million_samples,
  month,
  stall,
  later_epoch,
  first_step,
  busy_after_first_step,
  throughput_after_first_step,
};

inline constexpr std::size_t figure_count = 65;

/// Where a document has the figure: in the object of that name, or beside it.
enum class FigureGroup : std::uint8_t {
  cluster,      ///< how many machines and GPUs
  bottleneck,   ///< what the stage that gains most would gain
  time,         ///< parts of the job's wall time
  pace,         ///< rates and shares
  monitors,     ///< what top, iostat, sar and nvidia-smi would show
  cost,         ///< the bill
  interrupted,  ///< what interruptions do, where they are counted
  derived,      ///< another form of the others: for limits and cases, in no document
};

enum class FigureUnit : std::uint8_t {
  seconds,
  milliseconds,
  hours,
  dollars,
  samples_per_second,
  share,  ///< 0…1
  count,
};

enum class Better : std::uint8_t { less, more, neither };

struct Figure {
  FigureId id = FigureId::instances;
  FigureGroup group = FigureGroup::cluster;
  std::string_view name;  ///< "total_s": with its unit; the key in every document
  FigureUnit unit = FigureUnit::count;
  Better better = Better::neither;
  std::string_view title;   ///< for people: "whole job"
  std::string_view manual;  ///< what it is, where name and title leave that open
  /// Empty, where `may_lack` says so: does not apply, or is not known.
  std::optional<double> (*of)(const Result&) = nullptr;
  Band Bands::*band = nullptr;  ///< its spread over draws; null: none is kept
  std::string_view alias{};     ///< what a limit may call it as well: "time"
  bool may_lack = false;        ///< whether a result need not have it
  /// The figure that it is a constant times of, and whose spread it has; empty: its own, if any.
  std::optional<FigureId> spread_of{};
  std::string_view since = "0.1.0";  ///< the first version that has it
};

/// A job without the first step of each epoch and what comes before it.
struct AfterFirstSteps {
  double steps = 0.0;  ///< share of the job's
  Duration time;
};
/// Of a job of so many steps, whose epochs took `time`, and their first steps `first_step` each.
/// Empty where no epoch has a second step.
std::optional<AfterFirstSteps> after_first_steps(double steps, double steps_per_epoch,
                                                 Duration time, Duration first_step);

/// All, in the order of their ids.
std::span<const Figure> all_figures();
/// Those of one group, which stand together.
std::span<const Figure> figures_in(FigureGroup group);
const Figure& figure(FigureId id);
/// By name; null where no figure has it.
const Figure* find_figure(std::string_view name);
std::string_view name_of(FigureId id);
std::optional<double> value_of(const Result& result, FigureId id);
/// Its 5 %, 50 % and 95 % quantiles over the draws; empty where there are none of it.
std::optional<Band> band_of(const Result& result, const Figure& figure);
std::optional<Band> band_of(const Bands& bands, const Figure& figure);
/// Its inner quantiles; empty likewise.
std::optional<InnerBand> inner_band_of(const Result& result, const Figure& figure);

/// "s", "USD", "samples/s"; "" for shares and counts.
std::string_view unit_text(FigureUnit unit);

/// What a check shows first, in this order.
inline constexpr std::array main_figures = {FigureId::money, FigureId::total_cost,
                                            FigureId::total_time, FigureId::gpu_busy};
/// Those whose spread over draws is kept, in the order in which it is written.
inline constexpr std::array banded_figures = {FigureId::total_time,
                                              FigureId::epoch,
                                              FigureId::money,
                                              FigureId::total_cost,
                                              FigureId::throughput,
                                              FigureId::gpu_busy,
                                              FigureId::busy_after_first_step,
                                              FigureId::first_epoch};
/// Those in which a comparison states by how much a result differs from the first.
inline constexpr std::array compared_figures = {FigureId::total_time, FigureId::money,
                                                FigureId::total_cost, FigureId::throughput};

/// A figure of one stage.
struct StageFigure {
  std::string_view name;
  FigureUnit unit = FigureUnit::seconds;
  std::string_view manual;
  std::optional<double> (*of)(const StageStats&) = nullptr;
  bool may_lack = false;  ///< whether a stage need not have it
};

/// In the order in which they are written.
std::span<const StageFigure> stage_figures();

}  // namespace feedrate
