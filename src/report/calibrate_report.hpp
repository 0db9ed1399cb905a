#pragma once
// `calibrate`: what was measured, what the fits say, what to doubt, what to type next.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/drift.hpp"
#include "model/fit_line.hpp"
#include "model/measurement.hpp"
#include "model/vendor_figure.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// A probe as `calibrate --list` tells of it.
struct ProbeState {
  std::string name;
  std::string measures;
  std::string unavailable;  ///< why it cannot run; "" when it can
};

Report probes_report(std::span<const ProbeState> probes);

struct Calibration {
  std::string name;               ///< of the host
  std::string profile_file;       ///< "" when none is written
  std::string measurements_file;  ///< the same
  bool interrupted = false;
  std::vector<Drift> drifts;
  std::vector<VendorFigure> figures{};
  std::vector<HostBeside> hosts{};  ///< where several were joined
};

Report calibrate_report(const MeasurementSet& set, std::span<const FitLine> lines,
                        const Calibration& calibration);

}  // namespace feedrate::report
