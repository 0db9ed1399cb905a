// What a choice between points rests on, over generated sweeps: how likely the best one is, what
// choosing blindly costs, and what each group of inputs is worth, by drawing them all again.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/generated_scenario.hpp"
#include "seed.hpp"
#include "study/decision.hpp"
#include "study/drawn_job.hpp"
#include "study/sweep.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;
using testing_resolve::catalog;

constexpr std::uint64_t seed = 3;

/// Draws of what every point costs, and what they say of the choice.
struct Tallied {
  std::vector<std::vector<double>> draws;

  [[nodiscard]] std::vector<double> means() const {
    std::vector<double> mean(draws.front().size());
    for (const auto& one : draws) {
      for (std::size_t k = 0; k < mean.size(); ++k) {
        mean[k] += one[k] / static_cast<double>(draws.size());
      }
    }
    return mean;
  }
  /// In how many draws each point takes the first one's place; within 1e-4 it keeps it.
  [[nodiscard]] std::vector<double> others() const {
    std::vector<double> count(draws.front().size());
    for (const auto& one : draws) {
      const auto least = std::min_element(one.begin(), one.end());
      if (*least < one.front() * (1.0 - 1e-4)) {
        count[static_cast<std::size_t>(least - one.begin())] += 1.0;
      }
    }
    return count;
  }
  [[nodiscard]] double share() const {
    double sum = 0.0;
    for (const double each : others()) sum += each;
    return sum / static_cast<double>(draws.size());
  }
  /// What the choice that is best in the mean costs more than choosing in each draw.
  [[nodiscard]] double worth() const {
    double least = 0.0;
    for (const auto& one : draws) {
      least += *std::min_element(one.begin(), one.end()) / static_cast<double>(draws.size());
    }
    const std::vector<double> mean = means();
    return std::max(0.0, *std::min_element(mean.begin(), mean.end()) - least);
  }
};

