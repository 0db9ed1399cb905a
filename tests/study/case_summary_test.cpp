// How wrong the predictions of measured cases are: what counts, and what an error is.
#include "study/case_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "catch.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/cases.hpp"

using namespace feedrate;
using study::summary_of;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

CaseResult figure(double predicted, double measured, const char* name = "") {
  CaseResult result;
  result.what.name = name;
  result.what.metric = "epoch_s";
  result.what.measured = measured;
  result.predicted = predicted;
  result.error = measured == 0.0 ? predicted : predicted / measured - 1.0;
  return result;
}

CaseResult change(double predicted, double measured) {
  CaseResult result = figure(predicted, measured, "change");
  result.what.relative_to = {{"num_workers", "1"}};
  result.error = predicted - measured;
  return result;
}

CaseResult bottleneck(double predicted, double measured) {
  CaseResult result = figure(predicted, measured);
  result.what.metric = "bottleneck is gpu";
  result.error = predicted - measured;
  return result;
}

CaseResult fitted(CaseResult result, bool within = true) {
  result.what.fitted = true;
  result.what.tolerance = 0.01;
  result.within = within;
  return result;
}

CaseResult judged(CaseResult result, bool within) {
  result.what.tolerance = 0.1;
  result.within = within;
  return result;
}

CaseSummary of(std::vector<CaseResult> cases) {
  const ScenarioCases one{"x.json", {}, std::move(cases), {}};
  return summary_of({&one, 1});
}

/// A thousand samples of 10 ms of GPU each, in one epoch.
CaseResult ran(const char* cases) {
  const std::string text = std::string(R"({"dataset": {"samples": 1000, "bytes_per_sample": "1 kB"},
    "source": {"service": "local"}, "disk": {"bandwidth": "10 GB/s"},
    "loader": {"num_workers": 1, "batch_size": 10}, "preprocess": [{"operation": "decode", "cpu": "1 us"}],
    "cluster": {"gpus_per_instance": 1, "vcpus": 4, "price": "3.6 USD/h"},
    "job": {"epochs": 1, "step": {"per_sample": "10 ms"}}, "cases": [)") +
                           cases + "]}";
  schema::Document document = schema::parse_document(text, "x.json");
  const auto with = [&](const study::Setting& settings) {
    schema::Document changed = document;
    for (const auto& [key, value] : settings) schema::set_value(changed, key, value, "case");
    return schema::read_scenario(changed);
  };
  return study::run_cases(schema::read_scenario(document), with, Catalog{}, nullptr).at(0);
}

}  // namespace

TEST_CASE("case summary: median, mean, worst and bias of the errors, bottlenecks apart") {
  CaseResult other_stage = bottleneck(0, 0);
  other_stage.what.metric = "bottleneck is h2d";
  std::vector<CaseResult> cases = {figure(1.1, 1.0, "a"), bottleneck(1, 1),
                                   figure(1.6, 2.0, "b"), bottleneck(0, 1),
                                   figure(1.3, 1.0, "c"), other_stage};
  const CaseSummary odd = of(cases);
  CHECK(odd.predictions == 3);
  CHECK(odd.mean == Approx((0.1 + 0.2 + 0.3) / 3));
  CHECK(odd.median == Approx(0.2));
  CHECK(odd.worst == Approx(0.3));
  CHECK(odd.worst_case == "c");
  CHECK(odd.worst_file == "x.json");
  CHECK(odd.bias == Approx((0.1 - 0.2 + 0.3) / 3));
  CHECK(odd.bottlenecks == 3);
  CHECK(odd.bottlenecks_right == 2);
  cases.resize(3);
  CHECK(of(cases).median == Approx(0.15));  // of an even count the middle of the two
}

