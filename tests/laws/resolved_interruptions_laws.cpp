// A second reading of what interrupts a job, and of where its checkpoints go: over drawn scenarios
// and machines, in closed form.
#include <algorithm>
#include <cmath>
#include <optional>

#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/drawn_world.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::resolve;
using namespace testing_world;
using pipeline::Read;

namespace {

constexpr double hour = 3600.0;

/// How fast the place of the data takes the checkpoint that one instance writes: a share of how
/// fast it would read there, were it alone.
double store_rate(const Inputs& in) {
  const Read& read = in.source ? *in.source : in.staging ? in.staging->read : *in.disk;
  if (read.rate.empty()) return 0.0;
  const bool part = read.shared_by_all > Bandwidth{};
  const auto& curve = part ? read.unshared : read.rate;
  double rate = base(read.connections > 0.0 ? curve.total(read.connections) : curve.maximum());
  if (part) rate = std::min(rate, base(read.shared_by_all));
  if (read.nic) rate = std::min(rate, base(*read.nic));
  for (const auto& limit : read.limits) {
    const double whole = limit.rate * (limit.shared ? in.instances : 1.0);
    if (!limit.of_requests) rate = std::min(rate, whole);
  }
  return rate;
}

void draw_interruptions(Drawn& d, Scenario& s) {
  Checkpoint& c = s.job.checkpoint.emplace();
  c.interval = d.maybe<Duration>(60.0, 7200.0, 0.7);
  c.size = d.of<Bytes>(1e8, 1e11);
  c.bandwidth = d.maybe<Bandwidth>(1e8, 1e10, 0.6);
  c.background = d.flag();
  c.restart = d.maybe<Duration>(60.0, 1200.0);
  if (d.generate.chance(0.5)) {
    Failures& f = s.cluster.failures.emplace();
    f.mttf = d.maybe<Duration>(1e5, 1e8);
    if (!f.mttf) f.per_1000_node_days = d.maybe<double>(1.0, 50.0);
  }
  if (d.generate.chance(0.6)) {
    s.cluster.purchase = Purchase::spot;
    Spot& spot = s.cluster.spot.emplace();
    spot.rate = d.maybe<Frequency>(1e-8, 1e-5);
    if (!spot.rate) spot.interruption_share_per_month = d.maybe<double>(0.01, 0.6);
    spot.notice = d.maybe<Duration>(1.0, 300.0);
    spot.wait_for_capacity = d.maybe<Duration>(10.0, 1e4);
    if (d.generate.chance(0.4)) {
      spot.fallback.emplace();
      spot.fallback->after_interruptions = 3.0;
      spot.on_demand_price = usd_per_hour(9.0);
    }
  } else if (d.generate.chance(0.3)) {
    s.cluster.purchase = Purchase::capacity_block;
    s.cluster.booked = d.of<Duration>(hour, 100.0 * hour);
  }
}

void check_interruptions(const Scenario& s, const Inputs& in) {
  const Checkpoint& c = *s.job.checkpoint;
  REQUIRE(in.checkpoint_background == c.background.value_or(false));
  const double rate =
      c.bandwidth ? base(*c.bandwidth) : assumed::checkpoint_share.value * store_rate(in);
  SAME(in.checkpoint_time, *c.size / bytes_per_second(rate));
  const bool beside = !c.bandwidth && (in.source || (in.disk && !in.staging));
  REQUIRE(in.checkpoint_beside.has_value() == beside);
  if (beside) {
    REQUIRE(*in.checkpoint_beside == (in.source ? Stage::download : Stage::disk));
  }
  const bool spot = s.cluster.purchase == Purchase::spot;
  const bool counted = s.cluster.failures || spot;
  REQUIRE(in.best_interval == (!c.interval && (counted || s.cluster.booked)));
  SAME(in.checkpoint_interval, c.interval.value_or(Duration{}));
  SAME(in.booked, s.cluster.booked.value_or(Duration{}));
  REQUIRE(in.interruptions.has_value() == (counted || s.cluster.booked));
  REQUIRE_FALSE(in.restarts_all);
  if (!in.interruptions) return;
  const auto& job = *in.interruptions;
  SAME(job.restart, c.restart ? *c.restart : seconds(300.0) + in.checkpoint_time);
  double sudden = 0.0;
  if (const auto& f = s.cluster.failures) {
    const double nodes = assumed::failures_of(in.ranks).value;
    sudden = f->mttf ? 1.0 / base(*f->mttf)
                     : f->per_1000_node_days.value_or(nodes) / 1000.0 / (24.0 * hour);
    sudden *= in.instances;
  }
  double announced = 0.0;
  if (spot) {
    const Spot& given = *s.cluster.spot;
    const double share = given.interruption_share_per_month.value_or(0.1);
    // Of instances at a constant hazard, this share is left after a month of 730 hours.
    const double each = given.rate ? base(*given.rate) : -std::log(1.0 - share) / (730.0 * hour);
    const bool saved = given.notice && in.single_checkpoint() <= *given.notice;
    (saved ? announced : sudden) += each * in.instances;
    SAME(job.wait, given.wait_for_capacity.value_or(seconds(2400.0)));
    REQUIRE(job.fallback.has_value() == given.fallback.has_value());
    if (job.fallback) {
      REQUIRE(job.fallback->after_interruptions == 3.0);
      SAME(job.fallback->sudden, per_second(saved ? sudden : sudden - each * in.instances));
    }
  }
  SAME(job.sudden, per_second(sudden));
  SAME(job.announced, per_second(announced));
}

}  // namespace

