#include "bench/observe/processes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <memory>
#include <set>
#include <utility>

#include "bench/observe/process_stat.hpp"

namespace feedrate::bench::observe {
namespace {

/// Looking for new processes may take this share of a core.
constexpr double share_of_finding = 0.002;

Duration since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return seconds(static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec));
}

/// The folder's entries that are numbers.
std::vector<std::int64_t> numbers_in(const std::string& folder) {
  std::vector<std::int64_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open) return numbers;
  while (const dirent* const entry = ::readdir(open.get())) {
    const std::string_view name(entry->d_name);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

double percent_of_a_cpu(double ticks, Duration length) {
  return 100.0 * ticks / ticks_per_second() / length.base();
}

/// Whether the call that the kernel says a process's first thread is in waits for a lock that
/// others hold: of threads and processes in memory, or of files. Empty where it may not be seen;
/// only who may trace a process sees its calls, as a parent may.
std::optional<bool> waits_for_lock(std::string_view call) {
  if (call.empty()) return std::nullopt;
  const std::string_view first = take_word(call);
  if (first == "running" || first.empty() || first.front() == '-') return false;
  const auto number = [](std::string_view word) {
    std::uint64_t value = 0;
    const bool hex = word.starts_with("0x");
    if (hex) word.remove_prefix(2);
    std::from_chars(word.data(), word.data() + word.size(), value, hex ? 16 : 10);
    return value;
  };
  const std::uint64_t what = number(first);
  take_word(call);
  const std::uint64_t how = number(take_word(call));
  if (what == SYS_fcntl) return how == F_SETLKW || how == F_OFD_SETLKW;
  // A FUTEX_WAIT with any flags, without the private ones and those of the clock.
  constexpr std::uint64_t flags = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
  const std::uint64_t futex = how & ~flags;
  const bool waits = futex == FUTEX_WAIT || futex == FUTEX_WAIT_BITSET || futex == FUTEX_LOCK_PI;
  return what == SYS_flock || what == SYS_semop || what == SYS_semtimedop ||
         (what == SYS_futex && waits);
}

/// Of this thread.
Duration cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return seconds(static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec));
}

}  // namespace

Processes::Processes(const Roots& roots, std::optional<std::int64_t> root)
    : roots_(roots), root_(root), look_before_(since_boot()) {}

std::string Processes::path_of(std::int64_t id) const {
  return fmt::format("{}/{}", roots_.proc, id);
}

std::vector<std::int64_t> Processes::children_of(std::int64_t id) const {
  std::vector<std::int64_t> children;
  const std::string tasks = path_of(id) + "/task";
  for (const std::int64_t thread : numbers_in(tasks)) {
    const std::string whole = text_of(fmt::format("{}/{}/children", tasks, thread));
    std::string_view text = whole;
    while (const std::uint64_t child = take_number(text)) {
      children.push_back(static_cast<std::int64_t>(child));
    }
  }
  return children;
}

std::vector<std::int64_t> Processes::training_processes() const {
  std::vector<std::int64_t> found;
  for (const std::int64_t id : numbers_in(roots_.proc)) {
    const std::string name = text_of(path_of(id) + "/comm");
    if (is_training_process(name.substr(0, name.find('\n')))) found.push_back(id);
  }
  return found;
}

/// Adds what has started, and gives everyone a role again: a worker gets its name after its start.
void Processes::find() {
  std::vector<std::int64_t> open = root_ ? std::vector<std::int64_t>{*root_} : training_processes();
  std::set<std::int64_t> seen(open.begin(), open.end());
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const std::int64_t child : children_of(open[i])) {
      if (seen.insert(child).second) open.push_back(child);
    }
  }
  for (const auto& [id, process] : processes_) {
    if (seen.insert(id).second) open.push_back(id);  // its parent has ended
  }
  std::vector<ProcessFacts> facts;
  for (const std::int64_t id : open) {
    const std::string whole = text_of(path_of(id) + "/stat");
    const auto stat = stat_in(whole);
    if (!stat) continue;
    facts.push_back({id, stat->parent, std::string(stat->name), text_of(path_of(id) + "/cmdline")});
    if (!processes_.contains(id)) {
      processes_.emplace(id, Process{KernelFile(path_of(id) + "/stat"),
                                     KernelFile(path_of(id) + "/io"),
                                     KernelFile(path_of(id) + "/schedstat"),
                                     KernelFile(path_of(id) + "/syscall"),
                                     ProcessRole::other,
                                     std::nullopt,
                                     {},
                                     true});
    }
  }
  for (const auto& [id, role] : roles_of(facts)) {
    Process& process = processes_.at(id);
    process.role = role;
    if (role == ProcessRole::trainer) find_pins(id, process);
  }
}

