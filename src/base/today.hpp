#pragma once
// The date, which no figure depends on: only what is said of the age of inputs.
#include <cstdint>

namespace feedrate {

/// Days since 1970-01-01; SOURCE_DATE_EPOCH stands in for the clock, for reproducible output.
std::int64_t today();

}  // namespace feedrate
