#pragma once
// The batches of one epoch: slots that threads fill sample by sample and a consumer empties in
// order, so many of them ahead.
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <vector>

namespace feedrate::bench {

/// Every wait ends when the epoch is over or somebody failed.
class EpochBatches {
 public:
  /// A sample is so many floats, a batch so many samples, an epoch so many batches.
  EpochBatches(std::size_t sample, std::size_t batch, std::size_t batches, std::size_t ahead);

  /// Where the next sample goes, and its number; empty at the end of the epoch.
  std::span<float> ticket(std::size_t& number);

  /// Sample `number` is where its ticket said.
  void done(std::size_t number);

  /// Exchanges the next batch for an empty buffer of its size. False when the epoch was ended.
  bool take(std::vector<float>& buffer);

  /// Ends it early; the first `why` counts.
  void end(std::exception_ptr why = {});

  void throw_failure() const;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t sample_;
  std::size_t batch_;
  std::size_t batches_;
  std::size_t next_ = 0;   ///< sample
  std::size_t taken_ = 0;  ///< batches
  bool ended_ = false;
  std::exception_ptr failure_;
  std::vector<std::size_t> filled_;  ///< samples in each slot
  std::vector<std::vector<float>> slots_;
};

}  // namespace feedrate::bench
