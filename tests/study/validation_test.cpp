// What `validate` says: the arithmetic of its errors, the cases that a loader's epochs become, and
// predictions of a loader whose times can be told by hand.
#include "study/validate.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "catch.hpp"
#include "schema/documents/host.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/case_summary.hpp"

using namespace feedrate;

namespace {

/// Epochs of ten batches of eight samples with one worker.
LoaderRun run(Duration step, std::vector<Duration> epochs, double workers = 1.0) {
  return {workers, 2.0, 8.0, 10.0, step, std::move(epochs)};
}

LoaderRuns runs(std::vector<LoaderRun> all) {
  return {"here", kilobytes(110.0), kilobytes(600.0), false, std::move(all), {}};
}

std::vector<Case> cases_of(const LoaderRuns& measured, const std::string& metric) {
  std::vector<Case> found;
  for (const Case& one : study::native_scenario(measured).cases) {
    if (one.metric == metric) found.push_back(one);
  }
  return found;
}

/// Operations of 1 ms in all a sample, on two cores that do not disturb each other.
const char* const profile = R"({"name": "t", "hardware_threads": 2, "cpu": [[1, 1], [2, 2]],
  "operations": {"read": "0.1 ms", "decode": "0.5 ms", "crop_resize": "0.2 ms", "flip": "0.1 ms",
  "normalize": "0.1 ms"}, "memcpy_bandwidth": "8 GB/s", "oversubscription": 0,
  "pageable_bandwidth": "4 GB/s", "copy_latency": "0 s"})";

std::vector<CaseResult> predicted(const LoaderRuns& measured, const char* on = profile,
                                  const char* kind = "pool") {
  schema::Document document =
      schema::parse_document(schema::write_scenario(study::native_scenario(measured)), "n.json");
  schema::set_value(document, "/loader/kind", kind, "test");
  const HostProfile host = schema::parse_host_profile(on, "h.json");
  const auto with = [&](const study::Setting& settings) {
    schema::Document changed = document;
    for (const auto& [key, value] : settings) schema::set_value(changed, key, value, "case");
    return schema::read_scenario(changed);
  };
  return study::run_cases(schema::read_scenario(document), with, Catalog{}, &host);
}

double epoch_of(const LoaderRun& of) {
  return predicted(runs({of})).at(0).predicted;
}

}  // namespace

TEST_CASE("validate: without a prediction there is nothing to say") {
  CaseSummary summary;
  CHECK_THROWS_AS(study::expect_predictions(summary), InputError);
  summary.predictions = 1;
  CHECK_NOTHROW(study::expect_predictions(summary));
}

TEST_CASE("validate: a case is the median epoch, and its setting") {
  const auto times = cases_of(
      runs({run(milliseconds(5.0), {seconds(3.0), seconds(1.0), seconds(2.0)})}), "epoch_s");
  REQUIRE(times.size() == 1);
  CHECK(times[0].measured == Approx(2.0));
  CHECK(times[0].repeats == std::vector<double>{3.0, 1.0, 2.0});
  const study::Setting expected = {{"num_workers", "1"},
                                   {"prefetch_factor", "2"},
                                   {"batch_size", "8"},
                                   {"/dataset/samples", "80"},
                                   {"/job/step/fixed", "5 ms"}};
  CHECK(times[0].set == expected);
}

