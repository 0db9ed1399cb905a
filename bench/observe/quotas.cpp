#include <algorithm>
#include <optional>
#include <utility>

#include "bench/observe/kernel_file.hpp"
#include "bench/observe/machine.hpp"

namespace feedrate::bench::observe {
namespace {

struct Group {
  std::string folder;  ///< of the control group
  std::string name;    ///< its path, "/" for the outermost that is seen
  bool second_version = true;
};

/// Whether a comma-separated list of controllers names the CPU's.
bool has_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::size_t end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == "cpu") return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

bool has_quota(const Group& group) {
  const std::string text =
      text_of(group.folder + (group.second_version ? "/cpu.max" : "/cpu.cfs_quota_us"));
  std::string_view rest = text;
  std::string_view line = take_line(rest);
  return take_number(line) > 0;  // "max" and -1 are none
}

/// All groups with a quota from the process's own one outwards: the tightest of them holds it back.
std::vector<Group> groups_with_quota(const Roots& roots, const std::string& pid) {
  std::vector<Group> found;
  const std::string whole = text_of(roots.proc + "/" + pid + "/cgroup");
  std::string_view text = whole;
  while (!text.empty()) {
    const std::string_view line = take_line(text);  // "4:cpu,cpuacct:/a/b" or "0::/a/b"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool second_version = line.starts_with("0::");
    if (!second_version && !has_cpu(controllers)) continue;
    const std::string base =
        second_version ? roots.cgroup : roots.cgroup + "/" + std::string(controllers);
    std::string path(line.substr(second + 1));
    while (true) {
      Group group{base + path, path, second_version};
      if (has_quota(group)) found.push_back(std::move(group));
      if (path.size() <= 1) break;
      path.resize(std::max<std::size_t>(path.rfind('/'), 1));
    }
  }
  return found;
}

struct Counts {
  std::uint64_t periods = 0, throttled = 0;
  Duration held_back;
};

class Quotas : public Source {
 public:
  Quotas(const Roots& roots, const std::string& pid) {
    for (Group& group : groups_with_quota(roots, pid)) {
      files_.push_back({KernelFile(group.folder + "/cpu.stat"), group, {}});
    }
  }

  void look(Look& look) override {
    for (One& one : files_) {
      const std::string_view text = one.file.read();
      if (text.empty()) continue;
      const Counts now = counts_in(text);
      const Counts was = std::exchange(one.before, now);
      if (look.first()) continue;
      const double periods = growth(now.periods, was.periods);
      const double throttled = growth(now.throttled, was.throttled);
      look.add(MetricId::throttled_periods, one.group.name,
               periods > 0.0 ? std::min(100.0, 100.0 * throttled / periods) : 0.0);
      look.add(MetricId::throttled_cores, one.group.name,
               100.0 * std::max(0.0, (now.held_back - was.held_back) / look.length));
    }
  }

 private:
  struct One {
    KernelFile file;
    Group group;
    Counts before;
  };

  static Counts counts_in(std::string_view text) {
    Counts counts;
    counts.periods = number_after(text, "nr_periods").value_or(0);
    counts.throttled = number_after(text, "nr_throttled").value_or(0);
    const auto us = number_after(text, "throttled_usec");  // version 2
    const auto ns = number_after(text, "throttled_time");  // version 1
    counts.held_back = us ? microseconds(static_cast<double>(*us))
                          : seconds(1e-9 * static_cast<double>(ns.value_or(0)));
    return counts;
  }

  std::vector<One> files_;
};

}  // namespace

std::unique_ptr<Source> quota_source(const Roots& roots, const std::string& pid) {
  return std::make_unique<Quotas>(roots, pid);
}

}  // namespace feedrate::bench::observe
