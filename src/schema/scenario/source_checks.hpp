#pragma once
// What of "source" contradicts itself.
#include <string>
#include <string_view>
#include <vector>

#include "model/scenario.hpp"

namespace feedrate::schema {

struct SourceComplaint {
  std::string_view key;  ///< of the source, which is given
  std::string expected;  ///< "expected …"
};

/// Of how the data is read: by which program, in which mode.
std::vector<SourceComplaint> complaints_of(const Scenario& scenario);

}  // namespace feedrate::schema
