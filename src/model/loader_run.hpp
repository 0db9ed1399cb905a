#pragma once
// Epochs of a real loader on this host, for `validate` to set beside predicted ones.
#include <map>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace feedrate {

/// How a training loop's batches come to the GPU.
enum class Upload {
  none,      ///< there is no GPU: a step is a sleep
  pageable,  ///< copied from pageable memory, and waited for
  pinned,    ///< copied from pinned memory, and waited for
  queued,    ///< from pinned memory in the step's stream: the loop goes on
  beside,    ///< from pinned memory in a stream of its own, beside the step before
};

/// One setting of a native loader, and how long its epochs took.
struct LoaderRun {
  double workers = 1.0;   ///< threads
  double prefetch = 2.0;  ///< batches ahead
  double batch = 1.0;
  double batches = 1.0;  ///< of an epoch
  Duration step;
  std::vector<Duration> epochs;
  Upload upload = Upload::none;
  bool asynchronous = false;  ///< the loop launches a step and goes on

  /// Time of one batch, in the median epoch.
  [[nodiscard]] Duration each() const;
};

/// What those epochs had in common.
struct LoaderRuns {
  std::string where;  ///< host and date
  Bytes stored;       ///< of a sample, mean
  Bytes made;         ///< of a sample as it leaves the loader
  bool to_gpu = false;
  std::vector<LoaderRun> runs;
  /// Times of the canary's pieces of work, the mean of each turn of the epochs.
  std::map<std::string, std::vector<Duration>> canary;
};

}  // namespace feedrate
