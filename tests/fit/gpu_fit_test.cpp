// What is fitted to a GPU's series, and what is only shown of them.
#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "fit/profile.hpp"
#include "fit/synthetic.hpp"
#include "schema/documents/host.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::fit;

namespace {

using test::Synthetic;

const std::vector<double> batches = {1, 2, 4, 8, 16, 32, 64, 128, 256};

/// The longer of the host's part and the GPU's.
double eager(double batch, double host, double fixed, double each) {
  return std::max(host, fixed + each * batch);
}

void add_steps(Synthetic& made, double host, double fixed, double each) {
  for (const double batch : batches) {
    made.add("gpu", "step", "samples", batch, {{"batch", batch}}, eager(batch, host, fixed, each));
  }
}

const FitLine* line_of(const FittedProfile& fitted, std::string_view what) {
  const auto found = std::find_if(fitted.lines.begin(), fitted.lines.end(),
                                  [&](const FitLine& line) { return line.what == what; });
  return found == fitted.lines.end() ? nullptr : &*found;
}

/// A series of each kind that the GPU's probes measure.
Synthetic everything() {
  Synthetic made(0.01);
  for (const char* copy : {"memcpy", "kernel"}) {
    made.add("gpu", "memory", "bytes", 2e9, {{"bytes", 1e9}}, 2e9 / 3.0e12, {{"copy", copy}});
  }
  for (const char* precision : {"fp32", "tf32", "bf16"}) {
    for (const double n : {1024.0, 8192.0}) {
      made.add("gpu", "matmul", "flop", 2.0 * n * n * n, {{"n", n}}, 2.0 * n * n * n / 400e12,
               {{"precision", precision}, {"library", "cublas"}});
    }
  }
  made.add("gpu", "matmul", "flop", 1e12, {{"n", 8192}}, 1e12 / 350e12,
           {{"precision", "bf16"}, {"library", "cublas"}, {"load", "sustained"}});
  made.add("gpu", "matmul", "flop", 1e12, {{"n", 8192}}, 1.0,
           {{"precision", "fp32"}, {"library", "own"}});
  made.add("gpu", "launch", "launches", 1024, {}, 1024 * 2e-6, {{"wait", "none"}});
  made.add("gpu", "launch", "launches", 1024, {}, 1024 * 8e-6, {{"wait", "each"}});
  made.add("gpu", "launch", "launches", 1000, {{"in_flight", 1000}}, 1000 * 2e-6);
  for (const double batch : batches) {
    for (const char* part : {"step", "step_launch", "step_gpu", "step_waited"}) {
      made.add("gpu", part, "samples", batch, {{"batch", batch}}, 0.02 + 0.001 * batch,
               {{"model", "resnet50"}});
    }
  }
  for (const char* name : {"resize", "blur", "normalize"}) {
    for (const double batch : {16.0, 256.0}) {
      made.add("gpu-preprocess", name, "samples", batch, {{"batch", batch}}, batch * 3e-6);
    }
  }
  return made;
}

}  // namespace

TEST_CASE("fit of a GPU: whatever is measured is used, or shown") {
  const Synthetic made = everything();
  const FittedProfile whole = fit_profile(made.set);
  for (std::size_t i = 0; i < made.set.measurements.size(); ++i) {
    const Measurement& left_out = made.set.measurements[i];
    // Of several batches or sizes of one kind the whole kind.
    MeasurementSet rest = made.set;
    std::erase_if(rest.measurements, [&](const Measurement& one) {
      return one.probe == left_out.probe && one.quantity == left_out.quantity &&
             one.how == left_out.how && one.at.size() == left_out.at.size();
    });
    INFO(left_out.probe << " " << left_out.quantity);
    CHECK(fit_profile(rest).lines != whole.lines);
  }
}

