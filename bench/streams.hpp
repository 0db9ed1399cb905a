#pragma once
// Connections that download without a pause, while somebody looks at how much arrives.
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/http_client.hpp"

namespace feedrate::bench {

class Streams {
 public:
  /// `count` connections fetch parts of `part` bytes of `object`, or all of it where the server has
  /// no ranges. Returns once each has had an answer. Throws what the first of them threw, and
  /// Interrupted once they are to give up.
  Streams(const RemoteObject& object, int count, std::uint64_t part, Duration patience,
          const Until& give_up);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams();

  /// Looks on for `window`, or until something has come. Throws as the constructor.
  Bandwidth rate(Duration window);

  [[nodiscard]] std::uint64_t received() const { return received_; }

 private:
  void stream();
  void close();
  void check();

  const RemoteObject& object_;
  std::uint64_t part_;
  Duration patience_;
  Until give_up_;
  std::atomic<bool> closing_{false};
  std::atomic<int> answered_{0};
  std::atomic<std::uint64_t> received_{0};
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace feedrate::bench
