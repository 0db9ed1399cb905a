#pragma once
// What a status of HTTP means to who asked, and what to do about it; what a header says.
#include <optional>
#include <string>
#include <string_view>

#include "bench/target.hpp"

namespace feedrate::bench {

/// `bucket_region` is where S3 says that the bucket is; "" when it does not.
std::string status_words(const Target& target, long status, const std::string& bucket_region);

/// What the user gave is wrong, as far as a status can tell; else the store failed.
bool is_users_mistake(long status);

/// The value of header `name` (in lower case) in a header's line, if it is that one.
std::optional<std::string> header_value(std::string_view line, std::string_view name);

}  // namespace feedrate::bench
