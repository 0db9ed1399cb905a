#include "api/diagnose_work.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/inputs.hpp"
#include "base/append_once.hpp"
#include "base/errors.hpp"
#include "report/numbers.hpp"
#include "study/diagnose.hpp"
#include "words/readings.hpp"

namespace feedrate::api {

void add_readings(Readings& readings, std::span<const TypedReading> typed) {
  std::vector<Problem> problems;
  for (const auto& [row, text, flag] : typed) {
    try {
      readings[row->id] = words::parse_reading(*row, text, flag);
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

void complete_readings(Readings& readings, std::string_view dashes) {
  const auto& whole = readings[ReadingId::job_time];
  for (const ReadingId id : {ReadingId::download, ReadingId::start}) {
    const auto& before = readings[id];
    if (!before || !whole || *before <= *whole) continue;
    const auto flag = [&](ReadingId of) { return fmt::format("{}{}", dashes, reading(of).name); };
    refuse_flag(flag(id), fmt::format("expected no more than the job's time ({}: {}), got {}",
                                      flag(ReadingId::job_time), report::duration(seconds(*whole)),
                                      report::duration(seconds(*before))));
  }
  complete(readings);
}

/// Thresholds of one figure, of which the first is no more than the second.
constexpr std::pair<ThresholdId, ThresholdId> in_order[] = {
    {ThresholdId::low, ThresholdId::high},
    {ThresholdId::gpu_low, ThresholdId::gpu_high},
    {ThresholdId::gpu_trough, ThresholdId::gpu_peak},
    {ThresholdId::io_wait_low, ThresholdId::io_wait_high},
    {ThresholdId::few_workers, ThresholdId::many_workers}};

static void refuse_crossed(const Thresholds& thresholds, const std::string& flag) {
  for (const auto& [less, more] : in_order) {
    if (thresholds[less] <= thresholds[more]) continue;
    const auto text = [&](ThresholdId id) {
      const ThresholdRow& row = threshold(id);
      return fmt::format("{} ({})", row.name, words::reading_text(row.kind, thresholds[id]));
    };
    refuse_flag(flag, fmt::format("expected {} to be no more than {}", text(less), text(more)));
  }
}

Thresholds thresholds_of(std::span<const std::string> texts, const std::string& flag) {
  Thresholds thresholds;
  std::vector<Problem> problems;
  for (const std::string& text : texts) {
    try {
      words::set_thresholds(thresholds, text, flag);
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  refuse_crossed(thresholds, flag);
  return thresholds;
}

Simulated simulated_beside(const schema::Document& document, const Scenario& scenario,
                           const std::string& file, const Catalog& catalog, const HostProfile* host,
                           const Depth& depth) {
  study::RunOptions run = stated_options(depth);
  run.try_workers = true;
  run.gains = study::Gains::all;
  return with_places(document, [&] {
    Simulated out{scenario.name, file, study::run(scenario, catalog, host, run), {}, {}};
    out.readings = study::simulated_readings(out.result, scenario, catalog, host);
    out.cause = study::simulated_cause(out.result);
    return out;
  });
}

Diagnosis diagnosed(const Readings& readings, const Thresholds& thresholds,
                    std::optional<Simulated> beside, std::vector<std::string> remarks) {
  if (beside) {
    for (const std::string& caveat : beside->result.caveats) append_once(remarks, caveat);
  }
  Diagnosis diagnosis = study::diagnose(readings, thresholds, std::move(beside));
  diagnosis.remarks = std::move(remarks);
  return diagnosis;
}

}  // namespace feedrate::api
