#pragma once
// A real loader to validate against: threads read files, decode, transform and fill batches; the
// consumer takes them in order and steps: on the GPU where there is one, to which batches are
// copied as the setting says, else by sleeping.
#include <atomic>
#include <memory>

#include "bench/corpus.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/probe.hpp"
#include "model/loader_run.hpp"

namespace feedrate::bench {

class NativeLoader {
 public:
  /// `settings.data`, or generated images as the decode probe's.
  NativeLoader(const Settings& settings, Recorder& recorder);
  ~NativeLoader();
  NativeLoader(const NativeLoader&) = delete;
  NativeLoader& operator=(const NativeLoader&) = delete;

  [[nodiscard]] Bytes stored() const;  ///< of a sample's file, mean
  [[nodiscard]] Bytes made() const;    ///< of a sample in a batch
  [[nodiscard]] bool to_gpu() const;

  /// What a step takes that was wanted to take so long: the same, but for a GPU's.
  Duration step_near(Duration wanted);

  /// One epoch, from starting the threads to the end of the last step; on a GPU, steps are of about
  /// the setting's length. Throws Interrupted soon after `stop` is set, and whatever a thread
  /// throws. Precondition: settings upload where there is a GPU, and nowhere else.
  Duration epoch(const LoaderRun& setting, const std::atomic<bool>& stop);

 private:
  Corpus corpus_;
  std::unique_ptr<gpu::TrainingStream> training_;  ///< null without a GPU
};

}  // namespace feedrate::bench
