// What EBS volumes give by their size, against AWS's rules by hand.
#include <algorithm>

#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/resolve.hpp"
#include "tests/study/billed.hpp"

using namespace feedrate;
using pipeline::RateLimit;

namespace {

constexpr double mib = 1048576.0, gib = 1024.0 * mib, tib = 1024.0 * gib;

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The limit of a volume's bytes.
RateLimit bytes_of(const char* type, const char* size, const Settings& more = {}) {
  Settings settings = {{"source.service", "ebs"},  {"disk.volume_type", type},
                       {"disk.bandwidth", "null"}, {"disk.size", size},
                       {"samples", "10000"},       {"samples_per_object", "1000"},
                       {"disk.page_cache", "1 MB"}};
  settings.insert(settings.end(), more.begin(), more.end());
  const auto resolved = resolve::resolve(test::job(settings), test::catalog());
  REQUIRE(resolved.inputs.disk.has_value());
  const auto& limits = resolved.inputs.disk->limits;
  const auto found = std::find_if(limits.begin(), limits.end(), [](const RateLimit& limit) {
    return limit.name == "volume throughput" || limit.name.ends_with("1 burst credits");
  });
  REQUIRE(found != limits.end());
  return *found;
}

}  // namespace

TEST_CASE("volumes: hard disks give what their size brings, and more while credit lasts") {
  // 2 TiB of st1: 40 MiB/s for each, 250 in bursts up to 500, on as many bytes as it holds.
  const RateLimit st1 = bytes_of("st1", "2 TiB");
  CHECK(st1.name == "st1 burst credits");
  CHECK(st1.rate == Approx(80.0 * mib));
  CHECK(st1.burst_rate == Approx(500.0 * mib));
  CHECK(st1.credit == Approx(2.0 * tib * resolve::assumed::hdd_credit.value));
  CHECK(st1.each == Approx(1e6));  // bytes of a sample
  const RateLimit sc1 = bytes_of("sc1", "1 TiB");
  CHECK(sc1.rate == Approx(12.0 * mib));
  CHECK(sc1.burst_rate == Approx(80.0 * mib));
  // From 12.5 TiB on, st1 has all that it can have for good.
  const RateLimit large = bytes_of("st1", "16 TiB");
  CHECK(large.rate == Approx(500.0 * mib));
  CHECK(large.burst_rate == 0.0);
  // 16 TiB of sc1: 192 MiB/s, and 250 in bursts.
  CHECK(bytes_of("sc1", "16 TiB").rate == Approx(192.0 * mib));
  CHECK(bytes_of("sc1", "16 TiB").burst_rate == Approx(250.0 * mib));
}

TEST_CASE("volumes: a random read from hard disks pays for a whole MiB") {
  const Settings files = {{"samples_per_object", "1"}, {"bytes_per_sample", "100 KB"}};
  CHECK(bytes_of("st1", "2 TiB", files).each == Approx(mib));
  CHECK(bytes_of("gp3", "2 TiB", files).each == Approx(1e5));
  const Settings large = {{"samples_per_object", "1"}, {"bytes_per_sample", "2.5 MiB"}};
  CHECK(bytes_of("st1", "2 TiB", large).each == Approx(3.0 * mib));
}

TEST_CASE("volumes: gp2 gives 128 MiB/s up to 170 GiB") {
  CHECK(bytes_of("gp2", "170 GiB").rate == Approx(128.0 * mib));
  CHECK(bytes_of("gp2", "171 GiB").rate == Approx(250.0 * mib));
  CHECK(bytes_of("gp3", "100 GiB").rate == Approx(125.0 * mib));
}

TEST_CASE("volumes: a rate that is typed in is no other volume only where it is the volume's") {
  CHECK(bytes_of("st1", "2 TiB", {{"disk.bandwidth", "80 MiB/s"}}).burst_rate ==
        Approx(500.0 * mib));
  const RateLimit typed = bytes_of("st1", "2 TiB", {{"disk.bandwidth", "300 MB/s"}});
  CHECK(typed.rate == Approx(3e8));
  CHECK(typed.burst_rate == 0.0);
}

