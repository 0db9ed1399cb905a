// Where what was collected goes in time: one clock for all files, the steps of logs without times
// added up, what is told twice once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/files.hpp"
#include "base/quote.hpp"
#include "formats/recordings/collector.hpp"
#include "formats/recordings/steps_between.hpp"
#include "formats/recordings/whose_steps.hpp"
#include "formats/unused_gpus.hpp"

namespace feedrate::formats {
namespace {

/// The number that a step or an epoch has, if it is one.
std::int64_t whole_or_none(const std::optional<double>& number) {
  const bool fine = number && *number >= 0.0 && *number <= 9e15 && *number == std::floor(*number);
  return fine ? static_cast<std::int64_t>(*number) : -1;
}

}  // namespace

/// Steps of all files together: a step that is told twice counts once, a mean is of the steps since
/// the line before, and where the log has no times, they are added up from the steps.
void Collector::place_steps(std::vector<TimedStep>& steps, bool relative) {
  std::stable_sort(steps.begin(), steps.end(), [](const TimedStep& a, const TimedStep& b) {
    const auto key = [](const TimedStep& t) {
      return std::tuple(t.format, t.round, t.record.step.value_or(-1.0));
    };
    return key(a) < key(b);
  });
  struct Rank {
    double now = 0.0, epoch_began = 0.0;
    double told = 0.0;  // when the last step ended that was put
    std::int64_t step = -1, round = -1;
    std::uint32_t file = 0;
    FormatId format{};
  };
  std::map<double, Rank> ranks;
  std::set<double> told;  // ranks of the step that is looked at
  std::map<FormatId, double> first_step = first_steps(steps);
  const auto between = steps_between(steps, first_step);
  const LineSpacing spacing(steps);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const TimedStep& timed = steps[i];
    const StepRecord& record = timed.record;
    const double rank = record.rank.value_or(-1.0);
    const bool same = i > 0 && steps[i - 1].format == timed.format &&
                      steps[i - 1].round == timed.round && steps[i - 1].record.step == record.step;
    if (!same) told.clear();
    if (record.step && !told.insert(rank).second) {
      leave_out(timed, skipped::repeated);
      continue;
    }
    Rank& of = ranks[rank];
    // Two programs in one log count their steps apart.
    if (of.round != timed.round || of.format != timed.format) {
      of.epoch_began = of.now;
      of.step = -1;
      of.round = timed.round;
      of.format = timed.format;
    }
    const std::int64_t step = whole_or_none(record.step);
    double passed = record.steps;
    if (step >= 0) {
      // Whether the first step is 0 or 1, no log says.
      passed = static_cast<double>(of.step < 0 ? step : step - of.step);
      // The steps between the end of one log and the beginning of the next are in neither.
      const bool next_log = record.since_before && of.file != timed.file;
      if (of.step < 0 || next_log) passed = spacing.before_first(timed.format, passed);
    }
    const double done = static_cast<double>(step) + (first_step[timed.format] == 1.0 ? 0.0 : 1.0);
    const double now = record.mean_so_far && step >= 0
                           ? std::max(of.now, of.epoch_began + *record.mean_so_far * done)
                           : of.now + passed * record.time.value_or(record.wait.value_or(0.0));
    if (relative && !std::isfinite(now)) {
      // As if it had not been told.
      if (record.step) told.erase(rank);
      leave_out(timed, skipped::no_number);
      continue;
    }
    of.now = now;
    if (step >= 0) {
      of.step = step;
      of.file = timed.file;
    }
    Sample sample;
    sample.at = seconds(relative ? of.now : *record.at);
    if (record.rank) sample.name = fmt::format("rank{}", *record.rank);
    if (const auto epoch = whole_or_none(record.epoch); epoch >= 0) sample.epoch = epoch;
    if (step >= 0) sample.step = step;
    const ClockKind clock = relative ? ClockKind::relative : ClockKind::utc;
    const auto tell = [&](MetricId metric, const std::optional<double>& value) {
      if (!value) return;
      sample.metric = metric;
      sample.value = *value;
      put(sample, clock);
      lines_.back().file = timed.file;
    };
    const double end = sample.at.base();
    if (const auto& before = between[i]) {
      sample.at = seconds(std::clamp(end - record.time.value_or(0.0), std::min(of.told, end), end));
      sample.step = step - 1;
      sample.steps = before->steps;
      tell(MetricId::step_time, before->time);
      tell(MetricId::data_wait, before->wait);
      tell(MetricId::throughput, before->samples_per_s);
      sample.at = seconds(end);
      sample.step = step;
    }
    of.told = end;
    sample.steps = record.since_before ? passed : record.steps;
    tell(MetricId::step_time, record.time);
    tell(MetricId::data_wait, record.wait);
    tell(MetricId::throughput, record.samples_per_s);
  }
}

