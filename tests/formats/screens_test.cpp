// Pasted screens: the numbers that are printed are the readings, and nothing else is.
#include "formats/screens.hpp"

#include "base/errors.hpp"
#include "base/text_file.hpp"
#include "catch.hpp"

using feedrate::InputError;
using feedrate::read_text_file;
using namespace feedrate::formats;
using feedrate::schema::Samples;

namespace {

std::string screen(const std::string& name) {
  return read_text_file(FEEDRATE_SOURCE_DIR "/tests/formats/screens/" + name);
}

Samples read(const std::string& text, const SummedOver& over = {}) {
  return read_screens(text, "s.txt", over);
}

bool told(const Samples& samples, const std::string& part) {
  for (const std::string& remark : samples.remarks) {
    if (remark.find(part) != std::string::npos) return true;
  }
  return false;
}

std::string refusal(const std::string& text, const SummedOver& over = {}) {
  try {
    read(text, over);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

using Values = std::vector<double>;

}  // namespace

TEST_CASE("screens: nvidia-smi's table is the mean of its GPUs") {
  const Samples samples = read(screen("nvidia_smi.txt"));
  CHECK(samples.shares.size() == 2);
  CHECK(samples.shares.at("gpu") == Values{0.35});
  CHECK(samples.shares.at("gpu-memory") == Values{0.375});
  CHECK(told(samples, "read nvidia-smi; "));
  CHECK(told(samples, "of one moment"));
  // Twice the same screen is two moments.
  CHECK(read(screen("nvidia_smi.txt") + screen("nvidia_smi.txt")).shares.at("gpu").size() == 2);
}

TEST_CASE("screens: a GPU in MIG mode has no GPU-Util, an idle one is told") {
  const std::string row = "| N/A 45C P0 98W / 300W | 4096MiB / 16384MiB | {} Default |\n";
  const auto with = [&](const std::string& util) {
    return std::string(row).replace(row.find("{}"), 2, util);
  };
  const Samples mig = read(with("N/A") + with("40%"));
  CHECK(mig.shares.at("gpu") == Values{0.4});
  CHECK(told(mig, "1 value is no percentage"));
  const Samples idle = read(with("0%") + with("40%"));
  CHECK(idle.shares.at("gpu") == Values{0.2});
  CHECK(told(idle, "shows 0 %"));
  CHECK_FALSE(told(read(with("0%")), "shows 0 %"));
}

TEST_CASE("screens: a GPU that nobody used is left out, and named") {
  // The second GPU of a table, as where CUDA_VISIBLE_DEVICES=0.
  std::string table = screen("nvidia_smi.txt");
  const std::string second = "4096MiB /  16384MiB |     32%";
  const auto with = [&](const char* row) {
    return std::string(table).replace(table.find(second), second.size(), row);
  };
  const Samples unused = read(with("   3MiB /  16384MiB |      0%"));
  CHECK(unused.shares.at("gpu") == Values{0.38});
  CHECK(unused.shares.at("gpu-memory") == Values{0.5});
  CHECK(told(unused, "s.txt: GPU 1 is left out: it was not used (0 % throughout)"));
  CHECK_FALSE(told(unused, "counts like those that work"));
  // One that holds a model waits, at this moment.
  const Samples waits = read(with("4096MiB /  16384MiB |      0%"));
  CHECK(waits.shares.at("gpu") == Values{0.19});
  CHECK(told(waits, "counts like those that work"));

  const std::string csv =
      "index, utilization.gpu [%], memory.used [MiB]\n0, 90 %, 9000 MiB\n1, 0 %, 3 MiB\n"
      "2, 0 %, 4 MiB\n3, 50 %, 9000 MiB\n0, 80 %, 9000 MiB\n1, 0 %, 3 MiB\n2, 0 %, 4 MiB\n"
      "3, 60 %, 9000 MiB\n";
  const Samples queried = read(csv);
  CHECK(queried.shares.at("gpu") == Values{0.7, 0.7});
  CHECK(told(queried, "GPUs 1, 2 are left out: they were not used"));

  // Without their memory, ten samples tell as much; and machines at rest are as they are.
  std::string dmon = "# gpu sm\n";
  for (int i = 0; i < 10; ++i) dmon += "0 40\n1 0\n";
  CHECK(read(dmon).shares.at("gpu") == Values(10, 0.4));
  CHECK(read("# gpu sm\n0 40\n1 0\n").shares.at("gpu") == Values{0.2});
  const Samples rest = read("# gpu sm fb\n0 0 3\n1 0 3\n");
  CHECK(rest.shares.at("gpu") == Values{0.0});
  CHECK_FALSE(told(rest, "left out"));
}

TEST_CASE("screens: top and iostat in one paste; iostat's first report is since the start") {
  const Samples samples = read(screen("top_iostat.txt"));
  REQUIRE(samples.shares.at("cpu").size() == 2);
  CHECK(samples.shares.at("cpu")[0] == Approx(0.131));
  CHECK(samples.shares.at("cpu")[1] == Approx(0.13));
  CHECK(samples.shares.at("io-wait") == Values{0.005, 0.005});
  CHECK(samples.shares.at("ram") == Values{0.2});
  CHECK(samples.shares.at("disk") == Values{0.02});  // the busier of two
  CHECK_FALSE(told(samples, "since the machine started"));
}

TEST_CASE("screens: a single report of iostat is taken where nothing else is known, and told") {
  const std::string all = screen("top_iostat.txt");
  const std::size_t first = all.find("avg-cpu");
  const std::string one = all.substr(first, all.find("avg-cpu", first + 1) - first);
  const Samples samples = read(one);
  CHECK(samples.shares.at("disk") == Values{0.88});
  CHECK(samples.shares.at("cpu") == Values{0.6});
  CHECK(told(samples, "since the machine started"));
  // top's CPU is of now.
  const Samples both = read(all.substr(0, first) + one);
  CHECK(both.shares.at("cpu").size() == 1);
  CHECK(both.shares.at("cpu")[0] == Approx(0.131));
  CHECK(both.shares.at("disk") == Values{0.88});
}

TEST_CASE("screens: iostat -dx has no CPUs, and each of its tables is a report") {
  const std::string table = "Device r/s rkB/s %util\nsda 1.00 2.00 {}\nsdb 1.00 2.00 5.00\n\n";
  const auto with = [&](const std::string& util) {
    return std::string(table).replace(table.find("{}"), 2, util);
  };
  CHECK(read(with("90.00") + with("10.00") + with("100.10")).shares.at("disk") == Values{0.1, 1.0});
}

TEST_CASE("screens: top as other versions and countries print it") {
  CHECK(read("%Cpu(s):100.0 us,  0.0 sy,  0.0 ni,  0.0 id,  0.0 wa\n").shares.at("cpu") ==
        Values{1.0});
  CHECK(read("%Cpu(s): 10,0 us,  0,0 sy,  0,0 ni, 80,0 id, 10,0 wa\n").shares.at("cpu")[0] ==
        Approx(0.1));
  CHECK(read("Cpu(s): 13.0%us,  0.0%sy,  0.0%ni, 87.0%id,  0.0%wa\n").shares.at("cpu")[0] ==
        Approx(0.13));
  // A line a CPU is one moment.
  const Samples each = read(
      "%Cpu0  : 90.0 us,  0.0 sy, 10.0 id,  0.0 wa\n"
      "%Cpu1  : 10.0 us,  0.0 sy, 90.0 id,  0.0 wa\n");
  REQUIRE(each.shares.at("cpu").size() == 1);
  CHECK(each.shares.at("cpu")[0] == Approx(0.5));
}

TEST_CASE("screens: nvidia-smi dmon and sar, moment by moment") {
  const Samples samples = read(screen("sar_dmon.txt"));
  REQUIRE(samples.shares.at("gpu").size() == 2);
  CHECK(samples.shares.at("gpu")[0] == Approx(0.3));
  CHECK(samples.shares.at("gpu")[1] == Approx(0.6));
  CHECK(samples.shares.at("network").size() == 1);
  CHECK(samples.shares.at("network")[0] == Approx(0.096));
}

TEST_CASE("screens: nvidia-smi's CSV, with units and without") {
  const Samples with = read(
      "index, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n"
      "0, 40 %, 4096 MiB, 16384 MiB\n1, 20 %, 8192 MiB, 16384 MiB\n"
      "0, 60 %, 4096 MiB, 16384 MiB\n1, [N/A], 8192 MiB, 16384 MiB\n");
  REQUIRE(with.shares.at("gpu").size() == 2);
  CHECK(with.shares.at("gpu")[0] == Approx(0.3));
  CHECK(with.shares.at("gpu-memory")[0] == Approx(0.375));
  CHECK(read("utilization.gpu [%]\n40\n20\n").shares.at("gpu") == Values{0.4, 0.2});
}

TEST_CASE("screens: CloudWatch says what its metrics are, and of how many GPUs they are the sum") {
  const Samples data = read(screen("data.json"));
  CHECK(data.shares.at("cpu") == Values{0.125, 0.135});
  CHECK(data.shares.at("gpu") == Values{0.35});
  CHECK(data.shares.size() == 2);
  CHECK(told(data, "NetworkIn is in bytes or operations"));
  const std::string statistics = screen("statistics.json");
  CHECK(refusal(statistics).find("SageMaker sums it over the GPUs") != std::string::npos);
  const Samples of_four = read(statistics, {4.0, {}});
  CHECK(of_four.shares.at("gpu")[0] == Approx(0.34));
  CHECK(of_four.shares.at("gpu")[1] == Approx(0.36));
  CHECK(of_four.shares.size() == 1);
  CHECK(told(of_four, "divided by --gpus 4"));
  CHECK(told(of_four, "DiskUtilization is how full the disk is"));
  CHECK(refusal(statistics, {1.0, {}}).find("up to 100, got 144") != std::string::npos);
  const std::string one = R"({"Label": "{}", "Datapoints": [{"Average": 30, "Unit": "Percent"}]})";
  const auto of = [&](const std::string& label) {
    return std::string(one).replace(one.find("{}"), 2, label);
  };
  CHECK(told(read(of("GPUUtilization")), "taken as of one GPU"));
  // SageMaker's sum over an unknown number of CPUs tells nothing of them.
  const Samples sagemaker = read(of("CPUUtilization") + of("GPUUtilization"));
  CHECK_FALSE(sagemaker.shares.contains("cpu"));
  CHECK(told(sagemaker, "CPUUtilization is left out"));
  CHECK(read(of("CPUUtilization") + of("GPUUtilization"), {{}, 8.0}).shares.at("cpu") ==
        Values{0.0375});
  CHECK(read(of("CPUUtilization")).shares.at("cpu") == Values{0.3});
  CHECK(read(of("cpu_usage_idle")).shares.at("cpu") == Values{0.7});
  CHECK(read(of("cpu_usage_iowait")).shares.at("io-wait") == Values{0.3});
  CHECK(told(read(of("cpu_usage_active") + of("Mystery")), "\"Mystery\" tells none"));
}

TEST_CASE("screens: what is damaged or of no use is refused, with its place") {
  CHECK(refusal("hello\n").find("expected what nvidia-smi") != std::string::npos);
  CHECK(refusal("avg-cpu: %user\n").find("no line with a reading") != std::string::npos);
  const auto cloud = [](const std::string& rest) {
    return refusal("{\n\"Label\": \"CPUUtilization\",\n\"Datapoints\": " + rest);
  };
  CHECK(cloud("[]}").find("no value in the time asked for") != std::string::npos);
  CHECK(cloud("[{\"Average\": 10").find("s.txt:3") != std::string::npos);
  CHECK(cloud("[{\"Maximum\": 10}]}").find("s.txt:3: CPUUtilization: expected an Average") !=
        std::string::npos);
  CHECK(cloud("[{\"Average\": -1}]}").find("expected a percentage") != std::string::npos);
  CHECK(cloud("[{\"Average\": \"10\"}]}").find("expected a percentage") != std::string::npos);
  CHECK(cloud("[{\"Average\": 10, \"Unit\": \"Bytes\"}]}").find("expected the unit Percent") !=
        std::string::npos);
  CHECK(cloud("7}").find("expected a list") != std::string::npos);
  std::string many = "{\"Datapoints\": []}";
  for (int i = 0; i < 1000; ++i) many += "{}";
  CHECK(refusal(many).find("at most 1000 answers") != std::string::npos);
  // A line that no program prints is passed over, whatever is in it.
  CHECK(refusal("%Cpu(s): 10.0 us, 90.0 id" + std::string(20'000, ' ') + "x") != "");
  // The second document's lines are those of the whole text.
  CHECK(refusal("{\"MetricDataResults\": []}\n{\n\"Datapoints\": []}").find("s.txt:2") !=
        std::string::npos);
}

TEST_CASE("screens: samples, scenarios and observations are none") {
  for (const char* text :
       {"gpu,cpu\n30,12\n", "{\"name\": \"a job\"}", "", "a\nb\n",
        "{\"Type\": \"cpu\", \"Value\": 12}", "{\n\"name\":\n\"of utilization.gpu\"}"}) {
    INFO(text);
    CHECK_FALSE(holds_screens(text));
  }
  for (const char* name :
       {"nvidia_smi.txt", "top_iostat.txt", "sar_dmon.txt", "data.json", "statistics.json"}) {
    CHECK(holds_screens(screen(name)));
  }
}
