// How sure an answer is, held for every shipped scenario in several settings: ranges, their draws,
// and what each input is said to explain.
#include "study/certainty.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/context.hpp"
#include "scenarios/shipped.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/documents/host.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"
#include "study/drawn_job.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

const Catalog& catalog() {
  static const Catalog all = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  return all;
}

struct Asked {
  std::string name;
  Scenario scenario;
};

/// Every shipped scenario as it is, and with other workers, batches and instances where it has
/// them.
const std::vector<Asked>& jobs() {
  static const std::vector<Asked> list = [] {
    std::vector<Asked> made;
    for (const std::string& file : test::some_of(testing_scenarios::shipped(), 1)) {
      const auto document =
          schema::load_document(std::string(FEEDRATE_SOURCE_DIR "/scenarios/") + file);
      const Scenario scenario = schema::read_scenario(document);
      made.push_back({file, scenario});
      for (const double workers : {1.0, 6.0}) {
        Scenario other = scenario;
        if (other.job.duration_on_one_instance) continue;
        if (other.loader.kind.family() != LoaderKind::inline_) other.loader.num_workers = workers;
        made.push_back({file + ", workers " + std::to_string(workers), other});
      }
    }
    return made;
  }();
  return list;
}

const HostProfile& profile() {
  static const HostProfile host =
      schema::read_host_profile(FEEDRATE_SOURCE_DIR "/scenarios/hosts/epyc_vm_2_cores.json");
  return host;
}

Result weighed(const Scenario& scenario, const HostProfile* host = nullptr, int draws = 0) {
  study::RunOptions options;
  options.weigh = true;
  options.replications = draws;
  options.bottlenecks = false;
  return study::run(scenario, catalog(), host, options);
}

double time_of(const Scenario& scenario, const HostProfile* host, const resolve::Draw& draw) {
  return study::drawn_job(scenario, catalog(), host, draw).outcome.total.wall.base();
}

/// Its inputs that have a range, each name once.
std::map<std::string, const InputUsed*> uncertain(const Result& result) {
  std::map<std::string, const InputUsed*> list;
  for (const InputUsed& input : result.inputs) {
    if (input.effect) list.emplace(input.key, &input);
  }
  return list;
}

/// The share of all that an input might be, at which its range ends.
double end_of(const InputUsed& input, bool high) {
  return input.range.empty() ? (high ? 0.95 : 0.05) : (high ? 1.0 : 0.0);
}

}  // namespace

TEST_CASE("certainty: each assumption says why, from where its range is, and lies in it") {
  for (const resolve::Assumption* one : resolve::assumptions()) {
    INFO(one->key);
    CHECK(one->low <= one->value);
    CHECK(one->value <= one->high);
    CHECK_FALSE(one->key.empty());
    CHECK_FALSE(one->why.empty());
    CHECK_FALSE(one->range.empty());
    CHECK(one->at(0.0) == Approx(one->low).margin(1e-300));
    CHECK(one->at(0.5) == one->value);
    CHECK(one->at(1.0) == Approx(one->high).margin(1e-300));
    for (double u = 0.0; u < 0.99; u += 0.01) CHECK(one->at(u) <= one->at(u + 0.01));
  }
}

TEST_CASE("certainty: what was measured on a machine lies in the range of what is assumed for it") {
  using namespace resolve::assumed;
  const auto holds = [](const resolve::Assumption& range, double seen) {
    INFO(range.key << ": " << seen);
    CHECK(range.low <= seen);
    CHECK(seen <= range.high);
  };
  const HostProfile& host = profile();
  const auto value = [](const auto& measured) { return resolve::base_of(measured->value); };
  // Of 16 images of 224 by 224 pixels in single precision.
  holds(handover_of(handover_shared, megabytes(9.633920)), value(host.handover));
  holds(collate, value(host.collate));
  holds(collate_inline, value(host.collate_inline));
  holds(worker_startup, value(host.worker_startup));
  holds(worker_warmup, value(host.worker_warmup));
  holds(worker_shutdown, value(host.worker_shutdown));
  holds(host_copy, value(host.memcpy_bandwidth));
  holds(oversubscription, value(host.oversubscription));
  // Two cores that are both busy lose 2/X(2) - 1; probes have seen as little as nothing.
  for (const auto& cores : {host.cpu, host.pytorch_cpu}) {
    CHECK(2.0 / cores->points.back().total - 1.0 <= contention.high);
  }
  // 100 us is what is taken for a disk that is not named.
  holds(disk_latency, value(host.disk_latency) / 100e-6);
}

