// docs/cluster: what is shipped for array jobs, on a real Slurm where one can be started.
#include "catch.hpp"
#include "cli/process.hpp"
#include "skipped.hpp"

using testing_cli::Folder;
using testing_cli::has;
using testing_cli::shell;

TEST_CASE("slurm: an array of 8 shares, one killed and run again, equals the sweep in one piece") {
  const Folder folder;
  std::filesystem::create_directory(folder / "slurm");
  const auto run = shell("tests/cli/slurm.sh '" + (folder / "slurm") +
                         "' tests/cli/slurm_sweep.sh '" + (folder / "") + "'");
  INFO(run.out << run.err);
  if (run.status == 77) {
    feedrate::test::skip(run.err);
    return;
  }
  CHECK(run.status == 0);
  CHECK(has(run.out, "of 8 points"));
  CHECK(has(run.out, "3.share: expected the 8 points of share 4/8, got "));
  CHECK(has(run.out, "of 8 points are already in "));
  CHECK(has(run.out, "equal\n"));
}

TEST_CASE("kubernetes: the manifest's pods do all of the sweep") {
  const Folder folder;
  // What the control plane does: an index a pod, and $(NAME) in the arguments.
  const std::string pods = R"python(
import sys, subprocess, json
try:
    import yaml
except ImportError:
    sys.exit(77)
job = yaml.safe_load(open("docs/cluster/sweep.kubernetes.yaml"))["spec"]
container = job["template"]["spec"]["containers"][0]
assert job["completionMode"] == "Indexed" and job["template"]["spec"]["restartPolicy"] == "Never"
for index in range(job["completions"]):
    names = {e["name"]: e["value"] for e in container["env"]} | {"JOB_COMPLETION_INDEX": str(index)}
    words = container["command"] + container["args"]
    for name, value in names.items():
        words = [w.replace("$(%s)" % name, value) for w in words]
    words = [w.replace("/data/my.json", "scenarios/caltech256_p3.json").replace("/data", sys.argv[1])
             for w in words]
    import os
    subprocess.run(words, check=True, env=os.environ | names)
)python";
  const std::string script = folder.write("pods.py", pods);
  const auto run =
      shell("PATH=\"$PATH\":/usr/bin; $(command -v /usr/bin/python3 || echo python3) '" + script +
            "' '" + (folder / "") + "' && feedrate merge '" + (folder / "") + "'*.share");
  INFO(run.err);
  if (run.status == 77) {
    feedrate::test::skip("python3-yaml is not installed");
    return;
  }
  CHECK(run.status == 0);
  const auto one = shell(
      "feedrate sweep scenarios/caltech256_p3.json --vary instances=1:64:1 --vary "
      "num_workers=2:16:2");
  CHECK((run.out == one.out));
}
