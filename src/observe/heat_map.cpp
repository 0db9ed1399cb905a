#include "observe/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/errors.hpp"

namespace feedrate::observe {
namespace {

constexpr Duration assumed_interval = milliseconds(500.0);  // of Debugger, where no header says
constexpr double longest_pause = 10.0;                      // intervals; a longer one is left out

struct Told {
  MetricId metric;
  HeatKind kind;
  const char* name = nullptr;  ///< of the row; null: the sample's
  const char* suffix = "";     ///< of the sample's
};
constexpr Told rows_told[] = {
    {MetricId::cpu_busy, HeatKind::cpu},
    {MetricId::cpu_io_wait, HeatKind::io_wait, "I/O wait"},
    {MetricId::gpu_busy, HeatKind::gpu},
    {MetricId::disk_busy, HeatKind::disk},
    {MetricId::disk_limit_busy, HeatKind::disk, nullptr, " limit"},
    {MetricId::link_receive, HeatKind::link},
    {MetricId::memory_used, HeatKind::memory, "memory"},
    {MetricId::stage_busy, HeatKind::stage},
};

const Told* told_by(MetricId metric) {
  const auto* const found = std::find_if(std::begin(rows_told), std::end(rows_told),
                                         [&](const Told& row) { return row.metric == metric; });
  return found == std::end(rows_told) ? nullptr : found;
}

}  // namespace

/// cpu10 comes after cpu2.
bool HeatMapMaker::Key::operator<(const Key& other) const {
  const auto key = [](const Key& k) { return std::make_tuple(k.kind, k.name.size()); };
  return key(*this) != key(other) ? key(*this) < key(other) : name < other.name;
}

void HeatMapMaker::add(const ObservationHeader& header) {
  header_ = header;
  shares_.add(header);
  course_.add(header);
}

Duration HeatMapMaker::interval() const {
  const Duration told = header_.interval.value_or(assumed_interval);
  return told.base() > 0.0 ? told : assumed_interval;
}

/// The time on the shown clock: longer pauses than a few intervals are left out of it.
Duration HeatMapMaker::place(Duration at) {
  if (!begun_) {
    begun_ = true;
    start_ = at - interval();
    last_ = at;
    column_ = interval();
    return at;
  }
  Duration shown = at - left_out_;
  // Where no interval is stated, there is no telling a pause from one.
  if (header_.interval && shown > last_ + longest_pause * interval()) {
    left_out_ += shown - last_ - interval();
    shown = at - left_out_;
  }
  last_ = std::max(last_, shown);
  return shown;
}

std::size_t HeatMapMaker::column_of(Duration shown) {
  for (;;) {
    const double column = std::floor((shown - start_) / column_);
    if (column < static_cast<double>(most_columns)) {
      return static_cast<std::size_t>(std::max(0.0, column));
    }
    halve();
  }
}

/// Columns twice as long.
void HeatMapMaker::halve() {
  column_ *= 2.0;
  for (auto& [key, cells] : cells_) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Cell cell = cells[i];
      cells[i] = {};
      cells[i / 2].sum += cell.sum;
      cells[i / 2].count += cell.count;
    }
    cells.resize((cells.size() + 1) / 2);
  }
  for (auto* const of : {&steps_, &told_steps_}) {
    for (std::size_t i = 0; i < of->size(); ++i) {
      const double steps = std::exchange((*of)[i], 0.0);
      (*of)[i / 2] += steps;
    }
    of->resize((of->size() + 1) / 2);
  }
}

void HeatMapMaker::count(const Key& key, Duration shown, double value, double weight) {
  const std::size_t column = column_of(shown);
  Cells& cells = cells_[key];
  if (cells.size() <= column) cells.resize(column + 1);
  cells[column].sum += value * weight;
  cells[column].count += weight;
}

void HeatMapMaker::add(const Sample& sample) {
  shares_.add(sample);
  if (course_.has_room()) course_.add_course(sample);
  if (sample.cumulative) return;
  if (sample.at != latest_ || looks_ == 0.0) ++looks_;
  latest_ = sample.at;
  if (sample.metric == MetricId::step_time || sample.metric == MetricId::data_wait) {
    return add_step(sample);
  }
  const bool of_process = sample.metric == MetricId::process_cpu;
  const Told* const told = told_by(sample.metric);
  if (told == nullptr && !of_process) return;
  // A sample tells of the interval before it: it stands where that has its middle.
  const Duration middle = header_.interval ? 0.5 * interval() : Duration{};
  const Duration shown = place(sample.at) - middle;
  if (of_process) {
    count({HeatKind::process, std::string(name_of(role_in(sample.name)))}, shown,
          std::min(1.0, sample.value / 100.0));
    return;
  }
  const double value =
      told->kind == HeatKind::link ? sample.value : std::min(1.0, sample.value / 100.0);
  count({told->kind, told->name == nullptr ? sample.name + told->suffix : told->name}, shown,
        value);
}

void HeatMapMaker::add(const Mark& mark) {
  if (course_.has_room()) course_.add(mark);
  if (!begun_) return;
  const Duration shown = mark.at - left_out_;
  if (shown < start_ || shown > last_ + longest_pause * interval()) return;
  if (mark.kind == MarkKind::step && !mark.begins) count_steps(steps_, shown, 1.0);
}

void HeatMapMaker::count_steps(std::vector<double>& steps, Duration shown, double number) {
  const std::size_t column = column_of(shown);
  if (steps.size() <= column) steps.resize(column + 1);
  steps[column] += number;
}