void Collector::leave_out(const TimedStep& step, const char* why) {
  ImportedFile& from = files_[step.file];
  const std::string name(import_formats()[static_cast<std::size_t>(step.format)].name);
  if (--from.kept[name] == 0) from.kept.erase(name);
  ++from.skipped[why];
}

void Collector::leave_out_steps_of_others() {
  const auto keep_those = [&](const std::vector<bool>& those, const char* why) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (those[i]) {
        steps_[kept++] = steps_[i];
      } else {
        leave_out(steps_[i], why);
      }
    }
    steps_.resize(kept);
  };
  keep_those(of_training(steps_), skipped::other_bar);
  count_rounds_of_bars(steps_);
  const auto same = files_of_same_steps(steps_, files_.size());
  std::vector<bool> own(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) own[i] = !same[steps_[i].file];
  keep_those(own, skipped::other_log);
  for (std::size_t file = 0; file < files_.size(); ++file) {
    if (!same[file]) continue;
    files_[file].same_steps_as = same[file];
    files_[file].remarks.push_back(
        fmt::format("it tells the same steps as {}, as the log of another node or rank does",
                    in_quotes(files_[*same[file]].name, 200)));
  }
}

void Collector::place_steps() {
  leave_out_steps_of_others();
  std::vector<TimedStep> relative;
  std::vector<TimedStep> utc;
  std::set<std::uint32_t> without_time;
  std::set<std::uint32_t> with_time;
  std::set<std::uint32_t> mixed;
  for (const TimedStep& step : steps_) {
    (step.record.at ? with_time : without_time).insert(step.file);
  }
  for (TimedStep& step : std::exchange(steps_, {})) {
    const bool timeless = without_time.contains(step.file);
    if (timeless && with_time.contains(step.file)) {
      std::erase(files_[step.file].remarks, zone_unknown);
      mixed.insert(step.file);
    }
    (timeless ? relative : utc).push_back(step);
  }
  for (const std::uint32_t file : mixed) {
    files_[file].remarks.emplace_back(
        "some of its lines have a time and some do not: the times are added up from the steps");
  }
  place_steps(relative, true);
  place_steps(utc, false);
  tell_epoch_length(utc.empty() ? relative : utc);
}

/// As the lines count: "[10/5005]". A bar beside them, or a shorter one, may be of a validation,
/// and one that never begins again of all epochs together.
void Collector::tell_epoch_length(const std::vector<TimedStep>& steps) {
  struct Told {
    std::size_t lines = 0;
    std::int64_t length = 0;
    const TimedStep* last = nullptr;  // of those with this length
    bool again = false;
  };
  std::map<FormatId, Told> formats;
  for (const TimedStep& step : steps) {
    constexpr std::int64_t most = 1'000'000'000'000;  // 2^63 - 1 stands for "nobody knows"
    Told& of = formats[step.format];
    const std::int64_t length = whole_or_none(step.record.of_epoch);
    if (length < 1 || length > most) continue;
    ++of.lines;
    if (length < of.length) continue;
    if (length > of.length) of = {of.lines, length, nullptr, false};
    of.again = of.again || (of.last != nullptr && of.last->round != step.round &&
                            step.record.step <= of.last->record.step);
    of.last = &step;
  }
  const Told* told = nullptr;
  for (const auto& [format, of] : formats) {
    if (format == FormatId::progress_bar && (formats.size() > 1 || !of.again)) continue;
    if (of.lines > (told == nullptr ? 0 : told->lines)) told = &of;
  }
  if (told == nullptr) return;
  Sample sample;
  sample.metric = MetricId::epoch_steps;
  sample.value = static_cast<double>(told->length);
  put(sample, std::nullopt);
  lines_.back().file = told->last->file;
}

