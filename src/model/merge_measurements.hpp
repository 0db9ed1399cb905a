#pragma once
// Series of samples, told apart and put together: over the rounds of a calibration, and over
// calibrations of one host.
#include <cstddef>
#include <span>

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

}  // namespace feedrate
