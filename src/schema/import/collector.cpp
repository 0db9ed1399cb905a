#include "schema/import/collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/quote.hpp"
#include "base/version.hpp"

namespace feedrate::schema {
namespace {

/// About 800 MB.
constexpr std::size_t most_lines = 10'000'000;

std::string_view format_name(FormatId format) {
  return import_formats()[static_cast<std::size_t>(format)].name;
}

/// The number that a step or an epoch has, if it is one.
std::int64_t whole_or_none(const std::optional<double>& number) {
  const bool fine = number && *number >= 0.0 && *number <= 9e15 && *number == std::floor(*number);
  return fine ? static_cast<std::int64_t>(*number) : -1;
}

/// Names of damaged files can be anything; JSON's are not.
std::string as_utf8(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    out += length == 0 ? "?" : text.substr(at, length);
    at += std::max<std::size_t>(1, length);
  }
  return out;
}

template <class Member>
void keep_if_same(std::vector<ObservationHeader>& all, ObservationHeader& into, Member member) {
  const bool same = std::all_of(all.begin(), all.end(), [&](const ObservationHeader& one) {
    return one.*member == all.front().*member;
  });
  if (same) into.*member = all.front().*member;
}

}  // namespace

std::int64_t ImportedFile::all_kept() const {
  std::int64_t sum = 0;
  for (const auto& [format, count] : kept) sum += count;
  return sum;
}

class ImportedObservation::Lines {
 public:
  Lines(std::vector<StoredLine> lines, std::vector<std::string> names)
      : lines_(std::move(lines)), names_(std::move(names)) {}

  [[nodiscard]] std::size_t size() const { return lines_.size(); }

  [[nodiscard]] ObservationLine at(std::size_t index) const {
    const StoredLine& line = lines_[index];
    const std::string& name = names_[line.name];
    const std::string& node = names_[line.node];
    switch (line.kind) {
      case StoredLine::Kind::mark:
        return Mark{seconds(line.at),
                    static_cast<MarkKind>(line.which),
                    line.begins,
                    static_cast<std::int64_t>(line.value),
                    name,
                    node};
      case StoredLine::Kind::remark: return ObservationRemark{seconds(line.at), name, node};
      case StoredLine::Kind::sample: break;
    }
    Sample sample;
    sample.at = seconds(line.at);
    sample.metric = static_cast<MetricId>(line.which);
    sample.name = name;
    sample.node = node;
    sample.value = line.value;
    sample.cumulative = line.cumulative;
    if (line.late >= 0.0) sample.late = seconds(line.late);
    if (line.epoch >= 0) sample.epoch = line.epoch;
    if (line.step >= 0) sample.step = line.step;
    sample.steps = line.steps;
    return sample;
  }

 private:
  std::vector<StoredLine> lines_;
  std::vector<std::string> names_;
};

ImportedObservation::ImportedObservation(ObservationHeader header, std::vector<ImportedFile> files,
                                         std::unique_ptr<Lines> lines)
    : header_(std::move(header)), files_(std::move(files)), lines_(std::move(lines)) {}
ImportedObservation::~ImportedObservation() = default;
ImportedObservation::ImportedObservation(ImportedObservation&&) noexcept = default;
ImportedObservation& ImportedObservation::operator=(ImportedObservation&&) noexcept = default;

std::size_t ImportedObservation::size() const {
  return lines_->size();
}

void ImportedObservation::for_each(const std::function<void(const ObservationLine&)>& take) const {
  for (std::size_t i = 0; i < lines_->size(); ++i) take(lines_->at(i));
}

void Collector::begin_file(const std::string& name) {
  files_.push_back({.name = name, .kept = {}, .skipped = {}, .records = 0, .remarks = {}});
}

void Collector::keep(FormatId format, std::int64_t records) {
  file().records += records;
  file().kept[std::string(format_name(format))] += records;
}

void Collector::skip(std::string_view why, std::int64_t records) {
  if (records == 0) return;
  file().records += records;
  file().skipped[std::string(why)] += records;
}

void Collector::remark(std::string words) {
  auto& all = file().remarks;
  if (std::find(all.begin(), all.end(), words) == all.end()) all.push_back(std::move(words));
}

