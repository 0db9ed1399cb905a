// `feedrate diagnose` as a user meets it.
#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "cli/process.hpp"
#include "schema/json/json_reader.hpp"

using namespace testing_cli;
using feedrate::schema::JsonValue;
using feedrate::schema::parse_json;

namespace {

const char* const caltech = "scenarios/caltech256_p3.json --set num_workers=1";

/// Without the ends of lines, which stand where a sentence became too long.
std::string flat(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

TEST_CASE("diagnose: a worker too few, from utilisations alone") {
  const Outcome outcome =
      shell("feedrate diagnose --gpu 35 --cpu 13 --disk 2 --network 1 --ram 20 --start 1min");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(has(flat(outcome.out), "One rule fits, workers: too few workers."));
  CHECK(has(outcome.out, "remedy 1: raise num_workers"));
  CHECK(has(outcome.out, "AWS Dev Day"));
  const Outcome full = shell(
      "feedrate diagnose --gpu 35 --cpu 13 --disk 2 --network 1 --ram 20 --start 1min --full");
  CHECK(has(full.out, "gpu-low"));
  CHECK(has(full.out, "needs --io-wait"));
}

TEST_CASE("diagnose: two rules that fit say what tells them apart") {
  const Outcome outcome =
      shell("feedrate diagnose --gpu 35 --cpu 13 --disk 2 --network 1 --ram 20 --start 12min");
  CHECK(outcome.status == 0);
  CHECK(has(flat(outcome.out), "2 rules fit and disagree (download, workers)"));
  CHECK(has(outcome.out, "How to tell them apart"));
}

TEST_CASE("diagnose: gaps of the loader and too few workers are one answer, gaps and a disk too") {
  const std::string gaps = "feedrate diagnose --gpu 35 --gap-every 7 ";
  const Outcome workers = shell(gaps + "--cpu 13 --disk 2");
  CHECK(has(flat(workers.out),
            "2 rules fit and do not contradict each other (workers, gaps): too few workers."));
  CHECK_FALSE(has(workers.out, "How to tell them apart"));
  CHECK(has(flat(shell(gaps + "--cpu 13 --disk 95").out), "(disk, starved, gaps): the disk."));
  CHECK(has(flat(shell(gaps + "--start 25min").out),
            "3 rules fit and disagree (download, gaps, MaxInitializationTime)"));
}

TEST_CASE("diagnose: no rule is an answer") {
  const Outcome outcome = shell("feedrate diagnose --gpu 80 --cpu 50 --disk 50 --network 50");
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "No rule fits"));
  const Outcome little = shell("feedrate diagnose --ram 20");
  CHECK(little.status == 0);
  CHECK(has(little.out, "No answer yet: read GPU-Util of `nvidia-smi` (--gpu) first."));
}

TEST_CASE("diagnose: where nothing runs, more workers are not the answer") {
  const Outcome idle = shell("feedrate diagnose --gpu 0 --cpu 0 --disk 0");
  CHECK(idle.status == 0);
  CHECK(has(flat(idle.out),
            "Nothing runs: GPU 0 % and CPU 0 % are below 1.0 %. The job has not "
            "started, hangs, or waits for the network. No rule fits"));
  CHECK_FALSE(has(idle.out, "Too few workers:"));
  CHECK_FALSE(has(idle.out, "of generated jobs"));
  const Outcome busy = shell("feedrate diagnose --gpu 50 --cpu 0.5%");
  CHECK(has(flat(busy.out), "The CPU does nothing: 0.5 % is below 1.0 %"));
  CHECK(has(flat(busy.out), "Unless the disk is at least 70 %: read %util"));
  CHECK(has(shell("feedrate diagnose --gpu 50 --cpu 0 --disk 90").out, "The disk: "));
  CHECK(has(shell("feedrate diagnose --gpu 50 --cpu 1 --disk 0").out, "Too few workers: "));
  const auto json =
      parse_json(shell("feedrate diagnose --gpu 0 --cpu 0 --disk 0 --format json").out, "out");
  CHECK(json->find("answer")->find("against")->text == "idle_cpu");
  CHECK(json->find("answer")->find("cause")->kind == feedrate::schema::JsonKind::null);
  // What was tried says more.
  CHECK(has(shell("feedrate diagnose --gpu 50 --cpu 0 --disk 0 --more-workers 0.5").out,
            "Too few workers: "));
}

