// A second reading of what is on the bill: over drawn scenarios, machines and prices.
#include <optional>

#include "catch.hpp"
#include "resolve/drawn_world.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::resolve;
using namespace testing_world;

namespace {

constexpr double hour = 3600.0;

}  // namespace

TEST_CASE("resolved bill: the bill has each volume, each request and each lease that is used") {
  Drawn d(2105);
  int done = 0, provisioned = 0;
  for (int i = 0; i < 800; ++i) {
    World w = draw_world(d);
    Scenario& s = w.scenario;
    s.cluster.region = "us-east-1";
    for (const EbsVolume& volume : w.catalog.ebs) {
      EbsPrice price{"us-east-1", volume.type, published(StoragePrice::of(4e-17)), {}, {}, {}, {}};
      if (volume.type != "gp2") price.iops = published(HourlyPrice::of(2e-9));
      if (volume.type == "gp3") price.bandwidth = published(BandwidthPrice::of(1.6e-14));
      w.catalog.ebs_prices.push_back(price);
    }
    w.catalog.s3_prices.push_back({"us-east-1",
                                   "STANDARD",
                                   published(StoragePrice::of(9e-18)),
                                   {},
                                   {},
                                   {},
                                   published(usd(4e-7)),
                                   published(usd(5e-6)),
                                   {},
                                   {},
                                   {},
                                   {}});
    s.source.bill_storage = d.flag();
    s.source.storage_held = d.maybe<Duration>(hour, 1e3 * hour);
    s.job.jobs = d.maybe<double>(1.0, 5.0);
    s.job.value_of_hour = usd_per_hour(d.generate.whole(0.0, 100.0));
    INFO("world " << i);
    const auto out = resolved_if_fits(w);
    if (!out) continue;
    ++done;
    const Terms& terms = out->terms;
    const double n = out->inputs.instances;
    REQUIRE(terms.compute.instances == n);
    SAME(terms.compute.price.value, usd_per_hour(3.0));
    SAME(terms.value_of_hour, *s.job.value_of_hour);
    SAME(terms.dataset, *s.dataset.bytes_per_sample * samples(*s.dataset.samples));
    const bool s3 = s.source.service.family() == Service::s3;
    REQUIRE(terms.requests.size() == (s3 ? 2U : 0U));
    if (s3) {
      SAME(terms.requests[0].price.value, usd(4e-7));
      REQUIRE(terms.requests[0].counts == RequestTerms::Of::objects_read);
      SAME(terms.requests[1].price.value, usd(5e-6));
      REQUIRE(terms.requests[1].counts == RequestTerms::Of::checkpoints);
    }
    const bool held = s3 && s.source.bill_storage.value_or(false);
    const bool volume = out->disk && out->disk->kind == DiskKind::ebs;
    REQUIRE(terms.storage.size() == (held ? 1U : 0U) + (volume ? 1U : 0U));
    if (held) {
      const auto& [use, lease] = terms.storage.front();
      SAME(use.amount, terms.dataset);
      REQUIRE(lease.until == Lease::Until::job_ends);
      REQUIRE(lease.given == s.source.storage_held);
      REQUIRE(lease.shared_by == s.job.jobs.value_or(1.0));
    }
    if (!volume) {
      REQUIRE(terms.iops.empty());
      REQUIRE(terms.bandwidth.empty());
      continue;
    }
    const auto& [use, lease] = terms.storage.back();
    SAME(use.amount, *out->disk->size * n);
    REQUIRE(lease.until == Lease::Until::instances_end);
    REQUIRE_FALSE(lease.given.has_value());
    REQUIRE(lease.shared_by == 1.0);
    // gp3 has 3,000 IOPS and 125 MB/s in its price; what a type has none of is paid from the first.
    const std::string& type = out->disk->volume_type;
    const double free_iops = type == "gp3" ? 3000.0 : 0.0;
    const bool pays_iops = type != "gp2" && out->disk->iops && base(*out->disk->iops) > free_iops;
    REQUIRE(terms.iops.size() == (pays_iops ? 1U : 0U));
    if (pays_iops) {
      ++provisioned;
      SAME(terms.iops[0].use.amount, *out->disk->iops * n);
      SAME(terms.iops[0].use.free, per_second(free_iops * n));
    }
    const bool pays_bandwidth =
        type == "gp3" && out->disk->bandwidth && base(*out->disk->bandwidth) > 125e6;
    REQUIRE(terms.bandwidth.size() == (pays_bandwidth ? 1U : 0U));
    if (pays_bandwidth) {
      SAME(terms.bandwidth[0].use.amount, *out->disk->bandwidth * n);
      SAME(terms.bandwidth[0].use.free, bytes_per_second(125e6 * n));
    }
  }
  CHECK_DRAWN(done > 500);
  CHECK_DRAWN(provisioned > 50);
}
