// What a job needs of memory and volumes against what there is: a plan is refused where it cannot
// be, doubted where it may not be, and neither a byte sooner. Over drawn scenarios near each bound.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/drawn_world.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::resolve;
using namespace testing_world;

namespace {

struct Answer {
  std::optional<Resolved> resolved;
  std::vector<Problem> problems;

  [[nodiscard]] bool refuses(const std::string& key) const {
    return std::any_of(problems.begin(), problems.end(),
                       [&](const Problem& one) { return one.pointer == key; });
  }
  [[nodiscard]] bool doubts(const std::string& words) const {
    const auto says = [&](const std::string& caveat) {
      return caveat.find(words) != std::string::npos;
    };
    return resolved && std::any_of(resolved->caveats.begin(), resolved->caveats.end(), says);
  }
  [[nodiscard]] bool remarks(const std::string& words) const {
    return resolved && std::any_of(resolved->remarks.begin(), resolved->remarks.end(),
                                   [&](const std::string& one) {
                                     return one.find(words) != std::string::npos;
                                   });
  }
};

Answer answer(const World& w) {
  try {
    return {w.resolved(), {}};
  } catch (const InputError& error) {
    return {std::nullopt, error.problems()};
  }
}

/// Of one instance of which all is known, with a loader that hands batches over.
World plain_world(Drawn& d) {
  World w;
  draw_machine(d, w.catalog);
  Scenario& s = w.scenario;
  s.dataset.samples = d.generate.whole(1e4, 1e5);
  s.dataset.bytes_per_sample = d.of<DataPerSample>(2e4, 4e5);
  s.dataset.bytes_on_gpu_per_sample = d.of<DataPerSample>(1e5, 1e6);
  s.loader.kind = d.generate.chance(0.7) ? LoaderKind::pytorch : LoaderKind::pool;
  s.loader.num_workers = WorkerCount(d.generate.whole(1.0, 12.0));
  s.loader.prefetch_factor = d.generate.whole(1.0, 6.0);
  s.loader.batch_size = d.generate.whole(2.0, 256.0);
  s.loader.pin_memory = d.flag();
  s.preprocess = {{"decode", milliseconds(3.0) / samples(1.0), {}, {}, Place::cpu, {}}};
  s.cluster.instance = w.machine().name;
  s.cluster.instances = d.generate.whole(1.0, 4.0);
  s.cluster.price = usd_per_hour(3.0);
  s.cluster.memory = gibibytes(1e5);
  s.disk.page_cache = Bytes{};
  s.disk.kind = DiskKind::other;
  s.disk.bandwidth = bytes_per_second(1e9);
  s.job.epochs = 2.0;
  s.job.step.emplace();
  s.job.step->fixed = milliseconds(20.0);
  return w;
}

/// On either side of it.
double near(Drawn& d, double bound) {
  return bound * (d.generate.chance(0.2) ? d.generate.uniform(0.999999, 1.000001)
                                         : d.generate.uniform(0.3, 2.0));
}

double ranks_of(const World& w) {
  return w.machine().gpus->value;
}

/// Samples of a GPU in an epoch.
double samples_of(const World& w) {
  return std::ceil(*w.scenario.dataset.samples / (ranks_of(w) * w.scenario.cluster.instances));
}

double batch_bytes(const World& w) {
  return std::min(*w.scenario.loader.batch_size, samples_of(w)) *
         base(*w.scenario.dataset.bytes_on_gpu_per_sample);
}

/// Of so many batches, those that an epoch has.
double of_epoch(const World& w, double batches) {
  return std::min(batches, std::ceil(samples_of(w) / *w.scenario.loader.batch_size));
}

/// Of an instance: batches that are made ahead, and two of each GPU where they are pinned.
double ahead_of(const World& w) {
  const Loader& l = w.scenario.loader;
  const double made =
      *l.prefetch_factor * (l.kind.family() == LoaderKind::pytorch ? l.num_workers->number : 1.0);
  const double pinned = l.pin_memory.value_or(false) ? 2.0 : 0.0;
  return ranks_of(w) * (of_epoch(w, made) + pinned) * batch_bytes(w);
}

double workers_of(const World& w, double each) {
  const Loader& l = w.scenario.loader;
  return l.kind.family() == LoaderKind::pytorch ? ranks_of(w) * l.num_workers->number * each : 0.0;
}

}  // namespace