TEST_CASE("diagnose: readings that people have at hand get an answer, and the one that decides") {
  const Outcome outcome = shell("feedrate diagnose --gpu 35 --cpu 13");
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out,
            "Too few workers if the disk is below 30 %: read %util of `iostat -x 1` (--disk)."));
  CHECK(has(outcome.out, "remedy 1: raise num_workers"));
  CHECK(has(outcome.out, "workers (AWS Dev Day): too few workers, if the disk is below 30 %"));
  CHECK(has(outcome.out, "What decides"));
  const Outcome hyundai = shell("feedrate diagnose --gpu 35 --cpu 100");
  CHECK(has(hyundai.out, "Preprocessing on exhausted cores: GPU 35 % is below 80 %, CPU 100 %"));
  const Outcome waits = shell("feedrate diagnose --gpu 35 --cpu 13 --io-wait 30");
  CHECK(has(waits.out, "The disk: "));
  CHECK(has(flat(waits.out), "which stands for the disk."));
  const Outcome rules = shell("feedrate diagnose --gpu 35 --cpu 13 --rules");
  CHECK(has(rules.out, "\nThresholds\n"));
  CHECK(rules.out == shell("feedrate diagnose --gpu 35 --cpu 13 --full").out);
}

TEST_CASE("diagnose: the exchange is named where several GPUs may have one") {
  const std::string busy = "feedrate diagnose --gpu 100 --cpu 3 --disk 0 --network 95 ";
  const std::string alone = flat(shell(busy).out);
  INFO(alone);
  CHECK(has(alone, "Or, if the job has several GPUs, the exchange among them, since network 95 %"));
  CHECK(has(alone, "/job/allreduce/fabric"));
  CHECK_FALSE(has(alone, "of generated jobs"));
  CHECK(parse_json(shell(busy + "-f json").out, "out")->find("answer")->find("sure")->kind ==
        feedrate::schema::JsonKind::null);
  CHECK(has(flat(shell(busy + "--step-ratio 4.8").out), "Or the exchange among the GPUs, since"));
  const Folder folder;
  for (const int gpus : {1, 8}) {
    const std::string file = folder.write(
        "o.jsonl",
        fmt::format(R"({{"Type":"feedrate","Name":"observation","Dimension":"version","Value":1,)"
                    R"("NodeId":"n","Timestamp":1,"GPUs":{}}})"
                    "\n"
                    R"({{"Type":"gpu","Name":"gpu0","Dimension":"GPUUtilization","Value":100,)"
                    R"("NodeId":"n","Timestamp":2}})"
                    "\n",
                    gpus));
    const Outcome told = shell("feedrate diagnose '" + file + "' --cpu 3 --disk 0 --network 95");
    INFO(told.err << told.out);
    CHECK(told.status == 0);
    CHECK(has(flat(told.out), "the exchange among the GPUs") == (gpus > 1));
  }
}

TEST_CASE("diagnose: screens that show another mean each are told of") {
  const Folder folder;
  const auto table = [&](const char* name, int percent) {
    return folder.write(name, fmt::format("timestamp, index, utilization.gpu [%]\n"
                                          "2026/11/22 10:00:00.100, 0, {0} %\n"
                                          "2026/11/22 10:00:01.100, 0, {0} %\n",
                                          percent));
  };
  const std::string fed = table("sm0.csv", 99);
  for (const int percent : {40, 95}) {
    const std::string other = table("sm1.csv", percent);
    const Outcome both = shell("feedrate diagnose '" + fed + "' '" + other + "' --full");
    INFO(both.out << both.err);
    CHECK(both.status == 0);
    CHECK(has(flat(both.out + both.err), "if they are of two machines, diagnose each apart") ==
          (percent == 40));
  }
}

