// A training loop on a simulated GPU: the native loader's copies and steps, and what `validate`
// makes of them.
#include <algorithm>
#include <string>

#include "base/temporary_folder.hpp"
#include "bench/images.hpp"
#include "bench/transform.hpp"
#include "catch.hpp"
#include "cli/process.hpp"

using namespace feedrate;
using testing_cli::has;
using testing_cli::Outcome;
using testing_cli::shell;

namespace {

/// Of a host whose GPU copies at 9 GB/s from pageable and 55 GB/s from pinned memory.
const char* const profile = R"({"name": "simulated", "hardware_threads": 2, "cpu": [[1, 1], [2, 2]],
  "operations": {"read": "0.02 ms", "decode": "0.3 ms", "crop_resize": "0.5 ms", "flip": "0.1 ms",
  "normalize": "0.2 ms"}, "memcpy_bandwidth": "8 GB/s", "pageable_bandwidth": "9 GB/s",
  "pinned_bandwidth": "55 GB/s", "copy_latency": "2 us"})";

struct Host {
  Host() {
    for (unsigned i = 0; i < 3; ++i) {
      const auto jpeg = bench::generate_jpeg(64, 48, bytes(3000), i + 1);
      data.write(std::to_string(i) + ".jpg",
                 {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
    }
  }
  Outcome validate(const std::string& host, const std::string& variables = "") const {
    return shell(variables + " " FEEDRATE_SIMULATED_BINARY " validate '" +
                 folder.write("host.json", host) + "' --data '" + data.at("") + "' --save '" +
                 folder.at("native.json") + "' --quick --max-error 1000% --min-coverage 0%");
  }
  test::TemporaryFolder data;
  test::TemporaryFolder folder;
};

}  // namespace

TEST_CASE(
    "simulated training: every way to copy a batch is trained with, and nothing is left over") {
  if (!bench::transforms_unavailable().empty()) return;
  const Host host;
  const Outcome run = host.validate(profile);
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  CHECK_FALSE(has(run.err, "BUG"));
  for (const char* copies :
       {"pageable", "pinned,", "pinned, not waited for", "pinned, side stream"}) {
    for (const char* step : {"asynchronous", "each step waited for"}) {
      INFO(copies << ", " << step);
      // With one thread there are two batch sizes and four steps: each kind has its turn once.
      CHECK(has(run.out, copies));
      CHECK(has(run.out, step));
    }
  }
  const std::string saved = shell("cat '" + host.folder.at("native.json") + "'").out;
  CHECK(has(saved, "\"/job/copy_stream\": \"side\""));
  CHECK(has(saved, "\"/job/copy_stream\": \"step\""));
}

TEST_CASE("simulated training: what the profile does not know of copies is demanded first") {
  if (!bench::transforms_unavailable().empty()) return;
  const Host host;
  std::string poor = profile;
  const std::string rate = R"("pinned_bandwidth": "55 GB/s",)";
  poor.erase(poor.find(rate), rate.size());
  const Outcome run = host.validate(poor);
  CHECK(run.status == 2);
  CHECK(has(run.err, "expected pinned_bandwidth, because batches are copied to a GPU"));
  CHECK_FALSE(has(run.err, "BUG"));
}

TEST_CASE("simulated training: a failure of any call ends the run with its name") {
  if (!bench::transforms_unavailable().empty()) return;
  const Host host;
  for (const char* fail : {"cudaMemcpyAsync:1", "cudaMemcpyAsync:20", "cudaStreamWaitEvent:1",
                           "cudaEventRecord:30", "cudaHostAlloc:1", "cudaLaunchKernelExC:1"}) {
    const Outcome run = host.validate(profile, "FEEDRATE_SIM_FAIL=" + std::string(fail) + ":999");
    INFO(fail << "\n" << run.err);
    CHECK((run.status == 3 || run.status == 0));  // 0: a call that this loop does not make
    CHECK_FALSE(has(run.err, "BUG"));
    if (run.status == 3) CHECK(has(run.err, "CUDA could not"));
  }
}
