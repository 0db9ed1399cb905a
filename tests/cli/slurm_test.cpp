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

TEST_CASE("slurm: three nodes are calibrated, and observed, by one job each") {
  const Folder folder;
  std::filesystem::create_directory(folder / "slurm");
  const auto run = shell("NODES=3 tests/cli/slurm.sh '" + (folder / "slurm") +
                         "' tests/cli/slurm_nodes.sh '" + (folder / "") + "'");
  INFO(run.out << run.err);
  if (run.status == 77) {
    feedrate::test::skip(run.err);
    return;
  }
  CHECK(run.status == 0);
  for (const char* name : {"node1", "node2", "node3"}) {
    CHECK(has(run.out, std::string(name) + ".measurements.json\n"));
    CHECK(has(run.out, std::string(name) + ".jsonl\n"));
  }
  CHECK(has(run.out, "rounds of 3 calibrations"));
  CHECK(has(run.out, "Hosts: times beside the middle of all"));
  CHECK(has(run.out, "node2 holds the others up: they wait 70"));
  CHECK(has(run.out, "\"instances\": 3"));
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

TEST_CASE("kubernetes, skypilot: each node of the recipes is calibrated into files of its name") {
  const Folder folder;
  const std::string nodes = R"python(
import os, sys, subprocess
try:
    import yaml
except ImportError:
    sys.exit(77)
folder = sys.argv[1]
job = yaml.safe_load(open("docs/cluster/nodes.kubernetes.yaml"))["spec"]
pod = job["template"]["spec"]
assert job["completionMode"] == "Indexed" and job["parallelism"] == job["completions"]
# Two pods never share a node.
(rule,) = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
assert rule["topologyKey"] == "kubernetes.io/hostname"
assert rule["labelSelector"]["matchLabels"] == job["template"]["metadata"]["labels"]
(container,) = pod["containers"]
(env,) = container["env"]
assert env == {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
for node in ("a1", "a2"):
    words = [w.replace("$(NODE)", node) for w in container["command"] + container["args"]]
    words = [w.replace("/data/train", folder).replace("/data/nodes", folder) for w in words]
    subprocess.run(words + ["memcpy", "--quick"], check=True)
task = yaml.safe_load(open("docs/cluster/nodes.sky.yaml"))
for rank in range(2):
    subprocess.run(["bash", "-ec", task["run"]], check=True,
                   env=os.environ | {"SKYPILOT_NODE_RANK": str(rank), "NODES": folder,
                                     "CALIBRATE": "memcpy --quick"})
)python";
  const std::string script = folder.write("nodes.py", nodes);
  const auto run =
      shell("PATH=\"$PATH\":/usr/bin; $(command -v /usr/bin/python3 || echo python3) '" + script +
            "' '" + (folder / "") + "' && feedrate calibrate --join '" + (folder / "") +
            "'*.measurements.json --output '" + (folder / "fleet") + "'");
  INFO(run.out << run.err);
  if (run.status == 77) {
    feedrate::test::skip("python3-yaml is not installed");
    return;
  }
  CHECK(run.status == 0);
  for (const char* node : {"a1", "a2", "node00", "node01"}) {
    CHECK(has(run.out, std::string("\n  ") + node + " "));
  }
}
