#include "report/csv.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

namespace feedrate::report {
namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string field(const std::string& text) {
  const bool runs = !text.empty() &&
                    std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos &&
                    !is_number(text);
  std::string safe = runs ? "'" + text : text;
  if (safe.find_first_of(",\"\n\r") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// As exact() writes it, without a text in between.
void append_number(std::string& out, double value) {
  if (std::isfinite(value)) fmt::format_to(std::back_inserter(out), "{}", value);
}

// Where the columns of a result go: their names into a header, or their texts into a row.
class Names {
 public:
  explicit Names(std::string& out) : out_(out) {}
  void add(std::string_view prefix, std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += field(std::string(prefix) + std::string(name));
  }
  template <class T>
  void add(std::string_view prefix, std::string_view name, const T&) {
    add(prefix, name);
  }

 private:
  std::string& out_;
  bool first_ = true;
};

class Texts {
 public:
  explicit Texts(std::string& out) : out_(out) {}
  void add(std::string_view, std::string_view, std::string_view text) {
    next();
    out_ += field(std::string(text));
  }
  void add(std::string_view, std::string_view, double value) {
    next();
    append_number(out_, value);
  }
  void add(std::string_view, std::string_view, const std::optional<double>& value) {
    next();
    if (value) append_number(out_, *value);
  }

 private:
  void next() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

template <class Row>
void add_stages(Row& row, const Result& result) {
  for (const Stage stage : all_stages()) {
    const StageStats& stats = result.stages[stage];
    const std::string_view name = name_of(stage);
    std::optional<double> capacity;
    if (stats.capacity) capacity = stats.capacity->base();
    row.add(name, ".capacity_samples_per_s", capacity);
    row.add(name, ".utilization", stats.utilization);
    row.add(name, ".stall_s", stats.stall.base());
    row.add(name, ".idle_gpu_usd", stats.idle_gpu.base());
    row.add(name, ".provenance", name_of(stats.provenance));
  }
}

template <class Row>
void add_band(Row& row, std::string_view name, const std::optional<Bands>& bands,
              Band Bands::*band) {
  constexpr std::string_view quantiles[] = {".p5", ".p50", ".p95"};
  for (std::size_t i = 0; i < 3; ++i) {
    std::optional<double> value;
    if (bands) value = (*bands.*band)[i];
    row.add(name, quantiles[i], value);
  }
}

template <class Row>
void add_result(Row& row, const Result& r) {
  row.add("", "instance", std::string_view(r.instance));
  row.add("", "instances", r.instances);
  row.add("", "gpus", r.gpus);
  row.add("", "bottleneck", r.bottleneck.stage ? name_of(*r.bottleneck.stage) : std::string_view());
  row.add("", "gain_if_twice_as_fast", r.bottleneck.gain_if_twice_as_fast);
  row.add("", "bottleneck_probability", r.bottleneck.probability);
  row.add("", "startup_s", r.times.startup.base());
  row.add("", "staging_s", r.times.staging.base());
  row.add("", "first_epoch_s", r.times.first_epoch.base());
  row.add("", "epoch_s", r.times.epoch.base());
  row.add("", "total_s", r.times.total.base());
  row.add("", "throughput_samples_per_s", r.throughput.base());
  row.add("", "gpu_busy", r.gpu_busy);
  row.add("", "gpu_busy_s", r.gpu_busy_time.base());
  row.add("", "efficiency", r.efficiency);
  row.add("", "steps_per_epoch", r.steps_per_epoch);
  row.add("", "steps", r.steps);
  row.add("", "compute_usd", r.bill.compute.base());
  row.add("", "auxiliary_usd", r.bill.auxiliary.base());
  row.add("", "storage_usd", r.bill.storage.base());
  row.add("", "requests_usd", r.bill.requests.base());
  row.add("", "transfer_usd", r.bill.transfer.base());
  row.add("", "money_usd", r.bill.money.base());
  row.add("", "hour_value_usd", r.bill.hour_value.base());
  row.add("", "total_usd", r.bill.total.base());
  row.add("", "idle_gpu_usd", r.bill.idle_gpu.base());
  row.add("", "billed_s", r.bill.billed_time.base());
  add_stages(row, r);
  add_band(row, "total_s", r.bands, &Bands::total_s);
  add_band(row, "epoch_s", r.bands, &Bands::epoch_s);
  add_band(row, "money_usd", r.bands, &Bands::money_usd);
  add_band(row, "total_usd", r.bands, &Bands::total_usd);
  add_band(row, "throughput_samples_per_s", r.bands, &Bands::throughput);
  add_band(row, "gpu_busy", r.bands, &Bands::gpu_busy);
}

template <class Row>
void add_named(Row& row, const NamedResult& named) {
  row.add("", "scenario", std::string_view(named.name));
  row.add("", "file", std::string_view(named.file));
  add_result(row, named.result);
}

}  // namespace

std::string to_csv(const std::vector<std::vector<std::string>>& rows) {
  std::string out;
  for (const auto& row : rows) {
    for (const std::string& text : row) out += (&text == row.data() ? "" : ",") + field(text);
    out += '\n';
  }
  return out;
}

std::string to_csv(const Table& table) {
  std::vector<std::vector<std::string>> rows(1);
  for (const Column& column : table.columns) rows.front().push_back(column.title);
  for (const Row& row : table.rows) {
    std::vector<std::string>& line = rows.emplace_back();
    for (const Cell& cell : row.cells) line.push_back(cell.text);
    line.resize(table.columns.size());
  }
  return to_csv(rows);
}

std::string results_csv(std::span<const NamedResult> results) {
  std::string out;
  if (!results.empty()) {
    Names names(out);
    add_named(names, results.front());
  }
  out += '\n';
  for (const NamedResult& named : results) {
    Texts texts(out);
    add_named(texts, named);
    out += '\n';
  }
  return out;
}

std::string sweep_csv_header(const std::vector<std::pair<std::string, std::string>>& set) {
  std::string out;
  Names names(out);
  // The same key may be an answer too (instances): what was set says so.
  for (const auto& [key, value] : set) names.add("set.", key);
  add_result(names, Result{});
  for (const std::string_view mark : {"fastest", "cheapest", "pareto"}) names.add("", mark);
  return out + '\n';
}

void add_sweep_row(std::string& out, const SweepPoint& point) {
  Texts texts(out);
  for (const auto& [key, value] : point.set) texts.add("set.", key, std::string_view(value));
  add_result(texts, point.result);
  out += ',';
  out += sweep_marks(false, false, false);
  out += '\n';
}

std::string sweep_marks(bool fastest, bool cheapest, bool pareto) {
  return {fastest ? '1' : '0', ',', cheapest ? '1' : '0', ',', pareto ? '1' : '0'};
}

std::string sweep_csv(const Sweep& sweep) {
  if (sweep.points.empty()) return "\n";
  std::vector<bool> pareto(sweep.points.size());
  for (const std::size_t i : sweep.pareto) pareto[i] = true;
  std::string out = sweep_csv_header(sweep.points.front().set);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    add_sweep_row(out, sweep.points[i]);
    const std::string marks = sweep_marks(i == sweep.fastest, i == sweep.cheapest, pareto[i]);
    out.replace(out.size() - 1 - marks.size(), marks.size(), marks);
  }
  return out;
}

}  // namespace feedrate::report
