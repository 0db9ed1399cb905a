// probe_loader.py and validate.py: they are Python, refuse what is wrong, and what they print is
// read by the probe and by `validate`.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "bench/images.hpp"
#include "bench/loader_lines.hpp"
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
  CHECK(found >= 8);
}

TEST_CASE("python scripts: without PyTorch they say what to install") {
  for (const char* name : {"probe_loader.py", "validate.py --output x.json",
                           "loader_disciplines.py --output x.json", "probe_gpu_decode.py"}) {
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
    INFO(what.quantity);
    if (what.quantity != "device_reads") CHECK(what.rounds.size() == 3);
  }
  CHECK(data.files() == 4);
  data.write("5.jpg", "no image");
  const MeasurementSet broken = test::measured(probe_loader, settings);
  CHECK_FALSE(broken.probes[0].measured);
  CHECK(has(broken.probes[0].reason, "exit status 1"));
}

TEST_CASE("probe_loader.py: iterable datasets, DataLoaders and iterators of batches") {
  const std::string python = torch();
  if (python.empty()) return;
  const test::TemporaryFolder folder;
  folder.write("mine.py", R"(import numpy, torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, IterableDataset, get_worker_info
class Map(Dataset):
    def __len__(self): return 64
    def __getitem__(self, i): return torch.zeros(1000)
class Flow(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter([torch.zeros(1000)] * (8 if info is None else 4))
class Batches(IterableDataset):
    def __iter__(self): return iter([torch.zeros(8, 1000)] * 8)
class Empty(IterableDataset):
    def __iter__(self): return iter([])
def loader(): return DataLoader(Map(), batch_size=4, collate_fn=lambda batch: [numpy.zeros(10), batch])
def own(): return DataLoader(Batches(), batch_size=None)
def iterator():
    for _ in range(5): yield {"x": torch.zeros(8, 100)}
class Records(IterableDataset):  # one file for all: who inherits it shares its place
    def __iter__(self):
        with open("records", "rb") as file:
            while record := file.read(1000):
                assert len(set(record)) == 1, "torn"
                yield torch.zeros(10)
class Listed(Dataset):
    def __len__(self): return 64
    def __getitem__(self, indices): return torch.zeros(len(indices), 10)
def sampled(): return DataLoader(Listed(), sampler=BatchSampler(range(64), 8, False), batch_size=None)
handle = []
class Opened(Map):
    def __getitem__(self, i): return torch.zeros(10) * handle[0]
def opened(): return DataLoader(Opened(), batch_size=8, worker_init_fn=lambda _: handle.append(1))
class Web(IterableDataset):
    def __init__(self): self.pipeline = [DataLoader(Map(), batch_size=8, num_workers=1)]
    def __iter__(self): return iter(self.pipeline[0])
number = 3
)");
  const auto probe = [&](const std::string& name) {
    return shell("cd '" + folder.at("") + "' && " + python + " -B " + scripts +
                 "/probe_loader.py mine:" + name + " --quick");
  };
  const auto gives = [&](const std::string& name, const std::vector<std::string>& lines) {
    const Outcome run = probe(name);
    INFO(name << "\n" << run.out << run.err);
    CHECK(run.status == 0);
    for (const std::string& line : lines) CHECK(has(run.out, line));
    LoaderLines read;
    std::istringstream out(run.out);
    for (std::string line; std::getline(out, line);) read.read(line);
    CHECK_FALSE(read.measurements().empty());
  };
  // A worker goes on where its iterator ends.
  gives("Flow", {"remark an iterable dataset", "remark batches are tensors",
                 "series throughput samples 1 batch=16;users=2 "});
  gives("loader", {"remark a DataLoader of batches of 4", "5 parts 1 are no tensors",
                   "series throughput samples 1 batch=4;users=1 ", "under a lock"});
  gives("own", {"whose dataset makes batches, of 8 samples", "series getitem samples 8 - ",
                "series throughput samples 8 batch=8;users=2 "});
  gives("iterator", {"remark an iterator of batches", "series getitem samples ", "samples/s"});
  std::string records;
  for (char letter = 'a'; letter <= 'z'; ++letter) records.append(1000, letter);
  folder.write("records", records);
  gives("Records", {"series throughput samples 1 batch=16;users=2 "});
  gives("sampled", {"whose dataset makes batches, of 8 samples"});
  gives("opened", {"a DataLoader of batches of 8"});
  gives("Web", {"remark an iterator of batches"});
  const auto refused = [&](const std::string& name, const std::string& words) {
    const Outcome run = probe(name);
    INFO(name << "\n" << run.err);
    CHECK(run.status == 1);
    CHECK(has(run.err, words));
  };
  refused("Empty", "the iterable ends before its first sample");
  refused("number", "expected a dataset, an iterable dataset, a DataLoader or an iterator");
  refused("nobody", "has no 'nobody'");
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
  CHECK(has(refused("--batch-size 8,16").err, "expected one without --device"));
  CHECK(has(refused("--copies pinned,fast").err, "expected some of pageable, pinned"));
  CHECK(has(refused("--seconds 0").err, "expected more than 0"));
  CHECK(has(refused("--profile /no/such").err, "there is no file '/no/such'"));
  CHECK(has(refused("--device tpu").err, "expected cuda, cuda:1 or cpu, got 'tpu'"));
  CHECK(has(refused("--data /no/such").err, "expected JPEG files, found none"));
  CHECK(has(refused("nomodule:x").err, "cannot import 'nomodule'"));
  CHECK(has(refused("json:nothing").err, "has no 'nothing'"));
}

TEST_CASE("python scripts: --device cuda without a GPU is one line and exit status 2") {
  const std::string python = torch();
  if (python.empty() || shell(python + " -c 'import torch, sys; "
                                       "sys.exit(torch.cuda.is_available())'")
                                .status != 0) {
    return;
  }
  for (const char* name :
       {"validate.py --output /dev/null", "probe_loader.py", "probe_gpu_decode.py"}) {
    const Outcome refused = shell(python + " -B " + scripts + "/" + name + " --device cuda");
    INFO(name << "\n" << refused.err);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "--device cuda: PyTorch "));
    CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
    CHECK(refused.out.empty());
  }
}

