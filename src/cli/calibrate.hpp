#pragma once
// What `calibrate` was asked for.
#include <string>
#include <vector>

#include "bench/probe.hpp"
#include "cli/calibrate_files.hpp"

namespace feedrate::cli {

struct CalibrateArguments {
  std::vector<std::string> probes;
  bool list = false;
  bool canary = false;
  bench::Settings settings;
  std::string time_limit;
  std::string output = default_profile;
  std::string measurements;
  std::vector<std::string> imports;
  std::vector<std::string> additions;
  std::vector<std::string> joins;
  std::string name;
  std::string instance;
};

}  // namespace feedrate::cli