void Collector::one_clock() {
  const StoredLine* first_utc = nullptr;
  const StoredLine* first_relative = nullptr;
  for (const StoredLine& line : lines_) {
    if (!line.clock) continue;
    const StoredLine*& first = line.clock == ClockKind::relative ? first_relative : first_utc;
    if (first == nullptr) first = &line;
  }
  if (first_relative == nullptr) return;
  if (options_.start) {
    for (StoredLine& line : lines_) {
      if (line.clock != ClockKind::relative) continue;
      line.at += options_.start->base();
      line.clock = ClockKind::utc;
    }
    return;
  }
  if (first_utc == nullptr) {
    std::set<std::uint32_t> files;
    for (const StoredLine& line : lines_) {
      if (line.clock) files.insert(line.file);
    }
    for (const std::uint32_t file : files) {
      if (files.size() > 1) {
        files_[file].remarks.emplace_back(
            "its times count from its own start, and so do those of the others");
      }
    }
    return;
  }
  const ImportedFile& timeless = files_[first_relative->file];
  const auto& known = timeless.remarks;
  const bool unread = std::find(known.begin(), known.end(), times_of_locale) != known.end();
  throw InputError(
      {{timeless.name, 0, "",
        fmt::format("expected times of day as {} has, got {}: --start says when that was, or "
                    "import the files apart",
                    in_quotes(files_[first_utc->file].name, 200),
                    unread ? "times of day in the form of a locale, which are not read "
                             "(S_TIME_FORMAT=ISO iostat -t avoids that), so that they count from "
                             "the job's start"
                           : "times that count from the job's start")}});
}

/// What has no time is put where the first that has one is.
void Collector::place_timeless() {
  const StoredLine* first = nullptr;
  for (const StoredLine& line : lines_) {
    if (line.clock && (first == nullptr || line.at < first->at)) first = &line;
  }
  const double at = first == nullptr ? 0.0 : first->at;
  const ClockKind clock = first == nullptr ? ClockKind::relative : *first->clock;
  for (StoredLine& line : lines_) {
    if (line.clock) continue;
    line.at = at;
    line.clock = clock;
  }
}

