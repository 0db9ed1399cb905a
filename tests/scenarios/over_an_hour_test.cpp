// Do stated errors hold? Four calibrations of one machine over an hour, with real epochs after each
// (bench/measurements/epyc_vm_over_an_hour, made by bench/over_an_hour): profiles are held against
// each other, bands against profiles, and predictions against epochs that came later.
#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/process.hpp"
#include "schema/documents/host.hpp"
#include "schema/json/json_reader.hpp"

using namespace feedrate;
using namespace testing_cli;

namespace {

const std::string folder = FEEDRATE_SOURCE_DIR "/bench/measurements/epyc_vm_over_an_hour/";

HostProfile calibrated(int n) {
  return schema::read_host_profile(folder + "host_" + std::to_string(n) + ".json");
}

/// The CPU times of a profile with what is said of their errors.
std::map<std::string, std::pair<double, double>> cpu_times(const HostProfile& host) {
  std::map<std::string, std::pair<double, double>> times;
  for (const auto& [name, cost] : host.operations) {
    times[name] = {cost.value.base(), cost.from.relative_error};
  }
  const auto add = [&](const char* name, const auto& value) {
    if (value) times[name] = {value->value.base(), value->from.relative_error};
  };
  add("collate", host.collate);
  add("handover", host.handover);
  add("worker_startup", host.worker_startup);
  return times;
}

schema::JsonPtr json_of(const std::string& command) {
  const Outcome outcome = shell("feedrate " + command + " --format json");
  INFO(command << "\n" << outcome.err);
  REQUIRE((outcome.status == 0 || outcome.status == 1));
  return schema::parse_json(outcome.out, command);
}

/// What validate says of later epochs by an earlier profile.
struct Said {
  double figures = 0.0;
  double inside = 0.0;
  double adjusted_median = 0.0;
};

Said validated(const std::string& profile, const std::string& epochs) {
  const auto json =
      json_of("validate " + folder + profile + ".json --measured " + folder + epochs + ".json");
  const schema::JsonValue& all = *json->find("validation");
  const double figures = all.find("figures_with_a_band")->number;
  return {figures, figures * all.find("coverage")->number,
          all.find("canary_adjusted_median_absolute_error")->number};
}

}  // namespace

TEST_CASE("over an hour: profiles are what their measurements fit to") {
  for (int n = 1; n <= 4; ++n) {
    const Folder scratch;
    const std::string name = "host_" + std::to_string(n);
    const Outcome fitted =
        shell("feedrate calibrate --import " + folder + name + ".measurements.json --name '" +
              calibrated(n).name + "' --output " + (scratch / "again.json"));
    REQUIRE(fitted.status == 0);
    CHECK(slurp(scratch / "again.json") == slurp(folder + name + ".json"));
  }
}

TEST_CASE("over an hour: any two calibrations agree within twice what both state") {
  int pairs = 0;
  int apart = 0;
  for (int a = 1; a <= 4; ++a) {
    for (int b = a + 1; b <= 4; ++b) {
      const HostProfile one = calibrated(a);
      const HostProfile other = calibrated(b);
      const auto times = cpu_times(other);
      const double drift = std::hypot(one.cpu_drift->value, other.cpu_drift->value);
      for (const auto& [name, time] : cpu_times(one)) {
        const auto& [value, error] = times.at(name);
        const double stated = std::hypot(drift, time.second, error);
        INFO(name << " of " << a << " and " << b << ": " << time.first << " and " << value);
        ++pairs;
        apart += std::abs(std::log(time.first / value)) <= 2.0 * stated ? 0 : 1;
      }
    }
  }
  CHECK(pairs >= 40);
  CHECK(apart <= pairs / 20);
}

TEST_CASE("over an hour: bands of one job by each of the profiles all hold their mean") {
  const Folder scratch;
  const std::string job = scratch.write("job.json", R"({
    "dataset": {"samples": 100000, "bytes_per_sample": "110 KB", "bytes_on_gpu_per_sample": "602 KB"},
    "source": {"service": "local"}, "disk": {"bandwidth": "1 GB/s", "page_cache": "1 TB"},
    "loader": {"kind": "pytorch", "num_workers": 2, "batch_size": 32},
    "preprocess": [{"operation": "getitem"}], "cluster": {"price": "1 USD/h"},
    "job": {"epochs": 3, "step": {"fixed": "5 ms"}}})");
  std::vector<std::pair<double, double>> bands;
  double mean = 0.0;
  for (int n = 1; n <= 4; ++n) {
    const auto json = json_of("run " + job + " --host " + folder + "host_" + std::to_string(n) +
                              ".json --replications 200");
    const schema::JsonValue& result = *json->find("result");
    const auto& band = result.find("bands")->find("total_s")->items;
    bands.emplace_back(band[0]->number, band[2]->number);
    mean += result.find("time")->find("total_s")->number / 4.0;
  }
  for (const auto& [low, high] : bands) {
    CHECK(low < mean);
    CHECK(mean < high);
  }
}

TEST_CASE("over an hour: nine of ten later epochs lie in their 90 % interval, near enough") {
  Said all;
  std::vector<double> medians;
  for (int n = 1; n <= 4; ++n) {
    for (const char* loader : {"native_", "pytorch_"}) {
      for (int later = n; later <= 4; ++later) {
        const Said said = validated("host_" + std::to_string(n), loader + std::to_string(later));
        all.figures += said.figures;
        all.inside += said.inside;
        medians.push_back(said.adjusted_median);
      }
    }
  }
  INFO(all.inside << " of " << all.figures);
  CHECK(all.figures > 500);
  CHECK(all.inside / all.figures >= 0.85);
  CHECK(all.inside / all.figures <= 0.97);
}
