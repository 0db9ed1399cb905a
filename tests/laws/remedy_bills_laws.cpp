// What remedies of the bill come to: closed forms of jobs whose bill is known by hand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "laws/remediable_jobs.hpp"

using namespace feedrate;

namespace {

using study::Change;
using study::Setting;
using testing_laws::line_of;
using testing_laws::run_with;
using testing_laws::tried;
using testing_resolve::catalog;
using testing_resolve::Settings;

TEST_CASE("remedies: a block that a job of minutes leaves empty is no cheaper than on demand") {
  // A day of 2 USD an hour, for a job of minutes.
  const Settings job = {{"/cluster/instance", "g5.2xlarge"},
                        {"/cluster/purchase", "capacity_block"},
                        {"/cluster/booked", "24 h"},
                        {"/cluster/price", "2 USD/h"}};
  const Result now = run_with(job, {});
  CHECK(now.bill.compute.base() == Approx(48.0));
  const auto changes = tried(job, "not_booked");
  REQUIRE(changes.size() == 1);
  CHECK(changes.front().set == Setting{{"purchase", "on_demand"},
                                       {"/cluster/booked", "null"},
                                       {"/cluster/price", "null"}});
  const Result then = run_with(job, changes.front().set);
  const auto offer = find_offer(catalog(), {"ec2", "g5.2xlarge", "us-east-1", {}, {}});
  const double paid = std::max(60.0, std::ceil(then.times.total.base()));
  CHECK(then.bill.compute.base() == Approx(paid * offer->price.value.base()));
  CHECK(tried({{"/cluster/instance", "g5.2xlarge"}}, "not_booked").empty());
}

/// 100 epochs of two minutes, and a checkpoint of 100 GB every ten minutes.
Settings saving_job(const char* checkpoint) {
  return {
      {"/cluster/instance", "g5.2xlarge"}, {"/job/epochs", "100"}, {"/job/checkpoint", checkpoint}};
}

TEST_CASE("remedies: spot makes checkpoints more frequent, and saves nothing by fewer of them") {
  const auto often = saving_job(R"({"size": "1 GB", "interval": "10 min", "bandwidth": "1 GB/s"})");
  const auto kept = tried(often, "spot");
  REQUIRE(kept.size() == 1);
  CHECK(kept.front().set == Setting{{"purchase", "spot"}});
  // Of 17.5 % a month, a second each: √(2 · 1 s · 158 days) is 87 min.
  const auto rare =
      saving_job(R"({"size": "1 GB", "interval": "1000 min", "bandwidth": "1 GB/s"})");
  const auto more = tried(rare, "spot");
  REQUIRE(more.size() == 1);
  CHECK(more.front().set == Setting{{"purchase", "spot"}, {"/job/checkpoint/interval", "null"}});
  const auto best = run_with(rare, more.front().set).interruptions->best;
  REQUIRE(best);
  CHECK(*best < minutes(1000.0));
  CHECK(*best > minutes(10.0));
}

TEST_CASE("remedies: checkpoints near the job, or fewer in the background, are paid for less") {
  const auto abroad = saving_job(
      R"({"size": "100 GB", "interval": "10 min", "bandwidth": "1 GB/s", "to": "gcs",
          "background": true})");
  const Result now = run_with(abroad, {});
  const double left = line_of(now, "transfer of checkpoints from AWS");
  const double written = left / (100.0 * 0.09);
  CHECK(written > 1.0);
  CHECK(written == Approx(std::round(written)));
  const auto near = tried(abroad, "checkpoints_nearby");
  REQUIRE(near.size() == 1);
  CHECK(near.front().set == Setting{{"/job/checkpoint/to", "s3"}});
  CHECK(line_of(run_with(abroad, near.front().set), "transfer") == 0.0);
  // As failures ask for, or one in the job: √(2 · 100 s · 1000 / 3.8 days) is longer than the job.
  const auto fewer = tried(abroad, "checkpoint_interval");
  REQUIRE(fewer.size() == 1);
  CHECK(line_of(run_with(abroad, fewer.front().set), "transfer of checkpoints from AWS") ==
        Approx(100.0 * 0.09));

  // To another region 0.02 USD a GB, and nothing is left to say of one that is the job's.
  const auto far = saving_job(
      R"({"size": "100 GB", "interval": "10 min", "bandwidth": "1 GB/s", "to": "s3",
          "region": "us-west-2"})");
  const auto home = tried(far, "checkpoints_nearby");
  REQUIRE(home.size() == 1);
  CHECK(home.front().set == Setting{{"/job/checkpoint/region", "null"}});
  CHECK(line_of(run_with(far, {}), "transfer of checkpoints") > 0.0);
  CHECK(line_of(run_with(far, home.front().set), "transfer of checkpoints") == 0.0);
  Settings by_gateway =
      saving_job(R"({"size": "100 GB", "interval": "10 min", "bandwidth": "1 GB/s", "to": "s3"})");
  by_gateway.emplace_back("/source", R"({"service": "s3", "nat_gateway": true})");
  CHECK(tried(by_gateway, "checkpoints_nearby").empty());
}

