#pragma once
// Numbers that other tools measured, as measurements; docs/guide/calibrate.md says with which flags.
#include <string>
#include <string_view>

#include "model/measurement.hpp"

namespace feedrate::formats {

/// What `path` holds: measurements of feedrate, JSON of fio or nvbandwidth, the table of
/// nccl-tests, a log of NCCL with its tuning tables, or steps as CSV (batch,seconds). Those of
/// other tools say where they were imported from. InputError names what was expected when the file
/// is none of them, is broken, or measured nothing of use.
MeasurementSet import_measurements(const std::string& path);
/// The same for text that lies in no file.
MeasurementSet parse_import(std::string_view text, const std::string& path);

}  // namespace feedrate::formats
