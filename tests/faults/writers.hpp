#pragma once
// Every command that writes a file which is replaced as one. A test holds the list to the source.
#include <string>
#include <vector>

#include "cli/process.hpp"

namespace testing_cli {

struct FileWriter {
  std::string source;  ///< the file that writes
  /// Commands that write the same file at the end of the line, each another text.
  std::vector<std::string> commands;
};

inline std::vector<FileWriter> file_writers() {
  const std::string job = "scenarios/caltech256_p3.json ";
  const std::string twice = job + "--set epochs=2 ";
  const std::string grid = job + "--vary num_workers=";
  const std::string exported = "export skypilot " + job;
  const std::string nccl = "--import tests/formats/imports/nccl.log ";
  const std::string older = "--import tests/formats/imports/nccl_old.log ";
  return {
      {"src/cli/options.cpp", {"run " + job + "--output ", "run " + twice + "--output "}},
      {"src/cli/run.cpp", {"run " + job + "--trace ", "run " + twice + "--trace "}},
      {"src/cli/run.cpp", {"run " + job + "--samples ", "run " + twice + "--samples "}},
      {"src/cli/report.cpp", {"report " + job + "--output ", "report " + twice + "--output "}},
      {"src/cli/report.cpp",
       {"scale " + job + "--to 2 --html ", "scale " + twice + "--to 3 --html "}},
      {"src/cli/live_page.cpp",
       {"report --live " + job + "--output ",
        "report --live scenarios/small_files_s3.json --output "}},
      {"src/cli/sweep_work.cpp",
       {"sweep " + grid + "1:9:1 --format csv --output ",
        "sweep " + grid + "1:5:1 --format csv --output "}},
      {"src/cli/check.cpp",
       {"check " + job + "--update --baseline ", "check " + twice + "--update --baseline "}},
      {"src/cli/check.cpp",
       {"check " + job + "--baseline .ci/baseline.json --format json --output ",
        "check scenarios/small_files_s3.json --baseline .ci/baseline.json --report json="}},
      {"src/cli/advise.cpp",
       {"advise " + job + "--set num_workers=1 --apply 1 --output ",
        "advise " + job + "--set num_workers=1 --apply best --output "}},
      {"src/cli/schema.cpp",
       {"schema result --format json --output ", "schema scenario --format json --output "}},
      {"src/cli/init.cpp", {"init tokens --force --output ", "init image-jpeg --force --output "}},
      {"src/cli/export.cpp", {exported + "--output ", exported + "--set epochs=2 --output "}},
      {"src/cli/fit.cpp",
       {"fit " + job + "--free /preprocess/resize/cpu --output ",
        "fit " + job + "--free /job/step --output "}},
      {"src/cli/probes/calibrate.cpp",
       {"calibrate " + nccl + "--output ", "calibrate " + older + "--output "}},
      {"src/cli/observe_import.cpp",
       {"observe " + nccl + "--output ", "observe " + older + "--output "}},
      {"src/cli/observe_show.cpp",
       {"observe show $SAMPLES --html ", "observe show $FEWER --html "}},
      {"src/cli/observe_fit.cpp",
       {"observe fit $SAMPLES --batch-size 64 --output ",
        "observe fit $SAMPLES --batch-size 32 --output "}},
      {"src/cli/plot.cpp", {"plot stages $RESULT --output ", "plot gpu_time $RESULT --output "}},
  };
}

/// Files that the commands read: a script that makes them in `folder`, before any of them is run.
inline std::string files_for_writers(const std::string& folder) {
  const std::string job = "scenarios/caltech256_p3.json ";
  return "export SAMPLES='" + folder + "/samples' FEWER='" + folder + "/fewer' RESULT='" + folder +
         "/result'\nfeedrate run " + job + "--samples $SAMPLES >/dev/null\nfeedrate run " + job +
         "--set epochs=1 --samples $FEWER >/dev/null\nfeedrate run " + job +
         "--format json >$RESULT\n";
}

/// False for what writes a page that contains the simulator, where none was built, and for charts
/// without Node.
inline bool can_run(const FileWriter& writer) {
  if (writer.source == "src/cli/live_page.cpp") {
    return shell("feedrate " + writer.commands.front() + "/dev/null").status == 0;
  }
  return writer.source != "src/cli/plot.cpp" || shell("node --version").status == 0;
}

}  // namespace testing_cli