TEST_CASE("diagnose: a full network is told of with what helps against it") {
  const Outcome full = shell("feedrate diagnose --gpu 22 --cpu 3 --disk 0 --network 95");
  CHECK(has(flat(full.out), "Streaming the samples: "));
  CHECK(has(flat(full.out), "network 95 % is at least 85 %"));
  CHECK(has(full.out, "an instance with a faster network"));
  const Outcome tried = shell("feedrate diagnose --gpu 45 --cpu 13 --disk 2 --more-workers 1.0");
  CHECK(has(flat(tried.out), "Streaming the samples: "));
  CHECK(has(flat(tried.out), "No rule fits"));
  CHECK_FALSE(has(tried.out, "raise num_workers"));
  CHECK_FALSE(has(tried.out, "an instance with a faster network"));
}

TEST_CASE("diagnose: rules that name no cause") {
  const Outcome one = shell("feedrate diagnose --workers-per-cpu 3");
  CHECK(has(one.out, "Dataloader-many fits, which names a symptom but no cause."));
  const Folder folder;
  const std::string samples =
      folder.write("uneven.csv", "gpu,cpu,gpu-memory\n0,40,20\n0,40,20\n99,40,20\n99,40,20\n");
  const Outcome two = shell("feedrate diagnose '" + samples + "' --workers-per-cpu 3");
  CHECK(has(flat(two.out), "2 rules fit, which name symptoms but no cause"));
}

TEST_CASE("diagnose: a scenario from standard input") {
  const Outcome outcome =
      shell("feedrate diagnose --gpu 35 - < scenarios/caltech256_p3.json --format json");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "\"bottleneck\": \"gpu\""));
}

TEST_CASE("diagnose: a scenario of which no pipeline is simulated") {
  const Outcome outcome =
      shell("feedrate diagnose --gpu 35 --cpu 100 scenarios/total_cost_24h_p3.json");
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "are not simulated for a scenario that states its duration"));
  CHECK_FALSE(has(outcome.out, "No rule fits the simulated values"));
}

TEST_CASE("diagnose: the simulation beside it agrees, or disagrees") {
  const Outcome agrees = shell(std::string("feedrate diagnose ") + caltech +
                               " --gpu 36 --cpu 13 --disk 0 --network 0");
  INFO(agrees.err);
  CHECK(agrees.status == 0);
  CHECK(has(flat(agrees.out), "The simulation agrees"));
  CHECK(has(flat(agrees.out), "is decode (in the"));
  const Outcome differs = shell(std::string("feedrate diagnose ") + caltech +
                                " --gpu 36 --cpu 98 --disk 0 --network 0");
  CHECK(differs.status == 0);
  CHECK(has(flat(differs.out), "The simulation disagrees"));
  CHECK(has(differs.out, "differs"));
}