std::uint32_t Collector::intern(std::string_view text) {
  std::string plain = as_utf8(text);
  const auto [found, added] =
      numbers_.try_emplace(plain, static_cast<std::uint32_t>(names_.size()));
  if (added) names_.push_back(std::move(plain));
  return found->second;
}

void Collector::store(const StoredLine& line) {
  if (lines_.size() + steps_.size() >= most_lines) {
    throw InputError({{file().name, 0, "",
                       fmt::format("expected at most {} samples in all files together, got more: "
                                   "import a part of them",
                                   most_lines)}});
  }
  lines_.push_back(line);
  lines_.back().file = static_cast<std::uint32_t>(files_.size() - 1);
}

void Collector::put(const Sample& sample, std::optional<ClockKind> clock) {
  StoredLine line;
  line.at = sample.at.base();
  line.value = sample.value;
  line.steps = sample.steps;
  line.late = sample.late ? sample.late->base() : -1.0;
  line.step = sample.step.value_or(-1);
  line.epoch = sample.epoch.value_or(-1);
  line.name = intern(sample.name);
  line.node = intern(sample.node);
  line.which = static_cast<std::uint8_t>(sample.metric);
  line.cumulative = sample.cumulative;
  line.clock = clock;
  store(line);
}

void Collector::put(const Mark& mark, ClockKind clock) {
  StoredLine line;
  line.kind = StoredLine::Kind::mark;
  line.at = mark.at.base();
  line.value = static_cast<double>(mark.number);
  line.name = intern(mark.name);
  line.node = intern(mark.node);
  line.which = static_cast<std::uint8_t>(mark.kind);
  line.begins = mark.begins;
  line.clock = clock;
  store(line);
}

void Collector::put(const ObservationRemark& remark, ClockKind clock) {
  StoredLine line;
  line.kind = StoredLine::Kind::remark;
  line.at = remark.at.base();
  line.name = intern(remark.text);
  line.node = intern(remark.node);
  line.clock = clock;
  store(line);
}

void Collector::put(const ObservationHeader& header) {
  headers_.push_back(header);
}

void Collector::machine(std::string_view node, std::optional<double> cpus,
                        std::optional<double> interval) {
  ObservationHeader header;
  header.node = node;
  header.cpus = cpus;
  if (interval) header.interval = seconds(*interval);
  headers_.push_back(header);
}

void Collector::put(FormatId format, const StepRecord& step) {
  if (lines_.size() + steps_.size() >= most_lines) store({});
  TimedStep timed{step, static_cast<std::uint32_t>(files_.size() - 1), format, 0};
  // A log that does not name the epoch starts to count anew in each.
  if (!steps_.empty() && steps_.back().format == format) {
    const TimedStep& before = steps_.back();
    timed.round = before.round;
    if (!step.epoch && step.step && before.record.step && *step.step < *before.record.step) {
      ++timed.round;
    }
  }
  if (step.epoch) timed.round = std::max<std::int64_t>(0, whole_or_none(step.epoch));
  steps_.push_back(timed);
}

