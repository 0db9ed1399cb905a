// A second reading of the services that data is read from, and of the network on the way: over
// drawn scenarios, machines and prices, in closed form.
#include <algorithm>
#include <cmath>
#include <optional>

#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/drawn_world.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::resolve;
using namespace testing_world;
using pipeline::Read;

TEST_CASE(
    "resolved services: what a file system of AWS gives, by its size, its tier and its mode") {
  Drawn d(2106);
  const auto tier = SpecificBandwidth::of(200e6 / 1099511627776.0);
  int done = 0;
  for (int i = 0; i < 600; ++i) {
    World w = draw_world(d);
    make_plain(w);
    Scenario& s = w.scenario;
    const bool files = s.dataset.samples_per_object.value_or(1.0) <= 1.0;
    const double instances = s.cluster.instances;
    const double stored = base(*s.dataset.bytes_per_sample) * *s.dataset.samples;
    const bool efs = d.generate.chance(0.5);
    s.source.service = efs ? Service::efs : Service::fsx_lustre;
    if (d.generate.chance(0.4)) s.source.capacity = bytes(stored * d.generate.uniform(1.0, 20.0));
    const double capacity = s.source.capacity ? base(*s.source.capacity) : stored;
    double latency = 0.0, rate = 0.0, burst = 0.0, credit = 0.0, each = 0.0;
    std::optional<double> per_client, requests;
    if (efs) {
      const double kind = d.generate.whole(0.0, 2.0);
      const char* name = kind == 0.0 ? "elastic" : kind == 1.0 ? "bursting" : "provisioned";
      if (kind > 0.0 || d.generate.chance(0.5)) s.source.throughput_mode = name;
      EfsMode mode;
      mode.mode = name;
      mode.read_latency = published(d.of<Duration>(1e-4, 1e-2));
      mode.per_client = published(d.of<Bandwidth>(1e8, 1e9));
      mode.read.low = published(d.of<Bandwidth>(1e9, 1e10));
      d.publish(mode.read_iops, 1e3, 1e5);
      w.catalog.efs.modes.push_back(mode);
      if (d.generate.chance(0.4)) {
        // The class brings what one zone lets through, in each mode.
        s.source.storage_class = "One Zone";
        EfsMode zone;
        zone.mode = "one zone";
        zone.read_latency = published(d.of<Duration>(1e-4, 1e-2));
        zone.per_client = published(d.of<Bandwidth>(1e8, 1e9));
        zone.read.low = published(d.of<Bandwidth>(1e9, 1e10));
        d.publish(zone.read_iops, 1e3, 1e5);
        w.catalog.efs.modes.push_back(zone);
        mode.read_latency = zone.read_latency;
        mode.per_client->value = std::min(mode.per_client->value, zone.per_client->value);
        mode.read.low->value = std::min(mode.read.low->value, zone.read.low->value);
        if (!mode.read_iops || (zone.read_iops && zone.read_iops->value < mode.read_iops->value)) {
          mode.read_iops = zone.read_iops;
        }
      }
      EfsLimits& limits = w.catalog.efs;
      limits.round_trips_per_file = published(2.0);
      limits.read_metering = published(1.0 / 3.0);
      limits.earned = published(SpecificBandwidth::of(5e-5));
      limits.earned_minimum = published(bytes_per_second(1e6));
      limits.burst = published(SpecificBandwidth::of(1e-4));
      limits.burst_minimum = published(bytes_per_second(1e8));
      if (kind == 2.0) s.source.provisioned_throughput = d.of<Bandwidth>(1e8, 1e9);
      latency = base(mode.read_latency->value) * (files ? 3.0 : 1.0);
      rate = base(mode.read.low->value);
      if (kind == 1.0) {
        // A read is metered at a third of its bytes.
        const double most = rate;
        rate = std::min(most, 3.0 * std::max(1e6, 5e-5 * capacity));
        burst = std::min(most, 3.0 * std::max(1e8, 1e-4 * capacity));
        credit = 3.0 * 2.1 * 1099511627776.0 * assumed::efs_credit.value;
      }
      if (kind == 2.0) {
        // What is paid for, or earned where that is more, up to what the mode lets through.
        const double paid = std::max(base(*s.source.provisioned_throughput), 5e-5 * capacity);
        rate = std::min(rate, 3.0 * std::max(paid, 1e6));
      }
      per_client = base(mode.per_client->value);
      each = *per_client;
      if (mode.read_iops) requests = base(mode.read_iops->value);
    } else {
      FsxTier one;
      one.deployment_type = "SCRATCH_2";
      one.throughput = tier;
      one.disk_read = published(d.of<SpecificBandwidth>(1e-4, 1e-3));
      w.catalog.fsx.tiers.push_back(one);
      const Bytes step = gibibytes(1200.0);
      w.catalog.fsx.steps.push_back(
          {"", {}, published(step), published(2.0 * step), published(2.0 * step)});
      w.catalog.fsx.latency = published(d.of<Duration>(1e-4, 1e-2));
      w.catalog.fsx.open_small_file = published(d.of<Duration>(1e-4, 1e-2));
      w.catalog.fsx.one_disk = published(d.of<Bandwidth>(1e8, 1e9));
      const double first = base(step);
      const double needed = 1.024 * capacity;  // FSx calls 1000 GiB a TiB
      const double sold = needed <= first ? first : std::ceil(needed / first / 2.0) * first * 2.0;
      latency = base(w.catalog.fsx.latency->value);
      if (files) latency += base(w.catalog.fsx.open_small_file->value);
      rate = base(one.disk_read->value) * sold;
      each = base(w.catalog.fsx.one_disk->value);
    }
    INFO("world " << i << (efs ? ", EFS" : ", FSx"));
    const auto out = resolved_if_fits(w);
    if (!out) continue;
    ++done;
    const Read& read = out->inputs.source.value();
    SAME(read.latency, seconds(latency));
    // Of a line, downloads reach a part.
    const double line = s.source.line_share.value_or(assumed::line_share.value);
    SAME(read.through_nic().total(1.0),
         std::min(bytes_per_second(each), line * out->inputs.network.value()));
    const auto limit = [&](std::string_view name) {
      const auto found = std::find_if(read.limits.begin(), read.limits.end(),
                                      [&](const auto& one) { return one.name == name; });
      return found == read.limits.end() ? nullptr : &*found;
    };
    // All instances share the file system; what one client gets, and its NIC, they do not.
    const auto* service = limit(burst > rate ? "EFS burst credits" : "source bandwidth");
    REQUIRE(service != nullptr);
    REQUIRE(service->shared);
    SAME(service->rate, rate / instances);
    SAME(service->burst_rate, burst > rate ? burst / instances : 0.0);
    SAME(service->credit, burst > rate ? credit / instances : 0.0);
    const auto* client = limit("throughput of one client");
    REQUIRE((client != nullptr) == per_client.has_value());
    if (client != nullptr) {
      REQUIRE_FALSE(client->shared);
      SAME(client->rate, *per_client);
    }
    const auto* asked = limit("request rate");
    REQUIRE((asked != nullptr) == requests.has_value());
    if (asked != nullptr) SAME(asked->rate, *requests / instances);
    REQUIRE_FALSE(out->inputs.staging.has_value());
    REQUIRE_FALSE(out->inputs.disk.has_value());
    // Credit is counted, however requests share what there is at a time: the burst.
    s.source.discipline = Discipline::shared;
    const Read sharing = resolved_if_fits(w)->inputs.source.value();
    const auto counted = std::find_if(sharing.limits.begin(), sharing.limits.end(),
                                      [](const auto& one) { return one.bursts() && one.shared; });
    REQUIRE((counted != sharing.limits.end()) == (burst > rate));
    if (burst > rate) REQUIRE(*counted == *service);
    SAME(sharing.shared_by_all, bytes_per_second(std::max(rate, burst)));
  }
  CHECK_DRAWN(done > 400);
}