TEST_CASE(
    "resolved plan: a batch fits the GPU's memory, or is refused with the largest that does") {
  Drawn d(2401);
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    World w = plain_world(d);
    StepMemory memory;
    memory.fixed = d.maybe<Bytes>(1e8, 1e10);
    memory.per_sample = d.maybe<DataPerSample>(1e6, 1e8);
    const bool known = memory.fixed || memory.per_sample;
    if (known) w.scenario.job.step->gpu_memory = memory;
    const double each = known ? base(memory.per_sample.value_or(DataPerSample{}))
                              : base(*w.scenario.dataset.bytes_on_gpu_per_sample);
    const double fixed = base(memory.fixed.value_or(Bytes{}));
    const double needs = fixed + each * *w.scenario.loader.batch_size;
    const double has = near(d, needs);
    w.catalog.machines.front().gpu_memory =
        Value<Bytes>{bytes(has), {Origin::published, "test", 0.0}};
    const Answer found = answer(w);
    INFO("world " << i);
    REQUIRE(found.refuses("/loader/batch_size") == (needs > has));
    if (needs <= has) continue;
    ++refused;
    const double fit = std::floor((has - fixed) / each);
    const std::string& message = found.problems.front().message;
    if (each > 0.0 && fit >= 1.0) {
      REQUIRE(message.find(fmt::format("at most {:g} fit", fit)) != std::string::npos);
      w.scenario.loader.batch_size = fit;
      REQUIRE_FALSE(answer(w).refuses("/loader/batch_size"));
      w.scenario.loader.batch_size = fit + 1.0;
      REQUIRE(answer(w).refuses("/loader/batch_size"));
    } else {
      REQUIRE(message.find("not even one sample fits") != std::string::npos);
    }
  }
  CHECK_DRAWN(refused > 100);
}

TEST_CASE("resolved plan: workers hand batches over in shared memory that holds them") {
  Drawn d(2402);
  int refused = 0, doubted = 0;
  for (int i = 0; i < 1000; ++i) {
    World w = plain_world(d);
    if (i % 5 != 0) *w.scenario.dataset.samples *= 100.0;  // more batches than are begun
    w.scenario.loader.worker_memory = bytes(1.0);
    const Loader& l = w.scenario.loader;
    const bool hands = l.kind.family() == LoaderKind::pytorch;
    const double batches =
        ranks_of(w) * of_epoch(w, l.num_workers->number * *l.prefetch_factor) * batch_bytes(w);
    const bool given = d.generate.chance(0.5);
    const double has = near(d, batches);
    INFO("world " << i);
    if (given) {
      w.scenario.cluster.shared_memory = bytes(has);
      const bool too_small = hands && batches > has;
      REQUIRE(answer(w).refuses("/cluster/shared_memory") == too_small);
      refused += too_small ? 1 : 0;
      continue;
    }
    // Half of the memory, where nobody says; with room for all else.
    const double memory = std::max(2.0 * has, ahead_of(w) + ranks_of(w) * 3e9 + 1e9);
    w.scenario.cluster.memory = bytes(memory);
    const bool doubt = hands && batches > 0.5 * memory && batches <= memory;
    REQUIRE(answer(w).doubts("in /dev/shm") == doubt);
    doubted += doubt ? 1 : 0;
  }
  CHECK_DRAWN(refused > 50);
  CHECK_DRAWN(doubted > 10);
}

TEST_CASE(
    "resolved plan: memory is refused by the least that processes need, doubted by the usual") {
  Drawn d(2403);
  int refused = 0, doubted = 0;
  for (int i = 0; i < 800; ++i) {
    World w = plain_world(d);
    Loader& l = w.scenario.loader;
    l.worker_memory = d.maybe<Bytes>(1e7, 2e9);
    w.scenario.disk.page_cache.reset();
    const double own = l.worker_memory ? base(*l.worker_memory) : 0.0;
    const double least = ranks_of(w) * 1e9 + workers_of(w, own > 0.0 ? own : 0.05e9) + ahead_of(w);
    const double usual = ranks_of(w) * 3e9 + workers_of(w, own > 0.0 ? own : 0.5e9) + ahead_of(w);
    const double has = near(d, d.generate.chance(0.5) ? least : usual);
    w.scenario.cluster.memory = bytes(has);
    const Answer found = answer(w);
    INFO("world " << i << ": " << least << " to " << usual << " of " << has);
    const bool too_small = least > has;
    REQUIRE((found.refuses("/cluster/memory") || found.refuses("/loader/num_workers")) ==
            too_small);
    if (!too_small) {
      REQUIRE(found.doubts("Memory may run out") == (usual > has));
      doubted += usual > has ? 1 : 0;
      SAME(*found.resolved->installed.memory_used, bytes(usual));
      continue;
    }
    ++refused;
    if (!found.refuses("/loader/num_workers")) continue;
    // As many workers as it says fit, and not one more.
    double fit = 0.0;
    const double number = l.num_workers->number;
    for (double n = 1.0; n < number; n += 1.0) {
      l.num_workers = WorkerCount(n);
      const Answer fewer = answer(w);
      if (!fewer.refuses("/loader/num_workers") && !fewer.refuses("/cluster/memory")) fit = n;
    }
    REQUIRE(found.problems.front().message.find(fmt::format("at most {:g} fit", fit)) !=
            std::string::npos);
  }
  CHECK_DRAWN(refused > 100);
  CHECK_DRAWN(doubted > 50);
}