TEST_CASE("fit of a GPU: what only a vendor knows stands ready to be held against its figure") {
  const FittedProfile fitted = fit_profile(everything().set);
  const auto vendor = [&](std::string_view what) {
    const FitLine* line = line_of(fitted, what);
    INFO(what);
    REQUIRE(line != nullptr);
    CHECK_FALSE(line->in_profile);
    return line->vendor;
  };
  CHECK(vendor("memory, read and written by memcpy") == "memory_bandwidth");
  CHECK(vendor("matmul in bf16") == "bf16");
  CHECK(vendor("matmul in bf16, sustained") == "bf16");
  CHECK(vendor("matmul in fp32, by a kernel of feedrate's").empty());
  CHECK(vendor("launch, back to back") == "none");
  CHECK(line_of(fitted, "matmul in tf32")->number == Approx(400e12).epsilon(0.02));
  CHECK(line_of(fitted, "matmul in bf16, sustained")->value.find("TFLOP/s") != std::string::npos);
  CHECK(line_of(fitted, "launch, back to back")->number == Approx(2e-6).epsilon(0.02));
}

TEST_CASE("fit of a GPU: as often as an operation is done in a sample, its level is the same") {
  Random random(7, 0);
  for (int i = 0; i < 50; ++i) {
    const double rate = 1e12 * std::exp(2.0 * random.normal());
    std::vector<double> found;
    for (const double times : {1.0, 32.0, 4096.0}) {
      Synthetic made;
      made.add("gpu", "matmul", "flop", 1e9 * times, {{"n", 1024}}, 1e9 * times / rate,
               {{"precision", "bf16"}, {"library", "cublas"}});
      found.push_back(line_of(fit_profile(made.set), "matmul in bf16")->number);
    }
    CHECK(found[0] == Approx(rate).epsilon(1e-4));
    CHECK(found[1] == found[0]);
    CHECK(found[2] == found[0]);
  }
}

TEST_CASE("fit of a GPU: a rate that falls within seconds is what holds, and is said") {
  const auto sustained = [](double end) {
    Synthetic made;
    Measurement& what =
        made.add("gpu", "matmul", "flop", 1e12, {{"n", 8192}}, 1e12 / 800e12,
                 {{"precision", "bf16"}, {"library", "cublas"}, {"load", "sustained"}}, 100);
    for (std::size_t i = 10; i < 100; ++i) what.times[i] = seconds(1e12 / end);
    what.gpu = {{1, Frequency::of(1.98e9), {}, 500, 50, ""},
                {1, Frequency::of(1.50e9), {}, 700, 70, "power limit"}};
    return fit_profile(made.set);
  };
  const FittedProfile falls = sustained(600e12);
  const FitLine* line = line_of(falls, "matmul in bf16, sustained");
  REQUIRE(line != nullptr);
  CHECK(line->number == Approx(600e12));
  REQUIRE_FALSE(line->warnings.empty());
  CHECK(line->warnings.back() ==
        "it starts at 800 TFLOP/s and sustains 600 TFLOP/s: long steps are slower than short ones");
  CHECK(line->meanwhile == "1.74 GHz, 600 W, 60 C, power limit");
  CHECK(line_of(sustained(790e12), "matmul in bf16, sustained")->warnings.empty());
}

TEST_CASE("fit of a step: a line where it holds, a table of what was measured where it does not") {
  Random random(11, 0);
  int tables = 0;
  for (int i = 0; i < 200; ++i) {
    const double fixed = 0.005 * std::exp(0.5 * random.normal());
    const double each = 0.001 * std::exp(random.normal());
    const double host = 0.01 * std::exp(1.5 * random.normal());
    Synthetic made;
    add_steps(made, host, fixed, each);
    const HostProfile profile = fit_profile(made.set).profile;
    INFO(host << " " << fixed << " " << each);
    REQUIRE(profile.step_table.has_value() != profile.step_per_sample.has_value());
    if (profile.step_table) {
      ++tables;
      REQUIRE(profile.step_table->points.size() == batches.size());
      Duration before;
      for (std::size_t b = 0; b < batches.size(); ++b) {
        const auto& [batch, time] = profile.step_table->points[b];
        CHECK(batch == batches[b]);
        CHECK(time.base() == Approx(eager(batch, host, fixed, each)).epsilon(1e-4));
        CHECK(time >= before);  // as what was measured
        before = time;
      }
    } else {
      for (const double batch : batches) {
        const double line =
            profile.step_fixed->value.base() + profile.step_per_sample->value.base() * batch;
        CHECK(line == Approx(eager(batch, host, fixed, each)).epsilon(0.0501));
      }
    }
    // A profile says all of it to the next program.
    CHECK(schema::parse_host_profile(schema::write_host_profile(profile), "p.json") == profile);
  }
  CHECK(tables > 20);
  CHECK(tables < 180);
}

