// The files of the kernel that weather.cpp reads.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "bench/clock.hpp"
#include "bench/weather.hpp"

namespace feedrate::bench {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Of all processes that may be seen.
std::vector<ProcessTimes> processes() {
  std::vector<ProcessTimes> all;
  std::error_code gone;
  fs::directory_iterator folder("/proc", gone);
  for (; !gone && folder != fs::directory_iterator(); folder.increment(gone)) {
    const std::string name = folder->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (const auto times = process_times_in(text_of(folder->path() / "stat"))) {
      all.push_back(*times);
    }
  }
  return all;
}

std::optional<Duration> throttled_now() {
  const std::string groups = text_of("/proc/self/cgroup");
  const std::string group(control_group_in(groups));
  const fs::path root = "/sys/fs/cgroup";
  // In a container the group may be the root, whatever it is called outside.
  const auto found = throttled_in(text_of(root.string() + group + "/cpu.stat"));
  return found ? found : throttled_in(text_of(root / "cpu.stat"));
}

}  // namespace

Counters count_now() {
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  Counters counters;
  counters.at = now();
  counters.cpu = cpu_times_in(text_of("/proc/stat"), ticks);
  counters.own = seconds(ticks_of_family(processes(), ::getpid()) / ticks);
  counters.throttled = throttled_now();
  counters.waited = waited_in(text_of("/proc/pressure/cpu"));
  return counters;
}

std::optional<Frequency> core_clock() {
  double sum = 0.0;
  double count = 0.0;
  std::error_code none;
  for (const auto& policy : fs::directory_iterator("/sys/devices/system/cpu/cpufreq", none)) {
    double kilohertz = 0.0;
    std::ifstream file(policy.path() / "scaling_cur_freq");
    if (!(file >> kilohertz) || kilohertz <= 0.0) continue;
    sum += kilohertz * 1e3;
    ++count;
  }
  if (count > 0.0) return Frequency::of(sum / count);
  return mean_clock_in(text_of("/proc/cpuinfo"));
}

}  // namespace feedrate::bench
