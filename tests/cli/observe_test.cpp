// feedrate observe as a user meets it.
#include "cli/process.hpp"
#include "schema/documents/observation.hpp"
#include "tests/catch.hpp"

namespace {

using namespace testing_cli;
using namespace feedrate;

struct Told {
  ObservationHeader header;
  std::vector<Sample> samples;
  std::vector<std::string> remarks;
};

/// The file's lines, all of them fine.
Told told_by(const std::string& path) {
  Told told;
  schema::for_each_line(path, [&](const schema::ObservationLine& line) {
    if (const auto* header = std::get_if<ObservationHeader>(&line)) told.header = *header;
    if (const auto* sample = std::get_if<Sample>(&line)) told.samples.push_back(*sample);
    if (const auto* remark = std::get_if<ObservationRemark>(&line)) {
      told.remarks.push_back(remark->text);
    }
  });
  return told;
}

double sum_of(const Told& told, MetricId metric) {
  double sum = 0.0;
  for (const Sample& sample : told.samples) {
    if (sample.metric == metric) sum += sample.value;
  }
  return sum;
}

TEST_CASE("observe: a command from its start to its end, whose exit status it passes on") {
  const Folder folder;
  const std::string file = folder / "o.jsonl";
  const Outcome outcome = shell("feedrate observe --interval 100ms --output '" + file +
                                "' -- bash -c 'echo hello; for ((i = 0; i < 150000; i++)); do :; "
                                "done; sleep 0.3; read -r line < /etc/passwd; sleep 0.2; exit 7'");
  INFO(outcome.err);
  CHECK(outcome.status == 7);
  CHECK(outcome.out == "hello\n");
  CHECK(has(outcome.err, " samples"));  // of which some may be late
  CHECK(has(outcome.err, ": " + file));
  const Told told = told_by(file);
  CHECK(told.header.source == "observe");
  CHECK(told.header.interval == feedrate::milliseconds(100.0));
  CHECK(has(told.header.command, "bash -c echo hello"));
  CHECK(sum_of(told, MetricId::process_cpu) > 0.0);
  CHECK(sum_of(told, MetricId::process_cached_read) > 0.0);
  CHECK(sum_of(told, MetricId::memory_bytes) > 0.0);
  const Outcome diagnosis = shell("feedrate diagnose '" + file + "'");
  CHECK(diagnosis.status == 0);
  CHECK(has(diagnosis.out, "Monitors show CPU"));
  const Outcome killed = shell("feedrate observe --output '" + file + "' -- sh -c 'kill -9 $$'");
  CHECK(killed.status == 128 + 9);
}

/// A program that waits for its data in four of five parts of a step, and prints what PyTorch's
/// ImageNet example does.
std::string training(const char* step_line) {
  return std::string("bash -c 'echo importing; for ((i = 1; i <= 40; i++)); do sleep 0.05; ") +
         step_line + "; done; echo done >&2; exit 5'";
}

constexpr const char* imagenet_line =
    R"(echo "Epoch: [0][$i/40] Time  0.050 ( 0.050) Data  0.040 ( 0.040) Loss 7.0")";

TEST_CASE("observe --advise: what a job waits for and what to change, from its own output") {
  const Outcome outcome = shell("feedrate observe --advise --batch-size 32 --interval 100ms -- " +
                                training(imagenet_line));
  INFO(outcome.err);
  CHECK(outcome.status == 5);
  // The command's output is its own, in both places.
  CHECK(outcome.out.find("importing\nEpoch: [0][1/40]") == 0);
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') == 41);
  CHECK(has(outcome.err, "done\n"));
  CHECK(has(outcome.err, "of each step waiting for its batch"));
  CHECK(has(outcome.err, "what to change"));
  CHECK(has(outcome.err, "no loader worker was seen"));
  CHECK_FALSE(has(outcome.err, "a sample here is a batch"));
  // 40 steps of 32 samples in steps of a twentieth of a second, and what the shell takes beside.
  CHECK(has(outcome.err, "samples/s"));
}

TEST_CASE("observe --advise: progress bars are steps, and a recording is kept where asked for") {
  const Folder folder;
  const std::string file = folder / "o.jsonl";
  const Outcome outcome =
      shell("feedrate observe --advise --interval 100ms -o '" + file + "' -- " +
            training(R"(printf "\r %3d%%|###  | %d/40 [00:01<00:01, 20.0it/s]" $i $i >&2)"));
  INFO(outcome.err);
  CHECK(outcome.status == 5);
  CHECK(has(outcome.err, "\r   3%|###  | 3/40"));
  CHECK(has(outcome.err, "a sample here is a batch"));
  // A rate says nothing of waiting.
  CHECK(has(outcome.err, "Nothing is advised"));
  CHECK_FALSE(has(outcome.err, "what to change"));
  CHECK_FALSE(told_by(file).samples.empty());
}

TEST_CASE("observe --advise: a command that tells nothing keeps its status, and is told why") {
  const Outcome silent = shell("feedrate observe --advise -- sh -c 'sleep 0.6; exit 4'");
  INFO(silent.err);
  CHECK(silent.status == 4);
  CHECK(has(silent.err, "no advice: "));
  CHECK(has(silent.err, "the command printed nothing"));
  const Outcome none = shell("feedrate observe --advise -- /nowhere/train.py");
  CHECK(none.status == 2);
  CHECK(has(none.err, "cannot run /nowhere/train.py"));
  CHECK(shell("feedrate observe --advise").status == 2);
  CHECK(shell("feedrate observe --batch-size 8 -- true").status == 2);
  const Outcome zero = shell("feedrate observe --advise --batch-size 0 -- true");
  CHECK(zero.status == 2);
  CHECK(has(zero.err, "--batch-size: expected a whole number from 1"));
  // A reader that goes away takes nothing from the command.
  const Outcome gone = shell(
      "feedrate observe --advise -- sh -c 'for i in 1 2 3 4 5 6; do echo $i; "
      "sleep 0.05; done; exit 3' | head -n 1; exit ${PIPESTATUS[0]}");
  CHECK(gone.out == "1\n");
  CHECK(gone.status == 3);
}

TEST_CASE("observe: without a file it shows a line an interval, which says what it saw") {
  // A busy machine may skip most of the ten intervals.
  const Outcome outcome = shell("feedrate observe --interval 100ms --for 1s");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') >= 3);
  CHECK(has(outcome.out, "CPU "));
  CHECK(has(outcome.out, "RAM "));
  CHECK(outcome.out.find('\x1b') == std::string::npos);
  CHECK(has(outcome.err, "observed "));
}

TEST_CASE("observe: on a terminal the lines are drawn over, and Ctrl-C leaves it clean") {
  const Outcome outcome =
      on_terminal("feedrate observe --interval 50ms 2>&-", "LC_ALL=C.UTF-8", "\x03");
  INFO(outcome.out);
  CHECK(outcome.status == 0);
  CHECK((has(outcome.out, "█") || has(outcome.out, "░")));  // the machine may be idle
  // Neither the cursor nor the screen is put into another state.
  CHECK_FALSE(has(outcome.out, "\x1b[?"));
  const Outcome ascii = on_terminal("feedrate observe --interval 50ms --for 1s", "LC_ALL=C");
  CHECK(has(ascii.out, "A\x1b[J"));
  CHECK(has(ascii.out, "observed "));
  for (const char c : ascii.out) CHECK(static_cast<unsigned char>(c) < 0x80U);
}

TEST_CASE("observe: Ctrl-C ends a command politely, and SIGTERM is passed on to it") {
  const std::string job =
      " -- bash -c 'trap \"echo bye; exit 3\" INT TERM; echo ready; while :; do sleep 0.05; done'";
  const Folder folder;
  const std::string file = folder / "o.jsonl";
  const std::string observe = "feedrate observe --interval 50ms --output '" + file + "'";
  const std::string script = folder.write("job", observe + job + " 2>&-");
  const Outcome typed = on_terminal(". '" + script + "'", "LC_ALL=C.UTF-8", "\x03");
  INFO(typed.out);
  CHECK(typed.status == 3);
  CHECK(has(typed.out, "bye"));
  // Before the job has set its trap, the signal would end it.
  const std::string out = folder / "out";
  const Outcome ended = shell(observe + job + " > '" + out + "' & until grep -qs ready '" + out +
                              "'; do sleep 0.05; done; sleep 0.2; kill $!; wait $!");
  INFO(ended.err);
  CHECK(ended.status == 3);
  CHECK(has(slurp(out), "bye"));
  CHECK_FALSE(told_by(file).samples.empty());
}

TEST_CASE("observe: whatever ends it, the file holds whole lines") {
  const Folder folder;
  const std::string file = folder / "o.jsonl";
  const Outcome outcome = shell("feedrate observe --interval 20ms --output '" + file +
                                "' & until [ \"$(wc -l < '" + file +
                                "')\" -gt 100 ]; do sleep 0.05; done 2>/dev/null; kill -9 $!; "
                                "wait $!; true");
  CHECK(outcome.status == 0);
  CHECK(slurp(file).back() == '\n');
  CHECK(told_by(file).samples.size() > 20);
}

TEST_CASE("observe: the job's end is the observation's") {
  const Folder folder;
  const std::string file = folder / "o.jsonl";
  const Outcome outcome = shell(
      "sleep 1.5 & feedrate observe --pid $! --interval 100ms --for 1min --output '" + file + "'");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  // A busy machine may take long to start it; that it is the shell until then is said.
  const Told told = told_by(file);
  CHECK((told.header.command == "sleep 1.5" || has(outcome.err, "now runs sleep 1.5")));
}

TEST_CASE("observe: a full disk is said, and the command runs on to its end") {
  CHECK(shell("feedrate observe --interval 50ms --for 200ms --output /dev/full").status == 3);
  // The file may hold three kilobytes: the header and a few samples.
  const Folder folder;
  const Outcome outcome = shell("cd '" + (folder / "") +
                                "' && (trap '' XFSZ; ulimit -f 3; feedrate observe --interval 50ms "
                                "--output o.jsonl -- bash -c 'trap - XFSZ; sleep 0.5; echo done')");
  INFO(outcome.err);
  CHECK(outcome.status == 3);
  CHECK(has(outcome.out, "done"));
  CHECK(has(outcome.err, "cannot write o.jsonl"));
  CHECK_FALSE(told_by(folder / "o.jsonl").header.program.empty());
}

TEST_CASE("observe: what cannot be done is said") {
  struct Slip {
    std::string line;
    std::string says;
  };
  const Slip slips[] = {
      {"--pid 4194304", "--pid: expected the ID of a running, visible process"},
      {"--pid x", "--pid"},
      {"--pid 1 -- true", "expected either --pid or a command, got both"},
      {"--interval 1ms", "--interval: expected a time from 10.0 ms to 1.00 h"},
      {"--interval 5", "--interval"},
      {"--for 10ms", "--for: expected a time from 500 ms"},
      {"--output ''", "--output"},
      {"--output - -- true", "standard output belongs to the command"},
      {"--output /tmp -- true", "expected a file name, got a directory"},
      {"-- no-such-program", "cannot run no-such-program"},
      {"--for 1s --instance p99.large", "p99.large"},
      {"--lve", "did you mean \"--live\"?"},
  };
  for (const Slip& slip : slips) {
    const Outcome outcome = shell("feedrate observe " + slip.line);
    INFO(slip.line << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, slip.says));
  }
}

TEST_CASE("observe: output without a step that is known is kept, or not named") {
  const Folder folder;
  const std::string file = folder / "o.jsonl";
  const std::string command = " -- sh -c 'echo hello 1; sleep 0.3; echo hello 2; exit 4'";
  for (const std::string& kept : {file + ".log", file + ".2.log"}) {
    const Outcome both =
        shell("feedrate observe --advise --steps --interval 100ms -o '" + file + "'" + command);
    INFO(both.err);
    CHECK(both.status == 4);
    CHECK(has(both.err, "no advice: the command's output: expected one of the formats"));
    CHECK(has(both.err, "no steps in " + file + ": the command's output: expected one of the"));
    CHECK(has(both.err, "is kept in " + kept + ": `feedrate observe fit " + file + " " + kept));
    CHECK_FALSE(has(both.err, "output.log"));
    CHECK(has(slurp(kept), "Z hello 1\n"));
    CHECK(has(slurp(kept), "Z hello 2\n"));
  }
  CHECK(folder.files() == 3);
  const Outcome nowhere = shell("feedrate observe --advise --interval 100ms" + command);
  INFO(nowhere.err);
  CHECK(nowhere.status == 4);
  CHECK(has(nowhere.err, "no advice: the command's output: expected one of the formats"));
  CHECK(has(nowhere.err, "with -o FILE it is kept beside the recording"));
  CHECK_FALSE(has(nowhere.err, "output.log"));
}

TEST_CASE("observe: --steps puts the steps that a command prints into its recording") {
  const Folder folder;
  const std::string recording = folder / "job.jsonl";
  const std::string loop =
      "for i in $(seq 1 12); do printf 'Epoch: [0][%s/100]\\tTime 0.100 (0.100)\\tData 0.040 "
      "(0.040)\\n' $i; sleep 0.1; done";
  const std::string script = folder.write("train.sh", loop + "\n");
  const Outcome observed =
      shell("feedrate observe --node here --steps --interval 100ms --output '" + recording +
            "' -- sh '" + script + "'");
  INFO(observed.err);
  REQUIRE(observed.status == 0);
  CHECK(has(observed.out, "Epoch: [0][12/100]"));
  CHECK(has(slurp(recording), "\"NodeId\": \"here\""));
  const Outcome fit = shell("feedrate observe fit '" + recording +
                            "' --batch-size 8 --gpus 1 --num-workers 0 | head -n 3");
  INFO(fit.out << fit.err);
  CHECK(has(fit.out, "of each step waiting for its batch"));

  // No steps are no failure of the command, and one needs something to keep them in.
  const Outcome none = shell("feedrate observe --steps --output '" + recording + "2' -- true");
  CHECK(none.status == 0);
  CHECK(shell("feedrate observe --steps -- true").status == 2);
  CHECK(shell("feedrate observe --steps --pid 1 --output x").status == 2);
}

}  // namespace
