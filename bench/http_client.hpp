#pragma once
// One connection to a store, kept open between requests.
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/units.hpp"
#include "bench/target.hpp"

namespace feedrate::bench {

/// Why nothing can be downloaded in this build; "" when it can.
std::string http_unavailable();

struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// The object at the end of a URL.
struct RemoteObject {
  Target target;  ///< redirects followed
  std::uint64_t size = 0;
  bool ranges = true;  ///< the server can send parts
};

/// What a request brought.
struct Reply {
  std::uint64_t received = 0;
  Duration first_byte;  ///< from sending the request to the first byte of the answer
};

class Connection {
 public:
  /// Gives up when nothing arrives for `patience`, or at once when `stop` is set.
  Connection(Target target, Duration patience, const std::atomic<bool>& stop);
  Connection(Connection&&) noexcept;
  ~Connection();

  /// Asks for the first byte only, to learn what is there. InputError: no such host or object, not
  /// allowed, an empty object, a certificate that is not trusted. HostError: the store failed.
  RemoteObject look();

  /// Receives a part, or all of it without `range`, and drops it. Adds to `counter` as it comes.
  /// Throws as look(); Interrupted once `stop` is set.
  Reply get(std::optional<ByteRange> range, std::atomic<std::uint64_t>* counter = nullptr);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace feedrate::bench
