#pragma once
// Series of samples, told apart and put together: over the rounds of a calibration, and over
// calibrations of one host.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/measurement.hpp"

namespace feedrate {

/// The same thing, timed in the same setting.
bool same_series(const Measurement& a, const Measurement& b);

/// An order of series that does not depend on when they were sampled. Within one probe.
bool series_before(const Measurement& a, const Measurement& b);

/// Puts the samples of `more` behind those of `into`, the same series; they were taken from round
/// `first` of the set on.
void append_samples(Measurement& into, const Measurement& more, std::size_t first);

/// Calibrations of one host as one, oldest first: each keeps its rounds and becomes a number of its
/// own, series of the same identity become one. A set without rounds was measured in one. Date,
/// command line and host are those of the last. It does not matter in which groups sets are merged,
/// and rounds that are there already are not counted twice.
MeasurementSet merged(std::span<const MeasurementSet> sets);

/// What a host goes by: what its user calls it, or itself.
const std::string& name_of(const HostFacts& host);

/// Calibrations of several hosts as one set, merged as those of one are; each round tells its host.
/// Those of one name are one host's. The set's host is what they share, and goes by their number.
MeasurementSet joined(std::span<const MeasurementSet> sets);

/// The hosts that a joined set's rounds tell, in the order of their names; none of another set.
std::vector<std::string> hosts_of(const MeasurementSet& set);

/// The set without the rounds of these hosts.
MeasurementSet without_hosts(const MeasurementSet& set, std::span<const std::string> hosts);

}  // namespace feedrate