/// A log tells a step's time, then how long it waited for data.
void HeatMapMaker::add_step(const Sample& sample) {
  const Duration shown = place(sample.at);
  if (sample.metric == MetricId::step_time) {
    step_ = {sample.name, sample.step, seconds(sample.value)};
    count_steps(told_steps_, shown, sample.steps);
    return;
  }
  const bool same = step_.rank == sample.name && step_.number == sample.step;
  if (!same || step_.time.base() <= 0.0) return;
  count({HeatKind::wait, "waits for data"}, shown,
        std::min(1.0, seconds(sample.value) / step_.time), sample.steps);
}

/// What rules of thumb judge is the job as it goes on, and not its start.
void HeatMapMaker::judge(HeatMap& map) const {
  course_.add_course(map.readings);
  const std::vector<SeenTime> typical = course_.typical_time();
  const Shares all = shares_.shares();
  if (!typical.empty()) {
    const Shares there = shares_.within([&](Duration at) { return lies_in(typical, at); }).shares();
    if (!there.empty()) {
      add_shares(map.readings, there);
      map.judged_first = !course_.has_room();
      const auto moments = [](const Shares& shares) {
        std::size_t count = 0;
        for (const auto& [reading, series] : shares) count += series.size();
        return count;
      };
      if (moments(there) == moments(all)) return;
      for (const SeenTime& time : typical) map.judged += seconds(time.end - time.begin);
      return;
    }
  }
  add_shares(map.readings, all);
}

HeatMap HeatMapMaker::finish(Duration column, const std::string& name) const {
  if (cells_.empty()) {
    throw InputError({{name, 0, "",
                       "expected an observation with samples of CPUs, GPUs, disks, "
                       "links, processes, or steps with their times and waits, got none"}});
  }
  HeatMap map;
  map.header = header_;
  map.length = length();
  map.remarks = remarks_;
  judge(map);
  const std::vector<double>& steps = steps_.empty() ? told_steps_ : steps_;
  std::size_t used = steps.size();
  for (const auto& [key, cells] : cells_) used = std::max(used, cells.size());
  // Without a stated interval, columns in which nothing is told would only be in the way.
  if (!header_.interval && looks_ > 1.0) column = std::max(column, length() * (1.0 / looks_));
  const double wanted = std::ceil(column / column_ - 1e-9);
  const auto group = static_cast<std::size_t>(std::clamp(wanted, 1.0, 1.0 * most_columns));
  map.columns = (used + group - 1) / group;
  map.column = static_cast<double>(group) * column_;
  std::vector<Cell> gpus(map.columns);
  for (const auto& [key, cells] : cells_) {
    HeatRow row{key.kind, key.name, {}, 0.0, 0.0, std::nullopt};
    row.shares.resize(map.columns);
    std::vector<Cell> grouped(map.columns);
    Cell all;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      grouped[i / group].sum += cells[i].sum;
      grouped[i / group].count += cells[i].count;
      all.sum += cells[i].sum;
      all.count += cells[i].count;
    }
    double highest = 0.0;
    for (const Cell& cell : grouped) {
      if (cell.count > 0.0) highest = std::max(highest, cell.sum / cell.count);
    }
    double scale = 1.0;
    if (key.kind == HeatKind::link) {
      if (highest <= 0.0) continue;
      // Any machine is sent a little: that is no traffic of the job.
      constexpr double next_to_nothing = 1e5;  // bytes/s
      scale = std::max(highest, next_to_nothing);
      row.of = bytes_per_second(scale);
    }
    for (std::size_t c = 0; c < map.columns; ++c) {
      if (grouped[c].count <= 0.0) continue;
      row.shares[c] = std::clamp(grouped[c].sum / grouped[c].count / scale, 0.0, 1.0);
      if (key.kind != HeatKind::gpu) continue;
      gpus[c].sum += *row.shares[c];
      gpus[c].count += 1.0;
    }
    row.mean = all.sum / all.count / scale;
    row.most = std::min(1.0, highest / scale);
    map.rows.push_back(std::move(row));
  }
  const bool any_gpu = std::any_of(map.rows.begin(), map.rows.end(),
                                   [](const HeatRow& row) { return row.kind == HeatKind::gpu; });
  for (std::size_t c = 0; any_gpu && c < map.columns; ++c) {
    map.stalls.push_back(gpus[c].count > 0.0 && gpus[c].sum / gpus[c].count < stalled);
  }
  if (!steps.empty()) {
    map.steps.resize(map.columns);
    for (std::size_t i = 0; i < steps.size(); ++i) map.steps[i / group] += steps[i];
  }
  return map;
}

void share_scales(HeatMap& one, HeatMap& other) {
  const auto scale = [](HeatRow& row, Bandwidth to) {
    const double factor = *row.of / to;
    for (auto& share : row.shares) {
      if (share) *share *= factor;
    }
    row.mean *= factor;
    row.most *= factor;
    row.of = to;
  };
  for (HeatRow& row : one.rows) {
    const auto same =
        std::find_if(other.rows.begin(), other.rows.end(), [&](const HeatRow& candidate) {
          return candidate.kind == row.kind && candidate.name == row.name;
        });
    if (same == other.rows.end() || !row.of || !same->of) continue;
    const Bandwidth most = std::max(*row.of, *same->of);
    scale(row, most);
    scale(*same, most);
  }
}

}  // namespace feedrate::observe
