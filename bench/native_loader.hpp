#pragma once
// A real loader to validate against: threads read files, decode, transform and fill batches; the
// consumer takes them in order, copies them to the GPU where there is one, and steps by sleeping.
#include <atomic>
#include <functional>
#include <memory>
#include <span>

#include "bench/corpus.hpp"
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

  /// One epoch, from starting the threads to the end of the last step. Throws Interrupted soon
  /// after `stop` is set, and whatever a thread throws.
  Duration epoch(const LoaderRun& setting, const std::atomic<bool>& stop);

 private:
  Corpus corpus_;
  std::function<void(std::span<const float>)> copy_;  ///< empty without a GPU
};

}  // namespace feedrate::bench
