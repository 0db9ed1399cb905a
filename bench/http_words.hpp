#pragma once
// What a status of HTTP means to who asked, and what to do about it.
#include <string>

#include "bench/target.hpp"

namespace feedrate::bench {

/// `bucket_region` is where S3 says that the bucket is; "" when it does not.
std::string status_words(const Target& target, long status, const std::string& bucket_region);

/// What the user gave is wrong, as far as a status can tell; else the store failed.
bool is_users_mistake(long status);

}  // namespace feedrate::bench
