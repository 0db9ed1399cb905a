#pragma once
// Calls into libraries that may never return, as one that waits for a host which is gone.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/units.hpp"

namespace feedrate::bench {

/// A thread of its own for such calls. Who waits for it can go away; the thread, and what its work
/// holds, are then left to themselves until the program ends.
class Watched {
 public:
  /// Must own what it uses. Should return soon, by an exception too, once `give_up` is set.
  using Work = std::function<void(const std::atomic<bool>& give_up)>;

  Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched();

  /// Waits for the end of `work`; throws what it throws. Interrupted once `stop` is set,
  /// HostError(late) after `patience`; when the work does not give up in `grace` either, nothing
  /// else can be run: HostError(late).
  void run(Work work, Duration patience, const std::atomic<bool>& stop, const std::string& late);

  Duration grace = seconds(2.0);

 private:
  struct State;
  static void serve(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace feedrate::bench
