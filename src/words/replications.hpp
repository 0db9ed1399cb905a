#pragma once
// What is said of replications that were stopped early.
#include <string>
#include <string_view>

namespace feedrate::words {

/// "Stopped after 312 of 5,000 replications: the ranges are from these." `what` rests on them.
std::string stopped_after(int done, int asked, std::string_view what);

}  // namespace feedrate::words
