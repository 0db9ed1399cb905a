// A search in either direction, of any figure, says what trying every value says, and its band what
// trying them in each draw says.
#include <algorithm>
#include <cmath>
#include <limits>

#include "api/scenario_maker.hpp"
#include "base/random.hpp"
#include "catch.hpp"
#include "model/metrics.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/generated_scenario.hpp"
#include "seed.hpp"
#include "study/drawn_job.hpp"
#include "study/search.hpp"
#include "words/searches.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;
using testing_resolve::catalog;

/// A search over a generated job, and what each of its values comes to.
struct Sought {
  api::ScenarioMaker make;
  Search search;
  std::vector<std::optional<Result>> each;  ///< from `from` to `to`
  std::vector<bool> holds;

  [[nodiscard]] long from() const { return static_cast<long>(search.from); }
  [[nodiscard]] long to() const { return static_cast<long>(search.to); }
  [[nodiscard]] bool largest() const { return search.extreme == Extreme::largest; }
  [[nodiscard]] Scenario at(long n) const { return make({{search.key, std::to_string(n)}}); }
};

template <class Check>
void for_sought(unsigned seed, int count, Check check) {
  Generator random(seed);
  int checked = 0;
  for (int i = 0; i < 10 * count && checked < count; ++i) {
    const api::ScenarioMaker make(
        testing_resolve::document_with(testing_resolve::generated_settings(random)));
    const bool instances = random.chance(0.5);
    Sought one{make, {}, {}, {}};
    const double from = random.whole(1.0, 4.0);
    const double to = from + random.whole(0.0, 11.0);
    const bool busy = random.chance(0.5);
    try {
      const Result now = study::run(make({}), catalog(), nullptr);
      const std::string bound =
          busy ? fmt::format("gpu_busy >= {:.4g}", now.gpu_busy * random.uniform(0.7, 1.2))
               : fmt::format("total_s <= {:.6g}",
                             now.times.total.base() * random.log_uniform(0.3, 2.0));
      one.search = words::parse_search(
          fmt::format("{} {} in {:g}..{:g} with {}", random.chance(0.5) ? "largest" : "smallest",
                      instances ? "/cluster/instances" : "/loader/batch_size", from, to, bound),
          "test");
    } catch (const InputError&) {
      continue;
    }
    for (long n = one.from(); n <= one.to(); ++n) {
      one.each.emplace_back();
      try {
        one.each.back() = study::run(one.at(n), catalog(), nullptr);
      } catch (const InputError&) {
      }
      const auto value =
          one.each.back() ? metric(*one.each.back(), one.search.condition.metric) : std::nullopt;
      one.holds.push_back(
          value && holds(*value, one.search.condition.comparison, one.search.condition.bound));
    }
    if (std::none_of(one.each.begin(), one.each.end(),
                     [](const auto& result) { return result.has_value(); })) {
      continue;
    }
    INFO("seed " << seed << ", search " << i);
    check(one);
    ++checked;
  }
  CHECK(checked == count);
}

