// Completion as bash really does it: the script is sourced and asked.
#include <filesystem>

#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

// What bash would offer after `line`, a candidate a line.
std::string offers(const std::string& line) {
  const Outcome outcome = shell(
      "source <(feedrate completion bash)\n"
      "COMP_LINE='" +
      line +
      "'; COMP_POINT=${#COMP_LINE}; COMPREPLY=()\n"
      "_feedrate feedrate\n"
      "printf '%s\\n' \"${COMPREPLY[@]}\"");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  return "\n" + outcome.out;
}

}  // namespace

TEST_CASE("completion: the scripts are valid shell") {
  const Folder folder;
  CHECK(shell("feedrate completion bash >" + (folder / "b") + " && bash -n " + (folder / "b"))
            .status == 0);
  const Outcome zsh = shell("feedrate completion zsh >" + (folder / "z") +
                            "; command -v zsh >/dev/null || exit 0; zsh -n " + (folder / "z"));
  CHECK(zsh.status == 0);
  CHECK(has(slurp(folder / "z"), "#compdef feedrate"));
}

TEST_CASE("completion: commands, then their flags") {
  CHECK(has(offers("feedrate "), "\nsweep\n"));
  CHECK(offers("feedrate sw") == "\nsweep\n");
  CHECK(offers("feedrate catalog ") == "\nlist\nshow\nimport\nupdate\n");
  CHECK(has(offers("feedrate sweep x.json --v"), "\n--vary\n"));
  CHECK(has(offers("feedrate optimize x.json --o"), "\n--over\n"));
  CHECK(offers("feedrate sweep x.json --dead") == "\n--deadline\n");
  CHECK(offers("feedrate run --rep") == "\n--replications\n");
  CHECK_FALSE(has(offers("feedrate run --"), "--vary"));
  CHECK(has(offers("feedrate catalog list --"), "\n--format\n"));
}

TEST_CASE("completion: words, keys and their values") {
  CHECK(offers("feedrate run x.json --format ") == "\ntext\njson\ncsv\nmarkdown\n");
  CHECK(offers("feedrate run x.json --format=j") == "\njson\n");
  CHECK(offers("feedrate schema h") == "\nhost\n");
  CHECK(has(offers("feedrate run x.json --set num_w"), "\nnum_workers=\n"));
  CHECK(has(offers("feedrate run x.json --set pin_memory="), "\ntrue\n"));
  CHECK(has(offers("feedrate sweep x.json --vary input_mode="), "\nFastFile\n"));
  CHECK(has(offers("feedrate optimize x.json --over input_mode="), "\nFastFile\n"));
  CHECK(offers("feedrate optimize x.json --minimize ") == "\ntotal\ncost\ntime\n");
}

TEST_CASE("completion: figures that may not rise by more") {
  const std::string figures = offers("feedrate check x.json --max-increase ");
  for (const char* name : {"cost=", "total_cost=", "time=", "epoch_s="}) {
    CHECK(has(figures, "\n" + std::string(name) + "\n"));
  }
  CHECK_FALSE(has(figures, "gpu_busy="));
  CHECK(offers("feedrate check x.json --max-increase=total_c") == "\ntotal_cost=\n");
  CHECK(offers("feedrate check x.json --max-increase cost=") == "\n\n");
}

TEST_CASE("completion: scenario files and instances") {
  const std::string files = offers("feedrate run scenarios/cal");
  CHECK(has(files, "\nscenarios/caltech256_p3.json\n"));
  CHECK(has(offers("feedrate catalog show p3.2"), "\np3.2xlarge\n"));
  CHECK(offers("feedrate catalog list netw") == "\nnetwork\n");
  CHECK(offers("feedrate sweep x.json --instances gpu_") == "\ngpu_memory\n");
}

TEST_CASE("completion: presets of init and keys of feeds are offered") {
  CHECK(has(offers("feedrate init vi"), "\nvideo\n"));
  CHECK(has(offers("feedrate init tokens --source "), "\nfsx-lustre\n"));
  CHECK(has(offers("feedrate feeds --over gpus_per"), "\ngpus_per_instance\n"));
}

TEST_CASE("completion: the charts of plot, files behind them, and the commands of observe") {
  CHECK(has(offers("feedrate plot sta"), "\nstages\n"));
  CHECK(has(offers("feedrate plot stages scenarios/cal"), "\nscenarios/caltech256_p3.json\n"));
  for (const auto& entry : std::filesystem::directory_iterator(FEEDRATE_SOURCE_DIR "/plots")) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(".vl.json")) continue;
    INFO(file);
    CHECK(has(offers("feedrate plot "), "\n" + file.substr(0, file.find('.')) + "\n"));
  }
  CHECK(offers("feedrate observe ") == "\nshow\nfit\n");
  CHECK(has(offers("feedrate observe show scenarios/cal"), "\nscenarios/caltech256_p3.json\n"));
  CHECK(has(offers("feedrate observe show x.jsonl --"), "\n--html\n"));
}