void Processes::find_pins(std::int64_t id, Process& process) const {
  const std::string tasks = path_of(id) + "/task";
  for (const std::int64_t thread : numbers_in(tasks)) {
    if (thread == id || process.pins.contains(thread)) continue;
    const std::string name = text_of(fmt::format("{}/{}/comm", tasks, thread));
    if (!is_pinning_thread(name.substr(0, name.find('\n')))) continue;
    KernelFile stat(fmt::format("{}/{}/stat", tasks, thread));
    const auto now = stat_in(stat.read());
    if (now) process.pins.emplace(thread, Thread{std::move(stat), now->cpu});
  }
}

/// False: it has gone.
bool Processes::one(Look& look, std::int64_t id, Process& process) const {
  const auto stat = stat_in(process.stat.read());
  if (!stat) return false;
  Counts now{stat->cpu, stat->faults, 0, 0, waited_in(process.queued.read())};
  const std::string_view io = process.io.read();
  const auto read = number_after(io, "rchar:");
  const auto from_device = number_after(io, "read_bytes:");
  const bool reads_seen = read && from_device;
  if (reads_seen) {
    now.read = *read;
    now.from_device = *from_device;
  } else if (process.io.error() == EACCES) {
    look.remarks.emplace_back(
        "reads by processes of other users are not seen: only those users and root may see them");
  }
  // What has started since the last look has counted from nought.
  const bool is_new = !process.before && stat->started > look_before_;
  const bool known = process.before || is_new;
  const Counts was = process.before.value_or(is_new ? Counts{0, 0, 0, 0, 0} : now);
  const bool reads_known = reads_seen && process.reads_seen;
  process.before = now;
  process.reads_seen = reads_seen;
  if (look.first() || !known) return true;
  const std::string name = process_name(process.role, id);
  look.add(MetricId::process_cpu, name, percent_of_a_cpu(growth(now.cpu, was.cpu), look.length));
  if (now.waited && was.waited) {
    look.add(MetricId::process_cpu_wait, name,
             100.0 * 1e-9 * growth(*now.waited, *was.waited) / look.length.base());
  }
  if (const auto locked = waits_for_lock(process.call.read())) {
    look.add(MetricId::process_lock_wait, name, *locked ? 100.0 : 0.0);
  }
  look.rate(MetricId::process_major_faults, name, growth(now.faults, was.faults));
  if (reads_known) {
    const double device = growth(now.from_device, was.from_device);
    look.rate(MetricId::process_device_read, name, device);
    // A page that is read ahead comes from the device before it is asked for.
    look.rate(MetricId::process_cached_read, name,
              std::max(0.0, growth(now.read, was.read) - device));
  }
  look.add(MetricId::process_resident, name,
           static_cast<double>(stat->pages) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  look.add(MetricId::process_threads, name, static_cast<double>(stat->threads));
  for (auto pin = process.pins.begin(); pin != process.pins.end();) {
    const auto of_thread = stat_in(pin->second.stat.read());
    if (!of_thread) {
      pin = process.pins.erase(pin);
      continue;
    }
    const std::uint64_t cpu_was = std::exchange(pin->second.cpu, of_thread->cpu);
    look.add(MetricId::process_cpu, process_name(ProcessRole::pin, pin->first),
             percent_of_a_cpu(growth(of_thread->cpu, cpu_was), look.length));
    ++pin;
  }
  return !has_ended(*stat);
}

void Processes::look(Look& look) {
  const Duration begin = since_boot();
  if (begin >= next_find_) {
    // On a busy machine most of the time that passes is that of others.
    const Duration used = cpu_time();
    find();
    next_find_ = since_boot() + (cpu_time() - used) * (1.0 / share_of_finding);
  }
  for (auto it = processes_.begin(); it != processes_.end();) {
    const bool lives = one(look, it->first, it->second);
    if (!lives && root_ == it->first) ended_ = true;
    it = lives ? std::next(it) : processes_.erase(it);
  }
  if (root_ && !processes_.contains(*root_)) ended_ = true;
  look_before_ = begin;
}

}  // namespace feedrate::bench::observe
