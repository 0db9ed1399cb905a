#include "bench/support/http_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <regex>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/mix.hpp"

namespace feedrate::bench {
namespace {

constexpr std::size_t longest_request = 16384;

[[noreturn]] void fail(const char* what) {
  throw HostError(std::string("HTTP server on loopback: ") + what + ": " + std::strerror(errno));
}

bool send_all(int socket, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::send(socket, data, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

/// Up to the empty line that ends it; "" when the client has gone.
std::string receive_request(int socket) {
  std::string request;
  char buffer[4096];
  while (request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t n = ::recv(socket, buffer, sizeof buffer, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 || request.size() > longest_request) return "";
    request.append(buffer, static_cast<std::size_t>(n));
  }
  return request;
}

}  // namespace

HttpServer::HttpServer(const Served& served)
    : served_(served), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (!listener_.ok()) fail("no socket");
  std::uint64_t random = 1;
  while (block_.size() < (std::size_t{1} << 18U)) {
    const std::uint64_t word = mix(random);
    block_.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_.get(), name, length) != 0) fail("no port");
  if (::listen(listener_.get(), 256) != 0) fail("cannot listen");
  if (::getsockname(listener_.get(), name, &length) != 0) fail("no port");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_clients(); });
}

HttpServer::~HttpServer() {
  closing_ = true;
  ::shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  for (Client& client : clients_) ::shutdown(client.socket.get(), SHUT_RDWR);
  for (Client& client : clients_) client.thread.join();
}

std::string HttpServer::url() const {
  return fmt::format("http://127.0.0.1:{}/object", port_);
}

void HttpServer::forget_gone() {
  for (auto client = clients_.begin(); client != clients_.end();) {
    if (!client->gone) {
      ++client;
      continue;
    }
    client->thread.join();
    client = clients_.erase(client);
  }
}

void HttpServer::accept_clients() {
  while (!closing_) {
    OpenFile socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.ok()) {
      // Out of descriptors is over when a client leaves.
      if (!closing_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    const int at_once = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    forget_gone();
    Client& client = clients_.emplace_back();
    client.socket = std::move(socket);
    client.thread = std::thread([this, &client] {
      serve(client.socket.get());
      ::shutdown(client.socket.get(), SHUT_RDWR);
      client.gone = true;
    });
  }
}

void HttpServer::serve(int socket) {
  while (!closing_) {
    const std::string request = receive_request(socket);
    if (request.empty()) return;
    ++requests_;
    if (!answer(socket, request)) return;
  }
}

/// False when the server closes.
bool HttpServer::wait_until(Duration moment) const {
  constexpr Duration step = milliseconds(20.0);
  for (Duration left = moment - now(); left > Duration(); left = moment - now()) {
    if (closing_) return false;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, step).base()));
  }
  return !closing_;
}

bool HttpServer::answer(int socket, const std::string& request) {
  static const std::regex range("\r\nrange: *bytes=([0-9]{1,18})-([0-9]{1,18})\r\n",
                                std::regex::icase);
  if (!wait_until(now() + served_.latency)) return false;
  const auto whole = static_cast<std::uint64_t>(served_.object.base());
  if (served_.status != 200) {
    const std::string head =
        fmt::format("HTTP/1.1 {} status\r\nContent-Length: 0\r\n\r\n", served_.status);
    return send_all(socket, head.data(), head.size());
  }
  std::uint64_t size = whole;
  std::string head = "HTTP/1.1 200 OK\r\n";
  std::smatch match;
  if (served_.ranges && std::regex_search(request, match, range)) {
    const std::uint64_t first = std::stoull(match[1]);
    const std::uint64_t last = std::min<std::uint64_t>(std::stoull(match[2]), whole - 1);
    if (whole == 0 || first > last) {
      head = "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n";
      return send_all(socket, head.data(), head.size());
    }
    size = last - first + 1;
    head = fmt::format("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {}-{}/{}\r\n", first,
                       last, whole);
  }
  head += fmt::format("Content-Length: {}\r\n\r\n", size);
  if (!send_all(socket, head.data(), head.size())) return false;
  return send_body(socket, served_.cut_short ? size / 2 : size) && !served_.cut_short;
}

bool HttpServer::send_body(int socket, std::uint64_t size) {
  const bool limited = served_.per_connection > Bandwidth();
  const std::uint64_t part_size = limited ? 16384 : block_.size();
  Duration due = now();
  while (size > 0 && !closing_) {
    const std::uint64_t part = std::min(size, part_size);
    if (limited) {
      due += bytes(static_cast<double>(part)) / served_.per_connection;
      if (!wait_until(due)) return false;
    }
    if (!send_all(socket, block_.data(), part)) return false;
    size -= part;
  }
  return size == 0;
}

}  // namespace feedrate::bench