TEST_CASE("case summary: a miss counts whether or not it states a tolerance") {
  const CaseSummary sum = of({judged(figure(1.01, 1.0), true), judged(figure(1.2, 1.0), false),
                              figure(2.0, 1.0, "silent"), figure(1.0625, 1.0)});
  CHECK(sum.predictions == 4);
  CHECK(sum.judged == 2);
  CHECK(sum.within == 1);
  CHECK(sum.near == 2);
  CHECK(sum.share_near == 0.5);
  CHECK(sum.worst == 1.0);
  CHECK(sum.worst_case == "silent");
}

TEST_CASE("case summary: a case with a band counts once, or once a repeat; its turns apart") {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> near(0.5, 1.5);
  for (int round = 0; round < 50; ++round) {
    std::vector<CaseResult> cases;
    std::size_t banded = 0, inside = 0, adjusted = 0;
    double sizes = 0.0, errors = 0.0;
    for (std::size_t i = 0, n = random() % 8; i < n; ++i) {
      CaseResult one = figure(1.0, near(random));
      for (std::size_t turn = 0, turns = random() % 4; turn < turns; ++turn) {
        one.what.repeats.push_back(near(random));
        one.adjusted.push_back(near(random));
        const double error = one.adjusted.back() / one.what.repeats.back() - 1.0;
        ++adjusted;
        sizes += std::abs(error);
        errors += error;
      }
      if (random() % 2 == 0) {
        one.band = Band{0.8, 1.0, 1.2};
        std::vector<double> measured = one.what.repeats;
        if (measured.empty()) measured.push_back(one.what.measured);
        banded += measured.size();
        inside += static_cast<std::size_t>(
            std::count_if(measured.begin(), measured.end(),
                          [](double figure) { return figure >= 0.8 && figure <= 1.2; }));
      }
      cases.push_back(std::move(one));
    }
    const CaseSummary sum = of(cases);
    CHECK(sum.banded == banded);
    CHECK(sum.inside == inside);
    REQUIRE(sum.adjusted == adjusted);
    if (adjusted == 0) continue;
    CHECK(sum.adjusted_mean == Approx(sizes / static_cast<double>(adjusted)));
    CHECK(sum.adjusted_bias == Approx(errors / static_cast<double>(adjusted)).margin(1e-12));
  }
}

TEST_CASE("case summary: a setting that was measured again is one prediction, of the mean") {
  const auto banded = [](double measured, const char* name) {
    CaseResult one = figure(1.0, measured, name);
    one.band = Band{0.9, 1.0, 1.1};
    return one;
  };
  CaseResult elsewhere = banded(0.8, "elsewhere");
  elsewhere.what.set = {{"num_workers", "2"}};
  CaseResult rate = banded(0.8, "another figure");
  rate.what.metric = "samples_per_s";
  const std::vector<CaseResult> cases = {banded(1.2, "first"), banded(0.8, "again"),
                                         banded(1.0, "and again"), elsewhere, rate};
  const CaseSummary sum = of(cases);
  CHECK(sum.predictions == 3);
  CHECK(sum.again == 2);
  CHECK(sum.mean == Approx((0.0 + 0.25 + 0.25) / 3.0));
  CHECK(sum.near == 1);
  // The interval holds the mean of three; of single figures each is counted.
  CHECK(sum.intervals == 3);
  CHECK(sum.held == 1);
  CHECK(sum.banded == 5);
  CHECK(sum.inside == 1);
  CHECK(of({judged(figure(1.0, 1.0), true), judged(figure(1.0, 1.2), false)}).judged == 1);
  CHECK(of({judged(figure(1.0, 1.0), true), judged(figure(1.0, 1.2), false)}).within == 0);
  const CaseSummary which = of({bottleneck(1, 1), bottleneck(1, 1), bottleneck(1, 0)});
  CHECK(which.bottlenecks == 1);
  CHECK(which.bottlenecks_right == 1);
  // Of two files each is a job of its own.
  const std::vector<ScenarioCases> files = {{"a.json", {}, {figure(1.1, 1.0)}, {}},
                                            {"b.json", {}, {figure(1.1, 1.0)}, {}}};
  CHECK(summary_of(files).predictions == 2);
}