TEST_CASE("diagnose: JSON holds what the text says") {
  const Outcome outcome = shell(std::string("feedrate diagnose ") + caltech +
                                " --gpu 36,34 --cpu 13 --disk 0 --network 0 --format json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto json = parse_json(outcome.out, "out");
  CHECK(json->find("kind")->text == "diagnosis");
  CHECK(json->find("readings")->find("gpu")->number == Approx(0.35));
  CHECK(json->find("readings")->find("ram")->kind == feedrate::schema::JsonKind::null);
  REQUIRE(json->find("causes")->items.size() == 1);
  CHECK(json->find("causes")->items[0]->text == "workers");
  const JsonValue& simulated = *json->find("simulated");
  CHECK(simulated.find("bottleneck")->text == "decode");
  CHECK(simulated.find("cause")->text == "workers");
  CHECK(simulated.find("readings")->find("cpu")->number == Approx(0.127).margin(0.01));
  const Folder folder;
  const std::string printed = folder / "diagnosis.schema.json";
  REQUIRE(shell("feedrate schema diagnosis -f json -o '" + printed + "'").status == 0);
  for (const std::string& text : {outcome.out, shell("feedrate diagnose --gpu 5 -f json").out}) {
    const std::string file = folder.write("out.json", text);
    for (const std::string& schema :
         {std::string("tests/schema/published/diagnosis.schema.json"), printed}) {
      const Outcome checked =
          shell("python3 tests/schema/published/validate.py '" + schema + "' '" + file + "'");
      INFO(checked.err);
      CHECK(checked.status == 0);
    }
  }
}

TEST_CASE("diagnose: what comes before training does not outlast the job") {
  const Outcome download = shell("feedrate diagnose --gpu 35 --download 2h --time 1h");
  CHECK(download.status == 2);
  CHECK(has(download.err, "--download: expected no more than the job's time (--time: 1.00 h)"));
  CHECK(has(shell("feedrate diagnose --gpu 35 --start 3h --time 2h").err, "--start: expected"));
  CHECK(shell("feedrate diagnose --gpu 35 --download 1h --time 1h").status == 0);
}

TEST_CASE("diagnose: time that a hypervisor takes is not there for more workers") {
  const Folder folder;
  const std::string top = folder.write(
      "top.txt",
      "%Cpu(s): 40.0 us, 10.0 sy,  0.0 ni, 10.0 id,  0.0 wa,  0.0 hi,  0.0 si, 40.0 st\n");
  CHECK(has(shell("feedrate diagnose '" + top + "' --gpu 30").out, "CPU 90 %"));
}

TEST_CASE("diagnose: a recording of sar says the same of stolen time as a screen of top") {
  const Folder folder;
  const std::string sar = folder.write("sar.json", R"({"sysstat": {"hosts": [{"nodename": "a",
    "number-of-cpus": 1, "statistics": [{"timestamp": {"date": "2026-11-20", "time": "12:00:01",
    "utc": 1}, "cpu-load": [{"cpu": "all", "usr": 40.0, "nice": 0.0, "sys": 10.0, "iowait": 0.0,
    "steal": 40.0, "idle": 10.0}]}]}]}})");
  const std::string observed = folder.at("observed.jsonl");
  const Outcome read = shell("feedrate observe --import '" + sar + "' -o '" + observed +
                             "' && feedrate diagnose '" + observed + "' --gpu 30");
  INFO(read.err);
  CHECK(has(read.out, "CPU 90 %"));
}

TEST_CASE("diagnose: CSV has a row a rule, with what is predicted where there is a scenario") {
  const Folder folder;
  const std::string gpu = folder.write("gpu.csv", "gpu\n30\n40\n");
  const Outcome bare = shell("feedrate diagnose '" + gpu + "' --cpu 13 --disk 2 --format csv");
  CHECK(bare.status == 0);
  CHECK(has(bare.out, "rule,source,cause,verdict,because,predicted\n"));
  CHECK(has(bare.out, "gaps,\"Ray on SageMaker, blog\",loader,not known,needs"));
  const Outcome beside =
      shell(std::string("feedrate diagnose --start 12min --format csv ") + caltech);
  CHECK(has(beside.out,
            "download,AWS Dev Day,download,fits,start 12 min is at least 10 min,does "
            "not fit\n"));
}

