#include "bench/observe/control_groups.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/text_lines.hpp"
#include "bench/observe/kernel_file.hpp"

namespace feedrate::bench::observe {
namespace {

/// Whether a comma-separated list of controllers names this one.
bool has(std::string_view controllers, std::string_view controller) {
  const auto names = split_at(controllers, ',', "");
  return std::find(names.begin(), names.end(), controller) != names.end();
}

/// Beside groups of version 1, those of version 2 have a folder of their own.
std::string second_version_of(const Roots& roots) {
  std::string beside = roots.cgroup + "/unified";
  return ::access((beside + "/cgroup.controllers").c_str(), F_OK) == 0 ? beside : roots.cgroup;
}

}  // namespace

std::vector<ControlGroup> groups_around(const Roots& roots, std::string_view text,
                                        std::string_view controller) {
  std::vector<ControlGroup> found;
  while (!text.empty()) {
    const std::string_view line = take_line(text);  // "4:cpu,cpuacct:/a/b" or "0::/a/b"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool second_version = line.starts_with("0::");
    if (!second_version && !has(controllers, controller)) continue;
    const std::string base =
        second_version ? second_version_of(roots) : roots.cgroup + "/" + std::string(controllers);
    std::string path(line.substr(second + 1));
    while (true) {
      found.push_back({base + path, path, second_version});
      if (path.size() <= 1) break;
      path.resize(std::max<std::size_t>(path.rfind('/'), 1));
    }
  }
  return found;
}

}  // namespace feedrate::bench::observe