TEST_CASE("certainty: vCPUs that nobody called cores may be threads of half as many") {
  for (const Asked& job : jobs()) {
    if (job.scenario.cluster.instance || !job.scenario.cluster.vcpus ||
        job.scenario.cluster.cores) {
      continue;
    }
    INFO(job.name);
    const Result result = weighed(job.scenario);
    Scenario halved = job.scenario;
    halved.cluster.cores = 0.5 * *job.scenario.cluster.vcpus;
    const Result fewer = weighed(halved);
    Duration longest = result.certainty->stated;
    for (const auto& [key, input] : uncertain(result)) {
      if (input->from.origin != Origin::assumed) continue;
      longest += std::max({Duration{}, input->effect->time_at_low - result.certainty->stated,
                           input->effect->time_at_high - result.certainty->stated});
    }
    CHECK(fewer.times.total <= longest * 1.001);
  }
}

TEST_CASE("certainty: the probe that is advised makes its inputs known") {
  HostProfile knows = profile();
  int advised = 0;
  for (const Asked& job : jobs()) {
    const Result before = weighed(job.scenario);
    knows.instance = job.scenario.cluster.instance.value_or("");
    const Result after = weighed(job.scenario, &knows);
    for (const auto& [key, input] : uncertain(before)) {
      // The shipped profile holds what these two probes measure.
      if (input->probe != "loader" && input->probe != "decode") continue;
      if (input->from.origin != Origin::assumed) continue;
      INFO(job.name << ", " << key << ": " << input->probe);
      const auto now = uncertain(after);
      const auto found = now.find(key);
      CHECK((found == now.end() || found->second->from.origin == Origin::measured));
      ++advised;
    }
  }
  CHECK_DRAWN_OF_ALL(advised > 50);
}

TEST_CASE("certainty: shares of the variance are none below 0 and add up to 1") {
  for (const Asked& job : jobs()) {
    INFO(job.name);
    const Result result = weighed(job.scenario);
    REQUIRE(result.certainty);
    double sum = result.certainty->own_variance_share;
    CHECK(sum >= 0.0);
    for (const auto& [key, input] : uncertain(result)) {
      CHECK(input->effect->variance_share >= 0.0);
      sum += input->effect->variance_share;
    }
    for (const ModelDoubt& doubt : result.certainty->model) {
      CHECK(doubt.effect.variance_share >= 0.0);
      sum += doubt.effect.variance_share;
    }
    if (sum > 0.0) CHECK(sum == Approx(1.0));
  }
}

TEST_CASE("certainty: the job's time moves one way over an input's range") {
  for (const HostProfile* host : {static_cast<const HostProfile*>(nullptr), &profile()}) {
    for (const Asked& job : jobs()) {
      const Result result = weighed(job.scenario, host);
      for (const auto& [key, input] : uncertain(result)) {
        INFO(job.name << ", " << key << (host != nullptr ? ", with a profile" : ""));
        const double low = input->effect->time_at_low.base();
        const double high = input->effect->time_at_high.base();
        const double sign = high >= low ? 1.0 : -1.0;
        double before = low;
        for (const double share : {0.25, 0.5, 0.75, end_of(*input, true)}) {
          const double now = time_of(job.scenario, host, [&, name = key](std::string_view other) {
            return other == name ? share : 0.5;
          });
          CHECK(sign * (now - before) >= -2e-3 * now);
          before = now;
        }
      }
    }
  }
}

TEST_CASE("certainty: typing in what is assumed changes no figure and leaves less to doubt") {
  for (const Asked& job : jobs()) {
    INFO(job.name);
    const Result before = weighed(job.scenario);
    const auto list = uncertain(before);
    if (list.count("/loader/oversubscription") == 0) continue;
    Scenario typed = job.scenario;
    typed.loader.oversubscription = 0.07;
    const Result after = weighed(typed);
    CHECK(after.times.total == before.times.total);
    CHECK(uncertain(after).count("/loader/oversubscription") == 0);
    CHECK(uncertain(after).size() == list.size() - 1);
  }
}

