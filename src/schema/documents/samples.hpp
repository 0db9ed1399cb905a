#pragma once
// Files of utilization samples: CSV with a header of names, or an observation: JSON lines as
// SageMaker Debugger writes its system metrics.
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/shares.hpp"

namespace feedrate::schema {

inline constexpr std::size_t longest_samples = 200'000'000;

struct Samples {
  /// By column, in the order of the file's moments, as ShareFold makes them of an observation.
  Shares shares;
  std::vector<std::string> remarks;  ///< what of the file is not used, and what looks wrong
  std::size_t left_out = 0;          ///< samples that do not count
};

/// Whether the file holds samples, by its first line; a scenario is an object and holds none.
/// InputError where it cannot be read.
bool holds_samples(const std::string& path);

/// `columns`: the names that a CSV file's header may have, beside "time" and "timestamp", which are
/// ignored. InputError with file and line for what is no such file, a percentage outside 0 to
/// 100, a column of fractions (fraction_columns.hpp), another column (with the nearest name), and a
/// file without a sample. An empty field of a
/// CSV file is a sample that is missing. Of an observation only what `counts` says yes to is taken,
/// unless that is nothing; without it, all.
Samples load_samples(const std::string& path, std::span<const std::string_view> columns,
                     const std::function<bool(const Sample&)>& counts = {});

/// The same of a CSV file's text; `name` is what messages call it.
Samples parse_samples(std::string_view text, const std::string& name,
                      std::span<const std::string_view> columns);

/// Whether the file is an observation, rather than CSV.
bool holds_observation(const std::string& path);

}  // namespace feedrate::schema
