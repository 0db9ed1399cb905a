// What a host profile says of copies to GPUs and of all-reduce, over generated profiles and jobs:
// which figure decides what, and in which direction.
#include <algorithm>
#include <functional>

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace testing_resolve;

namespace {

template <class T>
Value<T> measured(T value) {
  return {value, {Origin::measured, "h", 0.0}};
}

Bandwidth bandwidth(pipeline::Generator& random, double low = 1e9, double high = 4e11) {
  return bytes_per_second(random.log_uniform(low, high));
}

/// Totals over numbers of GPUs that do not fall, as files hold them.
Curve<Bandwidth> totals(pipeline::Generator& random) {
  Curve<Bandwidth> curve;
  Bandwidth total = bandwidth(random, 1e9, 6e10);
  for (double gpus = 1.0; gpus <= 16.0; gpus *= 2.0) {
    curve.points.push_back({gpus, total});
    total *= random.uniform(1.0, 2.2);
  }
  return curve;
}

/// Measured on the very machine of the job.
HostProfile host_of(const Settings& settings, pipeline::Generator& random) {
  HostProfile host;
  host.name = "h";
  host.instance = scenario_with(settings).cluster.instance.value_or("");
  host.allreduce_busbw = measured(bandwidth(random));
  host.allreduce_latency = measured(seconds(random.log_uniform(1e-6, 1e-4)));
  host.allreduce_busbw_between = measured(bandwidth(random));
  host.allreduce_latency_between = measured(seconds(random.log_uniform(1e-6, 1e-4)));
  host.pinned_bandwidth = measured(bandwidth(random, 1e9, 6e10));
  host.pageable_bandwidth = measured(bandwidth(random, 1e9, 2e10));
  host.memcpy_bandwidth = measured(bandwidth(random, 1e9, 2e10));
  host.pinned_copies = totals(random);
  host.pageable_copies = totals(random);
  host.copy_beside_kernel = measured(random.uniform(0.1, 1.0));
  return host;
}

/// Machines with GPUs on which the plain job's step can be told.
const std::vector<std::string>& machines() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const std::string& name : rented()) {
      try {
        resolve::resolve(scenario_with({{"/cluster/instance", name}}), catalog());
        list.push_back(name);
      } catch (const InputError&) {
        // A step that was measured on a GPU says nothing of other accelerators.
      }
    }
    return list;
  }();
  return names;
}

Settings job(pipeline::Generator& random, const std::string& algorithm, bool several) {
  const auto which = random.whole(0.0, static_cast<double>(machines().size()) - 1.0);
  Settings settings = {
      {"/cluster/instance", machines()[static_cast<std::size_t>(which)]},
      {"/job/allreduce", fmt::format(R"({{"gradient_bytes": "{:.0f} B", "algorithm": "{}"}})",
                                     random.log_uniform(1e5, 1e10), algorithm)}};
  if (several) {
    settings.emplace_back("/cluster/instances", fmt::format("{:g}", random.whole(2.0, 9.0)));
  }
  return settings;
}

pipeline::Inputs inputs(const Settings& settings, const HostProfile& host) {
  return resolve::resolve(scenario_with(settings), catalog(), &host).inputs;
}

double exposed(const Settings& settings, const HostProfile& host) {
  return inputs(settings, host).exposed_allreduce.base();
}

using Change = std::function<void(HostProfile&)>;

double changed(const Settings& settings, HostProfile host, const Change& change) {
  change(host);
  return exposed(settings, host);
}

const Change slower_inside = [](HostProfile& h) { h.allreduce_busbw->value *= 0.5; };
const Change longer_inside = [](HostProfile& h) { h.allreduce_latency->value *= 2.0; };
const Change slower_between = [](HostProfile& h) { h.allreduce_busbw_between->value *= 0.5; };
const Change longer_between = [](HostProfile& h) { h.allreduce_latency_between->value *= 2.0; };

}  // namespace

TEST_CASE("all-reduce: one instance asks what is inside, several what is between, both both") {
  pipeline::Generator random(31);
  int asked_both = 0;
  for (int i = 0; i < 300; ++i) {
    const bool several = random.chance(0.5);
    const bool ring = random.chance(0.5);
    const Settings settings = job(random, ring ? "ring" : "hierarchical", several);
    const HostProfile host = host_of(settings, random);
    const double now = exposed(settings, host);
    const double gpus = inputs(settings, host).ranks;
    const bool asks_inside = gpus > 1.0 && !(several && ring);
    INFO(settings.front().second << " x " << gpus << ", ring " << ring << ", several " << several);
    for (const Change& change : {slower_inside, longer_inside}) {
      const double after = changed(settings, host, change);
      CHECK((asks_inside ? after > now : after == now));
    }
    for (const Change& change : {slower_between, longer_between}) {
      const double after = changed(settings, host, change);
      CHECK((several ? after > now : after == now));
    }
    asked_both += asks_inside && several ? 1 : 0;
    // Nothing measured between hosts is taken from what was measured inside one.
    HostProfile inside_only = host;
    inside_only.allreduce_busbw_between.reset();
    inside_only.allreduce_latency_between.reset();
    HostProfile nothing = inside_only;
    nothing.allreduce_busbw.reset();
    nothing.allreduce_latency.reset();
    if (several && ring) CHECK(exposed(settings, inside_only) == exposed(settings, nothing));
    if (!several) CHECK(exposed(settings, inside_only) == now);
  }
  CHECK_DRAWN(asked_both > 20);
}

