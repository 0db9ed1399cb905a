// Laws of instances with different numbers of GPUs: over generated jobs, as scenarios and as the
// plain numbers that are simulated.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/shared_limits.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;
using testing_resolve::scenario_with;
using testing_resolve::Settings;

namespace {

/// `inputs` with these GPUs on its instances, of which each rank has what it had.
Inputs with_gpus(const Inputs& inputs, std::vector<double> gpus, double samples_of_rank) {
  std::sort(gpus.rbegin(), gpus.rend());
  const double all = std::accumulate(gpus.begin(), gpus.end(), 0.0);
  const auto kind = [&](double ranks) {
    Inputs one = inputs;
    one.instances = static_cast<double>(gpus.size());
    one.ranks = ranks;
    one.samples = samples_of_rank * all;
    one.unequal.emplace();
    one.unequal->gpus = all;
    one.unequal->most = gpus.front();
    one.unequal->alike = static_cast<double>(std::count(gpus.begin(), gpus.end(), ranks));
    return one;
  };
  Inputs made = kind(gpus.front());
  for (std::size_t i = 1; i < gpus.size(); ++i) {
    if (gpus[i] == gpus[i - 1]) continue;
    const double alike = static_cast<double>(std::count(gpus.begin(), gpus.end(), gpus[i]));
    made.unequal->others.push_back({alike, std::make_shared<const Inputs>(kind(gpus[i]))});
  }
  return made;
}

Inputs with_equal_gpus(const Inputs& inputs, double instances, double ranks,
                       double samples_of_rank) {
  Inputs made = inputs;
  made.instances = instances;
  made.ranks = ranks;
  made.samples = samples_of_rank * instances * ranks;
  return made;
}

/// Generated, without what depends on how much of the data an instance sees.
Inputs generated(Generator& random, double steps) {
  Inputs inputs = random.inputs(steps);
  inputs.remote.reset();
  inputs.staging.reset();
  inputs.caches.readers = 1.0;
  return inputs;
}

std::vector<double> generated_gpus(Generator& random) {
  std::vector<double> gpus;
  const double instances = random.whole(2.0, 4.0);
  for (double i = 0.0; i < instances; i += 1.0) gpus.push_back(random.whole(1.0, 6.0));
  return gpus;
}

std::string list_of(const std::vector<double>& gpus) {
  return fmt::format("[{:g}]", fmt::join(gpus, ", "));
}

std::optional<Result> answer(const Settings& settings) {
  try {
    return study::run(scenario_with(settings), testing_resolve::catalog(), nullptr);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// With a machine that has eight GPUs.
Settings on_eight_gpus(Generator& random, double instances) {
  Settings settings = testing_resolve::generated_settings(random);
  std::erase_if(settings, [](const auto& one) {
    return one.first == "/cluster/instance" || one.first == "/cluster/instances";
  });
  settings.emplace_back("/cluster/instance", random.chance(0.5) ? "p3.16xlarge" : "p4d.24xlarge");
  settings.emplace_back("/cluster/instances", fmt::format("{:g}", instances));
  if (random.chance(0.5)) {
    settings.emplace_back("/job/allreduce", R"({"gradient_bytes": "100 MB"})");
  }
  return settings;
}

/// Of the loader.
std::string settings_kind(const Settings& settings) {
  for (const auto& [key, value] : settings) {
    if (key == "/loader/kind") return value;
  }
  return "pytorch";
}

}  // namespace

TEST_CASE("unequal: a list of equal numbers is one number, and the order of a list is nothing") {
  Generator random(71);
  for (int i = 0; i < test::some(100); ++i) {
    std::vector<double> gpus = generated_gpus(random);
    Settings settings = on_eight_gpus(random, static_cast<double>(gpus.size()));
    const auto with = [&](const std::string& value) {
      Settings more = settings;
      more.emplace_back("/cluster/gpus_per_instance", value);
      return scenario_with(more);
    };
    const std::vector<double> equal(gpus.size(), gpus.front());
    CHECK(with(list_of(equal)) == with(fmt::format("{:g}", gpus.front())));
    const Scenario one = with(list_of(gpus));
    std::rotate(gpus.begin(), gpus.begin() + 1, gpus.end());
    CHECK(with(list_of(gpus)) == one);
    std::reverse(gpus.begin(), gpus.end());
    CHECK(with(list_of(gpus)) == one);
  }
}

TEST_CASE("unequal: kinds that differ in nothing are the alike instances, mean and events") {
  Generator random(72);
  SimulationOptions exact;
  exact.exact = true;
  for (int i = 0; i < test::some(200); ++i) {
    const Inputs inputs = generated(random, 20.0);
    const double ranks = inputs.ranks;
    const double each = inputs.samples / inputs.gpus();
    const Inputs equal = with_equal_gpus(inputs, 3.0, ranks, std::ceil(each));
    Inputs split = with_gpus(inputs, {ranks, ranks, ranks}, std::ceil(each));
    Inputs other = split;
    split.unequal->alike = 2.0;
    split.unequal->others.push_back({1.0, std::make_shared<const Inputs>(other)});
    INFO(i);
    const Outcome a = simulate(equal);
    const Outcome b = simulate(split);
    CHECK(a.total.wall == b.total.wall);
    CHECK(a.total.busy == b.total.busy);
    CHECK(a.trained_samples == b.trained_samples);
    CHECK(epochs_read(equal) == Approx(epochs_read(split)).epsilon(1e-12));
    if (i % 8 != 0) continue;
    CHECK(simulate(equal, exact).total.wall == simulate(split, exact).total.wall);
  }
}

TEST_CASE("unequal: no faster than its largest instance alone, no slower than as many of that") {
  Generator random(73);
  int between = 0;
  for (int i = 0; i < test::some(500); ++i) {
    const Inputs inputs = generated(random, 30.0);
    const double each = std::ceil(inputs.samples / inputs.gpus());
    const std::vector<double> gpus = generated_gpus(random);
    const double most = *std::max_element(gpus.begin(), gpus.end());
    const Duration list = simulate(with_gpus(inputs, gpus, each)).total.wall;
    const auto as_many = [&](double instances) {
      return simulate(with_equal_gpus(inputs, instances, most, each)).total.wall;
    };
    const Duration alone = as_many(1.0);
    const Duration of_largest = as_many(static_cast<double>(gpus.size()));
    INFO(i << " " << list_of(gpus) << " of " << list.base() << " s, alone " << alone.base()
           << " s, as many " << of_largest.base() << " s");
    // As near as the work of main processes, which meets more or fewer threads, is known.
    CHECK(list >= alone * (1.0 - 1e-6));
    CHECK(list <= of_largest * (1.0 + 1e-6));
    between += list > alone * 1.001 ? 1 : 0;
  }
  CHECK_DRAWN_OF_ALL(between > 50);
}

TEST_CASE("unequal: a GPU more on any instance takes no time off what each rank does") {
  Generator random(74);
  for (int i = 0; i < test::some(300); ++i) {
    const Inputs inputs = generated(random, 30.0);
    const double each = std::ceil(inputs.samples / inputs.gpus());
    std::vector<double> gpus = generated_gpus(random);
    const Duration before = simulate(with_gpus(inputs, gpus, each)).total.wall;
    gpus[static_cast<std::size_t>(random.whole(0.0, static_cast<double>(gpus.size()) - 1.0))] +=
        1.0;
    INFO(i << " " << list_of(gpus));
    CHECK(simulate(with_gpus(inputs, gpus, each)).total.wall >= before * (1.0 - 1e-9));
  }
}

TEST_CASE("unequal: the mean is as near to the events as that of instances that are alike") {
  Generator random(75);
  std::vector<double> unequal;
  std::vector<double> alike;
  double bias = 0.0;
  const auto error_of = [](const Inputs& inputs) {
    SimulationOptions exact;
    exact.exact = true;
    double events = 0.0;
    for (exact.seed = 1; exact.seed <= 2; ++exact.seed) {
      events += 0.5 * simulate(inputs, exact).first.wall.base();
    }
    return simulate(inputs).first.wall.base() / events - 1.0;
  };
  constexpr std::size_t all = 160;
  while (unequal.size() < all) {
    Inputs inputs = generated(random, 120.0);
    inputs.size_cv = std::max(0.2, inputs.size_cv);
    inputs.make_cv = std::max(0.05, inputs.make_cv);
    const double each = std::ceil(inputs.samples / inputs.gpus());
    inputs.epochs = 1.0;
    inputs.unfinished_steps = 0.0;
    const std::vector<double> gpus = generated_gpus(random);
    const double most = *std::max_element(gpus.begin(), gpus.end());
    const auto instances = static_cast<double>(gpus.size());
    if (instances * most * (inputs.workers + 3.0) > 150.0) continue;
    const double error = error_of(with_gpus(inputs, gpus, each));
    unequal.push_back(std::abs(error));
    bias += error / static_cast<double>(all);
    alike.push_back(std::abs(error_of(with_equal_gpus(inputs, instances, most, each))));
  }
  std::sort(unequal.begin(), unequal.end());
  std::sort(alike.begin(), alike.end());
  INFO("median " << unequal[all / 2] << " and " << alike[all / 2] << ", 90 % "
                 << unequal[all * 9 / 10] << " and " << alike[all * 9 / 10] << ", worst "
                 << unequal.back() << " and " << alike.back() << ", bias " << bias);
  CHECK(unequal[all / 2] < 0.015);
  CHECK(unequal[all * 9 / 10] < 0.10);
  CHECK(unequal[all * 9 / 10] < 1.3 * alike[all * 9 / 10] + 0.01);
  CHECK(unequal.back() < 1.3 * alike.back() + 0.05);
  CHECK(std::abs(bias) < 0.02);
}

TEST_CASE("unequal: no split of the same GPUs is faster than the equal one, and all are paid") {
  Generator random(76);
  int checked = 0;
  int slower = 0;
  int settled_later = 0;
  for (int i = 0; i < test::some(200); ++i) {
    const double instances = random.whole(2.0, 4.0);
    const double each = random.whole(2.0, 6.0);
    std::vector<double> gpus(static_cast<std::size_t>(instances), each);
    const double moved = random.whole(1.0, std::min(each - 1.0, 8.0 - each));
    gpus.front() += moved;
    gpus.back() -= moved;
    const Settings settings = on_eight_gpus(random, instances);
    const auto with = [&](const std::string& value, const std::string& epochs) {
      Settings more = settings;
      more.emplace_back("/cluster/gpus_per_instance", value);
      more.emplace_back("/job/epochs", epochs);
      return answer(more);
    };
    const auto equal = with(fmt::format("{:g}", each), "3");
    const auto split = with(list_of(gpus), "3");
    std::string keys;
    for (const auto& [key, value] : settings) keys += key + "=" + value + " ";
    INFO(keys);
    INFO(fmt::format("{} {}: {:.9g} s, {:.9g} s", i, list_of(gpus),
                     equal ? equal->times.total.base() : 0.0,
                     split ? split->times.total.base() : 0.0));
    if (!equal || !split) continue;
    CHECK(split->gpus == equal->gpus);
    const auto no_faster = [](Duration one, Duration other) { CHECK(one >= other * (1.0 - 1e-6)); };
    no_faster(split->times.first_epoch, equal->times.first_epoch);
    // In between, a split may be faster: where an epoch brings each instance other samples, one
    // with the share p of them has p² in its memory after the first and misses p·(1 − p), which is
    // most at a half.
    const Duration settling = equal->times.total - equal->times.startup - equal->times.staging -
                              equal->times.first_epoch - 2.0 * equal->times.epoch;
    if (std::abs(settling / equal->times.total) < 1e-9) {
      no_faster(split->times.total, equal->times.total);
    } else {
      const std::string settled = "300";
      no_faster(with(list_of(gpus), settled)->times.epoch,
                with(fmt::format("{:g}", each), settled)->times.epoch);
      ++settled_later;
    }
    const double hour_equal = equal->bill.compute.base() / equal->bill.billed_time.base();
    const double hour_split = split->bill.compute.base() / split->bill.billed_time.base();
    CHECK(hour_split == Approx(hour_equal).epsilon(1e-9));
    slower += split->times.total > equal->times.total * 1.001 ? 1 : 0;
    ++checked;
  }
  CHECK_DRAWN_OF_ALL(checked > 80);
  CHECK_DRAWN_OF_ALL(slower > 20);
  CHECK_DRAWN_OF_ALL(settled_later > 5);
  CHECK_DRAWN_OF_ALL(checked - settled_later > 20);
}

TEST_CASE("unequal: gains are those of all kinds, and all stages twice as fast halve the epochs") {
  Generator random(77);
  for (int i = 0; i < test::some(100); ++i) {
    const Inputs inputs = generated(random, 30.0);
    const double each = std::ceil(inputs.samples / inputs.gpus());
    Inputs list = with_gpus(inputs, generated_gpus(random), each);
    const Duration before = simulate(list).total.wall;
    const Duration trained = simulate(list).trained.wall;
    for (const Stage stage : all_stages()) {
      Inputs faster = list;
      faster.speed[stage] = 2.0;
      INFO(i << " " << name_of(stage));
      // Workers that wait less crowd the cores more, which the main processes share: where a faster
      // stage makes a job longer by over a thousandth, it does in its events.
      const double longer = simulate(faster).total.wall / before;
      if (longer <= 1.0 + 1e-3) continue;
      const SimulationOptions exact{.exact = true};
      const double by_events =
          simulate(faster, exact).total.wall / simulate(list, exact).total.wall;
      CHECK(longer <= std::max(by_events, 1.0) + 5e-3);
    }
    CHECK(simulate(without_shared_limits(list)).total.wall <= before * (1.0 + 1e-9));
    for (const Stage stage : all_stages()) list.speed[stage] = 2.0;
    CHECK(simulate(list).trained.wall.base() == Approx(0.5 * trained.base()).epsilon(1e-6));
  }
}

TEST_CASE("unequal: each kind loads as an instance with so many GPUs does, and shares add up") {
  Generator random(78);
  int shared = 0;
  int checked = 0;
  for (int i = 0; i < test::some(250); ++i) {
    const std::vector<double> gpus = generated_gpus(random);
    const auto instances = static_cast<double>(gpus.size());
    Settings settings = on_eight_gpus(random, instances);
    if (random.chance(0.3)) settings.emplace_back("/source/shared", "true");
    if (random.chance(0.3)) settings.emplace_back("/source/bandwidth", "3 GB/s");
    const bool loads = settings_kind(settings) != "inline";
    if (loads && random.chance(0.4)) settings.emplace_back("/loader/num_workers", "auto");
    const auto with = [&](const std::string& value) -> std::optional<Inputs> {
      Settings more = settings;
      more.emplace_back("/cluster/gpus_per_instance", value);
      try {
        return resolve::resolve(scenario_with(more), testing_resolve::catalog()).inputs;
      } catch (const InputError&) {
        return std::nullopt;
      }
    };
    const auto list = with(list_of(gpus));
    if (!list || !list->unequal) continue;
    std::vector<std::pair<double, Inputs>> kinds = {{list->unequal->alike, *list}};
    for (const auto& [alike, other] : list->unequal->others) kinds.emplace_back(alike, *other);
    double counted = 0.0;
    double ranks = 0.0;
    double rate = 0.0;
    double whole = 0.0;
    INFO(i << " " << list_of(gpus));
    for (const auto& [alike, kind] : kinds) {
      const auto equal = with(fmt::format("{:g}", kind.ranks));
      REQUIRE(equal);
      CHECK(kind.workers == equal->workers);
      CHECK(kind.copy == equal->copy);
      CHECK(kind.cpu == equal->cpu);
      // A buffer holds no more than its readers train on, of as many GPUs as there are.
      // Where the loader's nodes keep their shards, who has fewer GPUs has fewer of these.
      const double parts = kind.instances_alike() / kind.caches.readers;
      const double of_equal = equal->instances_alike() / equal->caches.readers;
      const bool same_memory = !kind.caches.decoded || parts == of_equal;
      if (kind.read_before <= 0.0 && same_memory) {
        // Batches take no more memory than an epoch's, which are of the part: by some thousandths.
        CHECK(kind.caches.room / parts == Approx(equal->caches.room / of_equal).epsilon(5e-3));
      }
      CHECK(kind.gpus() == list->gpus());
      CHECK(kind.exposed_allreduce == list->exposed_allreduce);
      CHECK(epoch_shape(kind).steps == epoch_shape(*list).steps);
      counted += alike;
      ranks += alike * kind.ranks;
      if (!kind.source) continue;
      for (std::size_t k = 0; k < kind.source->limits.size(); ++k) {
        if (!kind.source->limits[k].shared) continue;
        rate += alike * kind.source->limits[k].rate;
        whole = std::max(whole, 1.0);
        if (&kind == &kinds.front().second) shared += 1;
      }
    }
    CHECK(counted == instances);
    CHECK(ranks == std::accumulate(gpus.begin(), gpus.end(), 0.0));
    if (whole > 0.0) {
      double of_all = 0.0;
      const auto one_each = with("1");
      REQUIRE(one_each);
      for (const RateLimit& limit : one_each->source->limits) {
        if (limit.shared) of_all += limit.rate * instances;
      }
      CHECK(rate == Approx(of_all).epsilon(1e-9));
    }
    ++checked;
  }
  CHECK_DRAWN_OF_ALL(checked > 80);
  CHECK_DRAWN_OF_ALL(shared > 15);
}

TEST_CASE(
    "unequal: the one with fewer GPUs decides once the other has more of the data in memory") {
  // Of three ranks that each read another random third, an instance with r of them has seen all
  // but (1 - r/3)^(k-1) of the data when epoch k begins, and reads r·(1 - r/3)^(k-1) parts of it.
  constexpr double each = 64.0 * 400.0;
  constexpr double read = 1e-3;  // seconds a sample
  Inputs inputs;
  inputs.kind = LoaderKind::pytorch;
  inputs.workers = 4.0;
  inputs.prefetch = 4.0;
  inputs.batch = 64.0;
  inputs.persistent_workers = true;
  inputs.step.fixed = seconds(1e-6);
  inputs.disk.emplace();
  inputs.disk->bytes = bytes_per_sample(1.0);
  inputs.disk->limits.push_back({"disk", 1.0 / read, 0.0, 0.0, 1.0, false});
  inputs.caches.room = 1.0;
  inputs.caches.policy = CachePolicy::no_eviction;
  Inputs list = with_gpus(inputs, {2.0, 1.0}, each);
  list.caches.readers = 1.5;
  Inputs small = *list.unequal->others.front().inputs;
  small.caches.readers = 3.0;
  list.unequal->others.front().inputs = std::make_shared<const Inputs>(small);
  double parts = 0.0;
  for (double epochs = 1.0; epochs <= 5.0; epochs += 1.0) {
    parts += std::max(2.0 * std::pow(1.0 / 3.0, epochs - 1.0), std::pow(2.0 / 3.0, epochs - 1.0));
    list.epochs = epochs;
    const Outcome out = simulate(list);
    INFO(epochs);
    CHECK(out.trained.wall.base() == Approx(parts * each * read).epsilon(0.02));
    CHECK(out.slowest_ranks == 2.0);
  }
  // Of what all read, both have their share.
  double read_parts = 0.0;
  for (double k = 0.0; k < 5.0; k += 1.0) {
    read_parts += (2.0 * std::pow(1.0 / 3.0, k) + std::pow(2.0 / 3.0, k)) / 3.0;
  }
  list.source = list.disk;
  list.first_source = list.disk;
  list.disk.reset();
  small.epochs = list.epochs;
  small.source = list.source;
  small.first_source = list.source;
  small.disk.reset();
  list.unequal->others.front().inputs = std::make_shared<const Inputs>(small);
  CHECK(epochs_read(list) == Approx(read_parts).epsilon(1e-9));
}
