#pragma once
// `feedrate observe --import FILE…`: what other tools recorded, as one observation.
#include <string>
#include <vector>

#include "formats/recordings/import_observations.hpp"

namespace feedrate::cli {

class Parser;

/// How recordings are to be read: as typed, "" where not given.
struct ImportFlags {
  std::string step_regex;
  std::string start;
  std::string time_zone;
  std::string interval;
};

struct ObserveImportArguments {
  std::vector<std::string> files;
  ImportFlags how;
  std::string output;  ///< "" for standard output
};

/// Whole or not at all, readable by its owner only.
void write_observation(const std::string& path, const formats::ImportedObservation& observation);

/// Declares --step-regex, --start and --time-zone.
void add_import_flags(Parser& app, ImportFlags& flags);
/// InputError naming the flag.
formats::ImportOptions import_options(const ImportFlags& flags);
/// Says on standard error what was recognized in each file, and what was not used.
void say_imported(const formats::ImportedObservation& observation);

/// Declares --import and the flags that go with it alone; --interval and --output are the
/// command's.
void add_observe_import_flags(Parser& app, ObserveImportArguments& arguments);

/// Writes the observation, whole or not at all, and says what was recognized and what was not used.
/// Returns the exit status. InputError, HostError.
int observe_import(const ObserveImportArguments& arguments);

/// For --help: the formats.
std::string import_formats_text();

}  // namespace feedrate::cli