TEST_CASE("diagnose: a file of samples, as CSV and as Debugger's JSON lines") {
  const Folder folder;
  const std::string csv =
      folder.write("samples.csv", "timestamp,gpu,cpu,disk\n1,30,10,1\n2,40 %,16,\n3,,13,3\n");
  const Outcome table = shell("feedrate diagnose '" + csv + "' --format json");
  INFO(table.err);
  REQUIRE(table.status == 0);
  const auto json = parse_json(table.out, "out");
  CHECK(json->find("readings")->find("gpu")->number == Approx(0.35));
  CHECK(json->find("readings")->find("cpu")->number == Approx(0.13));
  CHECK(json->find("readings")->find("disk")->number == Approx(0.02));
  CHECK(json->find("readings")->find("gpu_p95")->number == Approx(0.395));

  const auto line = [](const char* type, const char* name, const char* dimension, double value,
                       double at) {
    return fmt::format(
        "{{\"Type\":\"{}\",\"Name\":\"{}\",\"Dimension\":\"{}\",\"Value\":{},\"NodeId\":\"algo-1\","
        "\"Timestamp\":{}}}\n",
        type, name, dimension, value, at);
  };
  std::string lines;
  for (const double at : {1.0, 2.0}) {
    lines += line("cpu", "cpu0", "CPUUtilization", 90.0, at);
    lines += line("cpu", "cpu1", "CPUUtilization", 100.0, at);
    lines += line("cpu", "cpu0", "I/OWaitPercentage", 0.0, at);
    lines += line("gpu", "gpu0", "GPUUtilization", at == 1.0 ? 0.0 : 10.0, at);
    lines += line("memory", "MemoryUsedPercent", "", 7.0, at);
    lines += line("i/o", "ReadThroughputInBytesPerSecond", "", 131072000.0, at);
  }
  const std::string debugger = folder.write("algo-1.json", lines);
  const Outcome outcome = shell("feedrate diagnose '" + debugger + "'");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "CPUBottleneck"));
  CHECK(has(outcome.out, "GPU 5.0 %"));
  CHECK(has(outcome.out, "CPU 95 %"));
  CHECK(has(outcome.out, "i/o is recorded in bytes"));
  // A flag comes before the samples.
  CHECK(has(shell("feedrate diagnose '" + debugger + "' --gpu 95").out, "GPU 95 %"));
}

TEST_CASE("diagnose: cores that other programs keep busy are not the job's preprocessing") {
  const Folder folder;
  const auto recording = [&](double trainer, double worker, const char* role) {
    std::string lines;
    const auto line = [&](const char* type, const std::string& name, const char* dimension,
                          double value, int at) {
      lines += fmt::format(
          "{{\"Type\":\"{}\",\"Name\":\"{}\",\"Dimension\":\"{}\",\"Value\":{},"
          "\"NodeId\":\"algo-1\",\"Timestamp\":{}}}\n",
          type, name, dimension, value, at);
    };
    for (int at = 1; at <= 30; ++at) {
      for (const char* cpu : {"cpu0", "cpu1", "cpu2", "cpu3"}) {
        line("cpu", cpu, "CPUUtilization", 100.0, at);
        line("cpu", cpu, "I/OWaitPercentage", 0.0, at);
      }
      line("gpu", "gpu0", "GPUUtilization", 5.0, at);
      line("process", fmt::format("{}-1", role), "CPUUtilization", trainer, at);
      line("process", "worker-2", "CPUUtilization", worker, at);
      line("process", "pin-3", "CPUUtilization", trainer, at);
    }
    return "'" + folder.write("o.jsonl", lines) + "'";
  };
  const Outcome others = shell("feedrate diagnose " + recording(4.8, 2.0, "trainer"));
  INFO(others.err << others.out);
  CHECK(others.status == 0);
  CHECK(has(flat(others.out),
            "Other programs hold the cores: CPU 100 %, of which the job's own "
            "processes use 1.7 %."));
  CHECK(has(others.out, "stop the other programs"));
  CHECK_FALSE(has(others.out, "Preprocessing on exhausted cores"));
  CHECK_FALSE(has(others.out, "preprocessing (AWS Dev Day)"));
  const std::string same = "'" + folder / "o.jsonl" + "'";
  const auto json = parse_json(shell("feedrate diagnose " + same + " --format json").out, "out");
  CHECK(json->find("answer")->find("against")->text == "other_programs");
  CHECK(json->find("readings")->find("own_cpu")->number == Approx(0.017));
  CHECK(has(shell("feedrate diagnose " + same + " --full").out,
            "the CPU is busy with other programs"));
  // A disk that is busy as well may still be the cause, and a GPU that is fed waits for nothing.
  CHECK(has(shell("feedrate diagnose " + same + " --disk 95 --io-wait 30").out, "The disk: "));
  CHECK(has(shell("feedrate diagnose " + same + " --gpu 95").out, "The GPUs themselves"));
  // The job's own work, and processes of which none is a trainer.
  for (const std::string& own :
       {recording(100.0, 190.0, "trainer"), recording(4.8, 2.0, "other")}) {
    CHECK(has(shell("feedrate diagnose " + own).out, "Preprocessing on exhausted cores"));
  }
}