TEST_CASE("resolved services: a NIC's credits, where the network is the machine's own") {
  Drawn d(2110);
  int with_credits = 0, without = 0;
  for (int i = 0; i < 400; ++i) {
    World w = draw_world(d);
    make_plain(w);
    Scenario& s = w.scenario;
    s.source.service = Service::s3;
    s.source.input_mode = InputMode::fast_file;
    Machine& m = w.catalog.machines.front();
    const Bandwidth rate = m.network->value;
    m.network_burst.reset();
    const double burst = d.generate.whole(0.0, 3.0);
    if (burst > 0.0) m.network_burst = published(rate * (burst == 1.0 ? 0.9 : burst - 1.0));
    auto& lasts = w.catalog.limits.network_burst;
    lasts = {};
    const Duration time = d.of<Duration>(60.0, 600.0);
    if (d.generate.chance(0.7)) lasts.low = published(time);
    if (d.generate.chance(0.5)) lasts.high = published(3.0 * time);
    const double typed = d.generate.whole(0.0, 2.0);
    s.cluster.network.reset();
    if (typed > 0.0) s.cluster.network = typed == 1.0 ? rate : rate * 1.3;
    const bool credits = burst == 3.0 && lasts.low && typed < 2.0;
    INFO("world " << i << ", burst " << burst << ", typed " << typed);
    const auto out = resolved_if_fits(w);
    if (!out) continue;
    ++(credits ? with_credits : without);
    SAME(out->inputs.network.value(), rate * (typed == 2.0 ? 1.3 : credits ? 2.0 : 1.0));
    const auto& limits = out->inputs.source.value().limits;
    const auto limit = std::find_if(limits.begin(), limits.end(),
                                    [](const auto& one) { return one.name == "network credits"; });
    REQUIRE((limit != limits.end()) == credits);
    if (!credits) continue;
    SAME(limit->rate, base(rate));
    SAME(limit->burst_rate, base(rate) * 2.0);
    SAME(limit->credit, base(rate) * base(time));
    SAME(limit->each, base(*s.dataset.bytes_per_sample));
    REQUIRE_FALSE(limit->shared);
  }
  CHECK_DRAWN(with_credits > 30);
  CHECK_DRAWN(without > 100);
}

