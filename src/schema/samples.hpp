#pragma once
// Files of utilisation samples: CSV with a header of names, or an observation: JSON lines as
// SageMaker Debugger writes its system metrics.
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::schema {

struct Samples {
  /// Shares 0…1 by column, in the order of the file's moments. Of several CPUs or GPUs the mean of
  /// each moment, of several disks or links the busiest. Debugger's are "cpu", "gpu", "ram",
  /// "io-wait" and "gpu-memory"; "disk" and "network" are feedrate's own.
  std::map<std::string, std::vector<double>> shares;
  std::vector<std::string> remarks;  ///< what of the file is not used, and what looks wrong
};

/// Whether the file holds samples, by its first line; a scenario is an object and holds none.
/// InputError where it cannot be read.
bool holds_samples(const std::string& path);

/// `columns`: the names that a CSV file's header may have, beside "time" and "timestamp", which are
/// passed over. InputError with file and line for what is no such file, a percentage outside 0 to
/// 100, another column (with the nearest name), and a file without a sample. An empty field of a
/// CSV file is a sample that is missing.
Samples load_samples(const std::string& path, std::span<const std::string_view> columns);

}  // namespace feedrate::schema
