// What is paid beside machines and reading: checkpoints elsewhere, gateways, contracts, mixed
// fleets.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "study/run.hpp"
#include "tests/study/billed.hpp"

using namespace feedrate;
using test::Billed;
using test::check_idle;
using test::job;

TEST_CASE("billing: checkpoints are paid where they go, and for as long as they are kept") {
  const std::vector<std::pair<std::string, std::string>> written = {
      {"job.checkpoint.size", "10 GB"},
      {"job.checkpoint.interval", "100 s"},
      {"job.checkpoint.bandwidth", "2 GB/s"}};
  const auto with = [&](std::vector<std::pair<std::string, std::string>> more) {
    more.insert(more.begin(), written.begin(), written.end());
    return Billed(job(more));
  };
  const Billed home = with({});
  const double count = home.outcome.interrupted.checkpoints;
  REQUIRE(count >= 9.0);
  // 10 GB in parts of 8 MiB, a request that begins the upload, and one that ends it.
  CHECK(home.dollars("S3 PUT of checkpoints") == Approx(count * 1195.0 * 0.005 / 1000.0));
  // To another region: 0.02 USD/GB out of us-east-1, and that region's price of a PUT.
  const Billed west = with({{"job.checkpoint.region", "us-west-2"}});
  CHECK(west.dollars("transfer of checkpoints from us-east-1 to us-west-2") == Approx(0.2 * count));
  // To another store: 0.06 USD/GB of EFS's elastic writes, and none of S3's requests.
  const Billed efs = with({{"job.checkpoint.to", "efs"}});
  CHECK(efs.line("S3 PUT of checkpoints") == nullptr);
  CHECK(efs.dollars("EFS elastic writes of checkpoints") == Approx(0.6 * count));
  // Three of them for a month at 0.023 USD/GB.
  const Billed kept = with({{"job.checkpoint.kept", "3"}, {"job.checkpoint.held", "730 h"}});
  CHECK(kept.dollars("checkpoints in S3 STANDARD") == Approx(0.69));
  // No more than have been written.
  const Billed few = with({{"job.checkpoint.kept", "1000"}, {"job.checkpoint.held", "730 h"}});
  CHECK(few.dollars("checkpoints in S3 STANDARD") == Approx(0.23 * count));
  // Out of AWS, at 0.09 USD/GB of its first 10 TB.
  const Billed away = with({{"job.checkpoint.to", "gcs"}});
  CHECK(away.dollars("transfer of checkpoints from AWS to the internet") == Approx(0.9 * count));
  // What another store takes is not known from where the data comes from.
  CHECK_THROWS_AS(Billed(job({{"job.checkpoint.size", "10 GB"},
                              {"job.checkpoint.interval", "100 s"},
                              {"job.checkpoint.to", "efs"}})),
                  InputError);
}

TEST_CASE("billing: a checkpoint is written in as many requests as its objects have parts") {
  const auto puts = [](const std::string& size, const std::string& how, double instances) {
    const Billed billed(job({{"job.checkpoint.size", size},
                             {"job.checkpoint.interval", "100 s"},
                             {"job.checkpoint.bandwidth", "50 GB/s"},
                             {"job.parallelism", how},
                             {"job.allreduce.parameters", "1e6"},
                             {"cluster.instances", std::to_string(static_cast<int>(instances))}}));
    const double count = billed.outcome.interrupted.checkpoints;
    REQUIRE(count >= 1.0);
    return billed.dollars("S3 PUT of checkpoints") / (0.005 / 1000.0) / count;
  };
  CHECK(puts("8 MB", "ddp", 2) == Approx(1.0));  // one PUT
  CHECK(puts("80 MiB", "ddp", 2) == Approx(12.0));
  // With sharded parameters each instance has an object of its own.
  CHECK(puts("80 MiB", "fsdp", 2) == Approx(2.0 * 7.0));
  // S3 takes 10,000 parts at most: larger ones from 78 GiB on.
  CHECK(puts("100 GiB", "ddp", 1) == Approx(10002.0));
  CHECK(puts("100 GiB", "fsdp", 2) == Approx(2.0 * 6402.0));
}

