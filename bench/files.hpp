#pragma once
// The files of the user's directory.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace feedrate::bench {

/// Every regular file below `directory`, sorted; links to directories are not followed, and what
/// may not be read is ignored. Calls `check` for each, which may throw. InputError: no such
/// directory, or it may not be read.
std::vector<std::string> list_files(const std::string& directory,
                                    const std::function<void()>& check);

/// At most `limit` of them, evenly over all.
std::vector<std::string> spread(const std::vector<std::string>& all, std::size_t limit);

}  // namespace feedrate::bench
