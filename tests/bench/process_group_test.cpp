#include "bench/process_group.hpp"
#include "bench/free_port.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <future>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/errors.hpp"
#include "base/open_file.hpp"
#include "bench/probe.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

const std::atomic<bool> never{false};

/// Sets variables, and takes all that could mean a group away afterwards.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& set) {
    clear();
    for (const auto& [name, value] : set) setenv(name.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { clear(); }

 private:
  static void clear() {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "OMPI_COMM_WORLD_RANK",
          "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"}) {
      unsetenv(name);
    }
  }
};

std::string refusal(const std::map<std::string, std::string>& variables) {
  const Environment set(variables);
  try {
    process_group();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("process group: torchrun's and Open MPI's variables say who we are") {
  {
    const Environment none({});
    CHECK(process_group().size == 1);
  }
  {
    const Environment set({{"RANK", "5"},
                           {"WORLD_SIZE", "8"},
                           {"LOCAL_RANK", "1"},
                           {"MASTER_ADDR", "10.0.0.1"},
                           {"MASTER_PORT", "1234"}});
    const ProcessGroup group = process_group();
    CHECK(group.rank == 5);
    CHECK(group.size == 8);
    CHECK(group.local_rank == 1);
    CHECK(group.master == "10.0.0.1");
    CHECK(group.port == 1235);
    CHECK_FALSE(group.host.empty());
    CHECK(group.host == process_group().host);
  }
  const Environment set(
      {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"MASTER_ADDR", "one"}});
  CHECK(process_group().rank == 1);
  CHECK(process_group().port == 29501);
}

TEST_CASE("process group: variables that contradict each other are refused by name") {
  CHECK(refusal({{"WORLD_SIZE", "two"}}) ==
        "WORLD_SIZE: expected a whole number up to 1000000, got \"two\"");
  CHECK(refusal({{"WORLD_SIZE", "2"}, {"RANK", "2"}, {"MASTER_ADDR", "x"}}) ==
        "RANK: expected a whole number up to 1, got \"2\"");
  CHECK(refusal({{"WORLD_SIZE", "2"}, {"MASTER_ADDR", "x"}}).find("RANK: expected") == 0);
  CHECK(refusal({{"WORLD_SIZE", "2"}, {"RANK", "0"}}).find("MASTER_ADDR: expected") == 0);
  CHECK(refusal({{"WORLD_SIZE", "2"}, {"RANK", "0"}, {"MASTER_ADDR", "x"}, {"MASTER_PORT", "0.5"}})
            .find("MASTER_PORT") == 0);
}

TEST_CASE("process group: every rank gets what the first one has, and how many hosts there are") {
  const std::vector<std::vector<std::string>> groups = {
      {"a", "a"}, {"a", "b"}, {"a", "b", "a", "b"}, {"a", "b", "c", "c"}, {"a", "a", "a", "a"}};
  for (const std::vector<std::string>& hosts : groups) {
    const int port = test::free_port();
    const auto size = static_cast<int>(hosts.size());
    const std::string id(128, '\x7f');
    const auto join = [&, port, size](int rank) {
      const ProcessGroup group{rank,        size, 0,
                               "127.0.0.1", port, hosts[static_cast<std::size_t>(rank)]};
      return share_from_first(group, rank == 0 ? id : std::string(id.size(), ' '), seconds(20.0),
                              never);
    };
    std::vector<std::future<Shared>> others;
    for (int rank = 1; rank < size; ++rank) {
      others.push_back(std::async(std::launch::async, join, rank));
    }
    if (size > 2) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const int different =
        static_cast<int>(std::set<std::string>(hosts.begin(), hosts.end()).size());
    const Shared first = join(0);
    CHECK(first.words == id);
    CHECK(first.hosts == different);
    for (auto& other : others) {
      const Shared got = other.get();
      CHECK(got.words == id);
      CHECK(got.hosts == different);
    }
  }
}

TEST_CASE("process group: nobody is answered before all have called, and strangers never") {
  const int port = test::free_port();
  std::atomic<bool> second_came{false};
  auto first = std::async(std::launch::async, [=] {
    return share_from_first({0, 3, 0, "127.0.0.1", port, "a"}, "id", seconds(20.0), never);
  });
  auto early = std::async(std::launch::async, [&, port] {
    share_from_first({1, 3, 0, "127.0.0.1", port, "a"}, "  ", seconds(20.0), never);
    return second_came.load();
  });
  // One of another group, which gets no answer.
  CHECK_THROWS_AS(share_from_first({1, 2, 0, "127.0.0.1", port, "x"}, "  ", seconds(0.3), never),
                  HostError);
  second_came = true;
  CHECK(share_from_first({2, 3, 0, "127.0.0.1", port, "b"}, "  ", seconds(20.0), never).hosts == 2);
  CHECK(early.get());
  CHECK(first.get().hosts == 2);
}

TEST_CASE("process group: one that waits in vain says for whom") {
  const int port = test::free_port();
  CHECK_THROWS_WITH(
      share_from_first({0, 3, 0, "127.0.0.1", port, ""}, "id", seconds(0.2), never),
      "0 of 2 other processes connected to port " + std::to_string(port) + " in time");
  CHECK_THROWS_AS(share_from_first({1, 3, 0, "127.0.0.1", port, ""}, "id", seconds(0.2), never),
                  HostError);
  const std::atomic<bool> pressed{true};
  CHECK_THROWS_AS(share_from_first({0, 2, 0, "127.0.0.1", port, ""}, "id", seconds(20.0), pressed),
                  Interrupted);
  CHECK_THROWS_AS(share_from_first({1, 2, 0, "127.0.0.1", port, ""}, "id", seconds(20.0), pressed),
                  Interrupted);
}
