// What checkpoints cost beside being written: those that restarts load, and those that are
// overwritten.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "tests/study/billed.hpp"

using namespace feedrate;
using test::Billed;
using test::job;

TEST_CASE("billing: each restart loads a checkpoint from where it is, and pays for that") {
  const auto with = [](std::vector<std::pair<std::string, std::string>> more) {
    more.insert(more.begin(), {{"job.checkpoint.size", "10 GB"},
                               {"job.checkpoint.interval", "100 s"},
                               {"job.checkpoint.bandwidth", "2 GB/s"},
                               {"cluster.failures.mttf", "1 h"}});
    return Billed(job(more));
  };
  const Billed home = with({});
  // A restart that is interrupted before it has copied the data has come to no checkpoint.
  const auto& plan = home.outcome.interrupted.job;
  const double struck = home.outcome.interrupted.counted.interruptions *
                        std::exp(-(plan.rate() * (plan.startup + plan.copying_anew)));
  REQUIRE(struck > 0.1);
  // 1193 parts of 8 MiB, each a GET at 0.0004 USD a thousand; requests are billed whole.
  CHECK(home.dollars("S3 GET of checkpoints") == Approx(std::ceil(struck * 1193.0) * 4e-7));
  CHECK(home.line("S3 retrieval of checkpoints") == nullptr);
  CHECK(home.line("transfer of checkpoints") == nullptr);
  // 10 GB each time, at 0.02 USD/GB out of us-west-2 and 0.01 USD/GB of Standard-IA's retrieval.
  const Billed far = with({{"job.checkpoint.region", "us-west-2"}, {"job.checkpoint.to", "s3-ia"}});
  const double count = far.outcome.interrupted.checkpoints;
  CHECK(far.dollars("transfer of checkpoints from us-east-1 to us-west-2") == Approx(0.2 * count));
  CHECK(far.dollars("transfer of checkpoints from us-west-2 to us-east-1") == Approx(0.2 * struck));
  CHECK(far.dollars("S3 retrieval of checkpoints") == Approx(0.1 * struck));
  // Out of Google at 0.12 USD/GB.
  const Billed away = with({{"job.checkpoint.to", "gcs"}});
  CHECK(away.dollars("transfer of checkpoints from GCP to the internet") == Approx(1.2 * struck));
  CHECK(with({{"job.checkpoint.to", "efs"}}).dollars("EFS elastic reads of checkpoints") ==
        Approx(0.3 * struck));
  CHECK(with({{"source.nat_gateway", "true"}}).dollars("NAT gateway, checkpoints loaded") ==
        Approx(0.45 * struck));
  // What nothing interrupts loads none, nor what has none.
  CHECK(Billed(job({{"job.checkpoint.size", "10 GB"}, {"job.checkpoint.interval", "100 s"}}))
            .line("S3 GET of checkpoints") == nullptr);
  CHECK(with({{"job.checkpoint.interval", "100 h"}}).line("S3 GET of checkpoints") == nullptr);
}

TEST_CASE("billing: each block after the first loads a checkpoint") {
  const Billed blocks(job({{"job.epochs", "300"},
                           {"cluster.purchase", "capacity_block"},
                           {"cluster.booked", "24 h"},
                           {"cluster.price", "3 USD/h"},
                           {"job.checkpoint.size", "10 GB"},
                           {"job.checkpoint.interval", "1 h"},
                           {"job.checkpoint.bandwidth", "2 GB/s"},
                           {"job.checkpoint.to", "s3-ia"}}));
  const double others = blocks.outcome.interrupted.counted.blocks - 1.0;
  REQUIRE(others >= 1.0);
  CHECK(blocks.dollars("S3 retrieval of checkpoints") == Approx(0.1 * others));
}

TEST_CASE("billing: overwritten checkpoints in S3-IA are paid for thirty days, too") {
  const auto with = [](std::vector<std::pair<std::string, std::string>> more) {
    more.insert(more.begin(), {{"job.checkpoint.size", "10 GB"},
                               {"job.checkpoint.interval", "100 s"},
                               {"job.checkpoint.bandwidth", "2 GB/s"}});
    return Billed(job(more));
  };
  // 10 GB at 0.0125 USD/GB and month, for 720 of its 730 hours.
  constexpr double thirty_days = 0.125 * 720.0 / 730.0;
  constexpr const char* overwritten = "overwritten checkpoints in S3 STANDARD_IA";
  const Billed none = with({{"job.checkpoint.to", "s3-ia"}});
  const double count = none.outcome.interrupted.checkpoints;
  REQUIRE(count >= 9.0);
  CHECK(none.dollars(overwritten) == Approx(count * thirty_days));
  const Billed two = with({{"job.checkpoint.to", "s3-ia"},
                           {"job.checkpoint.kept", "2"},
                           {"job.checkpoint.held", "1460 h"}});
  CHECK(two.dollars("checkpoints in S3 STANDARD_IA") == Approx(2 * 0.125 * 2.0));
  CHECK(two.dollars(overwritten) == Approx((count - 2.0) * thirty_days));
  const Billed all = with({{"job.checkpoint.to", "s3-ia"}, {"job.checkpoint.kept", "1000"}});
  CHECK(all.dollars("checkpoints in S3 STANDARD_IA") == Approx(count * thirty_days));
  CHECK(all.line(overwritten) == nullptr);
  CHECK(with({{"job.checkpoint.kept", "2"}}).line("overwritten checkpoints") == nullptr);
}

TEST_CASE(
    "billing: a kept checkpoint's place pays for what is overwritten in it after thirty days") {
  // One each ten days for over 60: each is paid for 30 days, six are 180 days, and the place of
  // the one that is kept pays for the job's time of them.
  const Billed months(job({{"job.epochs", "1000000"},
                           {"job.checkpoint.size", "10 GB"},
                           {"job.checkpoint.interval", "240 h"},
                           {"job.checkpoint.bandwidth", "2 GB/s"},
                           {"job.checkpoint.to", "s3-ia"},
                           {"job.checkpoint.kept", "1"}}));
  const double days = months.outcome.total.wall / hours(24.0);
  const double count = months.outcome.interrupted.checkpoints;
  REQUIRE(days > 30.0);
  REQUIRE(count * 30.0 > days);
  constexpr double day = 0.125 * 24.0 / 730.0;
  CHECK(months.dollars("checkpoints in S3 STANDARD_IA") == Approx(days * day));
  CHECK(months.dollars("overwritten checkpoints in S3 STANDARD_IA") ==
        Approx((count * 30.0 - days) * day));
}