TEST_CASE("billing: a file system that only checkpoints go to is said not to be on the bill") {
  const auto to = [](std::vector<std::pair<std::string, std::string>> more) {
    more.insert(more.begin(), {{"job.checkpoint.size", "10 GB"},
                               {"job.checkpoint.interval", "100 s"},
                               {"job.checkpoint.bandwidth", "2 GB/s"},
                               {"job.checkpoint.kept", "2"}});
    return Billed(job(more));
  };
  constexpr const char* missing = "are not on the bill: how much of it is bought";
  for (const std::string store : {"fsx-lustre", "ebs", "nfs", "filestore", "weka"}) {
    const Billed billed = to({{"job.checkpoint.to", store}, {"source.input_mode", "FastFile"}});
    INFO(store);
    CHECK(billed.remarks_say(missing));
    CHECK_FALSE(billed.remarks_say("is paid for as it is"));
  }
  // What the data lies in, and disks of the instances, are there anyway.
  const Billed of_data = to({{"source.service", "fsx-lustre"}, {"job.checkpoint.to", "fsx"}});
  CHECK_FALSE(of_data.remarks_say(missing));
  CHECK(of_data.remarks_say("what FSx for Lustre holds is paid for as it is"));
  CHECK_FALSE(to({{"job.checkpoint.to", "local"}}).remarks_say(missing));
  const Billed volume = to({{"job.checkpoint.to", "ebs"}, {"source.service", "ebs"}});
  CHECK_FALSE(volume.remarks_say(missing));
  CHECK(volume.line("EBS gp3") != nullptr);
}

TEST_CASE("billing: runs of a month that together hold the data for longer are told of jobs") {
  const auto remark = [](const std::string& jobs, const std::string& runs) {
    const Result result = study::run(job({{"source.service", "fsx-lustre"},
                                          {"source.storage_held", "720 h"},
                                          {"accounting.runs_per_month", runs},
                                          {"job.jobs", jobs}}),
                                     test::catalog(), nullptr, {});
    for (const std::string& one : result.remarks) {
      if (one.find("/source/storage_held: ") == 0) return one;
    }
    return std::string();
  };
  // 30 x 720 h are 29.6 months of 730 h.
  CHECK(remark("1", "30").find("pay for 29.6 months") != std::string::npos);
  CHECK(remark("1", "30").find("/job/jobs") != std::string::npos);
  CHECK(remark("30", "30").empty());
  CHECK(remark("1", "1").empty());
}

TEST_CASE("billing: jobs that would hold each other up on a file system are told of") {
  const auto told = [](const std::string& jobs, const std::string& step,
                       const std::string& capacity = "1.2 TiB") {
    const Result result = study::run(job({{"source.service", "fsx-lustre"},
                                          {"source.capacity", capacity},
                                          {"source.input_mode", "mount"},
                                          {"job.step.per_sample", step},
                                          {"job.jobs", jobs}}),
                                     test::catalog(), nullptr, {});
    return std::any_of(result.remarks.begin(), result.remarks.end(), [](const std::string& one) {
      return one.find("/job/jobs: the time is of a job that has FSx for Lustre to itself") == 0;
    });
  };
  CHECK(told("4", "1 ms"));
  CHECK_FALSE(told("1", "1 ms"));
  CHECK_FALSE(told("4", "10 s"));
  // The latency of reads keeps the job waiting, and the file system has a hundred times as much.
  CHECK_FALSE(told("4", "1 ms", "1200 TiB"));
}

