// Training steps: a line over the batch size, or a table where a line misses them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "fit/series.hpp"

namespace feedrate::fit {
namespace {

/// A line that misses a batch by more is not taken: eager frameworks have a plateau at small ones,
/// where the host cannot start the GPU's work as fast as the GPU does it.
constexpr double straight = 0.05;

struct Steps {
  SeriesList list;  ///< ascending in batch
  RobustFit fit;    ///< fixed, per sample
};

Duration time_of(const Series& s) {
  return seconds(s.time.value * s.at("batch", s.what->work) / s.what->work);
}

Steps fit_line(SeriesList list) {
  std::stable_sort(list.begin(), list.end(), [](const Series& a, const Series& b) {
    return a.at("batch", 0.0) < b.at("batch", 0.0);
  });
  const bool sizes = distinct(list, "batch") > 1;
  std::vector<Observation> observations;
  for (const Series& s : list) {
    const double batch = s.at("batch", s.what->work);
    observations.push_back({{sizes ? 1.0 : 0.0, batch}, time_of(s).base(), s.time.relative_error});
  }
  return {list, robust_non_negative(observations)};
}

Doubts doubts_of(const Steps& steps) {
  Doubts doubts;
  const std::size_t batches = distinct(steps.list, "batch");
  doubts.points(batches, "batches");
  if (batches == 1) {
    doubts.words.emplace_back(
        "one batch size cannot determine the fixed part of a step: it is taken as 0");
  }
  doubts.spread(steps.list);
  doubts.residuals(steps.fit.residuals);
  return doubts;
}

/// The levels that were measured, one per batch: a series each, or several that differ in how many
/// steps a sample holds.
StepTable table_of(const SeriesList& list) {
  StepTable table;
  for (std::size_t i = 0; i < list.size();) {
    const double batch = list[i].at("batch", list[i].what->work);
    SeriesList same;
    for (; i < list.size() && list[i].at("batch", list[i].what->work) == batch; ++i) {
      same.push_back(list[i]);
    }
    table.points.emplace_back(batch, seconds(rounded(pooled(same).value * batch)));
  }
  return table;
}

/// By how much the line misses the worst of the batches.
double worst_miss(const Steps& steps, const StepTable& table) {
  double worst = 0.0;
  for (const auto& [batch, time] : table.points) {
    const double line = steps.fit.coefficients[0] + steps.fit.coefficients[1] * batch;
    worst = std::max(worst, std::abs(line / time.base() - 1.0));
  }
  return worst;
}

void keep_table(Findings& findings, const Steps& steps, StepTable table, double miss,
                const std::string& name) {
  Curve<double> times;
  double error = 0.0;
  for (const auto& [batch, time] : table.points) times.points.push_back({batch, time.base()});
  for (const Series& s : steps.list) error = std::max(error, s.time.relative_error);
  const std::string what = name + ", by batch";
  table.relative_error = findings.keep(steps.list, what, times, {error});
  FitLine said;
  said.probe = steps.list.front().what->probe;
  said.what = what;
  said.value = fmt::format(
      "{} to {}", Findings::text(table.points.front().second.base(), dimension_of(Duration{})),
      Findings::text(table.points.back().second.base(), dimension_of(Duration{})));
  said.relative_error = table.relative_error;
  said.points = table.points.size();
  Doubts doubts;
  doubts.spread(steps.list);
  said.warnings = std::move(doubts.words);
  findings.line(std::move(said));
  findings.only_shown(
      steps.list, name + ", a line",
      fmt::format("{} + {} a sample",
                  Findings::text(steps.fit.coefficients[0], dimension_of(Duration{})),
                  Findings::text(steps.fit.coefficients[1], dimension_of(Duration{}))),
      steps.fit.uncertainty(1).sampling,
      fmt::format("it misses a batch by {:.0f} %, so the table of measured batches is used instead",
                  miss * 100.0));
  findings.out.profile.step_table = std::move(table);
}

void keep_line(Findings& findings, const Steps& steps, const std::string& name) {
  const Doubts doubts = doubts_of(steps);
  HostProfile& profile = findings.out.profile;
  profile.step_per_sample = findings.value<DurationPerSample>(
      steps.list, name + ", each sample", steps.fit.coefficients[1], steps.fit.uncertainty(1),
      steps.list.size(), doubts);
  if (distinct(steps.list, "batch") < 2) return;
  profile.step_fixed =
      findings.value<Duration>(steps.list, name + ", fixed part", steps.fit.coefficients[0],
                               steps.fit.uncertainty(0), steps.list.size(), doubts);
}

/// How single steps vary: of the batch that most of them were recorded at. Fewer say little of the
/// slowest of many ranks.
void keep_times(Findings& findings, const SeriesList& list, const std::string& name) {
  constexpr std::size_t least_steps = 30;
  const Series* most = nullptr;
  for (const Series& s : list) {
    if (s.what->work != s.at("batch", s.what->work)) continue;  // several steps a sample
    if (s.what->times.size() < least_steps) continue;
    if (most == nullptr || s.what->times.size() > most->what->times.size()) most = &s;
  }
  if (most == nullptr) return;
  std::map<double, double> counted;
  for (const Duration time : most->what->times) {
    if (time > Duration{}) counted[rounded(time.base())] += 1.0;
  }
  RecordedSteps kept;
  kept.batch = most->what->work;
  for (const auto& [time, count] : counted) kept.times.emplace_back(count, seconds(time));
  FitLine said;
  said.probe = most->what->probe;
  said.what = name + ", how single ones vary";
  said.value =
      fmt::format("{} to {}", Findings::text(counted.begin()->first, dimension_of(Duration{})),
                  Findings::text(counted.rbegin()->first, dimension_of(Duration{})));
  said.points = most->what->times.size();
  findings.line(std::move(said));
  findings.out.profile.step_times = std::move(kept);
}

/// Starting a step takes as long whatever the batch: as many operations are started.
void keep_launch(Findings& findings, const SeriesList& list, const std::string& name) {
  double sum = 0.0;
  double error = 0.0;
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (const Series& s : list) {
    const double time = time_of(s).base();
    sum += time;
    error = std::max(error, s.time.relative_error);
    least = std::min(least, time);
    most = std::max(most, time);
  }
  Doubts doubts;
  doubts.spread(list);
  if (most > 1.2 * least) {
    doubts.words.push_back(
        fmt::format("it ranges from {} to {} over the batches: once the GPU's queue is full, "
                    "starting a step waits for the GPU",
                    Findings::text(least, dimension_of(Duration{})),
                    Findings::text(most, dimension_of(Duration{}))));
  }
  // A full queue makes it longer, never shorter.
  const double kept = most > 1.2 * least ? least : sum / static_cast<double>(list.size());
  findings.out.profile.step_launch =
      findings.value<Duration>(list, name + ", starting it", kept, {error}, list.size(), doubts);
}

/// Measured to be seen beside the step.
void show(Findings& findings, const SeriesList& list, const std::string& what) {
  const auto [low, high] = std::minmax_element(
      list.begin(), list.end(),
      [](const Series& a, const Series& b) { return a.at("batch", 0.0) < b.at("batch", 0.0); });
  double error = 0.0;
  for (const Series& s : list) error = std::max(error, s.time.relative_error);
  std::string value = Findings::text(time_of(*low).base(), dimension_of(Duration{}));
  if (low != high)
    value += " to " + Findings::text(time_of(*high).base(), dimension_of(Duration{}));
  findings.only_shown(list, what, value, error, "");
}

/// What the step is of: "resnet50, bf16, channels_last".
std::string kind_of(const Series& s) {
  std::string text(s.how("model"));
  for (const auto& [key, value] : s.what->how) {
    if (key != "model") text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

}  // namespace

void fit_steps(Findings& findings) {
  const SeriesList all = findings.select("gpu", "step");
  std::set<std::string, std::less<>> kinds;
  for (const Series& s : all) kinds.emplace(kind_of(s));
  for (const std::string& kind : kinds) {
    const auto of_kind = [&](const Series& s) { return kind_of(s) == kind; };
    const Steps steps = fit_line(where(all, of_kind));
    const std::string name = kind.empty() ? "step" : "step of " + kind;
    const SeriesList launch = where(findings.select("gpu", "step_launch"), of_kind);
    if (kinds.size() > 1) {
      findings.only_shown(
          steps.list, name,
          fmt::format("{} + {} a sample",
                      Findings::text(steps.fit.coefficients[0], dimension_of(Duration{})),
                      Findings::text(steps.fit.coefficients[1], dimension_of(Duration{}))),
          steps.fit.uncertainty(1).sampling,
          "one of several models: write the step of your own into the scenario, /job/step");
      if (!launch.empty()) show(findings, launch, name + ", starting it");
    } else {
      StepTable table = table_of(steps.list);
      const double miss = worst_miss(steps, table);
      if (table.points.size() > 1 && miss > straight) {
        keep_table(findings, steps, std::move(table), miss, name);
      } else {
        keep_line(findings, steps, name);
      }
      keep_times(findings, steps.list, name);
      if (!launch.empty()) keep_launch(findings, launch, name);
    }
    const SeriesList alone = where(findings.select("gpu", "step_gpu"), of_kind);
    if (!alone.empty()) show(findings, alone, name + ", the GPU's part alone");
    const SeriesList waited = where(findings.select("gpu", "step_waited"), of_kind);
    if (!waited.empty()) show(findings, waited, name + ", each waited for");
  }
}

}  // namespace feedrate::fit