TEST_CASE("all-reduce: a faster line between instances makes no exchange longer") {
  pipeline::Generator random(37);
  int faster = 0;
  for (int i = 0; i < 60; ++i) {
    const Settings settings = job(random, random.chance(0.5) ? "ring" : "hierarchical", true);
    double before = 0.0;
    // Where nothing says so, 100 Gbit/s and more are another fabric's, which is no slower.
    for (const double line : {1.0, 10.0, 25.0, 32.0, 33.0, 40.0, 50.0, 75.0, 90.0, 95.0, 100.0}) {
      Settings with = settings;
      with.emplace_back("/cluster/network", fmt::format("{:g} Gbit/s", line));
      const double now =
          resolve::resolve(scenario_with(with), catalog()).inputs.exposed_allreduce.base();
      INFO(settings.front().second << ", " << line << " Gbit/s");
      if (before > 0.0) REQUIRE(now <= before * (1.0 + 1e-12));
      faster += before > now ? 1 : 0;
      before = now;
    }
  }
  CHECK_DRAWN(faster > 200);
}

TEST_CASE("all-reduce: what the scenario gives comes before what was measured") {
  pipeline::Generator random(32);
  for (int i = 0; i < 100; ++i) {
    Settings settings = job(random, "hierarchical", true);
    settings.emplace_back("/job/allreduce/busbw", "3 GB/s");
    settings.emplace_back("/job/allreduce/busbw_inside", "50 GB/s");
    settings.emplace_back("/job/allreduce/latency", "7 us");
    const HostProfile host = host_of(settings, random);
    const HostProfile other = host_of(settings, random);
    CHECK(exposed(settings, host) == exposed(settings, other));
  }
}

TEST_CASE("copies: GPUs that copy at once share what was measured of so many") {
  pipeline::Generator random(33);
  int shared = 0;
  for (int i = 0; i < 300; ++i) {
    Settings settings = job(random, "ring", random.chance(0.3));
    const bool pinned = random.chance(0.5);
    settings.emplace_back("/loader/pin_memory", pinned ? "true" : "false");
    const HostProfile host = host_of(settings, random);
    const pipeline::Inputs now = inputs(settings, host);
    const auto single = pinned ? host.pinned_bandwidth : host.pageable_bandwidth;
    const Curve<Bandwidth>& curve = pinned ? *host.pinned_copies : *host.pageable_copies;
    const double bytes = 600e3;  // of a sample
    const double each = bytes / now.copy.base();
    INFO(settings.front().second << " x " << now.ranks << ", pinned " << pinned);
    if (now.ranks == 1.0) {
      CHECK(each == Approx(single->value.base()).epsilon(1e-12));
    } else {
      CHECK(each * now.ranks <= curve.total(now.ranks).base() * (1.0 + 1e-12));
      shared += each < single->value.base() * (1.0 - 1e-12) ? 1 : 0;
    }
    CHECK(each <= single->value.base() * (1.0 + 1e-12));
    HostProfile faster = host;
    const double factor = random.uniform(1.0, 3.0);
    for (auto& point : (pinned ? faster.pinned_copies : faster.pageable_copies)->points) {
      point.total *= factor;
    }
    CHECK(inputs(settings, faster).copy <= now.copy);
    HostProfile alone = host;
    alone.pinned_copies.reset();
    alone.pageable_copies.reset();
    CHECK(inputs(settings, alone).copy <= now.copy);
    CHECK(inputs(settings, alone).copy.base() == Approx(bytes / single->value.base()));
  }
  CHECK_DRAWN(shared > 50);
}

TEST_CASE("copies: a busy GPU slows those that run beside its step, and no others") {
  pipeline::Generator random(34);
  for (int i = 0; i < 100; ++i) {
    Settings settings = job(random, "ring", false);
    settings.emplace_back("/loader/pin_memory", "true");
    Settings beside = settings;
    beside.emplace_back("/job/non_blocking", "true");
    const HostProfile host = host_of(settings, random);
    HostProfile idle = host;
    idle.copy_beside_kernel.reset();
    CHECK(inputs(settings, host).copy == inputs(settings, idle).copy);
    CHECK(inputs(beside, host).copy.base() * host.copy_beside_kernel->value ==
          Approx(inputs(beside, idle).copy.base()).epsilon(1e-12));
  }
}

TEST_CASE("copies: pageable memory is copied no faster than the host copies memory") {
  pipeline::Generator random(35);
  int bound = 0;
  for (int i = 0; i < 100; ++i) {
    Settings settings = job(random, "ring", false);
    settings.emplace_back("/loader/pin_memory", "false");
    HostProfile host = host_of(settings, random);
    host.pageable_bandwidth.reset();
    host.pageable_copies.reset();
    host.pinned_copies.reset();
    const double share = 0.4 * host.pinned_bandwidth->value.base();
    const double memcpy = host.memcpy_bandwidth->value.base();
    CHECK(inputs(settings, host).copy.base() == Approx(600e3 / std::min(share, memcpy)));
    bound += memcpy < share ? 1 : 0;
    host.memcpy_bandwidth.reset();
    CHECK(inputs(settings, host).copy.base() == Approx(600e3 / share));
  }
  CHECK_DRAWN(bound > 10);
  CHECK(bound < 90);
}
