#pragma once
// What all instances share, in words.
#include <string>

#include "model/result.hpp"

namespace feedrate::report {

/// "FSx for Lustre's source bandwidth of 1.2 GB/s".
std::string limit_words(const SharedLimit& limit);

/// One sentence on it: whether it binds, or from how many instances on; "" where the job is far
/// from it or nothing is shared.
std::string shared_limit_words(const Result& result);

}  // namespace feedrate::report
