#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "base/number_text.hpp"
#include "report/bands.hpp"
#include "report/certainty_report.hpp"
#include "report/communication_words.hpp"
#include "report/interruption_report.hpp"
#include "report/monitor_words.hpp"
#include "report/numbers.hpp"
#include "report/reports.hpp"
#include "report/run_tables.hpp"
#include "report/shared_limit_words.hpp"
#include "study/bottleneck.hpp"
#include "study/by_events.hpp"
#include "words/bill.hpp"
#include "words/job.hpp"

namespace feedrate::report {
namespace {

double busy_share(const Result& r) {
  return value_of(r, FigureId::gpu_busy_of_total).value_or(0.0);
}

// GPU-waiting share of the whole job, staging included: of two times that the report shows.
double waiting_share(const Result& r) {
  return r.times.total > Duration{} ? 1.0 - busy_share(r) : 0.0;
}

double draws_of(const Result& r) {
  return r.bands ? r.bands->replications : 0.0;
}

std::string in_replications(const Result& r) {
  if (!r.bottleneck.probability) return "";
  if (!has_shares(draws_of(r))) {
    const double named = *r.bottleneck.probability * draws_of(r);
    return fmt::format(" (in {:.0f} of {})", named, counted(draws_of(r), "draw"));
  }
  return fmt::format(" (in {} of the replications)", percent(*r.bottleneck.probability));
}

// "9.9 % for download, 1.4 % for h2d": the longest waits first, `most` of them, down to 1 % of the
// job.
std::string waited_for(const Result& r, std::size_t most) {
  std::vector<std::pair<double, Stage>> waits;
  for (const Stage stage : all_stages()) {
    const double share = r.stages[stage].stall / r.times.total;
    if (share >= 0.01) waits.emplace_back(share, stage);
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (waits.size() > most) waits.resize(most);
  std::string text;
  for (const auto& [share, stage] : waits) {
    const bool stragglers = stage == Stage::allreduce && waits_for_stragglers(r);
    text += fmt::format("{}{} for {}", text.empty() ? "" : ", ", percent(share),
                        stragglers ? "stragglers among them" : name_of(stage));
  }
  return text;
}

Paragraph headline(const Result& r) {
  constexpr std::size_t all = stage_count;
  const Finding found = finding(r, all);
  const bool told = found.stage && !(found.stage == Stage::gpu && found.tone == Tone::good);
  const std::string dollars =
      told && r.bill.compute > Money{}
          ? fmt::format(" ({} of {} pays for waiting)", money(r.bill.idle_gpu), money(r.bill.money))
          : "";
  return {
      fmt::format("{}{}{} {}.", found.claim, dollars, found.stage ? ";" : ", and", found.what_if),
      found.tone};
}

/// "17 min 40 s to 18 min 3 s in 90 % of 20 draws"; "" where that is one text, or nothing was
/// drawn. The middle of a time's draws is told where the stated one is not near it: of two stages
/// that are uncertain and equally slow the slower one decides, more often than either.
std::string band_text(const Result& r, FigureId id) {
  std::string text = drawn_range(r, id);
  if (text.empty()) return "";
  const Band band = *band_of(r, figure(id));
  text += " " + in_counted_draws(draws_of(r));
  constexpr double near = 0.02;
  const double stated = value_of(r, id).value_or(band[1]);
  if (id == FigureId::total_time && std::abs(stated / band[1] - 1.0) > near) {
    text += ", half above " + figure_text(figure(id).unit, band[1]);
  }
  return text;
}

Row figure_row(const Result& r, FigureId id, std::string remark) {
  return {{std::string(figure(id).title), figure_text(r, id), std::move(remark)}, false};
}

/// Times of nothing are left out.
void add_time(Table& table, const Result& r, FigureId id, std::string remark = "") {
  if (value_of(r, id).value_or(0.0) > 0.0) {
    table.rows.push_back(figure_row(r, id, std::move(remark)));
  }
}

Row bill_row(const Result& r, FigureId id) {
  return {{std::string(figure(id).title), "", "", figure_text(r, id), band_text(r, id)}, false};
}

// Which stages were the bottleneck, where the replications do not agree.
std::string bottlenecks(const Bands& bands) {
  std::vector<std::pair<double, Stage>> shares;
  for (const Stage stage : all_stages()) {
    if (bands.bottleneck_probability[stage] > 0.0) {
      shares.emplace_back(bands.bottleneck_probability[stage], stage);
    }
  }
  if (shares.size() < 2) return "";
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [share, stage] : shares) {
    text += fmt::format("{}{} in {}", text.empty() ? "" : ", ", name_of(stage), percent(share));
  }
  return fmt::format("Bottleneck in the replications: {}.", text);
}

Table bill_table(const Result& r) {
  const Bill& bill = r.bill;
  Table table;
  table.title = "Bill";
  table.columns = {{""}, {""}, {""}, {"", Align::right}, {""}};
  for (const BillLine& line : bill.lines) {
    table.rows.push_back(
        {{words::item(line), words::quantity(line), words::price(line), money(line.amount),
          Cell(std::string(name_of(line.from.origin)),
               line.from.origin == Origin::assumed ? Tone::caution : Tone::faint)},
         false});
  }
  table.rows.push_back(bill_row(r, FigureId::money));
  if (bill.hour_value != Money{}) {
    table.rows.push_back(bill_row(r, FigureId::hour_value));
    table.rows.push_back(bill_row(r, FigureId::total_cost));
  }
  if (bill.idle_gpu > Money{}) {
    table.note = fmt::format("{} of it pays for GPUs that wait.", money(bill.idle_gpu));
  }
  if (const std::string sources = words::price_sources(bill); !sources.empty()) {
    table.note += fmt::format("{}Prices: {}.", table.note.empty() ? "" : " ", sources);
  }
  return table;
}

Paragraph effort(const Effort& effort) {
  return {effort_words(effort), Tone::faint};
}

}  // namespace

Finding finding(const Result& r, std::size_t most_waits) {
  const double gain = r.bottleneck.gain_if_twice_as_fast;
  const std::string busy = percent(busy_share(r));
  if (study::is_startup_of_job(r)) {
    const double share = r.times.startup / r.times.total;
    return {Stage::startup, Tone::bad,
            fmt::format("Start-up (/job/startup) takes {} of the job's time, {}: the GPUs are busy "
                        "{} of it",
                        percent(share), figure_text(r, FigureId::startup), busy),
            fmt::format("half as much start-up would finish the job {} sooner", percent(gain))};
  }
  if (!r.bottleneck.stage || gain < study::least_gain) {
    return {std::nullopt, Tone::plain,
            fmt::format("No single bottleneck: the GPUs are busy {} of the job's time", busy),
            fmt::format("no stage made twice as fast would finish the job more than {} sooner",
                        percent(std::max(gain, study::least_gain)))};
  }
  const Stage stage = *r.bottleneck.stage;
  const bool of_mean = r.by_events && r.by_events->stated && r.by_events->gains().empty();
  const auto sooner = [&](std::string_view what) {
    return fmt::format("{} would finish the job {} sooner{}", what, percent(gain),
                       of_mean ? " in closed form" : "");
  };
  // Below that, the GPUs set the pace of a job that is not fed.
  constexpr double fed = 0.9;
  if (stage == Stage::gpu && busy_share(r) < fed) {
    return {stage, Tone::plain,
            fmt::format("Faster GPUs would help most{}, but the GPUs are busy only {} of the job's "
                        "time: they wait {}",
                        in_replications(r), busy, waited_for(r, most_waits)),
            sooner("GPUs twice as fast")};
  }
  if (stage == Stage::gpu) {
    return {stage, Tone::good,
            fmt::format("The GPUs are fed: busy {} of the job's time, they set the pace{}", busy,
                        in_replications(r)),
            sooner("GPUs twice as fast")};
  }
  const std::string waits = percent(waiting_share(r));
  if (stage == Stage::interruption) {
    return {stage, Tone::bad,
            fmt::format("Interruptions cost most{}: the GPUs wait {} of the time",
                        in_replications(r), waits),
            sooner("half as many interruptions")};
  }
  const bool either = r.by_events && study::cannot_tell_apart(*r.by_events) &&
                      stage == r.by_events->mean_bottleneck;
  const std::string names = either ? fmt::format("{} or {} (the events cannot tell them apart)",
                                                 name_of(stage), name_of(*r.by_events->bottleneck))
                                   : std::string(name_of(stage));
  return {stage, Tone::bad,
          fmt::format("{} is the bottleneck{}: the GPUs wait {} of the job's time", names,
                      in_replications(r), waits),
          sooner(fmt::format("{} twice as fast", r.bottleneck.starts_steps
                                                     ? "the main process starting each step"
                                                     : explained(stage)))};
}

std::string drawn_range(const Result& r, FigureId id) {
  const std::optional<Band> band = band_of(r, figure(id));
  if (!band || figure_text(figure(id).unit, (*band)[0]) == figure_text(figure(id).unit, (*band)[2]))
    return "";
  return range_text(figure(id), *band);
}

bool has_shares(double draws) {
  constexpr double least = 20.0;
  return draws >= least;
}

std::string in_draws(double draws) {
  return has_shares(draws) ? "in 90 % of draws" : "in " + counted(draws, "draw");
}

std::string in_counted_draws(double draws) {
  return fmt::format("in {}{}", has_shares(draws) ? "90 % of " : "", counted(draws, "draw"));
}

std::string of_draws_words(const Result& r) {
  return " " + in_draws(draws_of(r));
}

std::string run_title(std::string_view name, const Result& r) {
  return fmt::format("{} · {} × {} · {} GPU{}", name, count(r.instances),
                     r.instance.empty() ? "instance" : r.instance, count(r.gpus),
                     r.gpus == 1.0 ? "" : "s");
}

std::string effort_words(const Effort& effort) {
  if (effort.events <= 0.0) {
    return fmt::format("The mean of {}, in closed form; --exact simulates each of them.",
                       counted(effort.steps, "step"));
  }
  return fmt::format("Simulated {}, {}.", counted(effort.steps, "step"),
                     counted(effort.events, "event"));
}

std::string by_events_words(const ByEvents& e) {
  const std::string simulated = fmt::format(
      "{} ({}{})", e.whole ? "Event by event" : "Event by event, in windows of the epochs",
      counted(e.events, "event"), e.seeds > 1 ? fmt::format(", {} seeds", e.seeds) : "");
  const std::string parted =
      fmt::format("{} {} than the mean in closed form", percent(std::abs(e.difference)),
                  e.difference < 0.0 ? "less" : "more");
  std::string text = fmt::format("{}: {}", simulated, duration(e.total));
  if (e.stated) {
    text += fmt::format(" ± {}, {} ({}), so these times and amounts are the events'",
                        percent(e.error), parted, duration(e.mean_total));
  } else {
    text += ", " + parted;
  }
  if (e.gains().empty()) {
    return text + (e.stated ? "; what faster stages would save is the closed form's." : ".");
  }
  if (e.bottleneck == e.mean_bottleneck) return text + "; the same bottleneck.";
  const auto named = std::find_if(e.gains().begin(), e.gains().end(),
                                  [&](const auto& one) { return one.stage == e.bottleneck; });
  const GainByEvents& best = named == e.gains().end() ? e.gains().front() : *named;
  return text + fmt::format("; {} twice as fast would save most by events ({} ± {}){}.",
                            name_of(best.stage), percent(best.gain), percent(best.error),
                            study::cannot_tell_apart(e)
                                ? fmt::format(", which they cannot tell from {}",
                                              name_of(*e.mean_bottleneck))
                                : "");
}

std::string after_start_words(const Result& r) {
  const bool starts = r.times.startup > Duration{};
  const bool stages = r.times.staging > Duration{};
  if (!starts && !stages) return "";
  return fmt::format("of the time after {}{}{}", starts ? "start-up" : "",
                     starts && stages ? " and " : "", stages ? "staging" : "");
}

std::string busy_remark(const Result& r) {
  const std::string after_start = after_start_words(r);
  return after_start.empty()
             ? "of the job's time"
             : fmt::format("of the job's time; {} {}", percent(r.gpu_busy), after_start);
}

std::vector<List> remark_lists(const Result& r) {
  std::vector<List> lists;
  for (const auto& [kind, title] :
       {std::pair(RemarkKind::measure, "Remarks: to measure or provide"),
        std::pair(RemarkKind::check, "Remarks: to check"),
        std::pair(RemarkKind::know, "Remarks: worth knowing")}) {
    List list{title, {}};
    for (const std::string& remark : r.remarks) {
      if (r.kind_of(remark) == kind) list.items.push_back(remark);
    }
    if (!list.items.empty()) lists.push_back(std::move(list));
  }
  return lists;
}

std::string_view explained(Stage stage) {
  switch (stage) {
    case Stage::startup: return "starting the loader's workers, each epoch";
    case Stage::download: return "bringing the data to the instance";
    case Stage::network: return "the network of each instance";
    case Stage::disk: return "reading from disk";
    case Stage::decode: return "preprocessing on the CPU";
    case Stage::remote: return "preprocessing on auxiliary instances";
    case Stage::collate: return "putting samples together into a batch";
    case Stage::handover: return "the main process taking each batch";
    case Stage::h2d: return "copying batches to the GPU";
    case Stage::gpu_preprocess: return "preprocessing on the GPU";
    case Stage::gpu: return "the GPU's own work";
    case Stage::allreduce: return "exchanging gradients";
    case Stage::checkpoint: return "writing checkpoints";
    case Stage::interruption:
      return "interruptions: work done again, restarts, waits for instances";
  }
  return "";
}

bool on_path(const StageStats& stats) {
  return stats.capacity || stats.stall > Duration{} || stats.utilization.value_or(0.0) > 0.0;
}

bool is_bottleneck(const Result& r, Stage stage) {
  return r.bottleneck.stage == stage && r.bottleneck.gain_if_twice_as_fast >= study::least_gain;
}

std::string efficiency_remark(const Result& r) {
  if (!r.job_efficiency) return "of the steps";
  return fmt::format("of the steps, {} of the whole job", figure_text(r, FigureId::job_efficiency));
}

Cell gain_cell(const Bottleneck& bottleneck, Stage stage) {
  for (const auto& [gaining, gain] : bottleneck.gains) {
    if (gaining == stage && gain > 0.0) return {percent(gain) + " sooner"};
  }
  return {"-", Tone::faint};
}

/// What the rows are of where burst credit ends.
static std::string burst_note(const Result& r) {
  std::string text;
  for (const Stage stage : all_stages()) {
    const std::optional<BurstEnd>& end = r.stages[stage].burst_end;
    if (!end) continue;
    text +=
        fmt::format("{}{} is shown without its burst: {}, and until then it can do {} samples/s.",
                    text.empty() ? "" : " ", name_of(stage),
                    words::burst_lasts(end->limit, duration(end->after)), rate(end->before));
  }
  return text;
}

Table stage_table(const Result& r) {
  Table table;
  table.title = "Stages";
  table.columns = {{"stage"},
                   {"samples/s", Align::right},
                   {"utilization"},
                   {"GPU waits", Align::right},
                   {"idle GPU", Align::right, true},
                   {"if 2x faster", Align::right},
                   {"inputs", Align::left, true},
                   {""}};
  for (const Stage stage : all_stages()) {
    const StageStats& stats = r.stages[stage];
    if (!on_path(stats)) continue;
    const bool here = is_bottleneck(r, stage);
    const Tone tone = !here ? Tone::plain : stage == Stage::gpu ? Tone::good : Tone::bad;
    // A GPU does not wait for what it does itself.
    const bool on_gpu = stage == Stage::gpu || stage == Stage::gpu_preprocess;
    const bool works = on_gpu && stats.stall == Duration{};
    Row row;
    row.marked = here;
    row.cells = {{std::string(name_of(stage)), tone},
                 stats.capacity ? Cell(rate(*stats.capacity)) : Cell("-", Tone::faint),
                 stats.utilization ? Cell::with_bar(percent(*stats.utilization), *stats.utilization)
                                   : Cell("-", Tone::faint),
                 works ? Cell("-", Tone::faint) : Cell(duration(stats.stall)),
                 works ? Cell("-", Tone::faint) : Cell(money(stats.idle_gpu)),
                 gain_cell(r.bottleneck, stage),
                 {std::string(name_of(stats.provenance)),
                  stats.provenance == Origin::assumed ? Tone::caution : Tone::plain},
                 here ? Cell(stage == Stage::gpu ? "sets the pace" : "bottleneck", tone) : Cell()};
    table.rows.push_back(std::move(row));
  }
  table.note = burst_note(r);
  return table;
}

/// What to add where epochs after the first are not alike, as while caches fill or credits run out.
std::string later_epochs_remark(const Result& r) {
  const std::optional<double> average = value_of(r, FigureId::later_epoch);
  constexpr double alike = 0.01;
  if (!average || std::abs(*average / r.times.epoch.base() - 1.0) < alike) return "each";
  return fmt::format("the last one; {} on average", figure_text(r, FigureId::later_epoch));
}

Table time_table(const Result& r) {
  Table table;
  table.title = "Time";
  table.columns = {{""}, {"", Align::right}, {""}};
  add_time(table, r, FigureId::startup);
  add_time(table, r, FigureId::staging, "copying the dataset before training");
  const bool epochs_differ = r.times.epoch != r.times.first_epoch;
  const bool reaches_end = r.steps >= r.steps_per_epoch;
  const char* const whole = reaches_end ? "" : "if it were complete";
  if (epochs_differ) {
    add_time(table, r, FigureId::first_epoch, whole);
    add_time(table, r, FigureId::epoch, later_epochs_remark(r));
  } else if (r.times.epoch > Duration{}) {
    table.rows.push_back({{"epoch", figure_text(r, FigureId::epoch), whole}, false});
  }
  if (r.steps_per_epoch > 0.0 && std::fmod(r.steps, r.steps_per_epoch) > 0.0) {
    table.rows.push_back(figure_row(
        r, FigureId::steps,
        fmt::format("of each GPU: {} epochs of {}", three_digits(r.steps / r.steps_per_epoch),
                    count(r.steps_per_epoch))));
  }
  add_time(table, r, FigureId::total_time, band_text(r, FigureId::total_time));
  if (r.throughput) {
    table.rows.push_back(figure_row(r, FigureId::throughput, band_text(r, FigureId::throughput)));
  }
  table.rows.push_back(figure_row(r, FigureId::gpu_busy_of_total, busy_remark(r)));
  if (r.efficiency && r.instances > 1.0) {
    table.rows.push_back(figure_row(r, FigureId::efficiency, efficiency_remark(r)));
  }
  return table;
}

Report run_report(const NamedResult& named) {
  const Result& r = named.result;
  Report report;
  report.title = run_title(named.name, r);
  report.headline = headline(r);
  if (const std::string workers = workers_sentence(r); !workers.empty()) {
    report.headline.text += " " + workers;
  }
  for (const std::string& caveat : r.caveats) report.headline.text += " " + caveat;
  report.add(stage_table(r));
  report.add(shared_limit_words(r));
  report.add(time_table(r));
  if (r.by_events) report.add(by_events_words(*r.by_events));
  report.add(efficiency_sum(r));
  report.add(layout_line(r));
  report.add(communication_line(r));
  report.add(monitors_line(r));
  report.add(r.bands ? bottlenecks(*r.bands) : "");
  report.add(interruption_table(r));
  report.add(bill_table(r));
  add_certainty(report, r);
  for (List& list : remark_lists(r)) report.add(std::move(list));
  if (r.effort.steps > 0.0 && !r.by_events) report.add(effort(r.effort));
  return report;
}

}  // namespace feedrate::report
