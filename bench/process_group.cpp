#include "bench/process_group.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/open_file.hpp"
#include "base/quote.hpp"
#include "bench/clock.hpp"
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
  std::array<char, 16> name{};
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  std::array<char, 64> host{};  ///< cut to its length, zeros after it
};

std::string host_in(const Greeting& greeting) {
  return {greeting.host.data(), strnlen(greeting.host.data(), greeting.host.size())};
}

Greeting greeting_of(const ProcessGroup& group) {
  Greeting greeting;
  std::memcpy(greeting.name.data(), "feedrate group 2", greeting.name.size());
  greeting.rank = htonl(static_cast<std::uint32_t>(group.rank));
  greeting.size = htonl(static_cast<std::uint32_t>(group.size));
  std::memcpy(greeting.host.data(), group.host.data(),
              std::min(group.host.size(), greeting.host.size()));
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

void check(const std::atomic<bool>& stop) {
  if (stop.load(std::memory_order_relaxed)) throw Interrupted();
}

/// What rank 0 answers: its words, and after them the number of hosts.
std::string answer_of(const Shared& shared) {
  const std::uint32_t hosts = htonl(static_cast<std::uint32_t>(shared.hosts));
  return shared.words + std::string(reinterpret_cast<const char*>(&hosts), sizeof hosts);
}

Shared shared_in(const std::string& answer) {
  std::uint32_t hosts = 0;
  const std::size_t words = answer.size() - sizeof hosts;
  std::memcpy(&hosts, answer.data() + words, sizeof hosts);
  return {answer.substr(0, words), static_cast<int>(ntohl(hosts))};
}

/// Rank 0's side: who has called, and waits for the answer.
class Meeting {
 public:
  explicit Meeting(const ProcessGroup& group) : group_(group) {
    hosts_[0] = host_in(greeting_of(group));
  }

  /// Nothing happens with a stranger.
  void admit(OpenFile caller) {
    answer_within(caller, seconds(2.0));
    const Greeting expected = greeting_of(group_);
    Greeting got;
    if (!receive_all(caller, reinterpret_cast<char*>(&got), sizeof got)) return;
    const std::uint32_t rank = ntohl(got.rank);
    if (got.name != expected.name || got.size != expected.size) return;
    if (rank == 0 || rank >= static_cast<std::uint32_t>(group_.size)) return;
    hosts_[rank] = host_in(got);
    // One that calls again has lost its first call.
    waiting_.insert_or_assign(rank, std::move(caller));
  }

  /// Answers once all have called. One whose answer is lost calls again.
  void answer(const std::string& words) {
    if (missing() > 0) return;
    const std::string answer = answer_of(shared(words));
    for (const auto& [rank, caller] : waiting_) {
      if (send_all(caller, answer.data(), answer.size())) answered_.insert(rank);
    }
    waiting_.clear();
  }

  [[nodiscard]] std::size_t missing() const {
    return static_cast<std::size_t>(group_.size) - hosts_.size();
  }
  [[nodiscard]] bool over() const {
    return answered_.size() + 1 == static_cast<std::size_t>(group_.size);
  }
  [[nodiscard]] Shared shared(const std::string& words) const {
    std::set<std::string> different;
    for (const auto& [rank, host] : hosts_) different.insert(host);
    return {words, static_cast<int>(different.size())};
  }

 private:
  const ProcessGroup& group_;
  std::map<std::uint32_t, std::string> hosts_;  ///< of each rank that has called
  std::map<std::uint32_t, OpenFile> waiting_;
  std::set<std::uint32_t> answered_;
};

Shared give(const ProcessGroup& group, const std::string& words, Duration end,
            const std::atomic<bool>& stop) {
  const std::vector<OpenFile> doors = listeners(group.port);
  std::vector<pollfd> waiting;
  for (const OpenFile& door : doors) waiting.push_back({door.get(), POLLIN, 0});
  Meeting meeting(group);
  while (!meeting.over()) {
    check(stop);
    if (now() >= end) {
      const int others = group.size - 1;
      throw HostError(fmt::format("{} of {} other processes connected to port {} in time",
                                  others - static_cast<int>(meeting.missing()), others,
                                  group.port));
    }
    poll(waiting.data(), waiting.size(), 100);
    for (const OpenFile& door : doors) {
      OpenFile caller(accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (caller.ok()) meeting.admit(std::move(caller));
    }
    meeting.answer(words);
  }
  return meeting.shared(words);
}

OpenFile call(const addrinfo& address, Duration limit) {
  OpenFile socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  answer_within(socket, limit);  // connecting, too
  if (connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) return OpenFile();
  return socket;
}

/// False when the time is up.
bool answers(const OpenFile& socket, Duration end, const std::atomic<bool>& stop) {
  pollfd waiting{socket.get(), POLLIN, 0};
  while (now() < end) {
    check(stop);
    if (poll(&waiting, 1, 100) > 0) return true;
  }
  return false;
}

std::optional<Shared> ask(const ProcessGroup& group, std::size_t words, Duration end,
                          const std::atomic<bool>& stop) {
  const Addresses list = addresses_of(group.master, group.port);
  const Greeting greeting = greeting_of(group);
  std::string answer(words + sizeof(std::uint32_t), '\0');
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    const OpenFile socket = call(*one, seconds(5.0));
    if (!socket.ok()) continue;
    if (!send_all(socket, reinterpret_cast<const char*>(&greeting), sizeof greeting)) continue;
    if (!answers(socket, end, stop)) continue;
    if (receive_all(socket, answer.data(), answer.size())) return shared_in(answer);
  }
  return std::nullopt;
}

/// The kernel's own name of this boot of the machine, which its containers share.
std::string this_machine() {
  std::string name;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> name;
  if (!name.empty()) return name;
  std::array<char, 65> own{};
  gethostname(own.data(), own.size() - 1);
  return own.data();
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
  group.host = this_machine();
  return group;
}

Shared share_from_first(const ProcessGroup& group, const std::string& words, Duration patience,
                        const std::atomic<bool>& stop) {
  const Duration end = now() + patience;
  if (group.rank == 0) return give(group, words, end, stop);
  while (true) {
    if (const auto shared = ask(group, words.size(), end, stop)) return *shared;
    check(stop);
    if (now() >= end) {
      throw HostError(
          fmt::format("rank 0 did not answer on {}:{} within {:g} s; it answers once all {} "
                      "processes have connected",
                      group.master, group.port, patience.base(), group.size));
    }
    poll(nullptr, 0, 200);  // it may not listen yet
  }
}

}  // namespace feedrate::bench