TEST_CASE("validate: the bottleneck that was is told by the loader alone; a tie tells nothing") {
  // Alone a batch takes 10 ms.
  const auto which = [](Duration step) {
    const LoaderRuns measured =
        runs({run(Duration(), {milliseconds(100.0)}), run(step, {seconds(1.0)}),
              run(Duration(), {milliseconds(1.0)}, 2.0)});  // of other workers: no matter
    for (const Case& one : cases_of(measured, "bottleneck is gpu")) {
      if (one.set == cases_of(measured, "epoch_s").at(1).set) return one.measured;
    }
    return -1.0;
  };
  CHECK(which(milliseconds(5.0)) == 0.0);
  CHECK(which(milliseconds(8.9)) == 0.0);
  CHECK(which(milliseconds(9.5)) == -1.0);
  CHECK(which(milliseconds(10.5)) == -1.0);
  CHECK(which(milliseconds(11.1)) == 1.0);
  CHECK(which(milliseconds(40.0)) == 1.0);
  // A loader alone is its own bottleneck; steps that were never left out tell nothing.
  CHECK(cases_of(runs({run(Duration(), {seconds(1.0)})}), "bottleneck is gpu").size() == 1);
  CHECK(cases_of(runs({run(seconds(1.0), {seconds(9.0)})}), "bottleneck is gpu").empty());
}

TEST_CASE("validate: a loader or steps that set the pace are predicted as by hand") {
  constexpr double batch_s = 0.008;
  // The first batch is waited for, then one setter of the pace.
  CHECK(epoch_of(run(milliseconds(1.0), {seconds(1.0)})) ==
        Approx(10 * batch_s + 0.001).epsilon(0.05));
  CHECK(epoch_of(run(milliseconds(50.0), {seconds(1.0)})) ==
        Approx(batch_s + 10 * 0.050).epsilon(0.05));
  CHECK(epoch_of(run(milliseconds(0.1), {seconds(1.0)}, 2.0)) ==
        Approx(10 * batch_s / 2).epsilon(0.05));
}

TEST_CASE("validate: predictions of the bottleneck follow the step") {
  const auto results = predicted(
      runs({run(Duration(), {milliseconds(80.0)}), run(milliseconds(2.0), {milliseconds(82.0)}),
            run(milliseconds(20.0), {milliseconds(208.0)})}));
  const ScenarioCases cases{"n.json", {}, results, {}};
  const CaseSummary of = study::summary_of({&cases, 1});
  CHECK(of.predictions == 3);
  CHECK(of.worst < 0.05);
  CHECK(of.bottlenecks == 3);
  CHECK(of.bottlenecks_right == 3);
}

TEST_CASE("validate: a profile without the loader's operations is refused by their names") {
  const HostProfile poor = schema::parse_host_profile(
      R"({"name": "poor", "cpu": [[1, 1]], "operations": {"read": "1 ms", "decode": "5 ms"}})",
      "h");
  CHECK_THROWS_WITH(study::native_cost(poor),
                    Catch::Contains("poor") && Catch::Contains("crop_resize, flip, normalize"));
  const HostProfile coreless = schema::parse_host_profile(R"({"name": "x"})", "h");
  CHECK_THROWS_AS(study::native_cost(coreless), InputError);
  const HostProfile fine = schema::parse_host_profile(profile, "h");
  CHECK((study::native_cost(fine) * samples(1.0)).base() == Approx(1e-3));
}

TEST_CASE("validate: PyTorch's workers share the cores by their own curve, threads by theirs") {
  // Two threads have two cores, two workers one between them: 80 samples of 1 ms each.
  const char* const both = R"({"name": "t", "hardware_threads": 2, "cpu": [[1, 1], [2, 2]],
    "pytorch_cpu": [[1, 1], [2, 1]], "operations": {"read": "0.1 ms", "decode": "0.5 ms",
    "crop_resize": "0.2 ms", "flip": "0.1 ms", "normalize": "0.1 ms"}, "oversubscription": 0,
    "pageable_bandwidth": "4000 GB/s", "copy_latency": "0 s", "collate": "0 ms/MB",
    "handover": "0 s", "worker_startup": "0 s", "worker_warmup": "0 s", "worker_shutdown": "0 s"})";
  const LoaderRuns two = runs({run(Duration{}, {seconds(1.0)}, 2.0)});
  CHECK(predicted(two, both).at(0).predicted == Approx(0.040).epsilon(0.05));
  CHECK(predicted(two, both, "pytorch").at(0).predicted == Approx(0.080).epsilon(0.05));
}