TEST_CASE("resolved plan: samples that are kept, a cache that is given, data on a volume") {
  Drawn d(2404);
  for (int i = 0; i < 500; ++i) {
    World w = plain_world(d);
    Scenario& s = w.scenario;
    INFO("world " << i);
    // What stays in memory is what the GPU gets, unless the decoded size is said.
    const auto decoded = d.maybe<DataPerSample>(1e5, 1e6);
    s.dataset.decoded_bytes_per_sample = decoded;
    s.loader.in_memory_cache = true;
    s.loader.worker_memory = bytes(1e8);
    const double kept =
        base(decoded ? *decoded : *s.dataset.bytes_on_gpu_per_sample) * *s.dataset.samples;
    const double rest = ranks_of(w) * 1e9 + workers_of(w, 1e8) + ahead_of(w);
    const double has = rest + near(d, kept);
    s.cluster.memory = bytes(has);
    const bool too_large = rest + kept > has;
    REQUIRE(answer(w).refuses("/loader/in_memory_cache") == too_large);
    s.loader.in_memory_cache.reset();
    s.cluster.memory = gibibytes(1e5);
    const double cache = near(d, gibibytes(1e5).base());
    s.disk.page_cache = bytes(cache);
    const bool beyond = cache > gibibytes(1e5).base() * (1.0 + 1e-9);
    REQUIRE(answer(w).doubts("The page cache that is given") == beyond);
    s.disk.page_cache = Bytes{};
    const double data = base(*s.dataset.bytes_per_sample) * *s.dataset.samples;
    const double room = near(d, data);
    s.disk.size = bytes(room);
    REQUIRE(answer(w).refuses("/disk/size") == (data > room * (1.0 + 1e-9)));
    s.disk.size.reset();
    // Each instance gets an object at least.
    s.source.service = Service::s3;
    s.source.distribution = Distribution::sharded_by_s3_key;
    s.cluster.instances = 4.0;
    const double objects = d.generate.whole(1.0, 8.0);
    s.dataset.samples_per_object = std::ceil(*s.dataset.samples / objects);
    const double found = std::ceil(*s.dataset.samples / *s.dataset.samples_per_object);
    REQUIRE(answer(w).refuses("/source/distribution") == (found < 4.0));
  }
}

TEST_CASE("resolved plan: a setting that does nothing is told of, and one that does is not") {
  Drawn d(2405);
  for (int i = 0; i < 300; ++i) {
    World w = plain_world(d);
    Scenario& s = w.scenario;
    const bool spot = d.generate.chance(0.5);
    const bool described = d.generate.chance(0.7);
    if (spot) s.cluster.purchase = Purchase::spot;
    if (described) s.cluster.spot.emplace().rate = per_second(1e-7);
    const bool failures = d.generate.chance(0.5);
    if (failures) s.cluster.failures.emplace();
    const bool restart = d.generate.chance(0.5);
    if (restart) s.job.checkpoint.emplace().restart = minutes(5.0);
    const bool booked = !spot && d.generate.chance(0.3);
    if (booked) s.cluster.booked = hours(24.0);
    const bool block = booked && d.generate.chance(0.5);
    if (block) s.cluster.purchase = Purchase::training_plan;
    const bool savings = !spot && !block && d.generate.chance(0.3);
    if (savings) s.cluster.savings = 0.3;
    const bool plan = savings && d.generate.chance(0.5);
    if (plan) s.cluster.purchase = Purchase::savings_plan;
    const Answer found = answer(w);
    INFO("world " << i);
    REQUIRE(found.resolved.has_value());
    const bool counted = failures || spot || block;
    REQUIRE(found.remarks("/cluster/spot has no effect") == (described && !spot));
    REQUIRE(found.remarks("/cluster/booked has no effect") == (booked && !block));
    REQUIRE(found.remarks("/cluster/savings has no effect") == (savings && !plan));
    REQUIRE(found.remarks("/job/checkpoint/restart has no effect") == (restart && !counted));
    REQUIRE(found.resolved->inputs.interruptions.has_value() == counted);
  }
}

TEST_CASE(
    "resolved plan: workers hold the samples that they decode, unless their memory is given") {
  Drawn d(6107);
  for (int i = 0; i < 300; ++i) {
    World w = plain_world(d);
    w.scenario.loader.kind = LoaderKind::pytorch;
    w.scenario.loader.num_workers = WorkerCount(d.generate.whole(2.0, 12.0));
    const auto fits = [&](double stored, double memory) {
      w.scenario.dataset.bytes_per_sample = bytes_per_sample(stored);
      w.scenario.cluster.memory = bytes(memory);
      return answer(w).problems.empty();
    };
    // Enough for all but the samples, and for these but for a tenth.
    const double stored = d.generate.log_uniform(1e9, 1e10);
    const double rest = 2.0 * ahead_of(w) + ranks_of(w) * 8e9 + workers_of(w, 4e9);
    INFO("job " << i);
    CHECK(fits(1e5, rest));
    CHECK(fits(stored, rest + workers_of(w, stored)));
    CHECK_FALSE(fits(stored, 0.9 * workers_of(w, stored)));
    w.scenario.loader.worker_memory = bytes(1e8);
    CHECK(fits(stored, rest));
  }
}