TEST_CASE(
    "validate.py --device cpu: a training is rehearsed, and predicted from a profile's step") {
  const std::string python = torch();
  if (python.empty() || !jpeg_unavailable().empty()) return;
  const test::TemporaryFolder data;
  for (unsigned i = 0; i < 4; ++i) write_image(data, std::to_string(i) + ".jpg", i + 1);
  const test::TemporaryFolder made;
  const std::string host = made.write("host.json", R"({"name": "made up", "hardware_threads": 2,
      "cpu": [[1, 1], [2, 2]], "operations": {"getitem": "1 ms"}, "collate": "1 us/MB",
      "handover": "0.1 ms", "worker_startup": "10 ms", "memcpy_bandwidth": "8 GB/s",
      "step_fixed": "1 ms", "step_per_sample": "1 ms"})");
  const std::string command =
      python + " -B " + scripts + "/validate.py --device cpu --model tiny " + "--side 32 --data '" +
      data.at("") + "' --profile '" + host + "' --output '" + made.at("py.json") +
      "' --batch-size 2,4 --batches 3 --workers 0,1 --repeat 1 " +
      "--copies pageable,pinned,non_blocking,side_stream ";
  const Outcome run = shell(command);
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(has(run.err, "a rehearsal, no GPU is in the loop"));
  const std::string text = shell("cat '" + made.at("py.json") + "'").out;
  CHECK(has(text, "no GPU: a rehearsal on the CPU"));
  const std::string digest = shell("sha256sum '" + host + "'").out.substr(0, 64);
  CHECK(has(text, digest));
  const Outcome compared = shell("feedrate validate '" + host + "' --measured '" +
                                 made.at("py.json") + "' --max-error 1000% --min-coverage 0%");
  INFO(compared.out << compared.err);
  CHECK(compared.status == 0);
  // Two batch sizes, two numbers of workers, four ways to copy, two kinds of step.
  for (const char* batch : {"batch 2", "batch 4"}) {
    for (const char* copies : {"pageable", "pinned", "non blocking", "side stream"}) {
      for (const char* step : {"asynchronous", "loss.item()"}) {
        INFO(batch << copies << step);
        CHECK(has(compared.out, std::string(batch) + ", 0 workers, " + copies + ", " + step));
        CHECK(has(compared.out,
                  std::string(batch) + ", 1 worker, prefetch 2, " + copies + ", " + step));
      }
    }
  }
}

