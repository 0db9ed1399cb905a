#pragma once
// The control groups around a process, of version 1 and 2.
#include <string>
#include <string_view>
#include <vector>

#include "bench/observe/roots.hpp"

namespace feedrate::bench::observe {

struct ControlGroup {
  std::string folder;
  std::string name;  ///< its path, "/" for the outermost that is seen
  bool second_version = true;
};

/// From the process's own group outwards, those of version 1 that `controller` ("cpu", "blkio")
/// belongs to and those of version 2. `text`: of /proc/PID/cgroup.
std::vector<ControlGroup> groups_around(const Roots& roots, std::string_view text,
                                        std::string_view controller);

}  // namespace feedrate::bench::observe
