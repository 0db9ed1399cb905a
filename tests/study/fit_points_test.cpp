// Which cases unknowns can be fitted to, how much each counts, and what could be measured beside
// them.
#include "study/fit_points.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "catch.hpp"
#include "schema/scenario/scenario.hpp"

using namespace feedrate;

namespace {

Scenario with(const std::string& cases) {
  return schema::read_scenario(schema::parse_document(
      R"({"name": "t", "dataset": {"samples": 1000, "bytes_per_sample": "1 KB"},
          "loader": {"num_workers": 4, "batch_size": 32},
          "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
          "cluster": {"instance": "p3.2xlarge"}, "job": {"step": "10 ms"},
          "cases": [)" +
          cases + "]}",
      "t.json"));
}

study::FitPoint point(const std::string& members) {
  return study::fit_points(with("{\"name\": \"c\", " + members + "}")).at(0);
}

const std::string epoch = R"("metric": "epoch_s", "measured": 100)";

}  // namespace

TEST_CASE("fit points: a tolerance is half of a 90 % interval, repeats are their mean's") {
  CHECK_FALSE(point(epoch).error);
  CHECK(*point(epoch + R"(, "tolerance": 0.1)").error == Approx(0.1 / 1.645).epsilon(1e-3));
  // Standard deviation 10 of four: 5 of their mean, whatever the tolerance says.
  CHECK(*point(epoch + R"(, "tolerance": 0.5, "repeats": [90, 90, 110, 110])").error ==
        Approx(0.0577).epsilon(1e-2));
  // What was measured more exactly than any simulation is counts no more than that.
  CHECK(*point(epoch + R"(, "repeats": [100, 100, 100])").error == Approx(0.005));
  CHECK(*point(epoch + R"(, "tolerance": 0)").error == Approx(0.005));
}

TEST_CASE("fit points: repeats have one degree of freedom less than there are, tolerances all") {
  CHECK(std::isinf(point(epoch + R"(, "tolerance": 0.1)").degrees));
  CHECK(point(epoch + R"(, "repeats": [90, 110])").degrees == 1.0);
  CHECK(point(epoch + R"(, "tolerance": 0.1, "repeats": [90, 100, 110])").degrees == 2.0);
  // Half a percent is known without them; what they tell of it, a tenth here, hardly counts.
  CHECK(point(epoch + R"(, "repeats": [99.95, 100.05])").degrees == Approx(1e4));
  CHECK(std::isinf(point(epoch + R"(, "repeats": [100, 100])").degrees));
}

TEST_CASE("fit points: changes and figures around 0 are compared by their differences") {
  CHECK_FALSE(point(epoch).difference);
  const study::FitPoint change =
      point(R"("metric": "epoch_s", "measured": -0.4, "relative_to": {"num_workers": 1},
               "tolerance": 0.1)");
  CHECK(change.difference);
  CHECK(change.unused.empty());
  CHECK(*change.error == Approx(0.4 * 0.1 / 1.645).epsilon(1e-3));
  const study::FitPoint zero = point(R"("metric": "stall_s", "measured": 0, "tolerance": 3)");
  CHECK(zero.unused.empty());
  CHECK(*zero.error == Approx(3.0 / 1.645).epsilon(1e-3));
}

TEST_CASE("fit points: what has no slope is not fitted on, with the reason") {
  CHECK_FALSE(point(R"("metric": "bottleneck is gpu", "measured": 1)").unused.empty());
  CHECK_FALSE(
      point(R"("metric": "largest num_workers in 1..8 with gpu_busy >= 0.5", "measured": 3)")
          .unused.empty());
  CHECK_FALSE(
      point(R"("metric": "smallest num_workers in 1..8 with gpu_busy >= 0.5", "measured": 3)")
          .unused.empty());
  CHECK_FALSE(point(R"("metric": "stall_s", "measured": 0)").unused.empty());
  CHECK(point(epoch).unused.empty());
  CHECK_THROWS_AS(point(R"("metric": "epoch_sec", "measured": 1)"), InputError);
}

TEST_CASE("fit points: what is only promised is not fitted on, and may be measured") {
  const std::string promise = R"("metric": "epoch_s", "promised": 100)";
  CHECK(point(promise).unused == "promised, not measured yet");
  CHECK(point(promise + R"(, "measured": 110)").unused.empty());
  const auto all = study::candidates(with("{\"name\": \"c\", " + promise + "}"), {});
  CHECK(std::any_of(all.begin(), all.end(), [](const study::PointCandidate& one) {
    return one.words == "an epoch after the first";
  }));
}

TEST_CASE("fit points: candidates are what the cases lack, and change no unknown") {
  const auto named = [](const std::vector<study::PointCandidate>& all, const std::string& words) {
    return std::any_of(all.begin(), all.end(),
                       [&](const study::PointCandidate& one) { return one.words == words; });
  };
  const Scenario scenario =
      with(R"({"name": "c", "set": {"/loader/num_workers": 1}, )" + epoch + "}");
  const auto all = study::candidates(scenario, {});
  CHECK(named(all, "an epoch after the first with num_workers=0"));
  CHECK_FALSE(named(all, "an epoch after the first with num_workers=1"));
  CHECK(named(all, "how busy GPUs are with num_workers=1"));
  CHECK(named(all, "an epoch after the first with decode done ahead"));
  CHECK(named(all, "an epoch after the first"));
  const std::string page_cache[] = {"/disk/page_cache"};
  CHECK(named(all, "the first epoch with the data in the page cache"));
  CHECK_FALSE(named(study::candidates(scenario, page_cache),
                    "the first epoch with the data in the page cache"));
}