TEST_CASE("validate.py: a run that is cut keeps the epochs that ended, and its profile's digest") {
  const std::string python = torch();
  if (python.empty() || !jpeg_unavailable().empty()) return;
  const test::TemporaryFolder data;
  for (unsigned i = 0; i < 4; ++i) write_image(data, std::to_string(i) + ".jpg", i + 1);
  const test::TemporaryFolder made;
  const std::string profile = made.write("host.json", "{}");
  // Ends itself, without a farewell, as its third epoch begins.
  const std::string cut = made.write("cut.py", R"(import os, sys
sys.path.insert(0, sys.argv.pop(1))
import training, validate
whole = training.Training.epoch
left = [2]
def epoch(self, setting):
    if not left[0]:
        os._exit(9)
    left[0] -= 1
    return whole(self, setting)
training.Training.epoch = epoch
validate.main()
)");
  const std::string flags = " --device cpu --model tiny --side 32 --data '" + data.at("") +
                            "' --profile '" + profile + "' --output '" + made.at("py.json") +
                            "' --batch-size 2 --batches 2 --workers 0 --repeat 3";
  const Outcome run = shell(python + " -B '" + cut + "' '" + scripts + "'" + flags);
  INFO(run.err);
  CHECK(run.status == 9);
  const std::string text = shell("cat '" + made.at("py.json") + "'").out;
  CHECK(has(text, "whose SHA-256 before the first epoch was"));
  const Outcome counted = shell(python +
                                " -c 'import json, sys; print(sum(len(c[\"repeats\"]) for c in "
                                "json.load(open(sys.argv[1]))[\"cases\"]))' '" +
                                made.at("py.json") + "'");
  CHECK(counted.out == "2\n");
  // Epochs that would end too late are left out; where none fits, that is an error.
  const Outcome none =
      shell(python + " -B " + scripts + "/validate.py" + flags + " --seconds 0.0001");
  CHECK(none.status == 1);
  CHECK(has(none.err, "no epoch fitted into --seconds"));
}

TEST_CASE("probe_loader.py: pinning and copying are timed for each batch that a worker left") {
  const std::string python = torch();
  if (python.empty()) return;
  // The steps of it, on the CPU: pinning becomes a copy, and so does the way to the GPU.
  const test::TemporaryFolder folder;
  const std::string plan = R"(import sys; sys.path.insert(0, sys.argv[1])
import torch, loaders, probe_loader
torch.Tensor.pin_memory = torch.Tensor.clone
data = torch.utils.data.TensorDataset(torch.zeros(32, 1000), torch.arange(32))
probe = probe_loader.Probe(loaders.Source(data), 4, True, 1.0, 1, torch.device("cpu"))
probe.few, probe.cost, probe.repeats = 4, 1e-4, 5
probe.transfers(None)
)";
  const Outcome run =
      shell(python + " -B '" + folder.write("plan.py", plan) + "' '" + scripts + "'");
  INFO(run.err);
  REQUIRE(run.status == 0);
  // Four samples of 1000 floats and a label of eight bytes.
  CHECK(has(run.out, "series pin bytes 16032 bytes=16032 "));
  CHECK(has(run.out, "series to_gpu bytes 16032 bytes=16032;memory=worker "));
  CHECK(has(run.out, "series to_gpu bytes 16032 bytes=16032;memory=pinned "));
}

TEST_CASE("probe_gpu_decode.py: a rehearsal says what it is; without a GPU auto measures nothing") {
  const std::string python = torch();
  if (python.empty() || !jpeg_unavailable().empty()) return;
  const test::TemporaryFolder data;
  for (unsigned i = 0; i < 4; ++i) write_image(data, std::to_string(i) + ".jpg", i + 1);
  data.write("5.jpg", "no image");
  const std::string command = " | " + python + " -B " + scripts +
                              "/probe_gpu_decode.py --batch-sizes 4,2 --seconds 0.1 " +
                              "--rounds 2 --data '" + data.at("") + "' --device ";
  const Outcome run = shell("printf 'round\\nround\\n'" + command + "cpu");
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  CHECK(has(run.out, "1 of 5 JPEGs were left out"));
  CHECK(has(run.out, "rehearsed on the CPU"));
  LoaderLines lines(0, "probe_gpu_decode.py");
  std::istringstream out(run.out);
  std::size_t rounds = 0;
  for (std::string line; std::getline(out, line);) {
    if (line == "round done") {
      ++rounds;
    } else {
      lines.read(line);
    }
  }
  CHECK(rounds == 2);
  REQUIRE(lines.measurements().size() == 4);
  for (const Measurement& what : lines.measurements()) {
    CHECK(what.quantity == "decode");
    CHECK(what.how.at("device") == "cpu");
    CHECK(what.work == what.at.at("batch"));
    CHECK(what.at.at("pixels") == 64.0 * 48.0);
    CHECK(what.times.size() >= 2);
  }
  if (shell(python + " -c 'import torch, sys; sys.exit(torch.cuda.is_available())'").status != 0)
    return;
  const Outcome none = shell("printf 'round\\n'" + command + "auto");
  CHECK(none.status == 0);
  CHECK(has(none.out, "remark decode on the GPU was not measured: PyTorch"));
  CHECK(has(none.out, "round done"));
  CHECK_FALSE(has(none.out, "series"));
}