TEST_CASE("diagnose: bad input teaches") {
  const Folder folder;
  const std::string unknown = folder.write("a.csv", "gpu,cpus\n1,2\n");
  const std::string wide = folder.write("b.csv", "gpu,cpu\n1,2,3\n135,x\n");
  const std::string empty = folder.write("c.csv", "");
  const std::string header = folder.write("d.csv", "gpu,cpu\n");
  const std::string twice = folder.write("e.csv", "gpu,gpu\n1,2\n");
  const std::string bare = folder.write("h.csv", "35 %, 120\n40 %, 121\n");
  const std::string debugger = folder.write(
      "f.json", "{\"Type\":\"cpu\",\"Value\":3,\"Timestamp\":1}\n{\"Type\":\"cpu\"}\n");
  const std::string broken =
      folder.write("g.json", "{\"Type\":\"cpu\",\"Value\":3,\"Timestamp\":1}\n{\"Type\":\n");
  struct Slip {
    std::string line;
    std::string says;
  };
  const Slip slips[] = {
      {"", "expected what monitors show"},
      {"--gpu 135", "from 0 to 100"},
      {"--gpu 800", "divided by their number"},
      {"--gpu -3", "--gpu"},
      {"--gpu x --cpu y", "--cpu"},
      {"--gpu ''", "expected a value"},
      {"--start 12", "--start"},
      {"--gap-every 2.5", "a whole number of steps"},
      {"--gpu 35 --threshold lov=3%", "did you mean \"low\"?"},
      {"--gpu 35 --threshold low=300%", "from 0 to 100"},
      {"--gpu 35 --threshold low", "NAME=VALUE"},
      {"--gpu 35 --threshold gpu-low=90%,gpu-high=10%",
       "expected gpu-low (90 %) to be no more than gpu-high (10 %)"},
      {"--gpu 35 --threshold low=x,high=140 --threshold gap", "--threshold low:"},
      {"--gpu 35 --threshold low=x,high=140 --threshold gap", "--threshold high:"},
      {"--gpu 35 --threshold low=x,high=140 --threshold gap", "got \"gap\""},
      {"--gpo 35", "--gpu"},
      {"--gpu 35 --set num_workers=2", "expected a scenario"},
      {"--gpu 35 --format table", "table"},
      {"--gpu 35 missing.json", "missing.json"},
      {"--gpu 35 scenarios/caltech256_p3.json scenarios/ray_g5_2xlarge.json", "one scenario"},
      {caltech, "expected what monitors show"},
      {"'" + unknown + "' '" + wide + "' --gpu 35", "one file of samples"},
      {"'" + unknown + "'", "did you mean \"cpu\"?"},
      {"'" + wide + "'", "b.csv:2: expected 2 fields"},
      {"'" + wide + "'", "b.csv:3"},
      {"'" + empty + "'", "expected samples"},
      {"'" + header + "'", "expected samples"},
      {"'" + twice + "'", "twice"},
      {"'" + bare + "'", "h.csv:1: expected a first line that names the columns"},
      {"'" + debugger + "'", "f.json:2"},
      {"'" + broken + "'", "g.json:2"},
  };
  for (const Slip& slip : slips) {
    const Outcome outcome = shell("feedrate diagnose " + slip.line);
    INFO(slip.line << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, slip.says));
  }
}

