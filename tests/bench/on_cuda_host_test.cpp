// bench/on_cuda_host, rehearsed where no GPU is: the simulated runtime stands in for CUDA, PyTorch
// runs on the CPU.
#include <string>

#include "bench/cuda_host.hpp"
#include "catch.hpp"

using namespace cuda_host;

namespace {

std::string python_with_torch() {
  for (const std::string python : {"/usr/bin/python3", "python3"}) {
    if (shell(python + " -c 'import torch, torchvision, PIL'").status == 0) return python;
  }
  return "";
}

/// The digest that a part printed of the profile.
std::string digest_in(const std::string& log) {
  const std::size_t at = log.find("profile: ");
  return at == std::string::npos ? "" : log.substr(at + 9, 64);
}

}  // namespace

TEST_CASE("on_cuda_host: its parts on a simulated GPU, with PyTorch on the CPU") {
  const std::string python = python_with_torch();
  if (python.empty()) {
    WARN("no PyTorch and torchvision here: bench/on_cuda_host was rehearsed without them only");
    return;
  }
  const Host host;
  for (const std::string part : {"look", "profile", "truth", "steps", "laws"}) {
    const Outcome done = host.run(part, "PYTHON=" + python);
    INFO(part << "\n" << done.out << "\n" << done.err);
    // Where other programs take the cores, rates of short copies cannot be told, and it says so.
    const bool told = part == "look" || host.tells_rates();
    if (!told) WARN("this machine is too busy to time the simulated copies");
    CHECK((done.status == 0 || !told));
    CHECK(host.log(part) == done.out);
    CHECK_FALSE(members(host.folder / ("out/" + part + ".tar.gz")).empty());
    CHECK_FALSE(has(done.out + done.err, "simulated CUDA: BUG"));
  }
  CHECK(has(host.log("look"), "kernels: done"));
  const std::string digest = digest_in(host.log("profile"));
  CHECK(digest.size() == 64);
  CHECK(digest_in(host.log("truth")) == digest);
  CHECK(has(host.result("epochs.json"), digest));
  CHECK(has(host.result("epochs.predicted.out"), "Mean absolute error"));
  if (host.tells_rates()) {
    CHECK(has(host.result("native.out"), "Mean absolute error"));
  }
  CHECK(has(host.result("language.out"), "# how parameters 3320576"));
  const std::string kept = members(host.folder / "out/laws.tar.gz");
  for (const char* name : {"host.json", "host.measurements.json", "reference.measurements.json",
                           "epochs.json", "again.measurements.json", "crowded.json", "fork.json"}) {
    INFO(name);
    CHECK(has(kept, name));
  }
}
