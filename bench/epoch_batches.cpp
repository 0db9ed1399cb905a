#include "bench/epoch_batches.hpp"

#include <utility>

namespace feedrate::bench {

EpochBatches::EpochBatches(std::size_t sample, std::size_t batch, std::size_t batches,
                           std::size_t ahead)
    : sample_(sample), batch_(batch), batches_(batches), filled_(ahead, 0) {
  for (std::size_t i = 0; i < ahead; ++i) slots_.emplace_back(batch * sample);
}

std::span<float> EpochBatches::ticket(std::size_t& number) {
  std::unique_lock lock(mutex_);
  number = next_;
  if (ended_ || number == batch_ * batches_) return {};
  ++next_;
  const std::size_t at = number / batch_;
  changed_.wait(lock, [&] { return ended_ || at < taken_ + slots_.size(); });
  if (ended_) return {};
  return std::span(slots_[at % slots_.size()]).subspan(number % batch_ * sample_, sample_);
}

void EpochBatches::done(std::size_t number) {
  const std::scoped_lock lock(mutex_);
  if (++filled_[number / batch_ % slots_.size()] == batch_) changed_.notify_all();
}

bool EpochBatches::take(std::vector<float>& buffer) {
  std::unique_lock lock(mutex_);
  const std::size_t slot = taken_ % slots_.size();
  changed_.wait(lock, [&] { return ended_ || filled_[slot] == batch_; });
  if (ended_) return false;
  filled_[slot] = 0;
  std::swap(buffer, slots_[slot]);
  ++taken_;
  changed_.notify_all();
  return true;
}

void EpochBatches::end(std::exception_ptr why) {
  const std::scoped_lock lock(mutex_);
  if (!failure_) failure_ = std::move(why);
  ended_ = true;
  changed_.notify_all();
}

void EpochBatches::throw_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace feedrate::bench
