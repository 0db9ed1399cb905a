#include <map>
#include <set>
#include <utility>

#include "bench/observe/kernel_file.hpp"
#include "bench/observe/machine.hpp"

namespace feedrate::bench::observe {
namespace {

/// Ticks of a CPU, which the kernel counts in hundredths of a second.
struct Ticks {
  std::uint64_t busy = 0, idle = 0, io_wait = 0, steal = 0;
};

Ticks ticks_in(std::string_view line) {
  Ticks t;
  t.busy += take_number(line);  // user; guests are in it
  t.busy += take_number(line);  // nice
  t.busy += take_number(line);  // system
  t.idle = take_number(line);
  t.io_wait = take_number(line);
  t.busy += take_number(line);  // interrupts
  t.busy += take_number(line);  // soft interrupts
  t.steal = take_number(line);
  return t;
}

bool is_cpu(std::string_view word) {
  return word.size() > 3 && word.starts_with("cpu");
}

class Cpus : public Source {
 public:
  explicit Cpus(const Roots& roots) : file_(roots.proc + "/stat") {}

  void look(Look& look) override {
    std::string_view text = file_.read();
    if (text.empty()) look.remarks.emplace_back("CPUs are not seen: /proc/stat cannot be read");
    while (!text.empty()) {
      std::string_view line = take_line(text);
      const std::string_view name = take_word(line);
      if (name == "cpu") continue;
      if (!is_cpu(name)) break;  // they come first, and what follows is long
      one(look, std::string(name), ticks_in(line));
    }
  }

 private:
  void one(Look& look, std::string name, const Ticks& now) {
    const auto [found, added] = before_.try_emplace(name, now);
    const Ticks was = std::exchange(found->second, now);
    const double busy = growth(now.busy, was.busy);
    const double io_wait = growth(now.io_wait, was.io_wait);
    const double steal = growth(now.steal, was.steal);
    const double all = busy + io_wait + steal + growth(now.idle, was.idle);
    if (added || look.first() || all <= 0.0) return;
    look.add(MetricId::cpu_busy, name, 100.0 * busy / all);
    look.add(MetricId::cpu_io_wait, name, 100.0 * io_wait / all);
    look.add(MetricId::cpu_steal, std::move(name), 100.0 * steal / all);
  }

  KernelFile file_;
  std::map<std::string, Ticks> before_;
};

}  // namespace

std::unique_ptr<Source> cpu_source(const Roots& roots) {
  return std::make_unique<Cpus>(roots);
}

double cpus_of(const Roots& roots) {
  const std::string whole = text_of(roots.proc + "/stat");
  std::string_view text = whole;
  double count = 0.0;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (is_cpu(take_word(line))) ++count;
  }
  return count;
}

double cores_of(const Roots& roots) {
  const std::string whole = text_of(roots.proc + "/cpuinfo");
  std::string_view text = whole;
  std::set<std::pair<std::string, std::string>> cores;
  std::string package;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string value(line.substr(colon + 1));
    if (line.starts_with("physical id")) package = value;
    if (line.starts_with("core id")) cores.emplace(package, value);
  }
  return static_cast<double>(cores.size());
}

Duration boot_time_of(const Roots& roots) {
  return seconds(
      static_cast<double>(number_after(text_of(roots.proc + "/stat"), "btime").value_or(0)));
}

}  // namespace feedrate::bench::observe
