#include "bench/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/errors.hpp"

namespace feedrate::bench {

std::vector<std::string> list_files(const std::string& directory,
                                    const std::function<void()>& check) {
  namespace fs = std::filesystem;
  std::error_code failed;
  // What may not be read is ignored further down, but not the directory that was asked for.
  if (fs::is_directory(directory, failed) &&
      ::faccessat(AT_FDCWD, directory.c_str(), R_OK | X_OK, AT_EACCESS) != 0) {
    throw InputError(directory + ": expected a directory of samples, got: " + std::strerror(errno));
  }
  fs::recursive_directory_iterator entry(directory, fs::directory_options::skip_permission_denied,
                                         failed);
  if (failed) {
    throw InputError(directory + ": expected a directory of samples, got: " + failed.message());
  }
  std::vector<std::string> all;
  while (entry != fs::recursive_directory_iterator()) {
    check();
    std::error_code gone;
    if (entry->is_regular_file(gone)) all.push_back(entry->path().string());
    entry.increment(failed);
    if (failed) throw HostError(directory + ": listing it failed: " + failed.message());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::string> spread(const std::vector<std::string>& all, std::size_t limit) {
  if (all.size() <= limit) return all;
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < limit; ++i) chosen.push_back(all[i * all.size() / limit]);
  return chosen;
}

}  // namespace feedrate::bench
