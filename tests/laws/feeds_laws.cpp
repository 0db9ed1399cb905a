// Laws of searches, over generated scenarios: they find what trying every value finds, and what
// feeds more never feeds fewer.
#include <cmath>
#include <functional>

#include "api/scenario_maker.hpp"
#include "catch.hpp"
#include "model/metrics.hpp"
#include "resolve/generated_scenario.hpp"
#include "seed.hpp"
#include "study/search.hpp"
#include "words/searches.hpp"

using namespace feedrate;
using testing_resolve::Settings;

namespace {

/// Empty where the settings make no scenario.
std::optional<api::ScenarioMaker> possible(const Settings& settings) {
  try {
    return api::ScenarioMaker(testing_resolve::document_with(settings));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Whether the condition holds at each value from 1 to `to`; false where nothing can be simulated.
std::vector<bool> tried(const study::MakeScenario& make, const std::string& key, int to,
                        double busy) {
  std::vector<bool> holds;
  for (int n = 1; n <= to; ++n) {
    try {
      const Result result =
          study::run(make({{key, std::to_string(n)}}), testing_resolve::catalog(), nullptr);
      holds.push_back(result.gpu_busy >= busy);
    } catch (const InputError&) {
      holds.push_back(false);
    }
  }
  return holds;
}

std::optional<SearchAnswer> found(const study::MakeScenario& make, const std::string& key, int to,
                                  double busy, const study::RunOptions& options = {}) {
  try {
    return study::search(
        words::parse_search(fmt::format("largest {} in 1..{} with gpu_busy >= {}", key, to, busy),
                            "test"),
        {}, make, testing_resolve::catalog(), nullptr, options);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Largest n that holds, 0 for none.
int largest(const std::vector<bool>& holds) {
  int best = 0;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (holds[i]) best = static_cast<int>(i) + 1;
  }
  return best;
}

int fed(const study::MakeScenario& make, const std::string& key, double busy) {
  const auto answer = found(make, key, 64, busy);
  return answer && answer->there ? static_cast<int>(answer->there->at) : 0;
}

void for_generated(int count,
                   const std::function<void(const Settings&, pipeline::Generator&)>& law) {
  pipeline::Generator random(20261122);
  for (int i = 0; i < test::some(count); ++i) {
    const Settings settings = testing_resolve::generated_settings(random);
    INFO(i << " " << study::setting_words(settings));
    law(settings, random);
  }
}

}  // namespace

TEST_CASE("law: a search finds what trying every value from 1 to 64 finds") {
  int answered = 0;
  int uneven = 0;
  for_generated(60, [&](const Settings& settings, pipeline::Generator& random) {
    const std::string key = random.chance(0.3)   ? "num_workers"
                            : random.chance(0.5) ? "instances"
                                                 : "gpus_per_instance";
    const double busy = std::round(random.uniform(0.05, 0.99) * 100.0) / 100.0;
    const auto make = possible(settings);
    if (!make) return;
    const auto answer = found(*make, key, 64, busy);
    const std::vector<bool> all = tried(*make, key, 64, busy);
    INFO(key << " busy " << busy);
    const int best = largest(all);
    if (!answer) {
      CHECK(best == 0);
      return;
    }
    CHECK(answer->tried_all);
    CHECK((answer->there ? answer->there->at : 0.0) == best);
    CHECK(answer->at_end() == (best == 64));
    int first_failure = 0;
    for (int n = best; n >= 1; --n) {
      if (!all[static_cast<std::size_t>(n) - 1]) first_failure = n;
    }
    CHECK((answer->exception ? answer->exception->at : 0.0) == first_failure);
    answered += best > 0 ? 1 : 0;
    uneven += first_failure > 0 ? 1 : 0;
  });
  CHECK_DRAWN_OF_ALL(answered > 15);
  CHECK_DRAWN_OF_ALL(uneven > 0);
}

TEST_CASE("law: with events an answer holds, and the next value does not, as a run states them") {
  int by_events = 0;
  for_generated(24, [&](const Settings& settings, pipeline::Generator& random) {
    const std::string key = random.chance(0.5) ? "num_workers" : "gpus_per_instance";
    const double busy = std::round(random.uniform(0.05, 0.99) * 100.0) / 100.0;
    const auto make = possible(settings);
    if (!make) return;
    study::RunOptions options;
    options.events = true;
    const auto answer = found(*make, key, 64, busy, options);
    if (!answer) return;
    INFO(key << " busy " << busy);
    const auto by_mean = found(*make, key, 64, busy);
    REQUIRE(by_mean);
    CHECK(answer->by_mean ==
          (by_mean->there ? std::optional(by_mean->there->at) : std::optional<double>()));
    const auto as_run = [&](const SearchPoint& point) {
      if (!point.problems.empty()) return;
      const Result result = study::run((*make)({{key, fmt::format("{:g}", point.at)}}),
                                       testing_resolve::catalog(), nullptr, options);
      CHECK(result.gpu_busy == point.result.gpu_busy);
      CHECK(result.bottleneck.stage == point.result.bottleneck.stage);
      CHECK(point.holds == (result.gpu_busy >= busy));
    };
    if (answer->there) {
      CHECK(answer->there->holds);
      as_run(*answer->there);
    }
    if (answer->beyond) {
      CHECK_FALSE(answer->beyond->holds);
      as_run(*answer->beyond);
    }
    by_events += answer->by_events > 0 ? 1 : 0;
  });
  CHECK_DRAWN_OF_ALL(by_events > 6);
}

TEST_CASE("law: beyond 64 an answer holds, the next value does not, and even ones are found") {
  int far = 0;
  for_generated(40, [&](const Settings& settings, pipeline::Generator& random) {
    const double busy = std::round(random.uniform(0.05, 0.6) * 100.0) / 100.0;
    const auto make = possible(settings);
    if (!make) return;
    const auto answer = found(*make, "instances", 300, busy);
    if (!answer || !answer->there || answer->there->at <= 64.0) return;
    ++far;
    const std::vector<bool> all = tried(*make, "instances", 300, busy);
    const auto at = static_cast<std::size_t>(answer->there->at);
    CHECK(all[at - 1]);
    if (at < all.size()) CHECK_FALSE(all[at]);
    const bool even = std::is_sorted(all.rbegin(), all.rend());
    if (even) CHECK(largest(all) == static_cast<int>(at));
  });
  CHECK_DRAWN_OF_ALL(far > 2);
}

TEST_CASE("law: a lower busy share never feeds fewer") {
  for_generated(30, [&](const Settings& settings, pipeline::Generator& random) {
    const std::string key = random.chance(0.5) ? "instances" : "gpus_per_instance";
    const auto make = possible(settings);
    if (!make) return;
    int before = fed(*make, key, 0.95);
    for (const double busy : {0.9, 0.7, 0.5, 0.2}) {
      const int now = fed(*make, key, busy);
      CHECK(now >= before);
      before = now;
    }
  });
}

TEST_CASE("law: a shared source of twice the bandwidth never feeds fewer instances") {
  int more = 0;
  for_generated(30, [&](Settings settings, pipeline::Generator& random) {
    const double bandwidth = random.log_uniform(2e7, 2e9);
    std::erase_if(settings, [](const auto& set) {
      return set.first.starts_with("/source/") || set.first.starts_with("/disk/");
    });
    settings.emplace_back("/source/service", "s3");
    settings.emplace_back("/source/input_mode", "FastFile");
    settings.emplace_back("/source/shared", "true");
    settings.emplace_back("/job/efficiency", "null");
    const auto with = [&](double rate) {
      Settings all = settings;
      all.emplace_back("/source/bandwidth", fmt::format("{:.0f} B/s", rate));
      return all;
    };
    try {
      const api::ScenarioMaker once(testing_resolve::document_with(with(bandwidth)));
      const api::ScenarioMaker twice(testing_resolve::document_with(with(2.0 * bandwidth)));
      const int before = fed(once, "instances", 0.5);
      const int after = fed(twice, "instances", 0.5);
      INFO(bandwidth);
      CHECK(after >= before);
      more += after > before ? 1 : 0;
    } catch (const InputError&) {
      return;
    }
  });
  CHECK_DRAWN_OF_ALL(more > 0);
}
