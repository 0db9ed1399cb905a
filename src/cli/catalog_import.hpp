#pragma once
// `feedrate catalog import FILE`: prices that others publish, into the pricing files.
#include <string>

#include "cli/options.hpp"

namespace feedrate::cli {

struct ImportArguments {
  std::string file;
  std::string date;
  bool dry_run = false;
  OutputOptions output;
};

/// Declares the sub-command and its flags.
Parser* add_catalog_import(Parser& parent, ImportArguments& arguments);

/// Writes the pricing files (all or none) and prints what changed. Returns the exit status.
int import_prices(const ImportArguments& arguments);

}  // namespace feedrate::cli
