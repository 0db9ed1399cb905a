#include <algorithm>
#include <optional>
#include <utility>

#include "bench/observe/control_groups.hpp"
#include "bench/observe/kernel_file.hpp"
#include "bench/observe/machine.hpp"

namespace feedrate::bench::observe {
namespace {

bool has_quota(const ControlGroup& group) {
  const std::string text =
      text_of(group.folder + (group.second_version ? "/cpu.max" : "/cpu.cfs_quota_us"));
  std::string_view rest = text;
  std::string_view line = take_line(rest);
  return take_number(line) > 0;  // "max" and -1 are none
}

struct QuotaCounts {
  std::uint64_t periods = 0, throttled = 0;
  Duration held_back;
};

class Quotas : public Source {
 public:
  Quotas(const Roots& roots, const std::string& pid) {
    const std::string text = text_of(roots.proc + "/" + pid + "/cgroup");
    // The tightest of them holds it back.
    for (ControlGroup& group : groups_around(roots, text, "cpu")) {
      if (!has_quota(group)) continue;
      files_.push_back({KernelFile(group.folder + "/cpu.stat"), group, {}});
    }
  }

  void look(Look& look) override {
    for (One& one : files_) {
      const std::string_view text = one.file.read();
      if (text.empty()) continue;
      const QuotaCounts now = counts_in(text);
      const QuotaCounts was = std::exchange(one.before, now);
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
    ControlGroup group;
    QuotaCounts before;
  };

  static QuotaCounts counts_in(std::string_view text) {
    QuotaCounts counts;
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
