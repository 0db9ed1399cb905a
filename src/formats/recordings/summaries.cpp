// Summaries of few lines: TraceML, and DLIO, by which MLPerf Storage measures.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/number_chars.hpp"
#include "formats/recordings/documents.hpp"
#include "formats/recordings/line_kinds.hpp"
#include "schema/json/json_values.hpp"

namespace feedrate::formats {
namespace {

/// Keeps a record of TraceML, the means of one rank or of all.
void read_means(const schema::JsonValue& means, const std::string& rank, double steps,
                Collector& to) {
  const auto value = [&](const char* key) -> std::optional<double> {
    const auto milliseconds = number_of(means.find(key));
    if (!milliseconds || !std::isfinite(*milliseconds) || *milliseconds < 0.0) return std::nullopt;
    return *milliseconds / 1e3;
  };
  auto wait = value("input_wait_ms");
  if (!wait) wait = value("dataloader_ms");
  auto time = value("total_step_ms");
  if (!time) time = value("step_time_ms");
  Sample sample{.at = {}, .metric = MetricId::step_time, .name = rank};
  sample.steps = steps;
  sample.step = static_cast<std::int64_t>(steps);
  bool any = false;
  const auto tell = [&](MetricId metric, const std::optional<double>& told) {
    if (!told) return;
    sample.metric = metric;
    sample.value = *told;
    to.put(sample, std::nullopt);
    any = true;
  };
  tell(MetricId::step_time, time);
  tell(MetricId::data_wait, wait);
  tell(MetricId::copy_time, value("h2d_ms"));
  any ? to.keep(FormatId::traceml) : to.skip(skipped::nothing_used);
}

const schema::JsonValue* find(const schema::JsonValue* in, std::string_view key) {
  return in == nullptr ? nullptr : in->find(key);
}

}  // namespace

void read_traceml(const schema::JsonValue& root, Collector& to) {
  const schema::JsonValue* const step_time = root.find("step_time");
  const schema::JsonValue* const global = find(step_time, "global");
  const double steps = std::max(
      1.0, std::floor(number_of(find(find(global, "window"), "steps_analyzed")).value_or(1.0)));
  if (const auto ranks = number_of(find(root.find("meta"), "world_size")); ranks && *ranks >= 1.0) {
    Sample sample{.at = {}, .metric = MetricId::ranks};
    sample.value = *ranks;
    to.put(sample, std::nullopt);
  }
  const schema::JsonValue* const rows = find(find(step_time, "groups"), "rows");
  if (rows != nullptr && !rows->members.empty()) {
    for (const schema::JsonMember& row : rows->members) {
      // The means of a rank stand in the row, or in its "average".
      const schema::JsonValue* const average = row.value->find("average");
      read_means(average == nullptr ? *row.value : *average, "rank" + row.key, steps, to);
    }
  } else if (const schema::JsonValue* const average = find(global, "average")) {
    read_means(*average, "", steps, to);
  } else {
    to.skip(skipped::nothing_used);
  }
}

void read_dlio_summary(const schema::JsonValue& root, Collector& to) {
  if (const auto ranks = number_of(root.find("num_accelerators")); ranks && *ranks >= 1.0) {
    Row row(to);
    row.tell(MetricId::ranks, "", *ranks);
    row.end(FormatId::dlio_summary);
  }
  constexpr std::pair<const char*, MetricId> lists[] = {
      {"train_au_percentage", MetricId::gpu_busy},
      {"train_throughput_samples_per_second", MetricId::throughput}};
  for (const auto& [key, metric] : lists) {
    const schema::JsonValue* const list = find(root.find("metric"), key);
    if (list == nullptr) continue;
    for (std::size_t epoch = 0; epoch < list->items.size(); ++epoch) {
      const auto value = number_of(list->items[epoch].get());
      if (!value) {
        to.skip(skipped::no_number);
        continue;
      }
      if (*value < 0.0 || (metric == MetricId::gpu_busy && *value > 101.0)) {
        to.skip(skipped::negative);
        continue;
      }
      Sample sample{.at = {}, .metric = metric};
      sample.value = metric == MetricId::gpu_busy ? std::min(100.0, *value) : *value;
      sample.epoch = static_cast<std::int64_t>(epoch) + 1;
      to.put(sample, std::nullopt);
      to.keep(FormatId::dlio_summary);
    }
  }
}

/// {"1": {"load": {"block1": [s, …]}, "compute": {"block1": [s, …]}}}: of each epoch's steps the
/// wait for the batch, and the sleep that stands for the accelerator's work.
void read_dlio_output(const schema::JsonValue& root, Collector& to) {
  for (const schema::JsonMember& epoch : root.members) {
    const schema::JsonValue* const load = epoch.value->find("load");
    const schema::JsonValue* const compute = epoch.value->find("compute");
    double number = 0.0;
    read_double(epoch.key.data(), epoch.key.data() + epoch.key.size(), number);
    if (load == nullptr) {
      to.skip(skipped::nothing_used);
      continue;
    }
    double step = 0.0;
    for (const schema::JsonMember& block : load->members) {
      const schema::JsonValue* const sleeps = find(compute, block.key);
      for (std::size_t i = 0; i < block.value->items.size(); ++i) {
        StepRecord record;
        record.epoch = number;
        record.step = ++step;
        record.wait = number_of(block.value->items[i].get());
        if (!record.wait || *record.wait < 0.0) {
          to.skip(record.wait ? skipped::negative : skipped::no_number);
          continue;
        }
        const bool slept = sleeps != nullptr && i < sleeps->items.size();
        const auto sleep = slept ? number_of(sleeps->items[i].get()) : std::nullopt;
        if (sleep && *sleep >= 0.0) record.time = *record.wait + *sleep;
        to.keep(FormatId::dlio_output, record);
      }
    }
  }
}

}  // namespace feedrate::formats
