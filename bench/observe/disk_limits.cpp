#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "bench/observe/control_groups.hpp"
#include "bench/observe/kernel_file.hpp"
#include "bench/observe/machine.hpp"

namespace feedrate::bench::observe {
namespace {

/// What a group may read of a device a second, or has read of it.
struct Reads {
  std::uint64_t bytes = 0;
  std::uint64_t requests = 0;
};
using ByDevice = std::map<std::string, Reads>;  ///< "254:0"

/// The number of "rbps=1048576"; 0 where `word` is of another key, or "max".
std::uint64_t number_behind(std::string_view word, std::string_view key) {
  if (!word.starts_with(key)) return 0;
  word.remove_prefix(key.size());
  return take_number(word);
}

/// Version 2: "254:0 rbps=1048576 wbps=max riops=max wiops=max".
void take_second_version(ByDevice& all, std::string_view text, std::string_view bytes,
                         std::string_view requests) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string device(take_word(line));
    if (device.empty()) continue;
    Reads& reads = all[device];
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      reads.bytes = std::max(reads.bytes, number_behind(word, bytes));
      reads.requests = std::max(reads.requests, number_behind(word, requests));
    }
  }
}

/// Version 1: "254:0 1048576", and of what was read "254:0 Read 31457280".
void take_first_version(ByDevice& all, std::string_view text, std::string_view before,
                        std::uint64_t Reads::*part) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string device(take_word(line));
    if (device.empty() || (!before.empty() && take_word(line) != before)) continue;
    const std::uint64_t number = take_number(line);
    if (number > 0) all[device].*part = number;
  }
}

class Group {
 public:
  explicit Group(const ControlGroup& of) : second_version_(of.second_version) {
    const auto open = [&](const char* name) { files_.emplace_back(of.folder + name); };
    if (second_version_) {
      open("/io.max");
      open("/io.stat");
    } else {
      open("/blkio.throttle.read_bps_device");
      open("/blkio.throttle.read_iops_device");
      open("/blkio.throttle.io_service_bytes");
      open("/blkio.throttle.io_serviced");
    }
  }

  ByDevice limits() {
    ByDevice all;
    if (second_version_) {
      take_second_version(all, files_[0].read(), "rbps=", "riops=");
    } else {
      take_first_version(all, files_[0].read(), "", &Reads::bytes);
      take_first_version(all, files_[1].read(), "", &Reads::requests);
    }
    return all;
  }
  /// Since the group was made.
  ByDevice read() {
    ByDevice all;
    if (second_version_) {
      take_second_version(all, files_[1].read(), "rbytes=", "rios=");
    } else {
      take_first_version(all, files_[2].read(), "Read", &Reads::bytes);
      take_first_version(all, files_[3].read(), "Read", &Reads::requests);
    }
    return all;
  }

  std::optional<ByDevice> before;  ///< what had been read at the last look

 private:
  bool second_version_;
  std::vector<KernelFile> files_;
};

struct Limit {
  double bytes = std::numeric_limits<double>::infinity();
  double requests = std::numeric_limits<double>::infinity();
  std::optional<double> used;  ///< percent, of the group that is nearest to its limit
};

void tighten(double& limit, std::uint64_t other) {
  if (other > 0) limit = std::min(limit, static_cast<double>(other));
}

double percent_of(double rate, std::uint64_t limit) {
  return limit > 0 ? 100.0 * rate / static_cast<double>(limit) : 0.0;
}

class DiskLimits : public Source {
 public:
  DiskLimits(const Roots& roots, const std::string& pid)
      : roots_(roots),
        path_(roots.proc + "/" + pid + "/cgroup"),
        disks_(roots.proc + "/diskstats") {}

  void look(Look& look) override {
    find_groups();
    std::map<std::string, Limit> limits;
    for (Group& group : groups_) add(limits, group, look);
    if (look.first()) return;
    for (const auto& [device, limit] : limits) {
      const std::string& name = name_of(device);
      if (limit.used) look.add(MetricId::disk_limit_busy, name, *limit.used);
      if (limit.bytes < all_) look.add(MetricId::disk_limit_bytes, name, limit.bytes);
      if (limit.requests < all_) look.add(MetricId::disk_limit_reads, name, limit.requests);
    }
  }

 private:
  static constexpr double all_ = std::numeric_limits<double>::infinity();

  /// A process may be put into other groups after its start.
  void find_groups() {
    std::string text = text_of(path_);
    if (text.empty() || text == groups_text_) return;
    groups_text_ = std::move(text);
    groups_.clear();
    bool own = true;
    for (const ControlGroup& group : groups_around(roots_, groups_text_, "blkio")) {
      // Limits of version 1 bind what is in the group itself, not what is in groups within it.
      if (group.second_version || std::exchange(own, false)) groups_.emplace_back(group);
    }
  }

  static void add(std::map<std::string, Limit>& limits, Group& group, const Look& look) {
    const ByDevice tops = group.limits();
    if (tops.empty()) {
      group.before.reset();
      return;
    }
    const ByDevice now = group.read();
    for (const auto& [device, top] : tops) {
      if (top.bytes == 0 && top.requests == 0) continue;
      Limit& limit = limits[device];
      tighten(limit.bytes, top.bytes);
      tighten(limit.requests, top.requests);
      if (look.first() || !group.before) continue;
      const Reads is = of(now, device);
      const Reads was = of(*group.before, device);
      const double used = std::max(
          percent_of(growth(is.bytes, was.bytes) / look.length.base(), top.bytes),
          percent_of(growth(is.requests, was.requests) / look.length.base(), top.requests));
      limit.used = std::max(limit.used.value_or(0.0), used);
    }
    group.before = now;
  }

  /// What was never read of is not listed.
  static Reads of(const ByDevice& all, const std::string& device) {
    const auto found = all.find(device);
    return found == all.end() ? Reads{} : found->second;
  }

  /// "sda"; its number where nothing tells its name.
  const std::string& name_of(const std::string& device) {
    const auto [found, added] = names_.try_emplace(device, device);
    if (!added) return found->second;
    std::string_view text = disks_.read();
    while (!text.empty()) {
      std::string_view line = take_line(text);
      std::string number(take_word(line));
      number.append(":").append(take_word(line));
      if (number == device) found->second = take_word(line);
    }
    return found->second;
  }

  Roots roots_;
  std::string path_;
  std::string groups_text_;
  KernelFile disks_;
  std::vector<Group> groups_;
  std::map<std::string, std::string> names_;  ///< by number
};

}  // namespace

std::unique_ptr<Source> disk_limit_source(const Roots& roots, const std::string& pid) {
  return std::make_unique<DiskLimits>(roots, pid);
}

}  // namespace feedrate::bench::observe
