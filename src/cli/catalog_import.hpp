#pragma once
// `feedrate catalog import FILE` and `catalog update`: prices that others publish, into the pricing
// files.
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace feedrate::cli {

struct ImportArguments {
  std::string file;
  std::string date;
  bool dry_run = false;
  OutputOptions output;
};

struct UpdateArguments {
  std::vector<std::string> sources;  ///< names of price_lists, URLs
  std::vector<std::string> regions;
  std::string date;
  bool allow_http = false;
  std::string time_limit = "30 min";
  std::vector<std::string> affects;  ///< scenarios
  bool dry_run = false;
  OutputOptions output;
};

/// Declares the sub-command and its flags.
Parser* add_catalog_import(Parser& parent, ImportArguments& arguments);

/// Writes the pricing files (all or none) and prints what changed. Returns the exit status.
int import_prices(const ImportArguments& arguments);

Parser* add_catalog_update(Parser& parent, UpdateArguments& arguments);

/// Fetches price lists and writes them into the user's own pricing files, all or none; prints what
/// changed, also of what the scenarios cost. Returns the exit status.
int update_prices(const UpdateArguments& arguments);

}  // namespace feedrate::cli
