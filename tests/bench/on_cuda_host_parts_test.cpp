// What bench/on_cuda_host does where something is missing, hangs or is packed. None of this is
// timed, so that it may run beside other tests.
#include <filesystem>
#include <string>

#include "bench/cuda_host.hpp"
#include "catch.hpp"

using namespace cuda_host;

TEST_CASE("on_cuda_host: without PyTorch the native parts run, and it says so") {
  const Host host;
  const Outcome look = host.run("look", "PYTHON=/bin/false");
  {
    INFO(look.out << look.err);
    CHECK(look.status == 3);
    CHECK(has(look.out, "/bin/false has no PyTorch"));
    CHECK(has(look.out, "quick: done"));
  }
  Outcome profile = host.run("profile", "PYTHON=/bin/false");
  if (!has(profile.out, "calibrate: done")) {
    // Seen once: probes wait for real threads, and give up after seconds that a machine of a CI may
    // pause for. Why is said, whatever becomes of the second go.
    WARN("the first go: " << host.result("calibrate.err"));
    profile = host.run("profile", "PYTHON=/bin/false");
  }
  // Alone: a log that is cut keeps the end.
  INFO("profile: " << profile.err << "calibrate: " << host.result("calibrate.err"));
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
  const Outcome look = host.run("look", "QUICK_LIMIT=30 PYTHON='" + python + "'");
  INFO(look.out << look.err);
  CHECK(look.status == 3);
  CHECK(has(look.out, "step: stopped after 30 s"));
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
