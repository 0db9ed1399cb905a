#pragma once
// JPEG decoding on the GPU: no library of CUDA's own that is on every host does it, but PyTorch
// brings one, and bench/pytorch/probe_gpu_decode.py times it.
#include <memory>

#include "bench/child_process.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {

class GpuDecode {
 public:
  /// Starts the script, one process for all rounds.
  GpuDecode(const Settings& settings, Recorder& recorder);

  /// One round, beside the time of the probe's own series. What it cannot measure (no PyTorch, none
  /// with CUDA, nothing that the GPU decodes) is a remark, told once. Interrupted.
  void round();

 private:
  void ask();

  const Settings& settings_;
  Recorder& recorder_;
  std::unique_ptr<Companion> script_;  ///< null: it cannot go on
  int line_ = 0;                       ///< of its output, read until now
};

}  // namespace feedrate::bench