/// Tables of nvidia-smi do not name their machine: those that tell of the same GPUs at the same
/// times are of several, which are called as the files are.
void Collector::tell_machines_apart() {
  struct Told {
    double from = 0.0, to = 0.0;
  };
  using Series = std::tuple<std::string, std::uint8_t, std::uint32_t>;  // format, metric, GPU
  std::map<Series, std::map<std::uint32_t, Told>> all;
  const auto table_in = [&](const StoredLine& line) -> std::string {
    const bool of_gpu = line.kind == StoredLine::Kind::sample && line.node == 0 &&
                        names_[line.name].starts_with("gpu");
    if (!of_gpu) return "";
    for (const auto& [format, count] : files_[line.file].kept) {
      if (format.starts_with("nvidia-smi")) return format;
    }
    return "";
  };
  for (const StoredLine& line : lines_) {
    const std::string table = table_in(line);
    if (table.empty()) continue;
    auto& files = all[{table, line.which, line.name}];
    const auto [told, fresh] = files.try_emplace(line.file, Told{line.at, line.at});
    told->second.from = std::min(told->second.from, line.at);
    told->second.to = std::max(told->second.to, line.at);
  }
  std::map<std::uint32_t, std::uint32_t> other;  // of a file one of another machine
  for (const auto& [series, files] : all) {
    for (auto one = files.begin(); one != files.end(); ++one) {
      for (auto next = std::next(one); next != files.end(); ++next) {
        const Told& a = one->second;
        const Told& b = next->second;
        const double both = std::min(a.to, b.to) - std::max(a.from, b.from);
        if (both <= 0.5 * std::min(a.to - a.from, b.to - b.from)) continue;
        other.try_emplace(one->first, next->first);
        other.try_emplace(next->first, one->first);
      }
    }
  }
  if (other.empty()) return;
  std::set<std::string> stems;
  for (const auto& [file, beside] : other) stems.insert(file_stem(files_[file].name));
  for (StoredLine& line : lines_) {
    if (!other.contains(line.file) || table_in(line).empty()) continue;
    const std::string& name = files_[line.file].name;
    line.node = intern(stems.size() == other.size() ? file_stem(name) : name);
  }
  for (const auto& [file, beside] : other) {
    files_[file].remarks.push_back(
        fmt::format("it tells of the same GPUs at the same times as {}: they are taken to be of "
                    "two machines",
                    in_quotes(files_[beside].name, 200)));
  }
}

/// In the order of time; of two samples of a series at one time the first.
void Collector::in_order() {
  std::stable_sort(lines_.begin(), lines_.end(),
                   [](const StoredLine& a, const StoredLine& b) { return a.at < b.at; });
  std::set<std::tuple<std::uint8_t, std::uint32_t, std::uint32_t>> moment;
  double at = -1.0;
  std::erase_if(lines_, [&](const StoredLine& line) {
    if (line.kind != StoredLine::Kind::sample || line.step >= 0 || line.epoch >= 0) return false;
    if (line.at != at) moment.clear();
    at = line.at;
    if (moment.emplace(line.which, line.name, line.node).second) return false;
    ++repeats_[line.file];
    return true;
  });
  for (const auto& [index, count] : repeats_) {
    files_[index].remarks.emplace_back(
        fmt::format("{} {} of a series at a time that already had one: the first counts", count,
                    count == 1 ? "sample" : "samples"));
  }
}

/// GPUs of a machine that nobody used, in what tools recorded that see all of them.
void Collector::leave_out_unused() {
  const auto sees_all = [&](const StoredLine& line) {
    const auto& kept = files_[line.file].kept;
    return line.kind == StoredLine::Kind::sample && names_[line.name].starts_with("gpu") &&
           std::any_of(kept.begin(), kept.end(), [](const auto& one) {
             return one.first.starts_with("nvidia-smi") || one.first.starts_with("W&B");
           });
  };
  // A GPU's number, and its machine where that is told.
  const auto gpu_of = [&](const StoredLine& line) {
    const std::string& node = names_[line.node];
    return names_[line.name].substr(3) + (node.empty() ? "" : " of " + node);
  };
  GpuUses uses;
  for (const StoredLine& line : lines_) {
    if (!sees_all(line)) continue;
    switch (static_cast<MetricId>(line.which)) {
      case MetricId::gpu_busy: uses.busy(gpu_of(line), line.value); break;
      case MetricId::gpu_memory_bytes: uses.memory_bytes(gpu_of(line), line.value); break;
      case MetricId::gpu_memory_used: uses.memory_percent(gpu_of(line), line.value); break;
      default: break;
    }
  }
  const std::vector<std::string> unused = uses.unused();
  if (unused.empty()) return;
  std::set<std::uint32_t> files;
  std::erase_if(lines_, [&](const StoredLine& line) {
    const bool out =
        sees_all(line) && std::find(unused.begin(), unused.end(), gpu_of(line)) != unused.end();
    if (out) files.insert(line.file);
    return out;
  });
  for (const std::uint32_t file : files) files_[file].remarks.push_back(unused_remark(unused));
}

}  // namespace feedrate::formats
