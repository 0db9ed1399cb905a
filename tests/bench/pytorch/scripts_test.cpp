// probe_loader.py and validate.py: they are Python, refuse what is wrong, and what they print is
// read by the probe and by `validate`.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "bench/images.hpp"
#include "bench/measured.hpp"
#include "bench/probes.hpp"
#include "bench/transform.hpp"
#include "catch.hpp"
#include "cli/process.hpp"

using namespace feedrate;
using namespace feedrate::bench;
using testing_cli::has;
using testing_cli::Outcome;
using testing_cli::shell;

namespace {

const std::string scripts = FEEDRATE_SOURCE_DIR "/bench/pytorch";

/// A Python with PyTorch; "", with a warning, where there is none.
std::string torch() {
  for (const std::string python : {"/usr/bin/python3", "python3"}) {
    if (shell(python + " -c 'import torch, torchvision, PIL'").status == 0) return python;
  }
  WARN("no PyTorch and torchvision here: bench/pytorch was not run");
  return "";
}

void write_image(const test::TemporaryFolder& folder, const std::string& name, std::uint64_t seed) {
  const auto jpeg = generate_jpeg(64, 48, bytes(3000), seed);
  folder.write(name, {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
}

}  // namespace

TEST_CASE("python scripts: every one is Python") {
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scripts)) {
    if (entry.path().extension() != ".py") continue;
    ++found;
    // As py_compile, without leaving its file.
    const Outcome parsed =
        shell("python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' '" +
              entry.path().string() + "'");
    INFO(entry.path() << "\n" << parsed.err);
    CHECK(parsed.status == 0);
  }
  CHECK(found >= 5);
}

TEST_CASE("python scripts: without PyTorch they say what to install") {
  for (const char* name : {"probe_loader.py", "validate.py --output x.json",
                           "loader_disciplines.py --output x.json"}) {
    const Outcome bare = shell("python3 -S -E " + scripts + "/" + name);
    CHECK(bare.status == 1);
    CHECK(has(bare.err, "python3-torch"));
  }
}

TEST_CASE("probe_loader.py: its series are read by the probe, a bad file is its reason") {
  const std::string python = torch();
  if (python.empty() || !jpeg_unavailable().empty()) return;
  const test::TemporaryFolder data;
  for (unsigned i = 0; i < 4; ++i) write_image(data, std::to_string(i) + ".jpg", i + 1);
  Settings settings;
  settings.loader = "images";
  settings.data = data.at("");
  settings.python = python;
  settings.scripts = scripts;
  const MeasurementSet set = test::measured(probe_loader, settings);
  INFO(set.probes[0].reason);
  CHECK(set.probes[0].reason.empty());
  for (const char* quantity :
       {"getitem", "getitem_in_loader", "collate", "collate_inline", "handover", "throughput",
        "cpu", "worker_startup", "worker_shutdown", "worker_warmup"}) {
    INFO(quantity);
    CHECK(test::count(set, quantity) > 0);
  }
  CHECK(set.rounds.size() == 3);
  for (const Measurement& what : set.measurements) {
    if (what.quantity != "device_reads") CHECK(what.rounds.size() == 3);
  }
  CHECK(data.files() == 4);
  data.write("5.jpg", "no image");
  const MeasurementSet broken = test::measured(probe_loader, settings);
  CHECK_FALSE(broken.probes[0].measured);
  CHECK(has(broken.probes[0].reason, "exit status 1"));
}

TEST_CASE("probe_loader.py: slow samples are loaded fewer times") {
  const std::string python = torch();
  if (python.empty()) return;
  // Each plan is no larger than the one before, and fits until none does.
  const std::string plan = R"(import sys; sys.path.insert(0, sys.argv[1])
from probe_loader import epoch_that_fits
counts, cores, batch, limit = [1, 2, 4], 2, 16, 90
plans = []
for cost in 0.001, 0.01, 0.03, 0.1, 9:
    each, more = epoch_that_fits(cost, batch, counts, cores, limit)
    takes = sum((each * w + more) * batch * cost / min(w, cores) for w in counts)
    assert takes <= limit or (each, more) == (4, 4), (cost, takes)
    plans.append((each, more))
assert plans == sorted(plans, reverse=True) and plans[0] > plans[-1] == (4, 4), plans
)";
  const test::TemporaryFolder folder;
  const Outcome planned =
      shell(python + " -B '" + folder.write("plan.py", plan) + "' '" + scripts + "'");
  INFO(planned.err);
  CHECK(planned.status == 0);
}

TEST_CASE("validate.py: what it writes is predicted by feedrate") {
  const std::string python = torch();
  if (python.empty() || !jpeg_unavailable().empty()) return;
  const test::TemporaryFolder data;
  for (unsigned i = 0; i < 4; ++i) write_image(data, std::to_string(i) + ".jpg", i + 1);
  const test::TemporaryFolder made;
  const Outcome run = shell(python + " -B " + scripts + "/validate.py --data '" + data.at("") +
                            "' --output '" + made.at("py.json") +
                            "' --batch-size 2 --batches 4 --workers 0,1 --prefetch 2 "
                            "--step-ms 0,200 --repeat 1");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const std::string host = made.write("host.json", R"({"name": "made up", "hardware_threads": 2,
      "cpu": [[1, 1], [2, 2]], "operations": {"getitem": "1 ms"}, "collate": "1 us/MB",
      "handover": "0.1 ms", "worker_startup": "10 ms", "memcpy_bandwidth": "8 GB/s"})");
  const Outcome compared = shell("feedrate validate '" + host + "' --measured '" +
                                 made.at("py.json") + "' --max-error 1000%");
  INFO(compared.out << compared.err);
  CHECK(compared.status == 0);
  CHECK(has(compared.out, "0 workers, step 0 ms"));
  CHECK(has(compared.out, "1 worker, prefetch 2, step 200 ms"));
  // Steps of 200 ms were the bottleneck, whatever the loader's speed.
  CHECK(has(shell("cat '" + made.at("py.json") + "'").out, "bottleneck is gpu"));
}

TEST_CASE("validate.py: wrong arguments are refused") {
  const std::string python = torch();
  if (python.empty()) return;
  const auto refused = [&](const std::string& flags) {
    return shell(python + " -B " + scripts + "/validate.py --output /dev/null " + flags);
  };
  CHECK(has(refused("--workers 1,two").err, "expected numbers with commas between"));
  CHECK(has(refused("--step-ms -1").err, "not negative"));
  CHECK(has(refused("--batches 0").err, "expected at least 1"));
  CHECK(has(refused("--data /no/such").err, "expected JPEG files, found none"));
  CHECK(has(refused("nomodule:x").err, "cannot import 'nomodule'"));
  CHECK(has(refused("json:nothing").err, "has no 'nothing'"));
}