TEST_CASE(
    "fit of a step: starting it is the main process's, of the batches that do not fill the queue") {
  Synthetic made;
  add_steps(made, 0.008, 0.004, 0.001);
  for (const double batch : batches) {
    const double full = batch > 100 ? 0.05 : 0.008;
    made.add("gpu", "step_launch", "samples", batch, {{"batch", batch}}, full);
  }
  const FittedProfile fitted = fit_profile(made.set);
  REQUIRE(fitted.profile.step_launch);
  CHECK(fitted.profile.step_launch->value.base() == Approx(0.008));
  const FitLine* line = line_of(fitted, "step, starting it");
  REQUIRE(line != nullptr);
  CHECK(line->warnings.back().find("once the GPU's queue is full") != std::string::npos);
  CHECK(std::count_if(fitted.drifts.begin(), fitted.drifts.end(),
                      [](const Drift& drift) { return drift.group == "cpu"; }) == 1);
}

TEST_CASE("fit of a step: starting it takes the mean of what varies by a fifth, else the least") {
  Random random(7, 0);
  int full_queues = 0;
  for (int i = 0; i < 200; ++i) {
    const double least = 1e-4 * std::pow(10.0, 5.0 * random.uniform());  // up to 10 s
    const double most = least * (1.0 + 0.4 * random.uniform());
    Synthetic made;
    double sum = 0.0;
    for (const double batch : batches) {
      const double time = batch == 8.0    ? least
                          : batch == 32.0 ? most
                                          : least + (most - least) * random.uniform();
      sum += time;
      made.add("gpu", "step", "samples", batch, {{"batch", batch}}, most + 0.001 * batch);
      made.add("gpu", "step_launch", "samples", batch, {{"batch", batch}}, time);
    }
    const bool full = most > 1.2 * least;
    full_queues += full ? 1 : 0;
    const FittedProfile fitted = fit_profile(made.set);
    REQUIRE(fitted.profile.step_launch);
    const double kept = full ? least : sum / static_cast<double>(batches.size());
    CHECK(fitted.profile.step_launch->value.base() ==
          Approx(kept).epsilon(5e-5));  // five digits are kept
    const FitLine* line = line_of(fitted, "step, starting it");
    REQUIRE(line != nullptr);
    const auto says_full = [](const std::string& words) {
      return words.find("once the GPU's queue is full") != std::string::npos;
    };
    CHECK(std::any_of(line->warnings.begin(), line->warnings.end(), says_full) == full);
  }
  CHECK(full_queues > 50);
  CHECK(full_queues < 150);
}

TEST_CASE("fit of a step: precision and memory format make it another one") {
  Synthetic made;
  for (const char* precision : {"bf16", "fp32"}) {
    for (const double batch : {16.0, 64.0}) {
      made.add("gpu", "step", "samples", batch, {{"batch", batch}}, 0.01 + 0.001 * batch,
               {{"model", "resnet50"}, {"precision", precision}});
    }
  }
  const FittedProfile two = fit_profile(made.set);
  CHECK_FALSE(two.profile.step_per_sample);
  CHECK(line_of(two, "step of resnet50, bf16") != nullptr);
  CHECK(line_of(two, "step of resnet50, fp32") != nullptr);
}
