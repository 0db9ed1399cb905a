#include "formats/recordings/whose_steps.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace feedrate::formats {
namespace {

constexpr double about_as_long = 0.9;  ///< of epochs that are not all as long

/// Of all bars of a length.
struct Bars {
  double last = 0.0;  ///< step
  double steps = 0.0;
  double time = 0.0;  ///< s
};

bool is_bar(const TimedStep& step) {
  return step.format == FormatId::progress_bar;
}

/// Whether each of its steps takes as long as all of another bar: it counts epochs.
bool goes_around(const Bars& one, const std::map<double, Bars>& all) {
  constexpr double about = 1.1;
  return std::any_of(all.begin(), all.end(), [&](const auto& other) {
    const auto& [length, of] = other;
    return &of != &one && of.time >= 0.5 * one.time && of.steps > 0.0 &&
           length * of.time / of.steps <= about * one.time / one.steps;
  });
}

/// The longest of the bars of training; 0 where there are none.
double length_of_training(const std::vector<TimedStep>& steps) {
  std::map<double, Bars> all;
  for (const TimedStep& timed : steps) {
    const StepRecord& record = timed.record;
    if (!is_bar(timed) || record.validates || !record.step || !record.of_epoch) continue;
    Bars& of = all[*record.of_epoch];
    const double since = *record.step < of.last ? *record.step : *record.step - of.last;
    of.last = *record.step;
    of.steps += since;
    of.time += since * record.time.value_or(0.0);
  }
  double trained = 0.0;  // the length that is drawn for the most time
  double most = 0.0;     // s
  for (const auto& [length, of] : all) {
    if (of.time < most || goes_around(of, all)) continue;
    trained = length;
    most = of.time;
  }
  double longest = trained;
  constexpr double much = 0.1;  // what is prepared for as many steps is drawn for less
  for (const auto& [length, of] : all) {
    const bool as_long = about_as_long * length <= trained && of.time >= much * most;
    if (as_long && !goes_around(of, all)) longest = std::max(longest, length);
  }
  return longest;
}

/// What a file tells of its steps.
struct FileSteps {
  using Key = std::tuple<FormatId, double, double>;  // epoch and step
  std::vector<Key> keys;
  std::optional<double> from, to;  ///< s, where it has times
};

std::vector<FileSteps> steps_of_files(const std::vector<TimedStep>& steps, std::size_t files) {
  std::vector<FileSteps> all(files);
  for (const TimedStep& timed : steps) {
    const StepRecord& record = timed.record;
    if (!record.step || record.rank) continue;
    FileSteps& of = all[timed.file];
    of.keys.emplace_back(timed.format, record.epoch.value_or(-1.0), *record.step);
    if (!record.at) continue;
    of.from = std::min(of.from.value_or(*record.at), *record.at);
    of.to = std::max(of.to.value_or(*record.at), *record.at);
  }
  for (FileSteps& of : all) {
    std::sort(of.keys.begin(), of.keys.end());
    of.keys.erase(std::unique(of.keys.begin(), of.keys.end()), of.keys.end());
  }
  return all;
}

/// Of a job that went on from a checkpoint, the second log tells some of the first one's again.
bool are_of_one_time(const FileSteps& one, const FileSteps& other) {
  constexpr std::size_t fewest = 3;
  if (one.keys.size() < fewest || other.keys.size() < fewest) return false;
  if (one.from.has_value() != other.from.has_value()) return false;
  if (one.from && (*one.from > *other.to || *other.from > *one.to)) return false;
  std::vector<FileSteps::Key> both;
  std::set_intersection(one.keys.begin(), one.keys.end(), other.keys.begin(), other.keys.end(),
                        std::back_inserter(both));
  return 2 * both.size() > std::max(one.keys.size(), other.keys.size());
}

}  // namespace

std::vector<bool> of_training(const std::vector<TimedStep>& steps) {
  const double length = length_of_training(steps);
  std::vector<bool> those(steps.size(), true);
  bool any = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepRecord& record = steps[i].record;
    if (is_bar(steps[i])) {
      const double own = record.of_epoch.value_or(length);
      those[i] = !record.validates && own >= about_as_long * length && own <= length;
    }
    any = any || those[i];
  }
  if (!any) those.assign(steps.size(), true);  // somebody asks about a validation
  return those;
}

void count_rounds_of_bars(std::vector<TimedStep>& steps) {
  const TimedStep* before = nullptr;
  for (TimedStep& timed : steps) {
    if (!is_bar(timed) || timed.record.epoch || !timed.record.step) continue;
    timed.round = before == nullptr ? 0 : before->round;
    if (before != nullptr && *timed.record.step < *before->record.step) ++timed.round;
    before = &timed;
  }
}

std::vector<std::optional<std::size_t>> files_of_same_steps(const std::vector<TimedStep>& steps,
                                                            std::size_t files) {
  std::vector<std::optional<std::size_t>> same(files);
  if (files < 2) return same;
  const std::vector<FileSteps> all = steps_of_files(steps, files);
  for (std::size_t file = 1; file < files; ++file) {
    for (std::size_t first = 0; first < file && !same[file]; ++first) {
      if (!same[first] && are_of_one_time(all[first], all[file])) same[file] = first;
    }
  }
  return same;
}

}  // namespace feedrate::formats
