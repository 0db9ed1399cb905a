// What a store may answer: a real server on this machine sends the text as it is, and hangs up.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <mutex>
#include <thread>

#include "bench/http_client.hpp"
#include "tests/fuzz/support/laws.hpp"
#include "tests/fuzz/target.hpp"

namespace feedrate::fuzz {
namespace {

/// One for the life of the process.
class Answering {
 public:
  Answering() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || bind(listener_, plain, sizeof address) != 0 ||
        listen(listener_, 64) != 0 || getsockname(listener_, plain, &length) != 0) {
      broken("no server on this machine");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;
  ~Answering() {
    closing_ = true;
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

  void answer_with(std::string_view text) {
    const std::lock_guard lock(mutex_);
    text_ = text;
  }
  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}/object", port_); }

 private:
  void serve() {
    while (!closing_) {
      const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      std::array<char, 4096> request{};
      pollfd ready{client, POLLIN, 0};
      if (poll(&ready, 1, 1000) == 1 && recv(client, request.data(), request.size(), 0) > 0) {
        const std::lock_guard lock(mutex_);
        static_cast<void>(send(client, text_.data(), text_.size(), MSG_NOSIGNAL));
      }
      close(client);
    }
  }

  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> closing_{false};
  std::mutex mutex_;
  std::string text_;
  std::thread thread_;
};

/// A redirection would lead to another machine.
bool leads_away(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text.find("location") != std::string::npos;
}

bool http(std::string_view text) {
  if (!bench::http_unavailable().empty() || leads_away(std::string(text))) return false;
  static Answering server;
  static const std::atomic<bool> go_on{false};
  server.answer_with(text);
  bench::Target target = bench::target_of(server.url());
  target.direct = true;
  const auto ask = [&] {
    bench::Connection connection(target, seconds(2.0), go_on);
    const bench::RemoteObject object = connection.look();
    demand(object.size > 0, "an empty object");
    const bench::Reply reply = connection.get(std::nullopt);
    demand(reply.received <= object.size, "more bytes than the object has");
    demand_finite(reply.first_byte.base(), "the time to the first byte");
  };
  return taken([&] {
    try {
      ask();
    } catch (const HostError& error) {
      demand(std::string_view(error.what()).find('\n') == std::string_view::npos,
             "a failure of several lines");
      throw InputError("the store failed");
    }
  });
}

std::vector<std::string> http_seeds() {
  return {
      "HTTP/1.1 206 Partial Content\r\nContent-Length: 1\r\nContent-Range: bytes 0-0/1\r\n\r\na",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 206 Partial Content\r\nContent-Length: 1\r\nContent-Range: bytes "
      "0-0/18446744073709551615\r\n\r\na",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */0\r\n\r\n",
      "HTTP/1.1 503 Slow Down\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"};
}

constexpr std::array all_http = {
    Target{"http", "an object with its size, or refused with words", http_seeds, http}};

}  // namespace

std::span<const Target> http_targets() {
  return all_http;
}

}  // namespace feedrate::fuzz
