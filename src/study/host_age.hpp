#pragma once
// Whether a host profile still speaks of its machine.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/host.hpp"
#include "model/measurement.hpp"

namespace feedrate::study {

/// The machine that feedrate runs on, today.
struct Here {
  HostFacts facts;
  std::map<std::string, Duration> canary;  ///< empty: not timed
  std::int64_t today = 0;                  ///< days since 1970-01-01
};

/// What has changed since the profile was made, a sentence each: its age, and where it is of the
/// machine that we are on, another kernel or driver, and a canary more than a tenth off.
std::vector<std::string> changes_since(const HostProfile& profile, const Here& here,
                                       double max_age_days);

/// Whether the profile is of this machine, as far as both say.
bool same_machine(const HostProfile& profile, const HostFacts& facts);

}  // namespace feedrate::study