TEST_CASE("decided: likelihood, loss and the worth of each group are those of drawing them again") {
  Generator random(161);
  int checked = 0, worthwhile = 0, in_time = 0;
  const double handover =
      resolve::assumed::handover_of(resolve::assumed::handover_shared, Bytes{}).value;  // s
  for (int i = 0; i < 200 && checked < 9; ++i) {
    testing_resolve::Settings settings = testing_resolve::generated_settings(random);
    const bool priced = random.chance(0.7);
    // Where all else is fast, what the main process takes to hand a batch over decides.
    const bool light = random.chance(0.6);
    if (light) {
      settings.emplace_back("/source", R"({"service": "local"})");
      settings.emplace_back("/disk", R"({"kind": "other", "bandwidth": "100 GB/s",
                                         "page_cache": "100 TB", "latency": "0 s"})");
      settings.emplace_back("/dataset/bytes_per_sample", "1 kB");
      settings.emplace_back("/dataset/samples", "1000000000");  // so that starting is nothing
      settings.emplace_back("/dataset/bytes_on_gpu_per_sample", "null");
      settings.emplace_back("/preprocess", R"([{"operation": "decode", "cpu": "1 us"}])");
      settings.emplace_back("/loader/num_workers", "4");
      settings.emplace_back("/loader/kind", "pytorch");
    }
    if (!priced) {
      settings.emplace_back("/source", R"({"service": "local"})");
      settings.emplace_back("/disk", R"({"kind": "other", "bandwidth": "1 GB/s"})");
    }
    std::vector<study::SweepInput> inputs;
    try {
      // Faster GPUs at prices that make them about as good, if samples come as fast.
      const double batch = light ? 10.0 : 64.0;
      for (double point = random.whole(1.0, 4.0); point >= 0.0; point -= 1.0) {
        testing_resolve::Settings one = settings;
        const double step =
            light ? random.uniform(0.2, 2.0) * handover : random.log_uniform(0.002, 0.2);
        one.emplace_back("/job/step", fmt::format("{:.4g} s", step));
        one.emplace_back("/loader/batch_size", fmt::format("{:g}", batch));
        one.emplace_back("/cluster/price",
                         fmt::format("{:.4g} USD/h",
                                     priced ? random.uniform(0.95, 1.05) /
                                                  (light ? std::max(step, handover) : step + 0.03)
                                            : 0.0));
        inputs.push_back(
            {{{"step", fmt::format("{:.4g}", step)}}, testing_resolve::scenario_with(one)});
      }
    } catch (const InputError&) {
      continue;
    }
    std::optional<Sweep> sweep;
    try {
      sweep = study::sweep(inputs, catalog(), nullptr, {}, 1);
    } catch (const InputError&) {
      continue;
    }
    const auto decided = study::decide(*sweep, inputs, catalog(), nullptr, seed);
    std::vector<std::size_t> points;
    bool money = false;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (!sweep->points[k].answered()) continue;
      points.push_back(k);
      money = money || sweep->points[k].result.bill.total > Money{};
    }
    REQUIRE(decided.has_value() == (points.size() > 1));
    if (!decided) continue;
    INFO("sweep " << i);
    ++checked;
    in_time += money ? 0 : 1;
    CHECK(decided->in_money == money);
    CHECK(decided->compared == points.size());
    const auto value = [&](std::size_t k) {
      const Result& of = sweep->points[k].result;
      return std::pair(money ? of.bill.total.base() : of.times.total.base(), of.times.total.base());
    };
    std::stable_sort(points.begin(), points.end(),
                     [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
    CHECK(decided->best == points.front());
    const auto costs = [&](const resolve::Draw& draw) {
      std::vector<double> list;
      for (const std::size_t k : points) {
        const auto job = study::drawn_job(inputs[k].scenario, catalog(), nullptr, draw,
                                          study::Own{}.among_others());
        list.push_back(money ? job.bill.total.base() : job.outcome.total.wall.base());
      }
      return list;
    };
    Tallied all;
    for (std::uint64_t d = 1; d <= 100; ++d) {
      all.draws.push_back(costs([&](std::string_view key) { return uniform_of(seed, d, key); }));
    }
    CHECK(decided->draws == 100);
    CHECK(decided->likely == Approx(1.0 - all.share()));
    CHECK(decided->expected_loss == Approx(all.worth()).margin(1e-12 * value(points[0]).first));
    const std::vector<double> mean = all.means();
    const auto least = std::min_element(mean.begin(), mean.end());
    const std::size_t choice =
        mean.front() <= *least * (1.0 + 1e-4) ? 0 : static_cast<std::size_t>(least - mean.begin());
    CHECK(decided->choice == points[choice]);

    // Inputs that one probe measures are learned together, each other by itself.
    std::map<std::string, std::string> probe_of;
    for (const std::size_t k : points) {
      for (const InputUsed& input : sweep->points[k].result.inputs) {
        if (input.low.empty()) continue;
        probe_of.emplace(input.key,
                         input.from.origin == Origin::assumed ? input.probe : std::string());
      }
    }
    std::vector<std::vector<std::string>> groups;
    std::map<std::string, std::size_t> by_probe;
    for (const auto& [key, probe] : probe_of) {
      const auto known = by_probe.find(probe);
      if (!probe.empty() && known != by_probe.end()) {
        groups[known->second].push_back(key);
        continue;
      }
      if (!probe.empty()) by_probe.emplace(probe, groups.size());
      groups.push_back({key});
    }
    std::size_t expected = 0;
    for (const auto& keys : groups) {
      Tallied tally;
      for (int d = 0; d < 32; ++d) {
        tally.draws.push_back(costs([&](std::string_view key) {
          if (std::find(keys.begin(), keys.end(), key) == keys.end()) return 0.5;
          return keys.size() == 1 ? (d + 0.5) / 32.0
                                  : uniform_of(seed, static_cast<std::uint64_t>(d) + 1U, key);
        }));
      }
      const auto said =
          std::find_if(decided->worth.begin(), decided->worth.end(), [&](const Worth& worth) {
            std::vector<std::string> sorted = worth.keys;
            std::sort(sorted.begin(), sorted.end());
            return sorted == keys;
          });
      INFO(keys.front() << " and " << keys.size());
      // Those are asked for that change something by themselves.
      const std::vector<double> stated = costs([](std::string_view) { return 0.5; });
      bool matters = false;
      for (const std::string& key : keys) {
        for (const double end : {0.02, 0.98}) {
          const std::vector<double> there =
              costs([&](std::string_view other) { return other == key ? end : 0.5; });
          for (std::size_t k = 0; k < there.size(); ++k) {
            matters = matters || std::abs(there[k] / stated[k] - 1.0) > 1e-6;
          }
        }
      }
      REQUIRE((said != decided->worth.end()) == (matters && tally.share() > 0.0));
      if (said == decided->worth.end()) continue;
      ++expected;
      ++worthwhile;
      CHECK(said->probe == probe_of.at(keys.front()));
      CHECK(said->worth == Approx(tally.worth()).margin(1e-9 * value(points[0]).first));
      CHECK(said->share == Approx(tally.share()));
      const std::vector<double> others = tally.others();
      const auto at = std::find(points.begin(), points.end(), said->instead);
      REQUIRE(at != points.end());
      CHECK(others[static_cast<std::size_t>(at - points.begin())] ==
            *std::max_element(others.begin(), others.end()));
    }
    CHECK(decided->worth.size() == expected);
    CHECK(std::is_sorted(decided->worth.begin(), decided->worth.end(),
                         [](const Worth& a, const Worth& b) { return a.worth > b.worth; }));
  }
  CHECK(checked == 9);
  CHECK_DRAWN(worthwhile > 1);
  CHECK_DRAWN(in_time > 1);
}

}  // namespace
