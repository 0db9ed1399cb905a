#include "bench/process_group.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "bench/clock.hpp"
#include "bench/open_file.hpp"
#include "bench/output_words.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {
namespace {

constexpr int default_port = 29500;  ///< torchrun's

std::optional<int> variable(const std::string& name, int most) {
  const char* text = std::getenv(name.c_str());
  if (text == nullptr || *text == '\0') return std::nullopt;
  const auto number = number_of(text);
  if (!number || *number < 0.0 || *number > most || *number != static_cast<int>(*number)) {
    throw InputError(
        fmt::format("{}: expected a whole number up to {}, got {}", name, most, in_quotes(text)));
  }
  return static_cast<int>(*number);
}

/// What a rank says when it calls, so that no stranger is taken for one.
struct Greeting {
  std::array<char, 12> name{};
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
};

Greeting greeting_of(const ProcessGroup& group) {
  Greeting greeting;
  std::memcpy(greeting.name.data(), "feedrate nid", greeting.name.size());
  greeting.rank = htonl(static_cast<std::uint32_t>(group.rank));
  greeting.size = htonl(static_cast<std::uint32_t>(group.size));
  return greeting;
}

bool send_all(const OpenFile& socket, const char* data, std::size_t size) {
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t now_sent = send(socket.get(), data + sent, size - sent, MSG_NOSIGNAL);
    if (now_sent <= 0) return false;
    sent += static_cast<std::size_t>(now_sent);
  }
  return true;
}

bool receive_all(const OpenFile& socket, char* data, std::size_t size) {
  for (std::size_t got = 0; got < size;) {
    const ssize_t now_got = recv(socket.get(), data + got, size - got, 0);
    if (now_got <= 0) return false;
    got += static_cast<std::size_t>(now_got);
  }
  return true;
}

void answer_within(const OpenFile& socket, Duration limit) {
  timeval longest{};
  longest.tv_sec = static_cast<time_t>(limit.base());
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

/// An empty `host` means every address of this one.
Addresses addresses_of(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = host.empty() ? AI_PASSIVE : 0;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(),
                                &wanted, &found);
  if (error != 0) {
    throw InputError(fmt::format("MASTER_ADDR {}: {}", in_quotes(host), gai_strerror(error)));
  }
  return Addresses(found);
}

/// One for each kind of address that this host has.
std::vector<OpenFile> listeners(int port) {
  std::vector<OpenFile> open;
  const Addresses list = addresses_of("", port);
  int error = 0;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    OpenFile socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int yes = 1;
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (one->ai_family == AF_INET6) {
      setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    }
    const bool listens = socket.ok() && bind(socket.get(), one->ai_addr, one->ai_addrlen) == 0 &&
                         listen(socket.get(), 128) == 0;
    if (listens) {
      open.push_back(std::move(socket));
    } else {
      error = errno;
    }
  }
  if (open.empty()) {
    throw HostError(fmt::format("cannot listen on port {} (one above MASTER_PORT): {}", port,
                                std::strerror(error)));
  }
  return open;
}

/// The rank of a caller that has got its words; nothing for a stranger.
std::optional<std::uint32_t> serve(const OpenFile& caller, const ProcessGroup& group,
                                   const std::string& words) {
  answer_within(caller, seconds(2.0));
  const Greeting expected = greeting_of(group);
  Greeting got;
  if (!receive_all(caller, reinterpret_cast<char*>(&got), sizeof got)) return std::nullopt;
  if (got.name != expected.name || got.size != expected.size) return std::nullopt;
  if (!send_all(caller, words.data(), words.size())) return std::nullopt;
  return ntohl(got.rank);
}

void check(const std::atomic<bool>& stop) {
  if (stop.load(std::memory_order_relaxed)) throw Interrupted();
}

void give(const ProcessGroup& group, const std::string& words, Duration end,
          const std::atomic<bool>& stop) {
  const std::vector<OpenFile> doors = listeners(group.port);
  std::vector<pollfd> waiting;
  for (const OpenFile& door : doors) waiting.push_back({door.get(), POLLIN, 0});
  std::set<std::uint32_t> served;
  while (served.size() + 1 < static_cast<std::size_t>(group.size)) {
    check(stop);
    if (now() >= end) {
      throw HostError(fmt::format("{} of {} other processes called on port {} in time",
                                  served.size(), group.size - 1, group.port));
    }
    poll(waiting.data(), waiting.size(), 100);
    for (const OpenFile& door : doors) {
      const OpenFile caller(accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC));
      const auto rank = caller.ok() ? serve(caller, group, words) : std::nullopt;
      if (rank && *rank > 0 && *rank < static_cast<std::uint32_t>(group.size)) served.insert(*rank);
    }
  }
}

OpenFile call(const addrinfo& address, Duration limit) {
  OpenFile socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  answer_within(socket, limit);  // connecting, too
  if (connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) return OpenFile();
  return socket;
}

bool ask(const ProcessGroup& group, std::string& words) {
  const Addresses list = addresses_of(group.master, group.port);
  const Greeting greeting = greeting_of(group);
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    const OpenFile socket = call(*one, seconds(5.0));
    if (!socket.ok()) continue;
    if (!send_all(socket, reinterpret_cast<const char*>(&greeting), sizeof greeting)) continue;
    if (receive_all(socket, words.data(), words.size())) return true;
  }
  return false;
}

}  // namespace

ProcessGroup process_group() {
  constexpr int most_processes = 1'000'000;
  constexpr int most_port = 65534;
  const bool torchrun = variable("WORLD_SIZE", most_processes).has_value();
  const std::string prefix = torchrun ? "" : "OMPI_COMM_WORLD_";
  const auto size = variable(torchrun ? "WORLD_SIZE" : prefix + "SIZE", most_processes);
  ProcessGroup group;
  if (!size || *size <= 1) return group;
  group.size = *size;
  const auto rank = variable(prefix + "RANK", group.size - 1);
  if (!rank)
    throw InputError(fmt::format("{0}RANK: expected it beside the size of the group", prefix));
  group.rank = *rank;
  group.local_rank = variable(prefix + "LOCAL_RANK", most_processes).value_or(0);
  const char* master = std::getenv("MASTER_ADDR");
  if (master == nullptr || *master == '\0') {
    throw InputError(
        "MASTER_ADDR: expected the address of the host of rank 0 (mpirun -x "
        "MASTER_ADDR=…; torchrun sets it)");
  }
  group.master = master;
  group.port = variable("MASTER_PORT", most_port).value_or(default_port) + 1;
  return group;
}

std::string share_from_first(const ProcessGroup& group, const std::string& words, Duration patience,
                             const std::atomic<bool>& stop) {
  const Duration end = now() + patience;
  if (group.rank == 0) {
    give(group, words, end, stop);
    return words;
  }
  std::string got(words.size(), '\0');
  while (!ask(group, got)) {
    check(stop);
    if (now() >= end) {
      throw HostError(fmt::format("rank 0 did not answer on {}:{} in {:g} s", group.master,
                                  group.port, patience.base()));
    }
    poll(nullptr, 0, 200);  // it may not listen yet
  }
  return got;
}

}  // namespace feedrate::bench