TEST_CASE("certainty: draws are by name: a job's other uncertain inputs do not move them") {
  const Scenario job = jobs().front().scenario;
  const resolve::Draw first = [](std::string_view key) { return uniform_of(1, 3, key); };
  Scenario typed = job;
  typed.dataset.size_cv = 0.3;
  std::map<std::string, double> seen;
  const auto listen = [&](const Scenario& scenario) {
    std::map<std::string, double> heard;
    time_of(scenario, nullptr, [&](std::string_view key) {
      heard[std::string(key)] = first(key);
      return heard[std::string(key)];
    });
    return heard;
  };
  const auto all = listen(job);
  const auto fewer = listen(typed);
  CHECK(fewer.size() < all.size());
  for (const auto& [key, share] : fewer) CHECK(all.at(key) == share);
}

TEST_CASE("certainty: what is said one input at a time explains the draws of all, nearly") {
  // Where inputs act alone, variances add up. A second way to the same number: 600 draws of all.
  int compared = 0;
  for (const Asked& job : jobs()) {
    const Result result = weighed(job.scenario);
    const double mean = result.times.total.base();
    double one_by_one = 0.0;
    for (const auto& [key, input] : uncertain(result)) {
      double squares = 0.0;
      for (double u = 0.05; u < 1.0; u += 0.1) {
        const double off =
            time_of(job.scenario, nullptr,
                    [&, name = key](std::string_view other) { return other == name ? u : 0.5; }) -
            mean;
        squares += 0.1 * off * off;
      }
      one_by_one += squares;
    }
    if (std::sqrt(one_by_one) < 0.005 * mean) continue;
    double sum = 0.0;
    double squares = 0.0;
    constexpr int draws = 600;
    for (int i = 0; i < draws; ++i) {
      const double time = time_of(job.scenario, nullptr,
                                  [&](std::string_view key) {
                                    // No input says the model's own error.
                                    if (key.starts_with("model_error/")) return 0.5;
                                    return uniform_of(5, static_cast<std::uint64_t>(i), key);
                                  }) -
                          mean;
      sum += time;
      squares += time * time;
    }
    const double together = squares / draws;
    INFO(job.name << ": one at a time " << std::sqrt(one_by_one) << " s, together "
                  << std::sqrt(together) << " s");
    CHECK(std::sqrt(together) < 3.0 * std::sqrt(one_by_one));
    CHECK(std::sqrt(together) > std::sqrt(one_by_one) / 3.0);
    ++compared;
  }
  CHECK(compared >= 20);
}

TEST_CASE("certainty: an answer that assumes something has a band, and its headline is in it") {
  for (const Asked& job : jobs()) {
    INFO(job.name);
    const Result result = weighed(job.scenario, nullptr, 100);
    REQUIRE(result.bands);
    const Band& band = result.bands->total_s;
    const double total = result.times.total.base();
    CHECK(band[0] <= total * 1.001);
    CHECK(band[2] >= total * 0.999);
    bool assumed = false;
    for (const auto& [key, input] : uncertain(result)) {
      assumed = assumed || (input->matters && input->from.origin == Origin::assumed);
    }
    if (assumed) CHECK(band[2] - band[0] > 0.003 * total);
  }
}

TEST_CASE("certainty: quantiles of the normal distribution are those of its integral") {
  for (double u = 1e-7; u < 1.0; u += 0.00137) {
    const double back = 0.5 * std::erfc(-normal_quantile(u) / std::sqrt(2.0));
    CHECK(back == Approx(u).epsilon(1e-7));
  }
  CHECK(normal_quantile(0.5) == 0.0);
}

TEST_CASE("certainty: draws of a name are even between 0 and 1, and no other name's") {
  constexpr int draws = 20000;
  double sum = 0.0;
  double products = 0.0;
  for (int i = 0; i < draws; ++i) {
    const auto stream = static_cast<std::uint64_t>(i);
    const double a = uniform_of(1, stream, "/loader/collate");
    const double b = uniform_of(1, stream, "/loader/handover");
    CHECK((a > 0.0 && a < 1.0));
    sum += a;
    products += (a - 0.5) * (b - 0.5);
  }
  CHECK(sum / draws == Approx(0.5).margin(4.0 * 0.2887 / std::sqrt(draws)));
  CHECK(std::abs(products / draws) < 4.0 * 0.0833 / std::sqrt(draws));
}
