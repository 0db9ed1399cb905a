// System metrics of Weights & Biases, as CSV: a column a metric, of which each machine has its own.
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "formats/recordings/line_kinds.hpp"
#include "schema/documents/fraction_columns.hpp"

namespace feedrate::formats {
namespace {

constexpr std::string_view prefix = "system.";
/// What W&B calls MB of disks are of 2^20 bytes.
constexpr double megabyte = 1048576.0;

struct ChartColumn {
  std::string_view name;  ///< after "system."; * is the number or name of a CPU, GPU or disk
  MetricId metric{};
  std::string_view of;  ///< the name of what the sample is of; * as above
  double scale = 1.0;
  bool cumulative = false;
};

/// The training process's, as a share of all CPUs (docs.wandb.ai, System metrics, 2026-11-30): as a
/// percentage of one where the columns tell how many there are.
constexpr ChartColumn of_process = {"cpu", MetricId::process_cpu, "trainer"};

constexpr ChartColumn known[] = {
    {"cpu.*.cpu_percent", MetricId::cpu_busy, "cpu*"},
    {"proc.cpu.threads", MetricId::process_threads, "trainer"},
    {"memory", MetricId::memory_used, ""},
    {"disk.in", MetricId::io_read, "", megabyte, true},
    {"disk.out", MetricId::io_write, "", megabyte, true},
    {"disk.*.in", MetricId::disk_read, "*", megabyte, true},
    {"disk.*.out", MetricId::disk_write, "*", megabyte, true},
    {"network.recv", MetricId::network_receive, "", 1.0, true},
    {"network.sent", MetricId::network_transmit, "", 1.0, true},
    {"gpu.*.gpu", MetricId::gpu_busy, "gpu*"},
    {"gpu.*.memory", MetricId::gpu_memory_busy, "gpu*"},
    {"gpu.*.memoryAllocated", MetricId::gpu_memory_used, "gpu*"},
    {"gpu.*.powerWatts", MetricId::gpu_power, "gpu*"},
};

/// What stands for the * of `pattern` in `text`.
std::optional<std::string_view> star_in(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) {
    return pattern == text ? std::optional<std::string_view>("") : std::nullopt;
  }
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  if (text.size() <= before.size() + after.size() || !text.starts_with(before) ||
      !text.ends_with(after)) {
    return std::nullopt;
  }
  return text.substr(star, text.size() - before.size() - after.size());
}

class WandbCsv : public LineKind {
 public:
  bool read(std::string_view line, Collector& to) override {
    if (read_header(line)) {
      to.skip(skipped::header);
      if (cpus_ > 0.0) {
        to.machine("", cpus_);
      } else if (std::find(titles_.begin(), titles_.end(), "system.cpu") != titles_.end()) {
        to.remark(
            "system.cpu is what the training process takes of all CPUs, and without columns "
            "system.cpu.N.cpu_percent their number is not known: left out");
      }
      return true;
    }
    if (columns_.empty()) return false;
    const auto fields = csv_fields(line);
    if (fields.size() < 2) return false;
    if (fields.size() != columns_.size()) {
      const std::size_t clock = std::min(time_, runtime_);
      if (clock >= fields.size() || !number_of(fields[clock])) return false;
      to.skip(skipped::fields);
      return true;
    }
    const bool utc = time_ < fields.size();
    const auto at = number_of(fields[utc ? time_ : runtime_]);
    Row row(to, at.value_or(std::nan("")), utc ? ClockKind::utc : ClockKind::relative);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto& [column, name] = columns_[i];
      if (column == nullptr) continue;
      const double scale = column == &of_process ? cpus_ : column->scale;
      row.tell(column->metric, name, fields[i], scale, column->cumulative);
      if (metric(column->metric).unit == MetricUnit::percent) {
        // All are of one program, and means of a GPU at rest are not whole.
        fractions_.add(titles_[i], fields[i], schema::FractionColumns::Are::fractions_if_all);
      }
    }
    row.end(FormatId::wandb);
    return true;
  }

  [[nodiscard]] std::vector<Problem> problems(const std::string& file) const override {
    return fractions_.problems(file);
  }

 private:
  struct Told {
    const ChartColumn* column = nullptr;
    std::string name{};
  };

  bool read_header(std::string_view line) {
    const bool timed = line.find("_timestamp") != std::string_view::npos ||
                       line.find("_runtime") != std::string_view::npos;
    if (!timed || line.find(prefix) == std::string_view::npos) return false;
    columns_.clear();
    const auto fields = csv_fields(line);
    titles_.clear();
    for (const std::string_view field : fields) titles_.push_back(as_utf8(field));
    const auto place = [&](std::string_view name) {
      return static_cast<std::size_t>(std::find(fields.begin(), fields.end(), name) -
                                      fields.begin());
    };
    time_ = place("_timestamp");
    runtime_ = place("_runtime");
    cpus_ = 0.0;
    for (const std::string_view field : fields) {
      columns_.push_back(field.starts_with(prefix) ? told(field.substr(prefix.size())) : Told{});
      const ChartColumn* const column = columns_.back().column;
      cpus_ += column != nullptr && column->metric == MetricId::cpu_busy ? 1.0 : 0.0;
    }
    const auto process = place(std::string(prefix) + std::string(of_process.name));
    if (cpus_ > 0.0 && process < fields.size()) columns_[process] = {&of_process, "trainer"};
    if (time_ == fields.size() && runtime_ == fields.size()) columns_.clear();
    return !columns_.empty();
  }

  static Told told(std::string_view name) {
    for (const ChartColumn& column : known) {
      const auto star = star_in(column.name, name);
      if (!star) continue;
      std::string of(column.of);
      if (const std::size_t at = of.find('*'); at != std::string::npos) of.replace(at, 1, *star);
      return {&column, of};
    }
    return {};
  }

  std::vector<Told> columns_;
  std::vector<std::string> titles_;  ///< of the columns
  schema::FractionColumns fractions_;
  std::size_t time_ = 0, runtime_ = 0;
  double cpus_ = 0.0;  ///< that have a column
};

}  // namespace

std::unique_ptr<LineKind> wandb_csv() {
  return std::make_unique<WandbCsv>();
}

}  // namespace feedrate::formats
