// The headline is the middle of its own band, and what is assumed of a machine's cores spans no
// more than is known of any machine.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "catch.hpp"
#include "model/host.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/cores.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "scenarios/shipped.hpp"
#include "study/drawn_job.hpp"

using namespace feedrate;
using testing_resolve::catalog;

namespace {

constexpr int draws = 160;

double time_of(const Scenario& scenario, const resolve::Draw& draw) {
  return study::drawn_job(scenario, catalog(), nullptr, draw).outcome.total.wall.base();
}

/// Times of the job over the draws of what is uncertain in it, sorted.
std::vector<double> drawn_times(const Scenario& scenario) {
  std::vector<double> times;
  for (int i = 0; i < draws; ++i) {
    times.push_back(time_of(scenario, [&](std::string_view key) {
      return uniform_of(11, static_cast<std::uint64_t>(i), key);
    }));
  }
  std::sort(times.begin(), times.end());
  return times;
}

double at_share(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

/// Of jobs whose bands are wider than a few percent, how many there are, and how many state a time
/// between the 35th and the 65th percentile of theirs, or between the 20th and the 80th.
struct Middle {
  int judged = 0;
  int inside = 0;
  int near = 0;

  void judge(const Scenario& scenario) {
    const double stated = time_of(scenario, {});
    const std::vector<double> times = drawn_times(scenario);
    constexpr double narrow = 1.05;
    if (at_share(times, 0.95) < narrow * at_share(times, 0.05)) return;
    ++judged;
    constexpr double sampling = 0.01;  // what 160 draws leave open
    const auto between = [&](double low, double high) {
      return stated >= at_share(times, low) * (1.0 - sampling) &&
             stated <= at_share(times, high) * (1.0 + sampling);
    };
    inside += between(0.35, 0.65);
    near += between(0.2, 0.8);
  }
};

/// Machines whose GPUs can train what was measured on another.
std::vector<std::string> comparable() {
  std::vector<std::string> list;
  for (const std::string& machine : testing_resolve::rented()) {
    if (!machine.starts_with("trn")) list.push_back(machine);
  }
  return list;
}

double seconds_of_sample(const pipeline::Inputs& inputs, double threads) {
  const double work = (inputs.cpu + inputs.collate).base();
  const double each = work / inputs.cores.total(threads);
  return inputs.memory ? std::max(each, 1.0 / inputs.memory->rate) : each;
}

}  // namespace

TEST_CASE("headline: every assumption lies within its range, learned or called a judgement") {
  for (const resolve::Assumption* one : resolve::assumptions()) {
    INFO(one->key << ": " << one->value << " of " << one->low << " to " << one->high);
    CHECK(one->low < one->value);
    CHECK(one->value < one->high);
    const bool judged = one->range.find("engineering judgement") != std::string_view::npos;
    CHECK(judged != (one->studies >= 2));
    // Judgement is wide: nobody knows a number to a tenth without a measurement.
    if (judged && one->low > 0.0) CHECK(one->high >= 1.2 * one->low);
  }
}

// Where two uncertain stages are equally slow, the slower one of both decides, and its middle lies
// above either's: of one job in seven at most, and then near it.
TEST_CASE("headline: the stated time is in the middle of its own band, in shipped scenarios") {
  Middle all;
  for (const std::string& file : testing_scenarios::shipped()) {
    const auto document =
        schema::load_document(std::string(FEEDRATE_SOURCE_DIR "/scenarios/") + file);
    all.judge(schema::read_scenario(document));
  }
  CHECK(all.judged >= 25);
  CHECK(all.near == all.judged);
  CHECK(all.inside >= all.judged * 6 / 7);
}

TEST_CASE("headline: the stated time is in the middle of its own band, on rented machines") {
  Middle all;
  for (const std::string& machine : comparable()) {
    for (const char* service : {"s3", "local"}) {
      all.judge(schema::read_scenario(testing_resolve::document_with(
          {{"/cluster/instance", machine}, {"/source/service", service}})));
    }
  }
  CHECK(all.judged >= 20);
  CHECK(all.near == all.judged);
  CHECK(all.inside >= 0.9 * all.judged);
}

TEST_CASE("headline: no machine's cores are uncertain by more than a factor of two") {
  int machines = 0;
  for (const std::string& machine : comparable()) {
    for (const char* cpu : {"6 ms", "50 us"}) {
      const Scenario scenario =
          schema::read_scenario(testing_resolve::document_with({{"/cluster/instance", machine},
                                                                {"/preprocess/decode/cpu", cpu},
                                                                {"/loader/collate", "0.1 ms/MB"}}));
      std::vector<double> times;
      for (int i = 0; i < draws; ++i) {
        const auto out = resolve::resolve(scenario, catalog(), nullptr, [&](std::string_view key) {
          return uniform_of(5, static_cast<std::uint64_t>(i), key);
        });
        const double threads = out.machine->vcpus->value;
        times.push_back(seconds_of_sample(out.inputs, threads));
      }
      std::sort(times.begin(), times.end());
      INFO(machine << ", " << cpu << " a sample");
      CHECK(at_share(times, 0.95) <= 2.0 * at_share(times, 0.05));
      ++machines;
    }
  }
  CHECK(machines >= 20);
}

TEST_CASE("headline: cores of machines of any size lose the same, and a given contention stays") {
  using resolve::Together;
  // A guess between one core and two is between what these do.
  Together guessed;
  guessed.all_busy = 0.25;
  guessed.hyper_threading_gain = 0.2;
  for (const double threads : {1.0, 2.0, 3.0}) {
    double before = resolve::cores_curve(1.0, 2.0, 0.0, guessed).total(threads);
    for (const double cores : {1.000001, 1.25, 1.5, 1.75, 1.999999, 2.0}) {
      const double now = resolve::cores_curve(cores, 2.0, 0.0, guessed).total(threads);
      CHECK(now >= before * (1.0 - 1e-5));
      before = now;
    }
    CHECK(resolve::cores_curve(1.000001, 2.0, 0.0, guessed).total(threads) ==
          Approx(resolve::cores_curve(1.0, 2.0, 0.0, guessed).total(threads)).epsilon(1e-5));
  }
  for (const double cores : {2.0, 4.0, 16.0, 48.0, 96.0}) {
    Together together;
    together.all_busy = 0.25;
    CHECK(resolve::cores_curve(cores, cores, 0.0, together).total(cores) == Approx(cores / 1.25));
    CHECK(resolve::cores_curve(cores, cores, 0.0, together).total(1.0) == Approx(1.0));
    Together given;
    given.contention = 0.01;
    CHECK(resolve::cores_curve(cores, cores, 0.0, given).total(cores) ==
          Approx(cores / (1.0 + 0.01 * (cores - 1.0))));
  }
}

TEST_CASE("headline: samples of many bytes and little work cannot outrun the memory's bus") {
  const Scenario scenario = schema::read_scenario(
      testing_resolve::document_with({{"/cluster/instance", "p4d.24xlarge"},
                                      {"/preprocess/decode/cpu", "10 us"},
                                      {"/dataset/bytes_per_sample", "1 MB"},
                                      {"/dataset/bytes_on_gpu_per_sample", "1 MB"},
                                      {"/loader/collate", "0.001 ms/MB"}}));
  const auto out = resolve::resolve(scenario, catalog(), nullptr, {});
  REQUIRE(out.inputs.memory);
  const double cores = std::max(16.0, out.machine->cores->value);
  CHECK(out.inputs.memory->rate == Approx(cores * resolve::assumed::memory_bandwidth.value /
                                          (2e6 * resolve::assumed::memory_passes.value)));
}

TEST_CASE(
    "headline: an operation measured on other samples grows with their bytes, or is refused") {
  HostProfile host;
  host.name = "host";
  host.operations["decode"] = {milliseconds(2.0) / samples(1.0), {Origin::measured, "host", 0.0}};
  host.operation_bytes["decode"] = 100e3;
  const auto cpu_of = [&](const std::string& bytes) {
    const Scenario scenario = schema::read_scenario(testing_resolve::document_with(
        {{"/preprocess/decode/cpu", "null"}, {"/dataset/bytes_per_sample", bytes}}));
    return resolve::resolve(scenario, catalog(), &host, {}).inputs.cpu.base();
  };
  const double same = cpu_of("100 KB");
  CHECK(cpu_of("110 KB") == Approx(same));
  const double fixed = resolve::assumed::fixed_share_of_operation.value;
  double before = 0.0;
  for (const double times : {0.05, 0.2, 0.5, 2.0, 5.0, 15.0}) {
    const double now = cpu_of(std::to_string(static_cast<int>(times * 100e3)) + " B");
    CHECK(now == Approx(same * (fixed + (1.0 - fixed) * times)).epsilon(1e-3));
    CHECK(now > before);
    before = now;
  }
  CHECK_THROWS_AS(cpu_of("10 MB"), InputError);
  CHECK_THROWS_AS(cpu_of("1 KB"), InputError);
  // Where data of several sizes were measured, theirs is the share.
  host.operation_fixed_share["decode"] = {0.75, {Origin::measured, "host", 0.05}};
  CHECK(cpu_of("200 KB") == Approx(same * 1.25));
  CHECK(cpu_of("50 KB") == Approx(same * 0.875));
  // However it is drawn it is a share: the least bytes cost no less than it, the most no less than
  // they did.
  host.operation_fixed_share["decode"].from.relative_error = 1.0;
  for (const double u : {0.001, 0.5, 0.9, 0.999}) {
    const auto drawn = [&](const std::string& bytes) {
      const Scenario scenario = schema::read_scenario(testing_resolve::document_with(
          {{"/preprocess/decode/cpu", "null"}, {"/dataset/bytes_per_sample", bytes}}));
      return resolve::resolve(scenario, catalog(), &host,
                              [&](std::string_view key) {
                                return key == resolve::assumed::fixed_share_of_operation.key ? u
                                                                                             : 0.5;
                              })
          .inputs.cpu.base();
    };
    CHECK(drawn("1 MB") >= same * (1.0 - 1e-9));
    CHECK(drawn("20 KB") <= same * (1.0 + 1e-9));
    CHECK(drawn("20 KB") > 0.0);
  }
  host.operation_bytes.clear();
  CHECK(cpu_of("10 MB") == Approx(same));
}

TEST_CASE(
    "headline: decoding grows with bits and with pixels, and another format is another decoder") {
  HostProfile host;
  host.name = "host";
  host.operations["decode"] = {milliseconds(2.0) / samples(1.0), {Origin::measured, "host", 0.0}};
  host.operation_bytes["decode"] = 100e3;
  host.operation_pixels["decode"] = 200e3;
  host.operation_format["decode"] = "jpeg";
  const double b = resolve::assumed::bits_as_dear_as_a_pixel.value;
  const double fixed = resolve::assumed::fixed_share_of_operation.value;
  const auto cpu_of = [&](double bytes, const std::string& pixels, const std::string& format) {
    const Scenario scenario = schema::read_scenario(
        testing_resolve::document_with({{"/preprocess/decode/cpu", "null"},
                                        {"/dataset/bytes_per_sample", fmt::format("{} B", bytes)},
                                        {"/dataset/pixels_per_sample", pixels},
                                        {"/dataset/format", format}}));
    return resolve::resolve(scenario, catalog(), &host, {}).inputs.cpu.base();
  };
  const double same = cpu_of(100e3, "200000", "jpeg");
  CHECK(same == cpu_of(100e3, "null", "null"));
  // Each alone, and both: as of the work for bits and pixels that there was.
  for (const double bytes : {0.1, 0.5, 1.0, 3.0, 20.0}) {
    double before = 0.0;
    for (const double pixels : {0.1, 0.5, 1.0, 3.0, 20.0}) {
      const double now = cpu_of(100e3 * bytes, fmt::format("{}", 200e3 * pixels), "jpeg");
      const double work = (8.0 * 100e3 * bytes + b * 200e3 * pixels) / (8.0 * 100e3 + b * 200e3);
      CHECK(now == Approx(same * (fixed + (1.0 - fixed) * work)).epsilon(1e-3));
      CHECK(now > before);
      before = now;
    }
  }
  // Both in proportion are as the bytes alone.
  CHECK(cpu_of(300e3, "600000", "jpeg") == Approx(cpu_of(300e3, "null", "jpeg")));
  // Pixels that were never compared are refused as bytes are.
  CHECK_THROWS_AS(cpu_of(100e3, "20000000", "jpeg"), InputError);
  // Unless the scenario says nothing of pixels, or the profile.
  host.operation_pixels.clear();
  CHECK(cpu_of(100e3, "20000000", "jpeg") == Approx(same));
  CHECK_THROWS_AS(cpu_of(100e3, "null", "png"), InputError);
  host.operation_format.clear();
  CHECK(cpu_of(100e3, "null", "png") == Approx(same));
}
