#pragma once
// One connection to a store, kept open between requests.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "bench/clock.hpp"
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

/// An object on its way into a file that is open for writing.
struct Kept {
  int file = -1;
  std::uint64_t size = 0;     ///< bytes of it that the file holds
  std::string tag;            ///< the server's name for this state of the object; "": it gave none
  std::int64_t changed = -1;  ///< when this state came to be, in seconds since 1970; -1: not told
};

struct KeepRules {
  std::uint64_t at_most = 0;  ///< bytes of a whole object
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  bool http = false;  ///< a redirect of an http URL may lead to http, whoever is there
  /// Before the first byte of an object that is received from its start.
  std::function<void(const Kept&)> afresh{};
  /// The bytes that are there, and the whole object's; 0: not known.
  std::function<void(std::uint64_t, std::uint64_t)> came{};
};

/// Trying again would not help: the disk is full, the time is over.
class NotKept : public HostError {
 public:
  using HostError::HostError;
};

/// No answer of the object's own came: no host, no connection, a certificate that is not trusted, a
/// redirect that is not followed. What is there of the object may still be gone on with.
class NotReached : public InputError {
 public:
  using InputError::InputError;
};

class Connection {
 public:
  /// Gives up when nothing arrives for `patience`, or at once when it is to.
  Connection(Target target, Duration patience, const Until& give_up);
  Connection(Connection&&) noexcept;
  ~Connection();

  /// Asks for the first byte only, to learn what is there. InputError: no such host or object, not
  /// allowed, an empty object; NotReached. HostError: the store failed.
  RemoteObject look();

  /// Receives a part, or all of it without `range`, and drops it. Adds to `counter` as it comes.
  /// Throws as look(); Interrupted once it is to give up.
  Reply get(std::optional<ByteRange> range, std::atomic<std::uint64_t>* counter = nullptr);

  /// Receives all of the object into `kept`: what is there already is gone on with if the object is
  /// still in the state that `tag` names, else everything comes afresh. Redirects are followed to
  /// https, and as the rules say. Returns when the object was changed last, in seconds since 1970
  /// (-1: not told). Throws as get(), and NotKept; `kept` then tells what can be gone on with.
  std::int64_t keep(Kept& kept, const KeepRules& rules);

  /// Receives a short text (64 KB at most). Throws as get().
  std::string text();

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace feedrate::bench
