#pragma once
// Predicted figures in Prometheus' text exposition format, version 0.0.4, to be put beside measured
// ones on a dashboard (by the node exporter's textfile collector, or any file behind HTTP).
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/exported.hpp"

namespace feedrate::report {

/// A gauge for each figure, "feedrate_predicted_" and its name in base units: seconds, ratios of
/// 0…1, USD. A figure that does not apply has no sample, nor has a point without a result. Labels:
/// scenario, instance_type (Prometheus itself calls the scraped target `instance`), instances, and
/// what was varied beside these; samples of a stage have its name in `stage`. `varied`: of each
/// point.
std::string prometheus_text(
    const Exported& exported,
    const std::vector<std::vector<std::pair<std::string, std::string>>>& varied);

/// A key of a scenario as the name of a label: "/loader/num_workers" → "loader_num_workers".
std::string label_name(std::string_view key);

/// "feedrate_predicted_total_seconds".
std::string metric_name(std::string_view figure, FigureUnit unit);

}  // namespace feedrate::report
