// nvidia-smi: CSV of --query-gpu, and the table of dmon. Both name their columns, which differ by
// driver and by what was asked for.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.hpp"
#include "formats/recordings/line_kinds.hpp"
#include "formats/recordings/time_text.hpp"
#include "schema/documents/fraction_columns.hpp"

namespace feedrate::formats {
namespace {

constexpr double mebibyte = 1048576.0;

struct Column {
  std::string_view name;
  MetricId metric{};
  double scale = 1.0;
};

constexpr Column query_columns[] = {
    {"utilization.gpu", MetricId::gpu_busy},
    {"utilization.memory", MetricId::gpu_memory_busy},
    {"memory.used", MetricId::gpu_memory_bytes, mebibyte},
    {"power.draw", MetricId::gpu_power},
    {"power.draw.instant", MetricId::gpu_power},
    {"clocks.sm", MetricId::gpu_clock, 1e6},
    {"clocks.current.sm", MetricId::gpu_clock, 1e6},
};

// What dmon calls MB of memory are those of memory.used, of 2^20 bytes; rxpci is host to device.
constexpr Column dmon_columns[] = {
    {"sm", MetricId::gpu_busy},
    {"mem", MetricId::gpu_memory_busy},
    {"fb", MetricId::gpu_memory_bytes, mebibyte},
    {"pwr", MetricId::gpu_power},
    {"pclk", MetricId::gpu_clock, 1e6},
    {"rxpci", MetricId::gpu_receive, 1e6},
    {"txpci", MetricId::gpu_transmit, 1e6},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

class Table {
 public:
  Table(std::vector<std::string> names, std::span<const Column> known)
      : names_(std::move(names)), known_(known) {}

  [[nodiscard]] std::size_t size() const { return names_.size(); }
  /// Where the column is; size() where it is not.
  [[nodiscard]] std::size_t find(std::string_view name) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }
  [[nodiscard]] bool knows_any() const {
    return std::any_of(known_.begin(), known_.end(),
                       [&](const Column& column) { return find(column.name) < size(); });
  }
  /// nvidia-smi has whole percentages only.
  void look_for_fractions(schema::FractionColumns& in,
                          std::span<const std::string_view> fields) const {
    for (const Column& column : known_) {
      const std::size_t at = find(column.name);
      if (at == size() || metric(column.metric).unit != MetricUnit::percent) continue;
      in.add(names_[at], fields[at], schema::FractionColumns::Are::fractions);
    }
  }
  void tell(Row& row, std::span<const std::string_view> fields, std::string_view gpu) const {
    for (const Column& column : known_) {
      const std::size_t at = find(column.name);
      if (at < size()) row.tell(column.metric, gpu, fields[at], column.scale);
    }
  }

 private:
  std::vector<std::string> names_;
  std::span<const Column> known_;
};

class QueryCsv : public LineKind {
 public:
  bool read(std::string_view line, Collector& to) override {
    if (is_header(line)) {
      to.skip(skipped::header);
      return true;
    }
    if (!table_) return false;
    const auto fields = csv_fields(line);
    if (fields.size() < 2) return false;
    if (fields.size() != table_->size()) {
      // Lines of something else may have commas too.
      const auto time = time_ < fields.size() ? leading_time(fields[time_]) : std::nullopt;
      if (!time || !time->rest.empty()) return false;
      to.skip(skipped::fields);
      return true;
    }
    const std::string gpu = "gpu" + std::string(index_ < fields.size() ? fields[index_] : "");
    double at = 0.0;
    ClockKind clock = ClockKind::utc;
    if (time_ < fields.size()) {
      const auto time = leading_time(fields[time_]);
      at = !time ? std::nan("") : time->zoned ? time->seconds : to.to_utc(time->seconds);
    } else {
      at = untimed_.next(gpu, to.options());
      clock = ClockKind::relative;
      to.remark("it has no timestamp: its rows are taken to be one --interval apart");
    }
    Row row(to, at, clock);
    table_->tell(row, fields, gpu);
    table_->look_for_fractions(fractions_, fields);
    tell_memory_share(row, fields, gpu);
    row.end(FormatId::nvidia_smi_csv);
    return true;
  }

  [[nodiscard]] std::vector<Problem> problems(const std::string& file) const override {
    return fractions_.problems(file);
  }

 private:
  bool is_header(std::string_view line) {
    if (line.find('.') == std::string_view::npos || line.find(',') == std::string_view::npos) {
      return false;
    }
    std::vector<std::string> names;
    for (std::string_view field : csv_fields(line)) {
      names.emplace_back(field.substr(0, std::min(field.find(" ["), field.size())));
    }
    Table table(std::move(names), query_columns);
    if (!table.knows_any()) return false;
    table_ = std::move(table);
    time_ = table_->find("timestamp");
    index_ = table_->find("index");
    return true;
  }

  void tell_memory_share(Row& row, std::span<const std::string_view> fields,
                         std::string_view gpu) const {
    const std::size_t used = table_->find("memory.used");
    const std::size_t total = table_->find("memory.total");
    if (used >= fields.size() || total >= fields.size()) return;
    const auto part = leading_number(fields[used]);
    const auto whole = leading_number(fields[total]);
    if (!part || !whole || whole->value <= 0.0) return;
    row.tell(MetricId::gpu_memory_used, gpu, 100.0 * part->value / whole->value);
  }

  std::optional<Table> table_;
  schema::FractionColumns fractions_;
  std::size_t time_ = 0, index_ = 0;
  Untimed untimed_;
};

class Dmon : public LineKind {
 public:
  bool read(std::string_view line, Collector& to) override {
    if (line.starts_with('#')) return read_header(line, to);
    if (!table_) return false;
    const auto fields = words_in(line);
    const bool is_row = !fields.empty() && number_of(fields.front());
    if (!is_row) return false;
    if (fields.size() != table_->size()) {
      to.skip(skipped::fields);
      return true;
    }
    const std::string gpu = "gpu" + std::string(fields[table_->find("gpu")]);
    const std::size_t date = table_->find("date");
    const std::size_t time = table_->find("time");
    double at = 0.0;
    ClockKind clock = ClockKind::utc;
    if (date < fields.size() && time < fields.size()) {
      const auto local = time_of(fields[date], fields[time]);
      at = local ? to.to_utc(*local) : std::nan("");
    } else {
      at = untimed_.next(gpu, to.options());
      clock = ClockKind::relative;
      to.remark(
          "it has no dates (-o DT writes them): its rows are taken to be one --interval apart");
    }
    Row row(to, at, clock);
    table_->tell(row, fields, gpu);
    row.end(FormatId::nvidia_smi_dmon);
    return true;
  }

 private:
  /// The line of names is told from that of units by the column that has the GPU's number.
  bool read_header(std::string_view line, Collector& to) {
    std::vector<std::string> names;
    for (const std::string_view word : words_in(line.substr(1))) names.push_back(lower(word));
    Table table(std::move(names), dmon_columns);
    if (table.find("gpu") < table.size() && table.knows_any()) {
      table_ = std::move(table);
    } else if (!table_ || table.size() != table_->size()) {
      return false;
    }
    to.skip(skipped::header);
    return true;
  }

  std::optional<Table> table_;
  Untimed untimed_;
};

}  // namespace

std::unique_ptr<LineKind> nvidia_smi_csv() {
  return std::make_unique<QueryCsv>();
}

std::unique_ptr<LineKind> nvidia_smi_dmon() {
  return std::make_unique<Dmon>();
}

}  // namespace feedrate::formats
