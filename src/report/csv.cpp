#include "report/csv.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;  // column, text

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

std::string exact_or_empty(const std::optional<double>& value) {
  return value ? exact(*value) : "";
}

void add_stages(Fields& fields, const Result& result) {
  for (const Stage stage : all_stages()) {
    const StageStats& stats = result.stages[stage];
    const std::string prefix = std::string(name_of(stage)) + ".";
    fields.emplace_back(prefix + "capacity_samples_per_s",
                        stats.capacity ? exact(stats.capacity->base()) : "");
    fields.emplace_back(prefix + "utilization", exact_or_empty(stats.utilization));
    fields.emplace_back(prefix + "stall_s", exact(stats.stall.base()));
    fields.emplace_back(prefix + "idle_gpu_usd", exact(stats.idle_gpu.base()));
    fields.emplace_back(prefix + "provenance", std::string(name_of(stats.provenance)));
  }
}

void add_band(Fields& fields, const std::string& name, const std::optional<Bands>& bands,
              Band Bands::*band) {
  constexpr std::string_view quantiles[] = {"p5", "p50", "p95"};
  for (std::size_t i = 0; i < 3; ++i) {
    fields.emplace_back(name + "." + std::string(quantiles[i]),
                        bands ? exact((*bands.*band)[i]) : "");
  }
}

Fields fields_of(const Result& r) {
  Fields fields = {
      {"instance", r.instance},
      {"instances", exact(r.instances)},
      {"gpus", exact(r.gpus)},
      {"bottleneck", r.bottleneck.stage ? std::string(name_of(*r.bottleneck.stage)) : ""},
      {"gain_if_twice_as_fast", exact(r.bottleneck.gain_if_twice_as_fast)},
      {"bottleneck_probability", exact_or_empty(r.bottleneck.probability)},
      {"startup_s", exact(r.times.startup.base())},
      {"staging_s", exact(r.times.staging.base())},
      {"first_epoch_s", exact(r.times.first_epoch.base())},
      {"epoch_s", exact(r.times.epoch.base())},
      {"total_s", exact(r.times.total.base())},
      {"throughput_samples_per_s", exact(r.throughput.base())},
      {"gpu_busy", exact(r.gpu_busy)},
      {"gpu_busy_s", exact(r.gpu_busy_time.base())},
      {"efficiency", exact_or_empty(r.efficiency)},
      {"steps_per_epoch", exact(r.steps_per_epoch)},
      {"compute_usd", exact(r.bill.compute.base())},
      {"auxiliary_usd", exact(r.bill.auxiliary.base())},
      {"storage_usd", exact(r.bill.storage.base())},
      {"requests_usd", exact(r.bill.requests.base())},
      {"transfer_usd", exact(r.bill.transfer.base())},
      {"money_usd", exact(r.bill.money.base())},
      {"hour_value_usd", exact(r.bill.hour_value.base())},
      {"total_usd", exact(r.bill.total.base())},
      {"idle_gpu_usd", exact(r.bill.idle_gpu.base())},
      {"billed_s", exact(r.bill.billed_time.base())},
  };
  add_stages(fields, r);
  add_band(fields, "total_s", r.bands, &Bands::total_s);
  add_band(fields, "epoch_s", r.bands, &Bands::epoch_s);
  add_band(fields, "money_usd", r.bands, &Bands::money_usd);
  add_band(fields, "total_usd", r.bands, &Bands::total_usd);
  add_band(fields, "throughput_samples_per_s", r.bands, &Bands::throughput);
  add_band(fields, "gpu_busy", r.bands, &Bands::gpu_busy);
  return fields;
}

// Rows that share their columns: the first one's names are the header.
std::string rows_csv(const std::vector<Fields>& rows) {
  std::vector<std::vector<std::string>> lines(1);
  if (!rows.empty()) {
    for (const auto& [column, text] : rows.front()) lines.front().push_back(column);
  }
  for (const Fields& row : rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const auto& [column, text] : row) line.push_back(text);
  }
  return to_csv(lines);
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
  std::vector<Fields> rows;
  for (const NamedResult& named : results) {
    Fields fields = fields_of(named.result);
    fields.insert(fields.begin(), {{"scenario", named.name}, {"file", named.file}});
    rows.push_back(std::move(fields));
  }
  return rows_csv(rows);
}

std::string sweep_csv(const Sweep& sweep) {
  std::vector<Fields> rows;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    Fields fields;
    // The same key may be an answer too (instances): what was set says so.
    for (const auto& [key, value] : point.set) fields.emplace_back("set." + key, value);
    for (auto& result_field : fields_of(point.result)) fields.push_back(std::move(result_field));
    const bool pareto =
        std::find(sweep.pareto.begin(), sweep.pareto.end(), i) != sweep.pareto.end();
    fields.emplace_back("fastest", i == sweep.fastest ? "1" : "0");
    fields.emplace_back("cheapest", i == sweep.cheapest ? "1" : "0");
    fields.emplace_back("pareto", pareto ? "1" : "0");
    rows.push_back(std::move(fields));
  }
  return rows_csv(rows);
}

}  // namespace feedrate::report
