// Which process of a job trains, and which load data for it.
#include "bench/observe/roles.hpp"

#include <vector>

#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;
using namespace feedrate::bench::observe;

namespace {

using enum ProcessRole;
using Facts = std::vector<ProcessFacts>;

std::string arguments(const std::string& words) {
  std::string text = words + " ";
  for (char& c : text) c = c == ' ' ? '\0' : c;
  return text;
}

TEST_CASE("roles: names of PyTorch from 2.6 on, whatever started them") {
  const Facts facts = {{10, 1, "torchrun", arguments("python -m torch.distributed.run t.py")},
                       {11, 10, "pt_main_thread", arguments("python t.py")},
                       {12, 10, "pt_main_thread", arguments("python t.py")},
                       {13, 11, "pt_data_worker", arguments("python t.py")},
                       {14, 12, "pt_data_worker", arguments("python t.py")},
                       {15, 11, "nvidia-smi", arguments("nvidia-smi")}};
  const auto roles = roles_of(facts);
  CHECK(roles.at(10) == other);
  CHECK(roles.at(11) == trainer);
  CHECK(roles.at(12) == trainer);
  CHECK(roles.at(13) == worker);
  CHECK(roles.at(14) == worker);
  CHECK(roles.at(15) == other);
}

TEST_CASE("roles: older ones by their parents, forked or spawned") {
  const std::string job = arguments("/usr/bin/python3.9 train.py --workers 2");
  const auto forked = roles_of(Facts{{20, 1, "bash", arguments("bash run.sh")},
                                     {21, 20, "python3.9", job},
                                     {22, 21, "python3.9", job},
                                     {23, 21, "python3.9", job}});
  CHECK(forked.at(20) == other);
  CHECK(forked.at(21) == trainer);
  CHECK(forked.at(22) == worker);
  CHECK(forked.at(23) == worker);
  const auto spawned = roles_of(
      Facts{{31, 1, "python3", arguments("python3 train.py")},
            {32, 31, "python3",
             arguments("python3 -c from multiprocessing.spawn import "
                       "spawn_main; spawn_main(tracker_fd=5)")},
            {33, 31, "python3",
             arguments("python3 -c from multiprocessing.resource_tracker import main;main(4)")}});
  CHECK(spawned.at(31) == trainer);
  CHECK(spawned.at(32) == worker);
  CHECK(spawned.at(33) == other);
}

TEST_CASE("roles: without workers the last of the line trains; a shell that forks has none") {
  const std::string script = arguments("bash run.sh");
  const auto roles = roles_of(
      Facts{{40, 1, "bash", script}, {41, 40, "bash", script}, {42, 41, "train", "train"}});
  CHECK(roles.at(40) == other);
  CHECK(roles.at(41) == other);
  CHECK(roles.at(42) == trainer);
  CHECK(roles_of(Facts{{50, 1, "a", ""}}).at(50) == trainer);
  CHECK(roles_of(Facts{}).empty());
}

}  // namespace
