#pragma once
// The GPUs of pasted screens. Internal to formats.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.hpp"
#include "formats/unused_gpus.hpp"
#include "model/shares.hpp"

namespace feedrate::formats {

/// What the GPUs show, moment by moment; those that nobody used do not count.
class ScreenGpus {
 public:
  /// Where they are not numbered, `gpu` is empty, and none of them can be told to be unused.
  void busy(const std::string& gpu, double share) {
    open_[gpu].busy.push_back(share);
    if (!gpu.empty()) uses_.busy(gpu, 100.0 * share);
  }
  void memory(const std::string& gpu, double share) { open_[gpu].memory.push_back(share); }
  void memory_mib(const std::string& gpu, double used) {
    if (!gpu.empty()) uses_.memory_bytes(gpu, used * 1048576.0);
  }
  void end_moment() {
    if (!open_.empty()) moments_.push_back(std::exchange(open_, {}));
  }
  [[nodiscard]] std::vector<std::string> unused() const { return uses_.unused(); }

  /// Ends the last moment. Returns whether some that count show 0 % while others work.
  bool tell(Shares& shares) {
    end_moment();
    const std::vector<std::string> left_out = unused();
    bool idle = false, working = false;
    for (const Moment& moment : moments_) {
      Values busy, memory;
      for (const auto& [gpu, shown] : moment) {
        if (std::find(left_out.begin(), left_out.end(), gpu) != left_out.end()) continue;
        busy.insert(busy.end(), shown.busy.begin(), shown.busy.end());
        memory.insert(memory.end(), shown.memory.begin(), shown.memory.end());
      }
      for (const double share : busy) (share == 0.0 ? idle : working) = true;
      if (!busy.empty()) shares["gpu"].push_back(mean(busy));
      if (!memory.empty()) shares["gpu-memory"].push_back(mean(memory));
    }
    return idle && working;
  }

 private:
  using Values = std::vector<double>;
  struct Shown {
    Values busy, memory;
  };
  using Moment = std::map<std::string, Shown>;

  Moment open_;
  std::vector<Moment> moments_;
  GpuUses uses_;
};

}  // namespace feedrate::formats