TEST_CASE("volumes: credit and whole operations are counted however requests share the volume") {
  const Settings files = {{"samples_per_object", "1"}, {"bytes_per_sample", "100 KB"}};
  Settings shared = files;
  shared.emplace_back("disk.discipline", "shared");
  // One without a burst among them.
  for (const char* size : {"500 GiB", "2 TiB", "16 TiB"}) {
    INFO(size);
    CHECK(bytes_of("st1", size, shared) == bytes_of("st1", size, files));
  }
  const auto time = [](const char* discipline) {
    const test::Billed billed(test::job({{"source.service", "ebs"},
                                         {"disk.volume_type", "st1"},
                                         {"disk.bandwidth", "null"},
                                         {"disk.size", "500 GiB"},
                                         {"disk.discipline", discipline},
                                         {"bytes_per_sample", "150 KB"},
                                         {"disk.page_cache", "0 B"},
                                         {"preprocess", "[]"},
                                         {"epochs", "3"}}));
    return billed.outcome.trained.wall.base();
  };
  // 3 million reads of a MiB: 122 MiB/s on a credit of 375 GiB, then 20 MiB/s for good.
  const double rate = 500.0 / 1024.0 * 40.0;
  const double each = 500.0 / 1024.0 * 250.0;
  const double burst = 0.75 * 500.0 * 1024.0 / (each - rate);
  const double expected = burst + (3e6 - burst * each) / rate;
  for (const char* discipline : {"rate-limit", "shared", "one-at-a-time"}) {
    INFO(discipline);
    CHECK(time(discipline) == Approx(expected).epsilon(0.01));
  }
}

TEST_CASE("volumes: once the credit of hard disks is spent a job reads at what the size brings") {
  const auto time = [](const char* epochs) {
    const test::Billed billed(test::job({{"source.service", "ebs"},
                                         {"disk.volume_type", "st1"},
                                         {"disk.bandwidth", "null"},
                                         {"disk.size", "1 TiB"},
                                         {"samples_per_object", "1000"},
                                         {"disk.page_cache", "0 B"},
                                         {"preprocess", "[]"},
                                         {"epochs", epochs}}));
    return billed.outcome.trained.wall.base();
  };
  // An epoch reads 1 TB. The credit of 0.75 TiB, spent at 250 - 40 MiB/s, lasts for so much at 250.
  const double burst = 0.75 * tib / (210.0 * mib);
  const double left = 3e12 - burst * 250.0 * mib;
  CHECK(time("3") == Approx(burst + left / (40.0 * mib)).epsilon(0.01));
}

TEST_CASE("volumes: what is provisioned beyond the baseline and has no price is not free") {
  Catalog prices = test::catalog();
  for (EbsPrice& price : prices.ebs_prices) {
    if (price.type == "gp3") price.iops = std::nullopt;
  }
  const auto resolved = [&](const char* iops) {
    return resolve::resolve(test::job({{"source.service", "ebs"},
                                       {"disk.volume_type", "gp3"},
                                       {"disk.bandwidth", "null"},
                                       {"disk.size", "2 TiB"},
                                       {"disk.iops", iops}}),
                            prices);
  };
  const auto more = resolved("16000 /s");
  CHECK(more.terms.unpriced);
  CHECK(std::count_if(more.caveats.begin(), more.caveats.end(), [](const std::string& caveat) {
          return caveat.starts_with("The rate of operations of the gp3 volume beyond what is free");
        }) == 1);
  CHECK_FALSE(resolved("3000 /s").terms.unpriced);
}

TEST_CASE("volumes: operations that come with the size of a gp2 volume are paid for with it") {
  const auto resolved = resolve::resolve(test::job({{"source.service", "ebs"},
                                                    {"disk.volume_type", "gp2"},
                                                    {"disk.bandwidth", "null"},
                                                    {"disk.size", "2 TiB"}}),
                                         test::catalog());
  CHECK_FALSE(resolved.terms.unpriced);
  for (const std::string& caveat : resolved.caveats) {
    CHECK(caveat.find("not on the bill") == std::string::npos);
  }
}