TEST_CASE("billing: a NAT gateway is paid by the byte and by begun hours") {
  const Billed with(job({{"source.input_mode", "FastFile"}, {"source.nat_gateway", "true"}}));
  const Billed without(job({{"source.input_mode", "FastFile"}}));
  CHECK(with.dollars("NAT gateway") == Approx(45.0));  // 1 TB at 0.045 USD/GB
  CHECK(with.outcome.total.wall == without.outcome.total.wall);
  const double begun = std::ceil(with.outcome.total.wall / hours(1.0));
  CHECK(with.bill.auxiliary.base() == Approx(0.045 * begun));
  CHECK(with.bill.money.base() == Approx(without.bill.money.base() + 45.0 + 0.045 * begun));
}

TEST_CASE("billing: a contract takes its share off the catalogue's prices, and off no other") {
  const Billed full(job({{"source.bill_storage", "true"}}));
  const Billed less(job({{"source.bill_storage", "true"},
                         {"accounting.discounts", R"({"compute": 0.1, "storage": 0.25})"}}));
  CHECK(less.bill.compute.base() == Approx(0.9 * full.bill.compute.base()));
  CHECK(less.bill.storage.base() < full.bill.storage.base());
  CHECK(less.bill.requests == full.bill.requests);
  const Billed none(job({{"accounting.discounts.auxiliary", "9%"}}));
  CHECK(none.remarks_say("/accounting/discounts/auxiliary has no effect"));
  CHECK(less.bill.idle_gpu.base() == Approx(0.9 * full.bill.idle_gpu.base()));
  CHECK(less.line("1 x p3.2xlarge")->from.source.find("less 10 % discount") != std::string::npos);
  const std::vector<std::pair<std::string, std::string>> own = {{"cluster.price", "3 USD/h"}};
  const std::vector<std::pair<std::string, std::string>> own_less = {
      {"cluster.price", "3 USD/h"}, {"accounting.discounts", R"({"compute": 0.1})"}};
  CHECK(Billed(job(own_less)).bill.compute == Billed(job(own)).bill.compute);
}

TEST_CASE("billing: a mixed fleet lies between all on demand and all on spot") {
  const auto fleet = [&](const char* purchase, int on_demand) {
    std::vector<std::pair<std::string, std::string>> settings = {
        {"cluster.instance", "p3.2xlarge"},
        {"cluster.instances", "4"},
        {"cluster.purchase", purchase},
        {"cluster.spot.rate", "0.02 /h"},
        {"cluster.spot.wait_for_capacity", "30 min"},
        {"job.epochs", "40"},
        {"job.checkpoint.size", "1 GB"},
        {"job.checkpoint.interval", "10 min"}};
    if (on_demand > 0) {
      settings.emplace_back("cluster.spot.on_demand_instances", std::to_string(on_demand));
    }
    return Billed(job(settings));
  };
  const Billed spot = fleet("spot", 0);
  double struck = spot.outcome.interrupted.counted.interruptions;
  double paid = spot.bill.compute.base();
  REQUIRE(struck > 0.1);
  for (const int on_demand : {1, 2, 3}) {
    const Billed mixed = fleet("spot", on_demand);
    INFO(on_demand);
    const double times = mixed.outcome.interrupted.counted.interruptions;
    CHECK(times < struck);
    CHECK(mixed.bill.compute.base() > paid);
    struck = times;
    paid = mixed.bill.compute.base();
    // The on-demand ones are held through all waits for the others, which costs idle dollars.
    const BillLine* line = mixed.line(std::to_string(on_demand) + " x p3.2xlarge on demand");
    REQUIRE(line != nullptr);
    CHECK(line->amount.base() ==
          Approx(on_demand * 3.06 * (mixed.outcome.total.wall / hours(1.0))).epsilon(1e-3));
    check_idle(mixed.bill);
  }
  CHECK(paid < fleet("on_demand", 0).bill.compute.base());
  CHECK_THROWS_AS(fleet("spot", 4), InputError);
  // A job of SageMaker is on spot instances as a whole, and none of those is kept for another.
  CHECK_THROWS_AS(Billed(job({{"cluster.instance", "ml.p3.2xlarge"},
                              {"cluster.instances", "4"},
                              {"cluster.purchase", "spot"},
                              {"cluster.spot.on_demand_instances", "1"}})),
                  InputError);
  CHECK_THROWS_AS(Billed(job({{"cluster.purchase", "spot"}, {"cluster.kept_warm", "1 h"}})),
                  InputError);
}

