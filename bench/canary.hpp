#pragma once
// Small fixed pieces of work that tell how fast the machine is just now: beside the same pieces
// when a profile was made, they tell a model's error from the machine's drift.
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/measurement.hpp"

namespace feedrate::bench {

class Canary {
 public:
  /// Makes what the pieces work on. HostError where that fails.
  Canary();
  ~Canary();
  Canary(const Canary&) = delete;
  Canary& operator=(const Canary&) = delete;

  /// Every piece in turn, again and again, for `budget`; each at least once. Series of "registers"
  /// (integers and floating point, no memory), "copy" (64 MB a thread; less each where there are
  /// many threads) and "jpeg" (one decoded; only in a build that can), with one user and with all
  /// hardware threads. Fewer samples once `stop` is set.
  std::vector<Measurement> sing(Duration budget, const std::atomic<bool>& stop);

 private:
  class Pieces;
  std::unique_ptr<Pieces> pieces_;
};

/// The means, as a profile holds them, by name: "registers", "copy", "jpeg", and with "_all" behind
/// it for all threads, where there is more than one. HostProfile::canary has the same names.
std::map<std::string, Duration> run_canary(Duration budget, const std::atomic<bool>& stop);

}  // namespace feedrate::bench