TEST_CASE(
    "resolved services: a file system that loads lazily has S3 in the way of its first epoch") {
  Drawn d(2111);
  int done = 0;
  for (int i = 0; i < 400; ++i) {
    World w = draw_world(d);
    make_plain(w);
    Scenario& s = w.scenario;
    FsxTier tier;
    tier.deployment_type = "SCRATCH_2";
    tier.throughput = SpecificBandwidth::of(200e6 / 1099511627776.0);
    tier.disk_read = published(d.of<SpecificBandwidth>(1e-4, 1e-3));
    w.catalog.fsx.tiers.push_back(tier);
    const Bytes step = gibibytes(1200.0);
    w.catalog.fsx.steps.push_back({"", {}, published(step), published(step), published(step)});
    w.catalog.fsx.latency = published(d.of<Duration>(1e-4, 1e-2));
    w.catalog.fsx.open_small_file = published(d.of<Duration>(1e-4, 1e-2));
    w.catalog.fsx.one_disk = published(d.of<Bandwidth>(1e7, 1e9));
    World from_s3 = w;
    from_s3.scenario.source.service = Service::s3;
    from_s3.scenario.source.input_mode = InputMode::fast_file;
    s.source.service = Service::fsx_lustre;
    World lazy = w;
    lazy.scenario.source.lazy_load_from_s3 = true;
    INFO("world " << i);
    const auto plain = resolved_if_fits(w);
    const auto s3 = resolved_if_fits(from_s3);
    const auto both = resolved_if_fits(lazy);
    if (!plain || !s3 || !both) continue;
    ++done;
    const auto same = [](const Read& found, const Read& expected) {
      SAME(found.latency, expected.latency);
      check_curve(found.rate, expected.rate);
      REQUIRE(found.nic == expected.nic);
      check_limits(found.limits, expected.limits);
    };
    const Read& far = s3->inputs.source.value();
    const Read& near = plain->inputs.source.value();
    same(plain->inputs.first_source.value(), near);
    same(both->inputs.source.value(), near);
    // A read waits for both in turn, and neither gives more than it does alone.
    Read first = near;
    first.latency += far.latency;
    first.rate = linear_until(std::min(near.rate.total(1.0), far.rate.total(1.0)),
                              std::min(near.rate.maximum(), far.rate.maximum()));
    first.limits.insert(first.limits.end(), far.limits.begin(), far.limits.end());
    same(both->inputs.first_source.value(), first);
    REQUIRE_FALSE(far.limits.empty());
  }
  CHECK_DRAWN(done > 200);
}