TEST_CASE("validate: a machine that is slower by its canary is one whose CPU times are longer") {
  HostProfile profile;
  profile.canary["jpeg"] = {milliseconds(2.0), {}};
  profile.canary["jpeg_all"] = {milliseconds(4.0), {}};
  profile.canary["registers"] = {milliseconds(1.0), {}};
  About measured;
  CHECK(study::slower_in_turns(measured, profile).empty());
  // Decoding counts where both know it; of two pieces the geometric mean.
  measured.canary = {{"jpeg", {0.002, 0.004}}, {"jpeg_all", {0.004, 0.002}}, {"registers", {9, 9}}};
  REQUIRE(study::slower_in_turns(measured, profile).size() == 2);
  CHECK(study::slower_in_turns(measured, profile)[0] == Approx(1.0));
  CHECK(study::slower_in_turns(measured, profile)[1] == Approx(1.0));
  measured.canary = {{"registers", {0.0011, 0.0013, 0.001}}};
  CHECK(study::slower_in_turns(measured, profile)[1] == Approx(1.3));
  // Turns that not all pieces know are left out.
  measured.canary["jpeg"] = {0.003};
  CHECK(study::slower_in_turns(measured, profile) == std::vector<double>{1.5});

  profile.operations["decode"].value = DurationPerSample::of(0.004);
  profile.handover = Value<Duration>{milliseconds(2.0), {}};
  profile.memcpy_bandwidth = Value<Bandwidth>{Bandwidth::of(8e9), {}};
  profile.disk_latency = Value<Duration>{milliseconds(1.0), {}};
  const HostProfile slow = study::slowed(profile, 1.25);
  CHECK(slow.operations.at("decode").value.base() == Approx(0.005));
  CHECK(slow.handover->value.base() == Approx(0.0025));
  CHECK(slow.memcpy_bandwidth->value.base() == Approx(6.4e9));
  CHECK(slow.disk_latency->value.base() == 0.001);
}

TEST_CASE("validate: coverage counts every repeat, and judges only where there are enough") {
  const auto cases = [](std::size_t count, double off) {
    ScenarioCases of;
    for (std::size_t i = 0; i < count; ++i) {
      CaseResult one;
      one.what.metric = "epoch_s";
      one.what.measured = 1.0;
      one.what.repeats = {1.0, 1.0 + off};
      one.predicted = 1.0;
      one.band = Band{0.9, 1.0, 1.1};
      one.adjusted = {1.0, 1.0 + off};
      of.cases.push_back(one);
    }
    of.summary = study::summary_of({&of, 1});
    return of.summary;
  };
  const CaseSummary inside = cases(10, 0.05);
  CHECK(inside.banded == 20);
  CHECK(inside.inside == 20);
  CHECK(study::holds(inside, {}));
  // What the canary explains is no error once it is known.
  CHECK(inside.adjusted == 20);
  CHECK(inside.adjusted_mean == Approx(0.0).margin(1e-12));
  const CaseSummary outside = cases(10, 0.2);
  CHECK(outside.inside == 10);
  CHECK_FALSE(study::covers(outside, {}));
  CHECK(study::covers(outside, {0.1, 0.5}));
  CHECK(study::covers(cases(9, 0.2), {}));  // 18 figures: too few
}

