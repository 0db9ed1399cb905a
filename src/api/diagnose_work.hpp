#pragma once
// What monitors show of a job, asked by flags or by a request.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/depth.hpp"
#include "model/diagnosis.hpp"
#include "model/host.hpp"
#include "model/readings.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::api {

/// A reading as it was typed, and behind which option.
struct TypedReading {
  const ReadingRow* row = nullptr;
  std::string text;
  std::string flag;
};

/// Puts them into the readings. InputError with all that are none.
void add_readings(Readings& readings, std::span<const TypedReading> typed);

/// What follows from them. InputError where what comes before training takes longer than the job,
/// naming what was typed; `dashes`: in front of a reading's name.
void complete_readings(Readings& readings, std::string_view dashes);

/// The thresholds of rules as texts of NAME=VALUE change them. InputError with all that is wrong,
/// naming `flag`.
Thresholds thresholds_of(std::span<const std::string> texts, const std::string& flag);

/// The document's job, simulated beside the readings, with what monitors would show of it; `file`
/// is what answers call it.
Simulated simulated_beside(const schema::Document& document, const Scenario& scenario,
                           const std::string& file, const Catalog& catalog, const HostProfile* host,
                           const Depth& depth);

/// The diagnosis of the readings beside that job, if any. `remarks` are on how they were read;
/// those on the job that a run of it states beside its headline follow.
Diagnosis diagnosed(const Readings& readings, const Thresholds& thresholds,
                    std::optional<Simulated> beside, std::vector<std::string> remarks);

}  // namespace feedrate::api
