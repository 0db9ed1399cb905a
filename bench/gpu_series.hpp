#pragma once
// Series of what a GPU does by itself: long enough that its clocks, its power limit and the coarse
// steps of its timer have no part in them, and with what the GPU says of itself beside them.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/cuda/operations.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {

/// How long a GPU is kept at it.
struct GpuTimes {
  Duration warm_up;    ///< before the series of a turn, until clocks have risen
  Duration sample;     ///< one sample, at least
  Duration series;     ///< the samples of a series in one round, at least
  Duration sustained;  ///< the one series that shows what the power limit leaves
};
GpuTimes gpu_times(const Settings& settings);

/// How many times in a row `once` must be done to take `least` or longer: a power of two, so that
/// calibrations agree on it.
int times_for(const gpu::Repeated& once, Duration least);

/// What the GPU said several times, as one: means, the highest temperature, every reason.
GpuState together(const std::vector<GpuState>& states);

class GpuSeries {
 public:
  /// Says, as a remark, where the GPU's state cannot be told.
  GpuSeries(const Settings& settings, Recorder& recorder, int gpu);

  /// Keeps the GPU busy with `once`, unrecorded. Interrupted.
  void warm_up(const gpu::Repeated& once);

  /// `what` is of one operation; what is recorded is of as many in a row as a sample takes. False,
  /// with a remark, where memory does not suffice.
  bool repeat(Measurement what, const std::function<gpu::Repeated()>& make);

  /// For something that runs by itself: keeps what the GPU says of itself now. Interrupted.
  void look();
  std::vector<GpuState> take_states();  ///< since they were taken last

 private:
  Recorder& recorder_;
  GpuTimes times_;
  int gpu_;
  std::map<std::string, int> in_a_row_;  ///< by series, for all rounds
  std::vector<GpuState> states_;
};

/// Puts what the GPUs say of themselves into the facts of the host, once. Copies to each for 0.1 s.
void describe_gpus(Recorder& recorder);

}  // namespace feedrate::bench
