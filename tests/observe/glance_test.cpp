// An observation at a glance.
#include "observe/glance.hpp"

#include "report/glance_report.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::observe;

namespace {

std::vector<Sample> look(double at, double gpu) {
  const auto sample = [&](MetricId metric, const char* name, double value) {
    return Sample{.at = seconds(100.0 + at), .metric = metric, .name = name, .value = value};
  };
  return {sample(MetricId::cpu_busy, "cpu0", 90.0),
          sample(MetricId::cpu_busy, "cpu1", 70.0),
          sample(MetricId::cpu_io_wait, "cpu0", 4.0),
          sample(MetricId::gpu_busy, "gpu0", gpu),
          sample(MetricId::disk_busy, "vda", 2.0),
          sample(MetricId::disk_busy, "vdb", 40.0),
          sample(MetricId::io_read, "", 120e6),
          sample(MetricId::process_cpu, "worker-7", 80.0),
          sample(MetricId::process_cpu, "worker-8", 60.0),
          sample(MetricId::process_cpu, "trainer-6", 15.0),
          sample(MetricId::process_device_read, "worker-7", 1e6),
          sample(MetricId::process_device_read, "worker-8", 2e6)};
}

TEST_CASE("glance: means of CPUs, the busiest disk, processes by role") {
  GlanceMaker maker(seconds(100.0), seconds(1.0));
  maker.add(look(0.5, 100.0));
  const Glance glance = maker.add(look(1.0, 20.0));
  CHECK(glance.at == seconds(1.0));
  CHECK(*glance.readings[ReadingId::cpu] == Approx(0.8));
  CHECK(*glance.readings[ReadingId::io_wait] == Approx(0.04));
  CHECK(*glance.readings[ReadingId::disk] == Approx(0.4));
  CHECK(glance.busiest_disk == "vdb");
  CHECK(*glance.readings[ReadingId::gpu] == Approx(0.2));
  CHECK(*glance.recent[ReadingId::gpu] == Approx(0.6));
  CHECK(glance.device_read->base() == 3e6);
  CHECK_FALSE(glance.readings[ReadingId::network]);
  REQUIRE(glance.roles.size() == 2);
  CHECK(glance.roles[0].role == ProcessRole::trainer);
  CHECK(glance.roles[1].processes == 2);
  CHECK(glance.roles[1].cpu == Approx(1.4));
  CHECK(wasted(glance, usd_per_hour(3.0))->base() == Approx(usd_per_hour(1.2).base()));
  // What is older than the window is forgotten.
  CHECK(*maker.add(look(1.8, 20.0)).recent[ReadingId::gpu] == Approx(0.2));
}

TEST_CASE("glance: CPU time that a hypervisor takes is not idle") {
  std::vector<Sample> stolen = look(0.5, 100.0);
  const auto take = [&](const char* cpu, double percent) {
    stolen.push_back(
        {.at = seconds(100.5), .metric = MetricId::cpu_steal, .name = cpu, .value = percent});
  };
  take("cpu0", 6.0);
  take("cpu1", 20.0);
  GlanceMaker maker(seconds(100.0), seconds(1.0));
  const Glance glance = maker.add(stolen);
  CHECK(*glance.readings[ReadingId::cpu] == Approx(0.93));
  CHECK(*glance.readings[ReadingId::io_wait] == Approx(0.04));
}

TEST_CASE("glance: nothing is wasted where no GPU is seen") {
  GlanceMaker maker(seconds(100.0));
  auto samples = look(0.5, 1.0);
  std::erase_if(samples, [](const Sample& s) { return s.metric == MetricId::gpu_busy; });
  CHECK_FALSE(wasted(maker.add(samples), usd_per_hour(3.0)));
}

TEST_CASE("glance: the lines fit the terminal, in UTF-8 and ASCII") {
  GlanceMaker maker(seconds(100.0));
  const Glance glance = maker.add(look(0.5, 20.0));
  report::GlanceWords words;
  words.job = "python train.py --tägliche \x1b[31m Übung " + std::string(200, 'x');
  words.causes = {Cause::cores};
  words.price = usd_per_hour(3.06);
  words.wasted = wasted(glance, *words.price);
  words.instance = "p3.2xlarge";
  for (const bool unicode : {true, false}) {
    for (const std::size_t columns : {20U, 79U, 200U}) {
      const auto lines = report::glance_lines(glance, words, {.unicode = unicode}, columns);
      CHECK(lines.size() == 7);
      for (const std::string& line : lines) {
        INFO(line);
        std::size_t width = 0;
        for (const char c : line) {
          CHECK(static_cast<unsigned char>(c) >= 0x20U);
          if (!unicode) CHECK(static_cast<unsigned char>(c) < 0x80U);
          width += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
        }
        CHECK(width <= columns);
      }
    }
  }
  const std::string line = report::glance_line(glance, words, {});
  CHECK(line.find("GPU 20 %") != std::string::npos);
  CHECK(line.find(words_of(Cause::cores)) != std::string::npos);
  CHECK(line.find("$2.45 an hour of $3.06 (p3.2xlarge) wasted") != std::string::npos);
}

TEST_CASE("glance: a control group's limit counts as the disk that it makes idle") {
  GlanceMaker maker(seconds(100.0));
  std::vector<Sample> samples = look(0.5, 20.0);
  samples.push_back(
      {.at = seconds(100.5), .metric = MetricId::disk_limit_busy, .name = "vda", .value = 104.0});
  const Glance glance = maker.add(samples);
  CHECK(glance.busiest_disk == "vda limit");
  CHECK(*glance.readings[ReadingId::disk] == 1.0);
}

}  // namespace
