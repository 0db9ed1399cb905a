// bench/on_cuda_host, rehearsed where no GPU is: the simulated runtime stands in for CUDA, PyTorch
// runs on the CPU.
#include <filesystem>
#include <string>

#include "base/temporary_folder.hpp"
#include "catch.hpp"
#include "cli/process.hpp"

using testing_cli::Folder;
using testing_cli::has;
using testing_cli::Outcome;
using testing_cli::shell;
using testing_cli::slurp;

namespace {

const std::string script = "bench/on_cuda_host";
const std::string simulated = FEEDRATE_SIMULATED_BINARY;
const std::string simulated_kernels =
    std::filesystem::path(simulated).parent_path() / "check_kernels_simulated";

/// A host's folders (with a bus that is slow beside a busy machine's delays), and a way to run a
/// part of the script on it.
struct Host {
  Folder folder;

  [[nodiscard]] std::string result(const std::string& name) const {
    return slurp(folder / ("work/results/" + name));
  }
  /// Its profile has what the native loader's copies ask for.
  [[nodiscard]] bool tells_rates() const {
    const std::string profile = result("host.json");
    return has(profile, "\"pinned_bandwidth\"") && has(profile, "\"pageable_bandwidth\"");
  }
  [[nodiscard]] std::string log(const std::string& part) const {
    return slurp(folder / ("out/" + part + ".txt"));
  }
  [[nodiscard]] Outcome run(const std::string& part, const std::string& settings = "",
                            const std::string& program = script) const {
    return shell(program + " " + part,
                 "LC_ALL=C.UTF-8 FEEDRATE_SIM_PCIE=2e9 FEEDRATE_SIM_PAGEABLE=1e9 QUICK=1 "
                 "DEVICE=cpu IMAGES=8 CHECK_KERNELS='" +
                     simulated_kernels + "' FEEDRATE='" + simulated + "' WORK='" +
                     folder.at("work") + "' OUT='" + folder.at("out") + "' " + settings);
  }
};

std::string python_with_torch() {
  for (const std::string python : {"/usr/bin/python3", "python3"}) {
    if (shell(python + " -c 'import torch, torchvision, PIL'").status == 0) return python;
  }
  return "";
}

/// What lies in an archive, and whether it can be read at all.
std::string members(const std::string& archive) {
  const Outcome listed = shell("tar -tzf '" + archive + "'");
  CHECK(listed.status == 0);
  return listed.out;
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
  for (const std::string part : {"look", "profile", "truth", "laws"}) {
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
  CHECK(has(host.result("epochs.predicted.out"), "Predictions miss by"));
  if (host.tells_rates()) {
    CHECK(has(host.result("native.out"), "Predictions miss by"));
  }
  const std::string kept = members(host.folder / "out/laws.tar.gz");
  for (const char* name : {"host.json", "host.measurements.json", "reference.measurements.json",
                           "epochs.json", "again.measurements.json", "crowded.json", "fork.json"}) {
    INFO(name);
    CHECK(has(kept, name));
  }
}

TEST_CASE("on_cuda_host: without PyTorch the native parts run, and it says so") {
  const Host host;
  const Outcome look = host.run("look", "PYTHON=/bin/false");
  INFO(look.out << look.err);
  CHECK(look.status == 3);
  CHECK(has(look.out, "/bin/false has no PyTorch"));
  CHECK(has(look.out, "quick: done"));
  const Outcome profile = host.run("profile", "PYTHON=/bin/false");
  INFO(profile.out << profile.err);
  CHECK(profile.status == 3);
  CHECK(has(profile.out, "calibrate: done"));
  CHECK(has(host.result("host.measurements.json"), "\"probe\": \"h2d\""));
}

TEST_CASE("on_cuda_host: a step that hangs ends, and what was measured before is kept") {
  const Host host;
  // What has PyTorch, as far as it says, and never ends a step.
  const std::string python = host.folder.write(
      "python",
      "#!/bin/sh\ncase \"$1\" in -c) exit 0 ;; */step_time.py) exec sleep 600 ;; esac; exit 1\n");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  const Outcome look = host.run("look", "QUICK_LIMIT=15 PYTHON='" + python + "'");
  INFO(look.out << look.err);
  CHECK(look.status == 3);
  CHECK(has(look.out, "step: stopped after 15 s"));
  CHECK(has(look.out, "quick: done"));
  CHECK(has(members(host.folder / "out/look.tar.gz"), "quick.json"));
}

TEST_CASE("on_cuda_host: truth and laws ask for the profile of this machine first") {
  const Host host;
  for (const std::string part : {"truth", "laws"}) {
    const Outcome done = host.run(part, "PYTHON=/bin/false");
    CHECK(done.status == 3);
    CHECK(has(done.out, "run the part profile first"));
  }
}

TEST_CASE("on_cuda_host: what is packed runs elsewhere with nothing else") {
  const Host host;
  const Outcome packed = host.run("pack '" + host.folder.at("packed") + "'");
  INFO(packed.out << packed.err);
  REQUIRE(packed.status == 0);
  CHECK(has(packed.out, "feedrate_host.tar.gz"));
  REQUIRE(shell("tar -C '" + host.folder.at("") + "' -xzf '" +
                host.folder.at("packed/feedrate_host.tar.gz") + "'")
              .status == 0);
  const std::string root = host.folder / "feedrate_host";
  for (const char* part : {"feedrate", "check_kernels", "lib", "pricing/gpus.json",
                           "bench/on_cuda_host", "bench/pytorch/validate.py"}) {
    INFO(part);
    CHECK(std::filesystem::exists(root + "/" + part));
  }
  // Its own libraries come first, and it finds its prices and scripts beside itself.
  const Outcome libraries = shell("ldd '" + root + "/feedrate'");
  CHECK(has(libraries.out, root + "/lib/"));
  CHECK_FALSE(has(libraries.out, "not found"));
  const Outcome look =
      host.run("look", "FEEDRATE= PYTHON=/bin/false", "'" + root + "/bench/on_cuda_host'");
  INFO(look.out << look.err);
  CHECK(has(look.out, "program: " + root));
  CHECK(has(look.out, "quick: done"));
}

TEST_CASE("on_cuda_host: a part that is none is refused with its usage") {
  for (const std::string part : {"", "lok", "pack"}) {
    const Outcome refused = shell(script + " " + part);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "bench/on_cuda_host look"));
  }
  CHECK(shell(script + " --help").status == 0);
}
