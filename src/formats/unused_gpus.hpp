#pragma once
// GPUs of a recording that nobody used: a mean over all GPUs would take them for half of a job.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::formats {

/// Collects what a recording shows of each GPU, whatever they are called.
class GpuUses {
 public:
  /// `percent` of the time in which a kernel ran.
  void busy(std::string_view gpu, double percent) {
    Use& use = of(gpu);
    use.samples += 1.0;
    use.most = std::max(use.most, percent);
  }
  /// A context of CUDA alone takes 300 MB; a machine without a display has a few.
  void memory_bytes(std::string_view gpu, double bytes) { memory(gpu, bytes > 200e6); }
  void memory_percent(std::string_view gpu, double percent) { memory(gpu, percent > 0.5); }

  /// Those that show 0 % throughout and hold hardly any memory; where their memory is not told, in
  /// ten samples at least. None where no other GPU was busy. gpu10 comes after gpu2.
  [[nodiscard]] std::vector<std::string> unused() const {
    constexpr double many = 10.0;
    const bool any_busy = std::any_of(uses_.begin(), uses_.end(),
                                      [](const auto& one) { return one.second.most > 0.0; });
    std::vector<std::string> all;
    for (const auto& [gpu, use] : uses_) {
      const bool empty = use.memory_told ? !use.holds : use.samples >= many;
      if (any_busy && use.samples > 0.0 && use.most == 0.0 && empty) all.push_back(gpu);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return all;
  }

 private:
  struct Use {
    double samples = 0.0;
    double most = 0.0;
    bool memory_told = false;
    bool holds = false;
  };
  Use& of(std::string_view gpu) {
    const auto found = uses_.find(gpu);
    return found != uses_.end() ? found->second : uses_[std::string(gpu)];
  }
  void memory(std::string_view gpu, bool holds) {
    Use& use = of(gpu);
    use.memory_told = true;
    use.holds = use.holds || holds;
  }
  std::map<std::string, Use, std::less<>> uses_;
};

/// "GPU 1 is left out: it was not used (0 % throughout)". `gpus`: their indexes.
inline std::string unused_remark(const std::vector<std::string>& gpus) {
  if (gpus.size() == 1) {
    return fmt::format("GPU {} is left out: it was not used (0 % throughout)", gpus.front());
  }
  return fmt::format("GPUs {} are left out: they were not used (0 % throughout)",
                     fmt::join(gpus, ", "));
}

}  // namespace feedrate::formats
