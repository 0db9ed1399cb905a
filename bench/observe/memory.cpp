#include <algorithm>

#include "bench/observe/kernel_file.hpp"
#include "bench/observe/machine.hpp"

namespace feedrate::bench::observe {
namespace {

double kilobytes_of(std::string_view text, std::string_view key) {
  return 1024.0 * static_cast<double>(number_after(text, key).value_or(0));
}

class Memory : public Source {
 public:
  explicit Memory(const Roots& roots) : file_(roots.proc + "/meminfo") {}

  void look(Look& look) override {
    const std::string_view text = file_.read();
    const double all = kilobytes_of(text, "MemTotal:");
    if (all <= 0.0) {
      look.remarks.emplace_back("memory is not seen: /proc/meminfo cannot be read");
      return;
    }
    if (look.first()) return;
    // Shared memory, in which workers hand over batches, is counted as cached and cannot be
    // dropped.
    const double cached =
        std::max(0.0, kilobytes_of(text, "Cached:") + kilobytes_of(text, "Buffers:") -
                          kilobytes_of(text, "Shmem:"));
    const double used = std::max(
        0.0, all - kilobytes_of(text, "MemFree:") - cached - kilobytes_of(text, "SReclaimable:"));
    look.add(MetricId::memory_used, "", std::min(100.0, 100.0 * used / all));
    look.add(MetricId::memory_bytes, "", used);
    look.add(MetricId::page_cache_bytes, "", cached);
    look.add(MetricId::dirty_bytes, "", kilobytes_of(text, "Dirty:"));
  }

 private:
  KernelFile file_;
};

}  // namespace

std::unique_ptr<Source> memory_source(const Roots& roots) {
  return std::make_unique<Memory>(roots);
}

Bytes memory_of(const Roots& roots) {
  return bytes(kilobytes_of(text_of(roots.proc + "/meminfo"), "MemTotal:"));
}

}  // namespace feedrate::bench::observe
