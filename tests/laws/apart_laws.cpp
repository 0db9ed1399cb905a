// What of a cluster is simulated apart by events, and what stands for the rest: nothing is lost by
// folding ranks, leaving out instances, or putting remote workers before one rank that stands for
// all.
#include <algorithm>
#include <cmath>
#include <memory>

#include "catch.hpp"
#include "pipeline/build.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/random.hpp"
#include "pipeline/simulate.hpp"
#include "queueing/pace.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

constexpr double processes = 2048.0;  // as random.cpp simulates at most

/// A cluster of up to thousands of processes; some with instances of another kind.
Inputs cluster(Generator& generate) {
  Inputs in = generate.inputs(20.0);
  in.instances = std::ceil(generate.log_uniform(0.5, 600.0));
  in.ranks = std::ceil(generate.log_uniform(0.5, 16.0));
  in.workers = generate.chance(0.2) ? generate.whole(100.0, 900.0) : generate.whole(0.0, 16.0);
  in.step_cv = generate.chance(0.5) ? 0.1 : 0.0;
  return in;
}

/// Whether ranks wait for the slowest of them, so that those that are left out have a part.
bool apart_in_time(const Inputs& in) {
  return in.step_cv > 0.0 || (!in.asynchronous_step && in.handover_cv > 0.0);
}

Inputs with_others(Generator& generate, const Inputs& inputs) {
  Inputs in = inputs;
  Inputs other = inputs;
  other.ranks = in.ranks + generate.whole(1.0, 4.0);
  const double others = std::ceil(generate.log_uniform(0.5, 50.0));
  in.unequal.emplace();
  in.unequal->alike = in.instances;
  in.unequal->gpus = in.instances * in.ranks + others * other.ranks;
  in.unequal->most = other.ranks;
  in.unequal->others.push_back({others, std::make_shared<const Inputs>(other)});
  return in;
}

/// One at most of so many, or the only one there can be.
void check_kind(const KindLayout& kind, const Inputs& inputs, double instances, double most) {
  REQUIRE(kind.instances >= 1);
  REQUIRE(kind.instances <= instances);
  REQUIRE(kind.ranks >= 1);
  REQUIRE(kind.ranks * kind.fold == Approx(inputs.ranks));
  const double each = inputs.workers + 3.0;
  if (kind.fold > 1.0) REQUIRE(inputs.ranks * each > most);
  if (kind.instances < instances) {
    REQUIRE((kind.instances + 1) * kind.ranks * each > most);
  }
  if (kind.instances > 1) REQUIRE(kind.instances * kind.ranks * each <= most);
  // A fold rounds to whole ranks: half as many again at most.
  if (kind.ranks > 1) REQUIRE(kind.ranks * each <= 1.5 * most);
}

}  // namespace

TEST_CASE("apart: as much as the processes allow, and ranks that are left out make their steps") {
  Generator generate(1701);
  int folded = 0, left_out = 0;
  for (int i = 0; i < 2000; ++i) {
    const Inputs in = cluster(generate);
    const Layout layout = apart(in, static_cast<int>(processes));
    INFO("job " << i);
    REQUIRE(layout.others.empty());
    check_kind({layout.instances, layout.ranks, layout.fold, {}}, in, in.instances, processes);
    REQUIRE(instances_in(layout) == layout.instances);
    const double simulated = layout.instances * in.ranks;
    REQUIRE(layout.fed == Approx(apart_in_time(in) ? in.gpus() - simulated : 0.0).margin(1e-6));
    const std::optional<double> said = instances_apart(in);
    REQUIRE(said.has_value() == (layout.instances < in.instances));
    if (said) REQUIRE(*said == layout.instances);
    if (layout.fold > 1.0) ++folded;
    if (said) ++left_out;
  }
  CHECK_DRAWN(folded > 20);
  CHECK_DRAWN(left_out > 100);
}

TEST_CASE("apart: instances of several kinds share the processes by what they need of them") {
  Generator generate(1702);
  for (int i = 0; i < 2000; ++i) {
    const Inputs in = with_others(generate, cluster(generate));
    const Inputs& other = *in.unequal->others.front().inputs;
    const double others = in.unequal->others.front().instances;
    const Layout layout = apart(in, static_cast<int>(processes));
    INFO("job " << i);
    const double here = in.instances * in.ranks * (in.workers + 3.0);
    const double there = others * other.ranks * (other.workers + 3.0);
    const double share = here / (here + there);
    check_kind({layout.instances, layout.ranks, layout.fold, {}}, in, in.instances,
               std::floor(processes * share));
    REQUIRE(layout.others.size() == 1);
    check_kind(layout.others[0], other, others, std::floor(processes * (1.0 - share)));
    REQUIRE(instances_in(layout) == layout.instances + layout.others[0].instances);
    const double simulated = layout.instances * in.ranks + layout.others[0].instances * other.ranks;
    REQUIRE(layout.fed ==
            Approx(apart_in_time(in) ? in.gpus() - simulated : 0.0).margin(1.0 + 1e-6));
  }
}

