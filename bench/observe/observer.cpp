#include "bench/observe/observer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/secrets.hpp"
#include "base/version.hpp"
#include "bench/clock.hpp"
#include "bench/nvml.hpp"
#include "bench/observe/kernel_file.hpp"
#include "bench/observe/machine.hpp"
#include "bench/observe/process_stat.hpp"
#include "bench/observe/processes.hpp"
#include "bench/observe/source.hpp"

namespace feedrate::bench::observe {
namespace {

/// Asks for the bytes over PCIe in a thread of its own: each answer takes the 20 ms over which the
/// driver counts, two for each GPU.
class PcieWatch {
 public:
  struct Rates {
    std::atomic<double> receive{-1.0}, transmit{-1.0};  ///< bytes a second; below 0: not known
  };

  PcieWatch(const Nvml& nvml, const std::vector<Nvml::Device>& devices, Duration interval)
      : nvml_(nvml), devices_(devices), interval_(interval), rates_(devices.size()) {
    thread_ = std::thread([this] { watch(); });
  }
  PcieWatch(const PcieWatch&) = delete;
  PcieWatch& operator=(const PcieWatch&) = delete;
  ~PcieWatch() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  [[nodiscard]] const Rates& operator[](std::size_t gpu) const { return rates_[gpu]; }

 private:
  [[nodiscard]] double ask(Nvml::Device device, int direction) const {
    unsigned int kilobytes_per_second = 0;
    const bool told = nvml_.pcie(device, direction, &kilobytes_per_second) == 0;
    return told ? 1e3 * kilobytes_per_second : -1.0;
  }
  void watch() {
    for (;;) {
      for (std::size_t i = 0; i < devices_.size(); ++i) {
        rates_[i].receive = ask(devices_[i], Nvml::of_receive);
        rates_[i].transmit = ask(devices_[i], Nvml::of_transmit);
        const std::lock_guard lock(mutex_);
        if (stop_) return;
      }
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, std::chrono::duration<double>(interval_.base()),
                         [this] { return stop_; })) {
        return;
      }
    }
  }

  const Nvml& nvml_;
  const std::vector<Nvml::Device>& devices_;
  Duration interval_;
  std::vector<Rates> rates_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

/// What NVIDIA's GPUs do.
class Gpus : public Source {
 public:
  /// `library`: NVML's file. `interval`: between looks. Where there is no library or no GPU, the
  /// first look says so.
  Gpus(const std::string& library, Duration interval) : nvml_(library) {
    const auto count = nvml_.count(missing_);
    for (Nvml::Number i = 0; i < count.value_or(0); ++i) {
      if (Nvml::Device const device = nvml_.by_place(i)) devices_.push_back(device);
    }
    if (nvml_.pcie != nullptr && !devices_.empty()) {
      pcie_ = std::make_unique<PcieWatch>(nvml_, devices_, interval);
    }
  }
  [[nodiscard]] double count() const { return static_cast<double>(devices_.size()); }

  void look(Look& look) override {
    if (!missing_.empty()) look.remarks.push_back("no GPU is seen: " + missing_);
    if (look.first()) return;
    for (std::size_t i = 0; i < devices_.size(); ++i) one(look, i);
  }

 private:
  void one(Look& look, std::size_t gpu) {
    Nvml::Device const device = devices_[gpu];
    const std::string name = fmt::format("gpu{}", gpu);
    Nvml::Utilization use{};
    if (nvml_.utilization != nullptr && nvml_.utilization(device, &use) == 0) {
      look.add(MetricId::gpu_busy, name, std::min(100U, use.gpu));
      look.add(MetricId::gpu_memory_busy, name, std::min(100U, use.memory));
    } else {
      look.remarks.push_back(fmt::format("{}: the driver does not report how busy it is", name));
    }
    Nvml::Memory memory{};
    if (nvml_.memory != nullptr && nvml_.memory(device, &memory) == 0 && memory.total > 0) {
      const auto used = static_cast<double>(memory.used);
      look.add(MetricId::gpu_memory_used, name,
               std::min(100.0, 100.0 * used / static_cast<double>(memory.total)));
      look.add(MetricId::gpu_memory_bytes, name, used);
    }
    unsigned int number = 0;
    if (nvml_.clock != nullptr && nvml_.clock(device, Nvml::of_multiprocessors, &number) == 0) {
      look.add(MetricId::gpu_clock, name, 1e6 * number);
    }
    if (nvml_.power != nullptr && nvml_.power(device, &number) == 0) {
      look.add(MetricId::gpu_power, name, 1e-3 * number);
    }
    if (!pcie_) return;
    const double receive = (*pcie_)[gpu].receive;
    const double transmit = (*pcie_)[gpu].transmit;
    if (receive >= 0.0) look.add(MetricId::gpu_receive, name, receive);
    if (transmit >= 0.0) look.add(MetricId::gpu_transmit, name, transmit);
  }

