#include "formats/recordings/collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/append_once.hpp"
#include "base/quote.hpp"
#include "base/version.hpp"

namespace feedrate::formats {
namespace {

/// About 800 MB.
constexpr std::size_t most_lines = 10'000'000;

std::string_view format_name(FormatId format) {
  return import_formats()[static_cast<std::size_t>(format)].name;
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

  [[nodiscard]] schema::ObservationLine at(std::size_t index) const {
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

void ImportedObservation::for_each(
    const std::function<void(const schema::ObservationLine&)>& take) const {
  for (std::size_t i = 0; i < lines_->size(); ++i) take(lines_->at(i));
}

void Collector::begin_file(const std::string& name) {
  files_.push_back(
      {.name = name, .kept = {}, .skipped = {}, .records = 0, .remarks = {}, .same_steps_as = {}});
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
  append_once(all, std::move(words));
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

/// A number that the lines of a recording can hold as a whole one; -1: none, or beyond that.
static std::int64_t held(const std::optional<std::int64_t>& number) {
  constexpr std::int64_t most = 9'000'000'000'000'000;
  return number && *number <= most ? *number : -1;
}

void Collector::put(const Sample& sample, std::optional<ClockKind> clock) {
  StoredLine line;
  line.at = sample.at.base();
  line.value = sample.value + 0.0;  // a "-0 %" is 0: files of whole numbers have no other
  line.steps = sample.steps;
  line.late = sample.late ? sample.late->base() : -1.0;
  line.step = held(sample.step);
  line.epoch = held(sample.epoch);
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

void Collector::machine(std::string_view node, std::optional<double> cpus) {
  ObservationHeader header;
  header.node = as_utf8(node);
  header.cpus = cpus;
  headers_.push_back(header);
}

void Collector::keep(FormatId format, const StepRecord& step) {
  TimedStep timed{step, static_cast<std::uint32_t>(files_.size() - 1), format, 0};
  // A log that does not name the epoch starts to count again in each.
  if (!steps_.empty() && steps_.back().format == format) {
    const TimedStep& before = steps_.back();
    timed.round = before.round;
    if (!step.epoch && step.step && before.record.step && *step.step < *before.record.step) {
      ++timed.round;
    }
  }
  if (step.epoch) timed.round = static_cast<std::int64_t>(std::clamp(*step.epoch, 0.0, 9e15));
  // Others that repeat a step are known once all files are read; these may be millions.
  const bool same = step.step && !steps_.empty() && steps_.back().file == timed.file &&
                    steps_.back().format == format && steps_.back().round == timed.round &&
                    steps_.back().record.of_epoch == step.of_epoch &&
                    steps_.back().record.step == step.step;
  if (!same) told_.clear();
  // A time with which no number of steps ends is left out later, and one told again stands for it.
  constexpr double endless = 1e290;
  const bool told =
      step.step && std::max(step.time.value_or(0.0), step.mean_so_far.value_or(0.0)) < endless;
  if (told && !told_.insert(step.rank.value_or(-1.0)).second) return skip(skipped::repeated);
  if (lines_.size() + steps_.size() >= most_lines) store({});
  steps_.push_back(timed);
  keep(format);
}

double Collector::to_utc(double local) {
  if (!options_.zone) remark(zone_unknown);
  return local - options_.zone.value_or(Duration{}).base();
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
    keep_if_same(all, header, &ObservationHeader::cores);
    keep_if_same(all, header, &ObservationHeader::memory);
    keep_if_same(all, header, &ObservationHeader::gpus);
    keep_if_same(all, header, &ObservationHeader::ranks);
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
  tell_machines_apart();
  in_order();
  leave_out_unused();
  ObservationHeader first = header();
  return {std::move(first), std::move(files_),
          std::make_unique<ImportedObservation::Lines>(std::move(lines_), std::move(names_))};
}

}  // namespace feedrate::formats