TEST_CASE("seek: the answer, what is beyond it, and what is no exception to it") {
  int there = 0, none = 0, exceptions = 0, smallest = 0, at_end = 0;
  for_sought(91, 80, [&](const Sought& of) {
    const SearchAnswer answer = study::search(of.search, {}, of.make, catalog(), nullptr, {});
    const long count = of.to() - of.from() + 1;
    const long onward = of.largest() ? 1 : -1;
    const long first = of.largest() ? of.from() : of.to();
    const auto good = [&](long n) { return of.holds[static_cast<std::size_t>(n - of.from())]; };
    std::optional<long> last, failed;
    for (long k = 0; k < count; ++k) {
      const long n = first + onward * k;
      if (good(n)) last = n;
    }
    for (long n = first; last && n != *last && !failed; n += onward) {
      if (!good(n)) failed = n;
    }
    // So few are all tried.
    CHECK(answer.tried == static_cast<std::size_t>(count));
    CHECK(answer.tried_all);
    CHECK_FALSE(answer.band);
    REQUIRE(answer.there.has_value() == last.has_value());
    if (!last) {
      ++none;
      REQUIRE(answer.beyond);
      // The one that comes nearest.
      long nearest = first;
      double least = std::numeric_limits<double>::infinity();
      for (long n = of.from(); n <= of.to(); ++n) {
        const auto& one = of.each[static_cast<std::size_t>(n - of.from())];
        const auto value = one ? metric(*one, of.search.condition.metric) : std::nullopt;
        const double off = value ? std::abs(*value - of.search.condition.bound) : least;
        if (off < least) nearest = n;
        least = std::min(off, least);
      }
      CHECK(answer.beyond->at == static_cast<double>(nearest));
      return;
    }
    ++there;
    smallest += of.largest() ? 0 : 1;
    CHECK(answer.there->at == static_cast<double>(*last));
    CHECK(answer.there->holds);
    const long next = *last + onward;
    const bool inside = next >= of.from() && next <= of.to();
    CHECK(answer.at_end() == !inside);
    at_end += inside ? 0 : 1;
    REQUIRE(answer.beyond.has_value() == inside);
    if (inside) CHECK(answer.beyond->at == static_cast<double>(next));
    if (inside) CHECK_FALSE(answer.beyond->holds);
    REQUIRE(answer.exception.has_value() == failed.has_value());
    if (failed) CHECK(answer.exception->at == static_cast<double>(*failed));
    exceptions += failed ? 1 : 0;

    const SearchPoint& point = *answer.there;
    const Result& alone = *of.each[static_cast<std::size_t>(*last - of.from())];
    CHECK(point.value == metric(alone, of.search.condition.metric));
    CHECK(point.result.times.total == alone.times.total);
    // What GPUs wait for in the epochs, the bottleneck first, and what is read for their samples.
    const auto resolved = resolve::resolve(of.at(*last), catalog(), nullptr);
    const pipeline::Outcome outcome = pipeline::simulate(resolved.inputs);
    const auto wait_for = [&](Stage stage) {
      return outcome.trained.stall[stage] +
             (stage == Stage::checkpoint ? outcome.checkpoints : Duration{});
    };
    Duration most;
    for (const Stage stage : all_stages()) most = std::max(most, wait_for(stage));
    const auto bottleneck = alone.bottleneck.stage;
    if (bottleneck && wait_for(*bottleneck) >= 0.01 * outcome.trained.wall) {
      CHECK(point.waits_for == bottleneck);
    } else {
      REQUIRE(point.waits_for.has_value() == (most > Duration{}));
      if (point.waits_for) CHECK(wait_for(*point.waits_for) == most);
    }
    REQUIRE(point.bytes);
    CHECK(point.bytes->base() ==
          Approx((*alone.throughput * *of.at(*last).dataset.bytes_per_sample).base()));
  });
  CHECK_DRAWN(there > 20);
  CHECK_DRAWN(none > 5);
  CHECK_DRAWN(exceptions > 0);
  CHECK_DRAWN(smallest > 8);
  CHECK_DRAWN(at_end > 5);
}

TEST_CASE("seek: the band is that of the answers of trying every value in each draw") {
  constexpr int draws = 9;
  int bands = 0, wide = 0, beyond = 0;
  for_sought(92, 40, [&](const Sought& of) {
    const FigureId id =
        of.search.condition.metric == "gpu_busy" ? FigureId::gpu_busy : FigureId::total_time;
    std::vector<double> answers;
    for (std::uint64_t d = 1; d <= draws; ++d) {
      const resolve::Draw draw = [&](std::string_view key) { return uniform_of(4, d, key); };
      // Its own variability is no part of an answer, but for the course of interruptions.
      const study::Own own{0.0, study::Own::of(4, d).course};
      const long onward = of.largest() ? 1 : -1;
      const long first = of.largest() ? of.from() : of.to();
      long found = first - onward;
      bool broken = false;
      for (long n = first; n >= of.from() && n <= of.to(); n += onward) {
        bool good = false;
        try {
          good =
              holds(study::figure_of(study::drawn_job(of.at(n), catalog(), nullptr, draw, own), id),
                    of.search.condition.comparison, of.search.condition.bound);
        } catch (const InputError&) {
        }
        if (good && broken) return;  // it holds again: which is found hangs on where one begins
        broken = broken || !good;
        if (good) found = n;
      }
      answers.push_back(static_cast<double>(found));
      beyond += found == first - onward ? 1 : 0;
    }
    std::sort(answers.begin(), answers.end());
    study::RunOptions options;
    options.seed = 4;
    options.replications = draws;
    const SearchAnswer answer = study::search(of.search, {}, of.make, catalog(), nullptr, options);
    CHECK(answer.draws == draws);
    REQUIRE(answer.band);
    CHECK((*answer.band)[0] == answers[0]);
    CHECK((*answer.band)[1] == answers[4]);
    CHECK((*answer.band)[2] == answers[8]);
    ++bands;
    wide += answers[8] > answers[0] ? 1 : 0;
  });
  CHECK_DRAWN(bands > 10);
  CHECK_DRAWN(wide > 2);
  CHECK_DRAWN(beyond > 2);
}

}  // namespace
