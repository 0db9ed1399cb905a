#pragma once
// The clock of every measurement.
#include <chrono>

#include "base/units.hpp"

namespace feedrate::bench {

/// Since some fixed moment; never set back.
inline Duration now() {
  return seconds(
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace feedrate::bench