TEST_CASE("validate: how batches were copied is a setting of the case, and says so in its name") {
  LoaderRun one = run(milliseconds(5.0), {seconds(1.0)});
  const auto scenario_of = [&](Upload upload, bool asynchronous) {
    one.upload = upload;
    one.asynchronous = asynchronous;
    LoaderRuns measured = runs({one});
    measured.to_gpu = true;
    return study::native_scenario(measured);
  };
  const auto key = [](const Case& of, const std::string& name) -> std::string {
    for (const auto& [set, value] : of.set) {
      if (set == name) return value;
    }
    return "";
  };
  struct Expected {
    Upload upload;
    const char* name;
    const char* pinned;
    const char* non_blocking;  ///< of a loop that does not wait for its steps
    const char* stream;
  };
  for (const Expected& expected :
       {Expected{Upload::pageable, "pageable", "false", "", ""},
        Expected{Upload::pinned, "pinned,", "true", "", ""},
        Expected{Upload::queued, "not waited for", "true", "true", "step"},
        Expected{Upload::beside, "side stream", "true", "true", "side"}}) {
    INFO(expected.name);
    for (const bool asynchronous : {false, true}) {
      const Scenario scenario = scenario_of(expected.upload, asynchronous);
      // The rates are the profile's.
      CHECK_FALSE(scenario.cluster.pageable_bandwidth);
      CHECK_FALSE(scenario.cluster.pinned_bandwidth);
      const Case& time = scenario.cases.at(0);
      CHECK_THAT(time.name, Catch::Contains(expected.name));
      CHECK(key(time, "/loader/pin_memory") == expected.pinned);
      CHECK(key(time, "/job/asynchronous_step") == (asynchronous ? "true" : "false"));
      CHECK(key(time, "/job/non_blocking") == (asynchronous ? expected.non_blocking : ""));
      CHECK(key(time, "/job/copy_stream") == (asynchronous ? expected.stream : ""));
    }
  }
}

TEST_CASE("validate: epochs whose copies are in the way are predicted with them") {
  // 8 samples of 600 KB a batch over 4 GB/s: 1.2 ms; pinned, over 6 GB/s: 0.8 ms. Steps of 20 ms.
  const char* const gpu = R"({"name": "t", "hardware_threads": 2, "cpu": [[1, 1], [2, 2]],
    "operations": {"read": "0 s", "decode": "0.1 ms", "crop_resize": "0 s", "flip": "0 s",
    "normalize": "0 s"}, "memcpy_bandwidth": "80 GB/s", "oversubscription": 0,
    "pageable_bandwidth": "4 GB/s", "pinned_bandwidth": "6 GB/s", "copy_latency": "0 s"})";
  const auto epoch = [&](Upload upload, bool asynchronous) {
    LoaderRun one = run(milliseconds(20.0), {seconds(1.0)});
    one.upload = upload;
    one.asynchronous = asynchronous;
    LoaderRuns measured = runs({one});
    measured.to_gpu = true;
    return predicted(measured, gpu).at(0).predicted;
  };
  for (const bool asynchronous : {false, true}) {
    INFO(asynchronous);
    CHECK(epoch(Upload::pageable, asynchronous) == Approx(10 * 0.0212).epsilon(0.01));
    CHECK(epoch(Upload::pinned, asynchronous) == Approx(10 * 0.0208).epsilon(0.01));
    CHECK(epoch(Upload::queued, asynchronous) == Approx(10 * 0.0208).epsilon(0.01));
  }
  CHECK(epoch(Upload::beside, true) == Approx(10 * 0.020).epsilon(0.01));
  CHECK(epoch(Upload::beside, false) == Approx(10 * 0.0208).epsilon(0.01));
}

TEST_CASE("validate: rates of copies that a profile lacks are demanded, as far as they are used") {
  const auto refused = [](const char* keys, bool pageable, bool pinned) -> std::string {
    const HostProfile host =
        schema::parse_host_profile(std::string(R"({"name": "lab")") + keys + "}", "h.json");
    try {
      study::expect_copy_rates(host, pageable, pinned);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const char* const pageable = R"(, "pageable_bandwidth": "9 GB/s")";
  CHECK_THAT(refused("", true, true),
             Catch::Contains("\"lab\": expected pageable_bandwidth and pinned_bandwidth") &&
                 Catch::Contains("feedrate calibrate h2d"));
  CHECK_THAT(refused(pageable, true, true), Catch::Contains("expected pinned_bandwidth,"));
  CHECK(refused(pageable, true, false).empty());
  CHECK(refused("", false, false).empty());
}