TEST_CASE(
    "diagnose: screens as they were pasted, from files and standard input, mixed with flags") {
  const std::string screens = "tests/formats/screens/";
  const Outcome all = shell("cat " + screens + "nvidia_smi.txt " + screens +
                            "top_iostat.txt | feedrate diagnose -");
  INFO(all.err);
  CHECK(all.status == 0);
  CHECK(has(all.out,
            "Monitors show GPU 35 %, CPU 13 %, disk 2.0 %, RAM 20 %, I/O wait 0.5 %, GPU memory"));
  CHECK(has(all.out, "Too few workers: "));
  // One screen has no 95 % quantile.
  CHECK_FALSE(has(all.out, "BatchSize"));
  const Outcome files =
      shell("feedrate diagnose " + screens + "nvidia_smi.txt " + screens + "data.json --cpu 95");
  CHECK(has(files.out, "Monitors show GPU 35 %, CPU 95 %"));
  CHECK(has(flat(files.out), "Preprocessing on exhausted cores: "));
  const std::string sums = screens + "statistics.json";
  const Outcome refused = shell("feedrate diagnose " + sums);
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "statistics.json:1"));
  CHECK(has(refused.err, "--gpus"));
  CHECK(has(shell("feedrate diagnose --gpus 4 " + sums).out, "Monitors show GPU 35 %"));
  for (const char* wrong : {"0", "1.5", "x", "''"}) {
    CHECK(shell(std::string("feedrate diagnose --gpus ") + wrong + " " + sums).status == 2);
  }
  const Outcome beside =
      shell("feedrate diagnose " + screens +
            "nvidia_smi.txt - < scenarios/caltech256_p3.json --set num_workers=1");
  CHECK(beside.status == 0);
  CHECK(has(flat(beside.out), "the bottleneck of \"Caltech-256 with ResNet-50 on one V100\""));
  const Outcome none = shell("echo hello | feedrate diagnose -");
  CHECK(none.status == 2);
  CHECK(has(flat(none.err),
            "standard input:1: expected what nvidia-smi, top, iostat -x or sar -n DEV print"));
}

TEST_CASE("diagnose: a number below one asks whether it is a percentage") {
  const Outcome outcome = shell("feedrate diagnose --gpu 0.35 --cpu 13");
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(has(outcome.err,
            "--gpu: expected a percentage such as 35 or \"35 %\", got \"0.35\": is "
            "that 35 %? Write 35 or 0.35%"));
  const Outcome several = shell("feedrate diagnose --gpu 35 --cpu 0,0.25,0.5");
  CHECK(several.status == 2);
  CHECK(has(several.err, "got \"0.25\": is that 25 %?"));
  CHECK(has(shell("feedrate diagnose --gpu 35 --threshold low=0.2").err, "is that 20 %?"));
  const Outcome meant = shell("feedrate diagnose --gpu 35% --disk '0.3 %' --cpu 13");
  INFO(meant.err);
  CHECK(meant.status == 0);
  CHECK(has(meant.out, "disk 0.3 %"));
}

TEST_CASE("diagnose: a file as Windows writes it") {
  const Folder folder;
  const std::string windows =
      folder.write("windows.csv", "\xEF\xBB\xBFgpu,cpu\r\n30,12\r\n40,14\r\n");
  const Outcome read = shell("feedrate diagnose '" + windows + "'");
  INFO(read.err);
  CHECK(read.status == 0);
  CHECK(has(read.out, "Monitors show GPU 35 %, CPU 13 %\n"));
  CHECK_FALSE(has(read.out, "Remarks"));
  const std::string scenario = folder.write(
      "marked.json", "\xEF\xBB\xBF" + slurp(FEEDRATE_SOURCE_DIR "/scenarios/caltech256_p3.json"));
  CHECK(shell("feedrate diagnose --gpu 35 '" + scenario + "'").status == 0);
  const std::string quoted = folder.write("quoted.csv", "\"gpu\",\"cpu\"\n\"30\",13\n");
  CHECK(has(shell("feedrate diagnose '" + quoted + "'").out, "GPU 30 %, CPU 13 %"));
}