TEST_CASE("resolved interruptions: what interrupts it, and the checkpoints that it goes back to") {
  Drawn d(2101);
  int done = 0;
  for (int i = 0; i < 800; ++i) {
    World w = draw_world(d);
    draw_interruptions(d, w.scenario);
    INFO("world " << i);
    const auto out = resolved_if_fits(w);
    if (!out) continue;
    ++done;
    check_interruptions(w.scenario, out->inputs);
  }
  CHECK_DRAWN(done > 500);
}

TEST_CASE(
    "resolved interruptions: failures of an instance fall with its GPUs, as far as GPUs cause "
    "them") {
  // 47.3 % of those of a node of 8 are its GPUs', and go with their number.
  for (const double gpus : {1.0, 2.0, 3.0, 4.0, 7.0, 8.0, 16.0}) {
    const double share = std::min(1.0, gpus / 8.0);
    CHECK(assumed::failures_of(gpus).value == Approx(3.8 * (1.0 - 0.473 * (1.0 - share))));
  }
}

TEST_CASE("checkpoints: one instance writes as fast as alone, and several the parts of a model") {
  const auto time = [](const char* service, double instances, const char* parallelism) {
    testing_resolve::Settings settings = {
        {"/source/service", service},
        {"/cluster/instance", "p4d.24xlarge"},
        {"/cluster/instances", std::to_string(instances)},
        {"/job/parallelism", parallelism},
        {"/job/allreduce", R"({"parameters": 1e9})"},
        {"/job/checkpoint", R"({"interval": "1 h", "size": "98 GB"})"}};
    if (service == std::string("fsx-lustre")) settings.emplace_back("/source/capacity", "4.8 TiB");
    return base(
        resolve::resolve(testing_resolve::scenario_with(settings), testing_resolve::catalog())
            .inputs.checkpoint_time);
  };
  for (const char* service : {"fsx-lustre", "efs", "s3"}) {
    INFO(service);
    CHECK(time(service, 8.0, "ddp") == Approx(time(service, 1.0, "ddp")).epsilon(1e-9));
    // What all share is no more for many.
    CHECK(time(service, 8.0, "fsdp") <= time(service, 1.0, "fsdp") * (1.0 + 1e-9));
  }
  // In parts of 8 MiB, and two requests beside them, of which S3 takes 3,500 a second.
  const double requests = 8.0 * (std::ceil(98e9 / 8.0 / 8388608.0) + 2.0);
  REQUIRE(requests / 3500.0 > time("s3", 1.0, "fsdp") / 8.0);
  CHECK(time("s3", 8.0, "fsdp") == Approx(requests / 3500.0).epsilon(1e-9));
  CHECK(time("s3", 2.0, "fsdp") == Approx(time("s3", 1.0, "fsdp") / 2.0).epsilon(1e-9));
}
