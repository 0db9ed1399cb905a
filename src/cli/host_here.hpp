#pragma once
// A host profile compared with the machine that feedrate runs on.
#include <string>

#include "cli/options.hpp"
#include "model/host.hpp"

namespace feedrate::cli {

struct HostAgeOptions {
  std::string max_age = "90d";
  bool canary = false;
};

/// --max-age, --canary; after --host, which they need.
void add_host_age_flags(Parser& app, HostAgeOptions& options);

/// Says on standard error what has changed since the profile was made. With --canary that takes a
/// second. InputError for a --max-age that is none.
void remark_on_host(const HostProfile& profile, const HostAgeOptions& options);

}  // namespace feedrate::cli
