#pragma once
// A small HTTP/1.1 server on this machine: a store with known speed and known faults.
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "base/open_file.hpp"
#include "base/units.hpp"

namespace feedrate::bench {

struct Served {
  Bytes object = megabytes(256.0);
  Duration latency = Duration();           ///< before the first byte of every answer
  Bandwidth per_connection = Bandwidth();  ///< at most; 0: as fast as it goes
  int status = 200;                        ///< of every answer; 200 becomes 206 for a range
  bool ranges = true;                      ///< knows Range; else every answer is the whole object
  bool cut_short = false;                  ///< hangs up in the middle of every body
};

/// GET of any path gives the object, or a range of it; connections are kept. A thread for each.
class HttpServer {
 public:
  explicit HttpServer(const Served& served);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// "http://127.0.0.1:PORT/object".
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint64_t requests() const { return requests_; }

 private:
  struct Client {
    OpenFile socket;
    std::thread thread;
    std::atomic<bool> gone{false};
  };
  void accept_clients();
  void forget_gone();
  void serve(int socket);
  bool answer(int socket, const std::string& request);
  bool send_body(int socket, std::uint64_t size);
  bool wait_until(Duration moment) const;

  Served served_;
  int port_ = 0;
  OpenFile listener_;
  std::string block_;
  std::atomic<bool> closing_{false};
  std::atomic<std::uint64_t> requests_{0};
  std::mutex mutex_;
  std::list<Client> clients_;
  std::thread acceptor_;
};

}  // namespace feedrate::bench
