#include "bench/host.hpp"

#include <sched.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "bench/observe/control_limits.hpp"
#include "bench/observe/machine.hpp"
#include "bench/probe.hpp"
#include "bench/scratch.hpp"

namespace feedrate::bench {
namespace {

namespace fs = std::filesystem;

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

/// "key : value" of the lines of /proc files.
std::pair<std::string, std::string> key_and_value(const std::string& line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return {line, ""};
  const std::size_t end = line.find_last_not_of(" \t", colon - 1);
  const std::size_t start = line.find_first_not_of(" \t", colon + 1);
  return {line.substr(0, end + 1), start == std::string::npos ? "" : line.substr(start)};
}

void read_cpu(HostFacts& facts) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; facts.cpu.empty() && std::getline(file, line);) {
    if (line.empty()) continue;
    const auto [key, value] = key_and_value(line);
    if (key == "model name") facts.cpu = value;
  }
  if (const double cores = observe::cores_of({}); cores > 0.0) facts.cores = cores;
}

std::optional<Bytes> memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    const auto [key, value] = key_and_value(line);
    if (key == "MemTotal") return bytes(std::stod(value) * 1024.0);
  }
  return std::nullopt;
}

constexpr std::string_view amazon = "Amazon EC2";

std::string vendor() {
  return first_line("/sys/class/dmi/id/sys_vendor");
}

std::string product() {
  return first_line("/sys/class/dmi/id/product_name");
}

std::string whole(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool is_burstable(std::string_view instance) {
  const std::string_view family = instance.substr(0, instance.find('.'));
  return family == "t2" || family == "t3" || family == "t3a" || family == "t4g";
}

/// The line of x86 processors that lists what they know; "" elsewhere.
std::string_view flags_in(std::string_view cpu_info) {
  const std::size_t start =
      cpu_info.substr(0, 5) == "flags" ? 0 : std::min(cpu_info.find("\nflags"), cpu_info.size());
  return cpu_info.substr(start, cpu_info.find('\n', start + 1) - start);
}

struct Mount {
  std::string type;
  std::string source;
};

/// The mount of the device that holds `path`, as /proc/self/mountinfo has it.
Mount mount_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  const std::string device =
      std::to_string(major(status.st_dev)) + ":" + std::to_string(minor(status.st_dev));
  std::ifstream file("/proc/self/mountinfo");
  Mount found;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string id, parent, number, skipped, type, source;
    fields >> id >> parent >> number;
    while (fields >> skipped && skipped != "-") continue;
    if (number == device && fields >> type >> source) found = {type, source};
  }
  return found;
}

/// The kernel's name of the device: /dev/root and mapped devices have others.
std::string device_name(const std::string& path, const Mount& mount) {
  struct stat status {};
  std::error_code failed;
  if (::stat(path.c_str(), &status) == 0) {
    const fs::path link = "/sys/dev/block/" + std::to_string(major(status.st_dev)) + ":" +
                          std::to_string(minor(status.st_dev));
    const fs::path target = fs::read_symlink(link, failed);
    if (!failed) return target.filename();
  }
  return mount.source;
}

}  // namespace

int usable_threads() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  long count = ::sysconf(_SC_NPROCESSORS_ONLN);  // more CPUs than a cpu_set_t holds
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) count = CPU_COUNT(&allowed);
  if (const auto limit = observe::cpu_limit()) {
    count = std::min(count, static_cast<long>(std::ceil(std::min(*limit, 1e6))));
  }
  return static_cast<int>(std::max(1L, count));
}

HostClass class_of_host(std::string_view cpu_info, std::string_view vendor,
                        std::string_view product) {
  if (vendor == amazon) {
    if (product.find(".metal") != std::string_view::npos) return HostClass::bare_metal;
    return is_burstable(product) ? HostClass::shared_virtual_machine
                                 : HostClass::dedicated_virtual_machine;
  }
  const std::string_view flags = flags_in(cpu_info);
  if (flags.empty()) return HostClass::unknown;
  return flags.find(" hypervisor") == std::string_view::npos ? HostClass::bare_metal
                                                             : HostClass::shared_virtual_machine;
}

Bytes usable_memory() {
  const Bytes machine = memory().value_or(gigabytes(1.0));
  return std::min(machine, observe::memory_limit().value_or(machine));
}

std::string file_system_of(const std::string& path) {
  return mount_of(path).type;
}

std::string disk_of(const std::string& path) {
  const Mount mount = mount_of(path);
  if (mount.type.empty()) return "";
  return device_name(path, mount) + ", " + mount.type;
}

HostFacts system_facts(const Settings& settings) {
  HostFacts facts;
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) == 0) facts.hostname = name;
  struct utsname system {};
  if (::uname(&system) == 0) facts.kernel = system.release;
  read_cpu(facts);
  if (facts.cpu.empty()) facts.cpu = system.machine;
  facts.hardware_threads = usable_threads();
  facts.memory = memory();
  facts.disk = disk_of(settings.data.empty() ? scratch_root(settings) : settings.data);
  // Only Amazon writes the instance's type where everybody may read it.
  if (vendor() == amazon) facts.instance = product();
  facts.kind = class_of_host(whole("/proc/cpuinfo"), vendor(), product());
  add_gpu_facts(facts);
  return facts;
}

}  // namespace feedrate::bench
