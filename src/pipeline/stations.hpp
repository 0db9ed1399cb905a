#pragma once
// What a read asks of its source, as stations and limits of a kind of customers.
#include <optional>
#include <vector>

#include "pipeline/loading.hpp"

namespace feedrate::pipeline {

/// `often`: of a sample's reads that really happen; over `instances` for customers of the cluster.
Station station_of(const Read& read, Stage stage, double often, double speed, double instances);

/// Bytes from the source: its connections at the speed of one stage, the NIC at that of another.
Station download_of(const Read& read, double often, const Inputs& inputs);

/// A worker that keeps `requests` in flight waits for all of them together, and each has a
/// connection of its own.
void spread_over(Station& station, double requests);

void add_limits(std::vector<SampleLimit>& limits, const Read& read, Stage stage, double often,
                const PerStage<double>& speeds);

const std::optional<Read>& source_in(const Inputs& inputs, EpochKind kind);

}  // namespace feedrate::pipeline
