#pragma once
// A real loader, run over workers, batch sizes and step times.
#include <string>

#include "model/host.hpp"
#include "model/loader_run.hpp"

namespace feedrate::cli {

class Parser;
class Option;

struct LoaderOptions {
  std::string data;     ///< images; "": generated ones
  std::string scratch;  ///< for generated ones; "": the system's
  int repeat = 3;
  bool quick = false;
};

/// --data, --scratch, --repeat, --quick; none of them beside `instead`.
void add_loader_flags(Parser& app, LoaderOptions& options, Option& instead);

}  // namespace feedrate::cli