  Nvml nvml_;
  std::string missing_;  ///< why no GPU is seen
  std::vector<Nvml::Device> devices_;
  std::unique_ptr<PcieWatch> pcie_;  // ends before what it asks
};

std::string node_name() {
  utsname name{};
  return uname(&name) == 0 ? name.nodename : "";
}

/// A process's arguments as one would type them, near enough to be recognized.
std::string command_of(const Roots& roots, std::int64_t pid, bool secrets) {
  std::string text = text_of(fmt::format("{}/{}/cmdline", roots.proc, pid));
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return fmt::format("{}", fmt::join(secrets ? words : command_without_secrets(words), " "));
}

bool is_only_forked(const Roots& roots, std::int64_t pid) {
  const std::string text = text_of(fmt::format("{}/{}/stat", roots.proc, pid));
  const auto stat = stat_in(text);
  return stat && only_forked(*stat);
}

/// A shell's "job &" is the shell itself until it calls exec, usually within milliseconds. A
/// subshell never does: it is waited for in vain.
void await_exec(const Roots& roots, std::int64_t pid) {
  constexpr Duration patience = milliseconds(100.0);
  for (const Duration begin = now(); is_only_forked(roots, pid) && now() - begin < patience;) {
    poll(nullptr, 0, 1);
  }
}

std::optional<int> usable_cpus(std::int64_t pid) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(static_cast<pid_t>(pid), sizeof set, &set) != 0) return std::nullopt;
  return CPU_COUNT(&set);
}

}  // namespace

class Observer::State {
 public:
  State(const Roots& roots, const Target& target, Duration interval, const std::string& nvml)
      : roots(roots),
        secrets(target.secrets),
        pid_(target.pid ? fmt::format("{}", *target.pid) : "self") {
    auto gpus = std::make_unique<Gpus>(nvml, interval);
    gpu_count = gpus->count();
    auto processes = std::make_unique<Processes>(roots, target.pid);
    job = processes.get();
    // In the order in which they are shown.
    sources.push_back(cpu_source(roots));
    sources.push_back(std::move(processes));  // as near to the CPUs in time as can be
    sources.push_back(std::move(gpus));
    sources.push_back(disk_source(roots));
    sources.push_back(disk_limit_source(roots, pid_));
    sources.push_back(link_source(roots, pid_));
    sources.push_back(memory_source(roots));
    sources.push_back(pressure_source(roots));
    sources.push_back(quota_source(roots, pid_));
  }

  Roots roots;
  bool secrets;
  std::vector<std::unique_ptr<Source>> sources;
  const Processes* job = nullptr;
  double gpu_count = 0.0;
  bool only_forked = false;  ///< the command in the header is still that of the job's parent
  std::optional<Duration> before;
  std::set<std::string> said;

 private:
  std::string pid_;
};

Observer::Observer(Target target, Duration interval, const Roots& roots, const std::string& nvml) {
  if (target.pid && text_of(fmt::format("{}/{}/stat", roots.proc, *target.pid)).empty()) {
    throw InputError(
        {{"", 0, "--pid",
          fmt::format("expected the ID of a running, visible process, got {}", *target.pid)}});
  }
  header_.source = "observe";
  header_.program = fmt::format("feedrate {}", version);
  header_.node = target.node.empty() ? node_name() : target.node;
  header_.started = utc_clock();
  header_.interval = interval;
  if (const Duration boot = boot_time_of(roots); boot.base() > 0.0) header_.boot_time = boot;
  header_.command = target.command;
  if (target.pid) {
    header_.pid = static_cast<double>(*target.pid);
    if (header_.command.empty()) {
      await_exec(roots, *target.pid);
      header_.command = command_of(roots, *target.pid, target.secrets);
    }
  }
  if (const double cpus = cpus_of(roots); cpus > 0.0) header_.cpus = cpus;
  if (const double cores = cores_of(roots); cores > 0.0) header_.cores = cores;
  if (const Bytes memory = memory_of(roots); memory.base() > 0.0) header_.memory = memory;
  state_ = std::make_unique<State>(roots, target, interval, nvml);
  state_->only_forked = target.pid && target.command.empty() && is_only_forked(roots, *target.pid);
  header_.gpus = state_->gpu_count;
}

Observer::~Observer() = default;

Seen Observer::look(Duration at, Duration late) {
  State& state = *state_;
  Look look;
  look.at = at;
  if (state.before) look.length = at - *state.before;
  const bool first = !std::exchange(state.before, at);
  for (const auto& source : state.sources) source->look(look);
  if (first && header_.pid) {
    const auto usable = usable_cpus(static_cast<std::int64_t>(*header_.pid));
    if (usable && header_.cpus && *usable < *header_.cpus) {
      look.remarks.push_back(
          fmt::format("the job may use {} of the {} CPUs", *usable, *header_.cpus));
    }
  }
  if (const auto pid = static_cast<std::int64_t>(header_.pid.value_or(0.0));
      state.only_forked && !is_only_forked(state.roots, pid)) {
    state.only_forked = false;
    if (const std::string command = command_of(state.roots, pid, state.secrets); !command.empty()) {
      look.remarks.push_back(fmt::format("process {} now runs {}", pid, command));
    }
  }
  Seen seen;
  for (Sample& sample : look.samples) {
    sample.node = header_.node;
    if (late > latest_fine) sample.late = late;
  }
  seen.samples = std::move(look.samples);
  for (std::string& remark : look.remarks) {
    if (state.said.insert(remark).second) seen.remarks.push_back({at, remark, header_.node});
  }
  return seen;
}

bool Observer::ended() const {
  return state_->job->ended();
}

Duration utc_clock() {
  using Clock = std::chrono::system_clock;
  static const Duration offset =
      seconds(std::chrono::duration<double>(Clock::now().time_since_epoch()).count()) - now();
  // To the microsecond: what is finer would not be true, and makes files longer.
  return seconds(std::round((offset + now()).base() * 1e6) / 1e6);
}

}  // namespace feedrate::bench::observe
