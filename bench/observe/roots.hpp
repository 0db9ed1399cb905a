#pragma once
// Where the kernel tells of itself; tests put folders of their own there.
#include <string>

namespace feedrate::bench::observe {

struct Roots {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string cgroup = "/sys/fs/cgroup";
};

}  // namespace feedrate::bench::observe
