#pragma once
// Whether a host profile still describes its machine.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/host.hpp"
#include "model/measurement.hpp"

namespace feedrate::study {

/// The machine that feedrate runs on, as it is today.
struct Here {
  HostFacts facts;
  std::map<std::string, Duration> canary;  ///< time of each piece of work; empty: not timed
  std::int64_t today = 0;                  ///< days since 1970-01-01
};

/// What has changed since the profile was made, a sentence each: an age above `max_age_days`, and,
/// where the profile is of this machine, another kernel or driver, or a canary that takes more than
/// a tenth more or less time.
std::vector<std::string> changes_since(const HostProfile& profile, const Here& here,
                                       double max_age_days);

/// Whether the profile is of this machine, by the facts that both state.
bool same_machine(const HostProfile& profile, const HostFacts& facts);

}  // namespace feedrate::study
