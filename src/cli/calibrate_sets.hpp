#pragma once
// What was measured before, and what is measured now, as one set.
#include <string>
#include <vector>

#include "model/measurement.hpp"

namespace feedrate::cli {

/// What `calibrate` was given beside what it measures.
struct EarlierSets {
  std::vector<MeasurementSet> sets;  ///< of --import or --add, in their order
  std::vector<std::string> files;    ///< of each
};

EarlierSets read_imports(const std::vector<std::string>& files);

/// InputError when one of them was measured on another host than `here`, or is none of feedrate's
/// measurement files: a profile's message says where its samples are.
EarlierSets read_additions(const std::vector<std::string>& files, const HostFacts& here);

/// Of --join. InputError where a file holds no measurements of a host that says who it is, where
/// the hosts are not of one kind, or where there is only one.
EarlierSets read_joins(const std::vector<std::string>& files);

/// Everything as one set. Calibrations of one host are merged, oldest first; what other tools
/// measured, or another host, is beside them and says where it came from. `fresh` may be null:
/// nothing was measured now. A single set stays as it is.
MeasurementSet together(const EarlierSets& earlier, const MeasurementSet* fresh);

}  // namespace feedrate::cli