TEST_CASE("diagnose: a file of fractions is refused, one of idle GPUs is not") {
  const Folder folder;
  const auto diagnose = [&](const char* csv) {
    return shell("feedrate diagnose '" + folder.write("samples.csv", csv) + "'");
  };
  const Outcome fractions = diagnose("gpu,cpu,disk\n0.3,0.1,0\n0.4,1,0.5\n");
  CHECK(fractions.status == 2);
  CHECK(has(fractions.err,
            "samples.csv:2: gpu: expected percentages such as 35, got \"0.3\" and nothing above 1: "
            "are these fractions? Multiply the column by 100 (30), or write the sign behind its "
            "values (0.3 %)"));
  CHECK(has(fractions.err, "samples.csv:2: cpu: expected percentages"));
  CHECK_FALSE(has(fractions.err, "disk: expected"));
  // A GPU at rest, a host of many CPUs at rest beside a busy GPU, a quiet disk; and what is said.
  CHECK(diagnose("gpu,cpu\n0,12\n1,14\n0,13\n").status == 0);
  CHECK(diagnose("gpu,cpu\n98,0.5\n97,0.6\n").status == 0);
  CHECK(diagnose("gpu,disk\n30,0.2\n40,0\n").status == 0);
  CHECK(diagnose("disk,io-wait\n0.2,0.1\n0,0.3\n").status == 0);
  CHECK(has(diagnose("gpu,cpu\n0.3 %,12\n0.3 %,12\n").out, "GPU 0.3 %, CPU 12 %"));
  // Beside percentages, too, a GPU of fractions is one.
  CHECK(has(diagnose("gpu,cpu\n0.93,12\n0.97,13\n").err, "gpu: expected percentages"));
  const std::string pasted = "utilization.gpu [%]\n0.93\n0.97\n";
  CHECK(has(diagnose(pasted.c_str()).err, "utilization.gpu: expected percentages"));
}

TEST_CASE("run: what monitors would show, and whether more workers would help") {
  const Outcome few = shell(std::string("feedrate run --full ") + caltech);
  CHECK(
      has(few.out, "Too few workers: the cores\nare 13 % busy, and num_workers = 4 instead of 1"));
  CHECK(has(few.out, "CPU 13 % (top), disk 0 % (%util of iostat), network 0 %"));
  CHECK(has(few.out, "GPU-Util 36 % (nvidia-smi: the time in which a kernel runs)"));
  const Outcome exhausted = shell(
      "feedrate run scenarios/caltech256_p3.json --full --set num_workers=8 --set "
      "instance=ml.p3.2xlarge "
      "--set '/preprocess=[{\"operation\": \"decode\", \"cpu\": \"60 ms\"}]'");
  INFO(exhausted.out << exhausted.err);
  CHECK(has(exhausted.out, "The cores are exhausted"));
}

TEST_CASE("run: where the most workers that were tried still gain, it is said") {
  // A first byte so late that as many workers as are tried do not feed the GPU yet.
  const std::string late =
      "feedrate run scenarios/s3dataset_stream.json --set /source/first_byte_latency=1s ";
  const Outcome open = shell(late + "--format json");
  const auto json = parse_json(open.out, "out");
  const JsonValue& workers = *json->find("result")->find("bottleneck")->find("workers");
  CHECK(workers.find("tried")->number == 256.0);
  CHECK(workers.find("best")->number > 200.0);
  CHECK(workers.find("still_gaining")->boolean);
  CHECK(has(shell(late + "--full").out, "more than 256 were not tried."));
  CHECK(has(shell(late).out, "not tried"));
  // Sooner than that, some number is enough: twice the CPUs and more.
  const Outcome more =
      shell("feedrate run scenarios/s3dataset_stream.json --set /source/first_byte_latency=60ms");
  CHECK(has(more.out, "num_workers = 24 instead of 7"));
  CHECK_FALSE(has(more.out, "not tried"));
}

TEST_CASE("run: of a download before training it says nothing of workers") {
  const Outcome outcome = shell("feedrate run scenarios/small_files_s3.json");
  CHECK(has(outcome.out, "download is the bottleneck"));
  CHECK_FALSE(has(outcome.out, "num_workers"));
}
