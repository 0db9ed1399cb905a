#pragma once
// What the charts of the HTML report are drawn from.
#include <string>

#include "model/sweep.hpp"
#include "model/timeline.hpp"

namespace feedrate::schema {

/// {"result": as `run --format json`, "points": [{set, result}], "timeline": [section]}. A point's
/// result holds only the keys that charts read; spans are [begin_s, end_s, stage, waiting, batch].
/// `sweep` and `timeline` may be null: then their list is empty.
std::string write_chart_data(const NamedResult& named, const Sweep* sweep,
                             const Timeline* timeline);

}  // namespace feedrate::schema