TEST_CASE("apart: remote workers and one rank for all make the job that the mean has") {
  Generator generate(1703);
  SimulationOptions exact;
  exact.exact = true;
  for (int i = 0; i < 150; ++i) {
    Inputs in;
    in.kind = LoaderKind::pool;
    in.instances = generate.whole(1.0, 4.0);
    in.ranks = generate.whole(1.0, 4.0);
    in.batch = generate.whole(4.0, 16.0);
    const double steps = 150.0;
    in.samples = in.batch * in.gpus() * steps;
    in.asynchronous_step = generate.chance(0.5);
    in.copies = generate.chance(0.5) ? Copies::queued : Copies::waited;
    in.copy = seconds_per_sample(generate.log_uniform(1e-4, 5e-3));
    in.gpu_preprocess = seconds_per_sample(generate.log_uniform(1e-4, 5e-3));
    in.step.fixed = seconds(generate.log_uniform(1e-3, 5e-2));
    in.step.per_sample = seconds_per_sample(generate.log_uniform(1e-4, 5e-3));
    in.exposed_allreduce = seconds(generate.log_uniform(1e-4, 1e-2));
    const double batch_seconds =
        (in.copy + in.gpu_preprocess + *in.step.per_sample).base() * in.batch +
        in.step.fixed->base() + in.exposed_allreduce.base();
    // What they do is twice too slow or twice as fast as the GPUs.
    const double factor = generate.chance(0.5) ? 2.0 : 0.5;
    in.remote.emplace();
    in.remote->workers = generate.whole(16.0, 24.0);
    in.remote->cores = {{{1.0, 1.0}, {in.remote->workers, in.remote->workers}}, 0.0};
    in.remote->network = bytes_per_second(1e9);
    const double each = batch_seconds * factor / (in.batch * in.gpus());  // seconds a sample
    // Their work, the way from them, the instances' disks, or what these let through.
    const double by = generate.whole(0.0, 3.0);
    // So many samples are asked for that nobody waits for the next batch to be: the pace of fewer
    // is another matter (mean_against_events.cpp).
    in.prefetch = std::max(4.0, std::ceil(2.0 * in.remote->workers / (in.batch * in.gpus())));
    in.remote->cpu = seconds_per_sample(each * in.remote->workers * (by == 0.0 ? 1.0 : 0.02));
    if (by == 1.0) in.remote->sent = bytes_per_sample(each * 1e9 * in.instances);
    if (by >= 2.0) {
      in.remote->network = bytes_per_second(1e12);  // they read the disks over it
      in.disk.emplace();
      in.disk->bytes = bytes_per_sample(1e5);
      const Bandwidth of_one = bytes_per_second(1e5 / (each * in.instances));
      if (by == 2.0) in.disk->rate = {{{1.0, of_one}}, 0.0};
      if (by == 3.0) {
        in.disk->limits.push_back({"disk bytes", of_one.base(), 0.0, 0.0, 1e5, false, false});
      }
    }
    INFO("job " << i << (factor > 1.0 ? ", remote workers" : ", GPUs") << " set the pace, by "
                << by);
    const double pace = std::max(1.0, factor) * batch_seconds;
    const Outcome mean = simulate(in);
    const Outcome events = simulate(in, exact);
    const double tolerance = 0.05;
    REQUIRE(mean.trained.wall.base() == Approx(steps * pace).epsilon(tolerance));
    REQUIRE(events.trained.wall.base() == Approx(steps * pace).epsilon(tolerance));
    const double busy =
        steps * (batch_seconds - in.exposed_allreduce.base() - in.copy.base() * in.batch);
    REQUIRE(mean.trained.busy.base() == Approx(busy).epsilon(1e-6));
    REQUIRE(events.trained.busy.base() == Approx(busy).epsilon(1e-4));
    REQUIRE(events.trained.stall[Stage::allreduce].base() ==
            Approx(steps * in.exposed_allreduce.base()).epsilon(1e-3));
    REQUIRE(events.trained.stall[Stage::h2d].base() >=
            steps * in.copy.base() * in.batch * (1.0 - 1e-4));
    REQUIRE_FALSE(instances_apart(in).has_value());
  }
}

TEST_CASE("apart: ranks without a loader of their own copy and hand over as those that have one") {
  SimulationOptions exact;
  exact.exact = true;
  for (const double cv : {0.0, 0.3}) {
    for (const bool asynchronous : {false, true}) {
      for (const Copies copies : {Copies::beside, Copies::queued, Copies::waited}) {
        Inputs in;
        in.workers = 253.0;  // so many that one instance alone is simulated with its loaders
        in.ranks = 8.0;
        in.instances = 500.0;
        in.batch = 4.0;
        constexpr double steps = 60.0;
        in.samples = steps * in.batch * in.gpus();
        in.asynchronous_step = asynchronous;
        in.copies = copies;
        in.step.fixed = seconds(1.0);
        in.step_cv = cv;
        in.speed[Stage::h2d] = 2.0;
        in.copy = seconds_per_sample(0.3);  // 0.6 s a batch, at twice the speed
        in.speed[Stage::handover] = 0.5;
        if (!asynchronous) in.handover = seconds(0.2);
        INFO("cv " << cv << ", " << (asynchronous ? "" : "not ") << "asynchronous, copies "
                   << static_cast<int>(copies));
        REQUIRE(instances_apart(in) == 1.0);
        // All wait for the slowest of 4,000 steps, after what each does before its own.
        const double slowest = cv > 0.0 ? queueing::largest_of(in.gpus(), cv).mean : 1.0;
        const bool overlaps = asynchronous && copies == Copies::beside;
        const double before = asynchronous ? (overlaps ? 0.0 : 0.6) : 0.6 + 0.4;
        const double wall = simulate(in, exact).trained.wall.base();
        REQUIRE(wall / steps == Approx(before + slowest).epsilon(0.04));
      }
    }
  }
}