TEST_CASE("case summary: nothing, or only what was fitted, is no prediction and no perfect score") {
  for (const CaseSummary& sum : {summary_of({}), of({}), of({fitted(figure(1, 1))})}) {
    CHECK(sum.predictions == 0);
    CHECK(sum.near == 0);
    CHECK(sum.share_near == 0.0);
    CHECK(sum.judged == 0);
    CHECK(sum.worst_case.empty());
  }
  const CaseSummary sum =
      of({fitted(figure(1, 1)), fitted(figure(2, 1), false), fitted(bottleneck(1, 1))});
  CHECK(sum.fitted == 3);
  CHECK(sum.fits_missed == 1);
  CHECK(sum.bottlenecks == 0);
}

TEST_CASE("case summary: what is no finite number is infinitely wrong") {
  const CaseSummary some =
      of({figure(1.0, 1.0), figure(not_a_number, 1.0, "none"), figure(1.5, 1.0)});
  CHECK(some.predictions == 3);
  CHECK(some.median == Approx(0.5));
  CHECK(some.worst == infinity);
  CHECK(some.worst_case == "none");
  CHECK(some.near == 1);
  for (const double bad : {not_a_number, infinity, -infinity}) {
    const CaseSummary sum = of({figure(bad, 1.0), figure(1.0, 1.0)});
    CHECK(sum.median == infinity);
    CHECK(sum.mean == infinity);
    CHECK(sum.bias == infinity);
  }
}

TEST_CASE("case summary: a change errs in points, what was measured as 0 is counted apart") {
  const CaseSummary sum = of({change(-0.452, -0.45), change(0.07, 0.0), figure(3.0, 0.0)});
  CHECK(sum.predictions == 2);
  CHECK(sum.in_points == 2);
  CHECK(sum.zeros == 1);
  CHECK(sum.worst == Approx(0.07));
  CHECK(sum.worst_in_points);
  CHECK(sum.median == Approx(0.5 * (0.002 + 0.07)));
}

TEST_CASE("case summary: of several files the median is that of all cases, not of medians") {
  const std::vector<ScenarioCases> files = {
      {"a.json", {}, {figure(1.01, 1.0), figure(1.02, 1.0), figure(1.03, 1.0)}, {}},
      {"b.json", {}, {}, {}},
      {"c.json", {}, {figure(1.4, 1.0, "far"), figure(2.8, 2.0, "as far")}, {}}};
  const CaseSummary sum = summary_of(files);
  CHECK(sum.predictions == 5);
  CHECK(sum.median == Approx(0.03));
  CHECK(sum.worst_case == "far");
  CHECK(sum.worst_file == "c.json");
}

TEST_CASE("case summary: a tolerance is relative to what was measured, also of a change") {
  // 10 s of steps; with steps twice as long about twice that.
  const CaseResult time =
      ran(R"({"name": "t", "metric": "epoch_s", "measured": 20, "tolerance": 0.1})");
  CHECK(time.error == Approx(time.predicted / 20 - 1));
  CHECK(time.limit == 0.1);
  CHECK_FALSE(time.within);
  const auto twice = [](const char* measured, const char* tolerance) {
    return ran((std::string(R"({"name": "t", "set": {"/job/step/per_sample": "20 ms"},
      "relative_to": {"num_workers": 1}, "metric": "epoch_s", "measured": )") +
                measured + R"(, "tolerance": )" + tolerance + "}")
                   .c_str());
  };
  const CaseResult near = twice("1.05", "0.1");
  CHECK(near.predicted == Approx(1.0).margin(0.02));
  CHECK(near.error == Approx(near.predicted - 1.05));
  CHECK(near.limit == Approx(0.105));
  CHECK(near.within);
  CHECK_FALSE(twice("1.5", "0.1").within);
}