TEST_CASE("volumes: what EBS does not sell is told of, and what it sells is not") {
  const auto told = [](const Settings& more) {
    Settings settings = {{"source.service", "ebs"},
                         {"disk.bandwidth", "null"},
                         {"samples", "1000"},
                         {"bytes_per_sample", "100 KB"}};
    settings.insert(settings.end(), more.begin(), more.end());
    const auto resolved = resolve::resolve(test::job(settings), test::catalog());
    std::vector<std::string> unsold;
    for (const std::string& remark : resolved.remarks) {
      if (remark.find("EBS sells") != std::string::npos) unsold.push_back(remark);
    }
    return unsold;
  };
  const auto starts = [&](const Settings& more, const std::string& text) {
    const auto unsold = told(more);
    return unsold.size() == 1 && unsold[0].starts_with(text);
  };
  const Settings gp3 = {{"disk.volume_type", "gp3"}};
  const auto with = [](Settings settings, const Settings& more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
  };
  CHECK(told(with(gp3, {{"disk.size", "32 GiB"}, {"disk.iops", "16000 /s"}})).empty());
  CHECK(starts(with(gp3, {{"disk.size", "32 GiB"}, {"disk.iops", "16001 /s"}}),
               "/disk/iops: EBS sells gp3 with up to 500 IOPS per GiB"));
  CHECK(starts(with(gp3, {{"disk.size", "1 TiB"}, {"disk.iops", "80001 /s"}}),
               "/disk/iops: EBS sells gp3 with up to 80000 IOPS"));
  // 3,000 come with each volume, however small; a quarter of a MiB/s may be bought for each.
  CHECK(told(with(gp3, {{"disk.size", "1 GiB"}, {"disk.iops", "3000 /s"}})).empty());
  CHECK(told(with(gp3, {{"disk.bandwidth", "750 MiB/s"}})).empty());
  CHECK(starts(with(gp3, {{"disk.bandwidth", "751 MiB/s"}}),
               "/disk/bandwidth: EBS sells gp3 with up to 750 MiB/s for 3000 IOPS"));
  CHECK(starts(
      with(gp3,
           {{"disk.size", "1 TiB"}, {"disk.bandwidth", "2001 MiB/s"}, {"disk.iops", "16000 /s"}}),
      "/disk/bandwidth: EBS sells gp3 with up to 2000 MiB/s"));
  CHECK(starts({{"disk.volume_type", "st1"}, {"disk.size", "124 GiB"}},
               "/disk/size: EBS sells st1 from 125 GiB on"));
}

TEST_CASE("volumes: the smallest that holds the data is one that is sold") {
  const auto size_of = [](const char* type) {
    const auto resolved = resolve::resolve(test::job({{"source.service", "ebs"},
                                                      {"disk.bandwidth", "null"},
                                                      {"disk.volume_type", type},
                                                      {"samples", "10000"},
                                                      {"bytes_per_sample", "200 KB"}}),
                                           test::catalog());
    return *resolved.disk->size / gibibytes(1.0);
  };
  CHECK(size_of("gp3") == 2.0);  // 2 GB
  CHECK(size_of("io1") == 4.0);
  CHECK(size_of("st1") == 125.0);
}

TEST_CASE("volumes: prices of before a gp2 volume's earned IOPS were a key are refused for it") {
  Catalog prices = test::catalog();
  for (EbsVolume& volume : prices.ebs) volume.earned_iops_per_gib.reset();
  const auto with = [&](const char* type) {
    return resolve::resolve(test::job({{"source.service", "ebs"},
                                       {"disk.volume_type", type},
                                       {"disk.bandwidth", "null"},
                                       {"disk.size", "2 TiB"}}),
                            prices);
  };
  CHECK_THROWS_WITH(with("gp2"), Catch::Contains("gp2 lacks earned_iops_per_gib"));
  CHECK_NOTHROW(with("gp3"));
}