double Collector::to_utc(double local) {
  if (!options_.zone) {
    remark("its times name no time zone and are taken as UTC; --time-zone says another");
  }
  return local - options_.zone.value_or(Duration{}).base();
}

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
    std::int64_t step = -1, round = -1;
    double steps = 0.0;
  };
  std::map<double, Rank> ranks;
  std::set<double> told;  // ranks of the step that is looked at
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const TimedStep& timed = steps[i];
    const StepRecord& record = timed.record;
    const double rank = record.rank.value_or(-1.0);
    ImportedFile& from = files_[timed.file];
    const bool same = i > 0 && steps[i - 1].format == timed.format &&
                      steps[i - 1].round == timed.round && steps[i - 1].record.step == record.step;
    if (!same) told.clear();
    if (record.step && !told.insert(rank).second) {
      const std::string name(format_name(timed.format));
      if (--from.kept[name] == 0) from.kept.erase(name);
      ++from.skipped[skipped::repeated];
      continue;
    }
    Rank& of = ranks[rank];
    if (of.round != timed.round) {
      of.epoch_began = of.now;
      of.step = -1;
      of.round = timed.round;
    }
    const std::int64_t step = whole_or_none(record.step);
    double passed = record.steps;
    if (step >= 0) {
      // Whether the first step is 0 or 1, no log says.
      passed = static_cast<double>(of.step < 0 ? std::max<std::int64_t>(1, step) : step - of.step);
      of.step = step;
    }
    if (record.mean_so_far && step >= 0) {
      of.now = std::max(of.now,
                        of.epoch_began + *record.mean_so_far * (static_cast<double>(step) + 1.0));
    } else {
      of.now += passed * record.time.value_or(record.wait.value_or(0.0));
    }
    Sample sample;
    sample.at = seconds(relative ? of.now : *record.at);
    if (record.rank) sample.name = fmt::format("rank{}", *record.rank);
    if (const auto epoch = whole_or_none(record.epoch); epoch >= 0) sample.epoch = epoch;
    if (step >= 0) sample.step = step;
    sample.steps = record.since_before ? passed : record.steps;
    const ClockKind clock = relative ? ClockKind::relative : ClockKind::utc;
    const auto tell = [&](MetricId metric, const std::optional<double>& value) {
      if (!value) return;
      sample.metric = metric;
      sample.value = *value;
      put(sample, clock);
      lines_.back().file = timed.file;
    };
    tell(MetricId::step_time, record.time);
    tell(MetricId::data_wait, record.wait);
    tell(MetricId::throughput, record.samples_per_s);
  }
}

void Collector::place_steps() {
  std::vector<TimedStep> relative;
  std::vector<TimedStep> utc;
  std::set<std::uint32_t> without_time;
  std::set<std::uint32_t> with_time;
  for (const TimedStep& step : steps_) {
    (step.record.at ? with_time : without_time).insert(step.file);
  }
  for (TimedStep& step : std::exchange(steps_, {})) {
    const bool timeless = without_time.contains(step.file);
    if (timeless && with_time.contains(step.file)) {
      files_[step.file].remarks = {
          "some of its lines have a time and some have none: the times are added up from the "
          "steps"};
    }
    (timeless ? relative : utc).push_back(step);
  }
  place_steps(relative, true);
  place_steps(utc, false);
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
  if (first_utc == nullptr) return;
  throw InputError(
      {{files_[first_relative->file].name, 0, "",
        fmt::format("expected times of day as {} has, got times that count from the job's start: "
                    "--start says when that was, or import the files apart",
                    in_quotes(files_[first_utc->file].name, 200))}});
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
    files_[index].remarks.push_back(
        fmt::format("{} {} of a series at a time at which there was one already: the first counts",
                    count, count == 1 ? "sample" : "samples"));
  }
}

ObservationHeader Collector::header() const {
  ObservationHeader header;
  std::vector<ObservationHeader> all = headers_;
  std::set<std::string> formats;
  for (const ImportedFile& file : files_) {
    for (const auto& [format, count] : file.kept) formats.insert(format);
  }
  if (all.size() == 1 && formats.size() == 1 && !all.front().source.empty()) return all.front();
  if (!all.empty()) {
    keep_if_same(all, header, &ObservationHeader::node);
    keep_if_same(all, header, &ObservationHeader::interval);
    keep_if_same(all, header, &ObservationHeader::boot_time);
    keep_if_same(all, header, &ObservationHeader::command);
    keep_if_same(all, header, &ObservationHeader::pid);
    keep_if_same(all, header, &ObservationHeader::instance);
    keep_if_same(all, header, &ObservationHeader::cpus);
    keep_if_same(all, header, &ObservationHeader::memory);
    keep_if_same(all, header, &ObservationHeader::gpus);
  }
  for (const std::string& format : formats) {
    header.source += (header.source.empty() ? "" : ", ") + format;
  }
  header.program = fmt::format("feedrate {}", version);
  if (!lines_.empty()) header.clock = *lines_.front().clock;
  if (!lines_.empty()) header.started = seconds(lines_.front().at);
  return header;
}

ImportedObservation Collector::finish() && {
  place_steps();
  one_clock();
  place_timeless();
  in_order();
  ObservationHeader first = header();
  return {std::move(first), std::move(files_),
          std::make_unique<ImportedObservation::Lines>(std::move(lines_), std::move(names_))};
}

}  // namespace feedrate::schema
