#pragma once
// `feedrate observe --import FILE…`: what other tools recorded, as one observation.
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace feedrate::cli {

struct ObserveImportArguments {
  std::vector<std::string> files;
  std::string step_regex;
  std::string start;      ///< as typed; "" where not given
  std::string time_zone;  ///< as typed; "" where not given
  std::string interval;   ///< as typed; "" where not given
  std::string output;     ///< "" for standard output
};

/// Declares --import and the flags that go with it alone; --interval and --output are the
/// command's.
void add_observe_import_flags(CLI::App& app, ObserveImportArguments& arguments);

/// Writes the observation, whole or not at all, and says what was recognised and what was not used.
/// Returns the exit status. InputError, HostError.
int observe_import(const ObserveImportArguments& arguments);

/// For --help: the formats.
std::string import_formats_text();

}  // namespace feedrate::cli