TEST_CASE("remedies: fewer instances are as many as cost least, where they are as soon") {
  // All instances together read 5,500 objects a second, more than thirteen of them compute.
  const Settings job = {
      {"/cluster/instance", "g5.2xlarge"},
      {"/cluster/instances", "40"},
      {"/source", R"({"service": "s3", "input_mode": "stream"})"},
      {"/loader", R"({"num_workers": 8, "batch_size": 100, "fetch_threads": 16})"},
      {"/dataset/samples", "1000000"},
      {"/preprocess", R"([{"operation": "decode", "cpu": "1 ms"}])"},
      {"/job/epochs", "3"},
      {"/job/step", R"({"per_sample": "2 ms"})"},
      {"/job/allreduce", R"({"gradient_bytes": "5 MB"})"}};
  const Result now = run_with(job, {});
  double least = std::numeric_limits<double>::infinity();
  for (int n = 1; n < 40; ++n) {
    const Result then = run_with(job, {{"instances", fmt::format("{}", n)}});
    if (then.times.total > study::little_longer * now.times.total) continue;
    least = std::min(least, then.bill.total.base());
  }
  double found = std::numeric_limits<double>::infinity();
  double before = 40.0;
  for (const Change& change : tried(job, "fewer_instances")) {
    REQUIRE(change.set.size() == 1);
    const double n = std::stod(change.set.front().second);
    CHECK(n < before);
    before = n;
    const Result then = run_with(job, change.set);
    if (then.times.total > study::little_longer * now.times.total) continue;
    found = std::min(found, then.bill.total.base());
  }
  CHECK(least < 0.5 * now.bill.total.base());
  CHECK(found <= 1.005 * least);
}

TEST_CASE("remedies: what is read often lies in Standard, and what is held long in Standard-IA") {
  // 200,000 objects of 100 kB: 20 GB.
  const auto job = [](const char* source) {
    return Settings{{"/source", source}, {"/job/epochs", "3"}};
  };
  const auto rare =
      job(R"({"service": "s3", "input_mode": "stream", "storage_class": "STANDARD_IA"})");
  CHECK(line_of(run_with(rare, {}), "S3 retrieval") == Approx(3.0 * 20.0 * 0.01));
  const auto standard = tried(rare, "storage_class");
  REQUIRE(standard.size() == 1);
  CHECK(standard.front().set == Setting{{"/source/storage_class", "STANDARD"}});
  CHECK(line_of(run_with(rare, standard.front().set), "S3 retrieval") == 0.0);
  // Each object is read out of the one, by the thousand and the GB, and written to the other.
  CHECK(standard.front().one_off.base() == Approx(200.0 * (0.001 + 0.005) + 20.0 * 0.01));
  const auto named = tried(job(R"({"service": "s3-ia", "input_mode": "stream"})"), "storage_class");
  REQUIRE(named.size() == 1);
  CHECK(named.front().set ==
        Setting{{"/source/storage_class", "STANDARD"}, {"/source/service", "s3"}});

  const auto held = job(
      R"({"service": "s3", "input_mode": "File", "bill_storage": true, "storage_held": "730 h"})");
  const auto infrequent = tried(held, "storage_class");
  REQUIRE(infrequent.size() == 1);
  CHECK(line_of(run_with(held, {}), "S3 STANDARD") == Approx(20.0 * 0.023));
  CHECK(line_of(run_with(held, infrequent.front().set), "S3 STANDARD_IA") ==
        Approx(std::max(20.0, 200000.0 * 131072.0 / 1e9) * 0.0125));
}

TEST_CASE("remedies: a file system that is held for a month gives way to a bucket") {
  const Settings lustre = {
      {"/source", R"({"service": "fsx-lustre", "input_mode": "mount", "capacity": "12 TiB",
                      "deployment_type": "PERSISTENT_2", "storage_held": "730 h",
                      "throughput_per_capacity": "1000 MB/s/TiB"})"}};
  const auto changes = tried(lustre, "bucket");
  REQUIRE(changes.size() == 3);
  for (const Change& change : changes) {
    INFO(change.words);
    const Result then = run_with(lustre, change.set);
    CHECK(line_of(then, "FSx") == 0.0);
    CHECK(line_of(then, "S3 STANDARD") == Approx(20.0 * 0.023));
    CHECK(change.one_off.base() == Approx(200.0 * 0.005));  // the objects that are written
  }
  // What a bucket fills has one already.
  const auto filled = tried({{"/source", R"({"service": "fsx-lustre", "input_mode": "mount",
                       "lazy_load_from_s3": true, "bill_storage": true})"}},
                            "bucket");
  REQUIRE(filled.size() == 3);
  for (const Change& change : filled) CHECK(change.one_off == Money{});
  const Settings rare = {{"/source", R"({"service": "fsx-lustre", "input_mode": "mount",
                         "lazy_load_from_s3": true, "storage_class": "STANDARD_IA"})"}};
  for (const Change& change : tried(rare, "bucket")) {
    CHECK(line_of(run_with(rare, change.set), "S3 retrieval") > 0.0);
  }
  // In another region it stays in that region.
  Settings far = lustre;
  far.emplace_back("/source/region", "us-west-2");
  for (const Change& change : tried(far, "bucket")) {
    CHECK(line_of(run_with(far, change.set), "transfer from us-west-2") > 0.0);
  }
  CHECK(tried({{"/source", R"({"service": "s3"})"}}, "bucket").empty());
}

}  // namespace