TEST_CASE("billing: while one spot instance is waited for, all others are paid") {
  // Published price times the waits of N - 1 instances, beside what the same job costs without.
  const auto fleet = [](const char* instance, const char* count, const char* wait,
                        const std::vector<std::pair<std::string, std::string>>& more = {}) {
    std::vector<std::pair<std::string, std::string>> settings = {
        {"cluster.instance", instance},
        {"cluster.instances", count},
        {"cluster.purchase", "spot"},
        {"cluster.price", "2 USD/h"},
        {"cluster.spot.rate", "0.2 /h"},
        {"cluster.spot.wait_for_capacity", wait},
        {"job.epochs", "40"},
        {"job.checkpoint.size", "1 GB"},
        {"job.checkpoint.interval", "1 h"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return Billed(job(settings));
  };
  const auto waited = [&](const char* instance, const char* count, const auto&... more) {
    const Billed with = fleet(instance, count, "10 h", more...);
    const Billed without = fleet(instance, count, "0 s", more...);
    const Duration waits = with.outcome.interrupted.counted.waits;
    REQUIRE(waits > hours(1.0));
    check_idle(with.bill);
    const auto machines = [](const Bill& bill) { return bill.compute + bill.auxiliary; };
    const Money paid = machines(with.bill) - machines(without.bill);
    CHECK((with.bill.idle_gpu - without.bill.idle_gpu).base() <= Approx(paid.base()).margin(1e-6));
    return paid.base() / (waits / hours(1.0));
  };
  // To the second that instances are billed by.
  CHECK(waited("p3.2xlarge", "1") == Approx(0.0).margin(1e-3));
  CHECK(waited("p3.2xlarge", "4") == Approx(3 * 2.0).epsilon(1e-3));
  CHECK(waited("ml.p3.2xlarge", "4") == Approx(0.0).margin(1e-3));
  // Helpers run on as well.
  const std::vector<std::pair<std::string, std::string>> helpers = {
      {"source.input_mode", "stream"},
      {"loader.remote", R"({"instance": "c6i.4xlarge", "instances": 3, "price": "1 USD/h"})"}};
  CHECK(waited("p3.2xlarge", "4", helpers) == Approx(3 * 2.0 + 3 * 1.0).epsilon(1e-3));
  // Two on demand, which are never gone, and two on spot.
  const std::vector<std::pair<std::string, std::string>> mixed = {
      {"cluster.spot.on_demand_instances", "2"}, {"cluster.spot.on_demand_price", "5 USD/h"}};
  CHECK(waited("p3.2xlarge", "4", mixed) == Approx(2.0 + 2 * 5.0).epsilon(1e-3));
}

TEST_CASE("billing: FSx for Lustre is sold, priced and as fast by its own TiB of 1000 GiB") {
  const auto month = [](std::vector<std::pair<std::string, std::string>> more) {
    more.insert(more.begin(), {{"source.service", "fsx-lustre"},
                               {"source.input_mode", "mount"},
                               {"source.storage_held", "730 h"}});
    return Billed(job(more)).dollars("FSx for Lustre");
  };
  const auto scratch = [&](const char* capacity) {
    return month({{"source.deployment_type", "SCRATCH_2"}, {"source.capacity", capacity}});
  };
  // As AWS writes it, and in bytes: 1200 GiB are 1.2 of its TiB.
  CHECK(scratch("1.2 TiB") == Approx(1.2 * 140.0));
  CHECK(scratch("1200 GiB") == Approx(1.2 * 140.0));
  CHECK(scratch("1201 GiB") == Approx(2.4 * 140.0));
  CHECK(scratch("48 TiB") == Approx(48.0 * 140.0));
  CHECK(scratch("120000 GiB") == Approx(120.0 * 140.0));
  // 50 TB are 46,566 GiB, which 48,000 hold.
  CHECK(month({{"source.deployment_type", "SCRATCH_2"}, {"dataset.bytes_per_sample", "50 MB"}}) ==
        Approx(48.0 * 140.0));
}

TEST_CASE("billing: throughput of volumes and of EFS is paid by the MiB/s") {
  const Billed gp3(job({{"source.service", "ebs"},
                        {"source.storage_held", "730 h"},
                        {"cluster.instance", "g5.xlarge"},
                        {"disk.kind", "ebs"},
                        {"disk.volume_type", "gp3"},
                        {"disk.size", "1000 GiB"},
                        {"disk.bandwidth", "250 MiB/s"}}));
  CHECK(gp3.dollars("EBS throughput") == Approx(125 * 0.04));
  const Billed efs(job({{"source.service", "efs"},
                        {"source.input_mode", "mount"},
                        {"source.storage_held", "730 h"},
                        {"source.throughput_mode", "provisioned"},
                        {"source.provisioned_throughput", "100 MiB/s"}}));
  // 1 TB earns 50 MB/s.
  CHECK(efs.dollars("EFS provisioned throughput") == Approx(6.0 * (100.0 - 50e6 / 1048576.0)));
}

TEST_CASE("billing: Google bills a minute of a machine at least, Azure each second") {
  CHECK(billing_rule(test::catalog(), "gcp").minimum == seconds(60));
  CHECK(billing_rule(test::catalog(), "gcp").granularity == seconds(1));
  CHECK(billing_rule(test::catalog(), "azure").minimum == Duration{});
}

TEST_CASE("billing: a mixed fleet has its efficiency, and holds one that is given") {
  const auto result = [](const char* key, const char* value) {
    return study::run(job({{"cluster.instances", "4"},
                           {"cluster.purchase", "spot"},
                           {"cluster.spot.on_demand_instances", "2"},
                           {"job.epochs", "4"},
                           {key, value}}),
                      test::catalog(), nullptr, {});
  };
  CHECK(result("job.efficiency", "0.9").efficiency.has_value());
  CHECK(result("job.startup", "1 s").efficiency.has_value());
}

TEST_CASE("billing: S3-IA asks for 128 KiB an object and for thirty days") {
  const auto held = [](const char* size, const char* time) {
    return Billed(job({{"dataset.bytes_per_sample", size},
                       {"source.service", "s3-ia"},
                       {"source.bill_storage", "true"},
                       {"source.storage_held", time}}))
        .dollars("S3 STANDARD_IA");
  };
  const double month = 730.0 / 24.0;
  // A million objects at 0.0125 USD/GB and month.
  CHECK(held("1 MB", "730 h") == Approx(12.5));
  CHECK(held("1 MB", "1 h") == Approx(12.5 * 30.0 / month));
  CHECK(held("10 KB", "730 h") == Approx(12.5 * 0.131072));
}

TEST_CASE("billing: a warm pool is paid after the job, and nothing else changes") {
  const Billed cold(job());
  const Billed warm(job({{"cluster.kept_warm", "30 min"}, {"cluster.instances", "2"}}));
  const Billed two(job({{"cluster.instances", "2"}}));
  CHECK(warm.bill.compute.base() == Approx(two.bill.compute.base() + 2 * 0.5 * 3.06));
  CHECK(warm.bill.idle_gpu == two.bill.idle_gpu);
  CHECK(warm.dollars("2 x p3.2xlarge, kept warm") == Approx(3.06));
  CHECK(cold.line("1 x p3.2xlarge, kept warm") == nullptr);
}

TEST_CASE("billing: spot prices are drawn between the zones', others are not") {
  const auto bands = [](const char* purchase) {
    const Scenario scenario = job({{"cluster.purchase", purchase}});
    double low = 1e9, high = 0.0;
    for (const double place : {0.05, 0.5, 0.95}) {
      const resolve::Resolved drawn = resolve::resolve(
          scenario, test::catalog(), nullptr,
          [&](std::string_view key) { return key == "/cluster/price" ? place : 0.5; });
      const double price = drawn.terms.compute.price.value / usd_per_hour(1.0);
      low = std::min(low, price);
      high = std::max(high, price);
    }
    return high / low;
  };
  CHECK(bands("on_demand") == 1.0);
  // A tenth either way, nine times of ten, or as far apart as the zones are.
  CHECK(bands("spot") >= Approx(std::exp(2.0 * 1.645 * 0.06)).epsilon(1e-3));
}

TEST_CASE("billing: what crosses from zone to zone is paid by who sends and who receives") {
  const std::vector<std::pair<std::string, std::string>> lustre = {
      {"source.service", "fsx-lustre"}, {"source.input_mode", "mount"}, {"disk.page_cache", "0 B"}};
  const auto with = [&](std::vector<std::pair<std::string, std::string>> more) {
    more.insert(more.begin(), lustre.begin(), lustre.end());
    return Billed(job(more));
  };
  constexpr const char* reads = "reads from another zone, both ways";
  const Billed beside = with({{"source.other_zone", "true"}});
  CHECK(beside.dollars(reads) == Approx(1000.0 * 2 * 0.01));
  CHECK(with({}).line(reads) == nullptr);
  // Each read has a round trip more.
  const auto latency = [](const Billed& of) { return of.resolved.inputs.source->latency.base(); };
  CHECK(latency(beside) - latency(with({})) == Approx(0.0008));
  // Half of what two instances in two zones read; no more zones count than there are instances.
  for (const char* zones : {"2", "3"}) {
    const Billed two = with({{"cluster.instances", "2"}, {"cluster.zones", zones}});
    CHECK(two.dollars(reads) == Approx(1000.0 * 0.01));
    CHECK(two.bill.unpriced);
  }
  // EFS lies in one zone where its class says so; S3 lies in all of them.
  const std::vector<std::pair<std::string, std::string>> efs = {
      {"source.service", "efs"}, {"source.input_mode", "mount"}, {"source.other_zone", "true"}};
  CHECK(Billed(job(efs)).line(reads) == nullptr);
  CHECK(Billed(job(efs)).remarks_say("other_zone"));
  std::vector<std::pair<std::string, std::string>> one_zone = efs;
  one_zone.emplace_back("source.storage_class", "One Zone");
  CHECK(Billed(job(one_zone)).line(reads) != nullptr);
  CHECK(Billed(job({{"source.other_zone", "true"}})).remarks_say("other_zone"));

  // A ring over two instances with a GPU each sends the gradients once a step: 1 GB, from each
  // zone.
  const std::vector<std::pair<std::string, std::string>> summed = {
      {"cluster.instances", "2"},
      {"cluster.network", "10 Gbit/s"},
      {"job.allreduce.gradient_bytes", "1 GB"}};
  std::vector<std::pair<std::string, std::string>> apart = summed;
  apart.emplace_back("cluster.zones", "2");
  const Billed across(job(apart));
  const double steps = std::ceil(500000.0 / 64.0);
  CHECK(across.dollars("gradients between zones, both ways") == Approx(steps * 2 * 2 * 0.01));
  CHECK(Billed(job(summed)).line("gradients between zones, both ways") == nullptr);
  CHECK(across.outcome.total.wall > Billed(job(summed)).outcome.total.wall);
  // What is done again is exchanged again.
  auto failing = apart;
  failing.emplace_back("cluster.failures.mttf", "20 h");
  const Billed again(job(failing));
  const double more = again.outcome.interrupted.counted.rework / again.outcome.training();
  REQUIRE(more > 0.01);
  CHECK(again.dollars("gradients between zones, both ways") ==
        Approx(steps * 2 * 2 * 0.01 * (1.0 + more)));
  auto nothing = apart;
  nothing.emplace_back("job.allreduce.gradient_bytes", "0 B");
  CHECK_FALSE(Billed(job(nothing)).bill.unpriced);
  auto many = apart;
  many.emplace_back("cluster.zones", "9");
  CHECK(Billed(job(many)).remarks_say("/cluster/zones: 2 of them hold an instance"));
  CHECK(Billed(job({{"accounting.free_transfer", "1 GB"}})).remarks_say("free_transfer"));
}

TEST_CASE("billing: checkpoints go to the zone of their file system") {
  const std::vector<std::pair<std::string, std::string>> saved = {
      {"source.service", "fsx-lustre"},     {"source.input_mode", "mount"},
      {"source.other_zone", "true"},        {"job.checkpoint.size", "10 GB"},
      {"job.checkpoint.interval", "100 s"}, {"job.checkpoint.bandwidth", "2 GB/s"}};
  const Billed across(job(saved));
  const double count = across.outcome.interrupted.checkpoints;
  CHECK(across.dollars("checkpoints to another zone, both ways") == Approx(count * 10 * 2 * 0.01));
  auto elsewhere = saved;
  elsewhere.emplace_back("job.checkpoint.to", "s3");
  CHECK(Billed(job(elsewhere)).line("checkpoints to another zone, both ways") == nullptr);
}

TEST_CASE("billing: a snapshot of the data is held once, whatever the instances") {
  const std::vector<std::pair<std::string, std::string>> volume = {{"source.input_mode", "File"},
                                                                   {"disk.kind", "ebs"},
                                                                   {"disk.size", "2000 GB"},
                                                                   {"disk.snapshot_held", "730 h"},
                                                                   {"cluster.instances", "4"}};
  const auto price = [](const Billed& of) { return of.dollars("EBS snapshot"); };
  auto read = volume;
  read.front() = {"source.service", "ebs"};
  CHECK(Billed(job(read)).remarks_say("fetches each block from S3 when it is first read"));
  // 1 TB at 0.05 USD for each GiB and month.
  const double all = 1e12 / 1073741824.0 * 0.05;
  CHECK(price(Billed(job(volume))) == Approx(all));
  auto shared = volume;
  shared.emplace_back("job.jobs", "4");
  CHECK(price(Billed(job(shared))) == Approx(all / 4.0));
  auto sagemaker = volume;
  sagemaker.emplace_back("cluster.instance", "ml.p3.2xlarge");
  CHECK(Billed(job(sagemaker)).remarks_say("snapshot_held"));
  auto nvme = volume;
  nvme.emplace_back("disk.kind", "other");
  CHECK(Billed(job(nvme)).remarks_say("snapshot_held"));
}

TEST_CASE(
    "billing: what an account may send for nothing is taken off what leaves for the internet") {
  const auto away = [](const char* free) {
    return Billed(job({{"cluster.instance", "gpu_8x_v100"},
                       {"cluster.region", "null"},
                       {"cluster.price", "4 USD/h"},
                       {"source.region", "us-east-1"},
                       {"source.input_mode", "stream"},
                       {"accounting.free_transfer", free}}))
        .dollars("transfer from AWS to the internet");
  };
  CHECK(away("0 GB") == Approx(90.0));
  CHECK(away("100 GB") == Approx(81.0));
  CHECK(away("2 TB") == 0.0);
}

TEST_CASE("billing: what leaves Google's and Azure's stores is paid by where it goes") {
  // 1 TB an epoch.
  const auto from = [](const char* store, std::vector<std::pair<std::string, std::string>> more) {
    more.insert(more.begin(), {{"source.service", store},
                               {"source.input_mode", "stream"},
                               {"source.first_byte_latency", "50 ms"},
                               {"source.bandwidth", "1 GB/s"}});
    return Billed(job(more));
  };
  const auto away = [&](const char* store, const char* epochs, const char* region) {
    return from(store, {{"job.epochs", epochs},
                        {"cluster.price", "4 USD/h"},
                        {"cluster.region", region},
                        {"source.region", "us-central1"}});
  };
  // GCS: 0.12 USD/GB for the first TB, 0.11 for nine more, 0.08 above; to Australia 0.19 at first.
  const char* const gcs = "transfer from GCP to the internet";
  CHECK(away("gcs", "1", "us-east-1").dollars(gcs) == Approx(120.0));
  CHECK(away("gcs", "12", "us-east-1").dollars(gcs) == Approx(120.0 + 990.0 + 160.0));
  CHECK(away("gcs", "1", "ap-northeast-1").dollars(gcs) == Approx(120.0));
  CHECK(away("gcs", "2", "ap-southeast-2").dollars(gcs) == Approx(380.0));
  CHECK(away("azure-blob", "1", "us-east-1").dollars("transfer from Azure to the internet") ==
        Approx(87.0));
  // Within Google's cloud: nothing in the region, 0.02 USD/GB to another one of the continent.
  const auto within = [&](const char* to) {
    return from("gcs", {{"cluster.instance", "a2-highgpu-1g"},
                        {"cluster.price", "4 USD/h"},
                        {"cluster.region", to},
                        {"source.region", "us-central1"}});
  };
  CHECK(within("us-central1").bill.transfer == Money{});
  CHECK(within("us-east1").dollars("transfer from us-central1 to us-east1") == Approx(20.0));
  // To another continent no price is known: that is said beside the headline.
  const Billed far = within("europe-west4");
  CHECK(far.bill.transfer == Money{});
  CHECK(std::any_of(far.resolved.caveats.begin(), far.resolved.caveats.end(),
                    [](const std::string& caveat) {
                      return caveat.find("What GCS sends from us-central1 to europe-west4") == 0;
                    }));
}

TEST_CASE("billing: volumes of instances that are kept warm are paid as long") {
  const std::vector<std::pair<std::string, std::string>> volume = {
      {"source.input_mode", "File"}, {"disk.kind", "ebs"}, {"disk.size", "1000 GB"}};
  auto warm = volume;
  warm.emplace_back("cluster.kept_warm", "10 h");
  const double more = Billed(job(warm)).dollars("EBS gp3") - Billed(job(volume)).dollars("EBS gp3");
  CHECK(more == Approx(1e12 / 1073741824.0 * 0.08 * 10.0 / 730.0));
}

TEST_CASE("billing: of several jobs on one file system the first loads it") {
  std::vector<std::pair<std::string, std::string>> lazy = {{"source.service", "fsx-lustre"},
                                                           {"source.input_mode", "mount"},
                                                           {"source.lazy_load_from_s3", "true"}};
  CHECK(Billed(job(lazy)).dollars("S3 GET") == Approx(0.4));
  lazy.emplace_back("job.jobs", "5");
  const Billed five(job(lazy));
  CHECK(five.dollars("S3 GET, 1/5 of it") == Approx(0.08));
  CHECK(five.remarks_say("the first of the 5 jobs loads the file system from S3"));
  // A bucket of another class is paid for what it gives out, once.
  lazy.emplace_back("source.storage_class", "STANDARD_IA");
  const Billed rare(job(lazy));
  CHECK(rare.dollars("S3 GET, 1/5 of it") == Approx(0.2));
  const auto bytes = Billed(job({{"source.storage_class", "STANDARD_IA"}, {"job.epochs", "1"}}));
  CHECK(bytes.dollars("S3 retrieval") > 0.0);
  CHECK(rare.dollars("S3 retrieval, 1/5 of it") == Approx(bytes.dollars("S3 retrieval") / 5.0));
}
