// What a simulated job puts on its bill: what was simulated is what is billed, by laws over
// generated and shipped scenarios first, then by examples that are worked out in the test.
#include "study/billing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "resolve/resolve.hpp"
#include "schema/catalog/catalog_parts.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/cost.hpp"
#include "tests/study/billed.hpp"
#include "words/bill.hpp"

using namespace feedrate;
using test::Billed;
using test::catalog;
using test::check_idle;
using test::job;

namespace {

std::vector<Scenario> shipped() {
  std::vector<Scenario> all;
  for (const auto& file : std::filesystem::directory_iterator(FEEDRATE_SOURCE_DIR "/scenarios")) {
    if (file.path().extension() != ".json") continue;
    all.push_back(schema::read_scenario(schema::load_document(file.path().string())));
  }
  return all;
}

}  // namespace

TEST_CASE("billing: idle dollars are part of the compute dollars, whatever the job and the rule") {
  pipeline::Generator random(22);
  for (int i = 0; i < 300; ++i) {
    pipeline::Inputs inputs = random.inputs(40.0);
    if (random.chance(0.5)) inputs.startup = seconds(random.log_uniform(0.1, 1e4));
    const pipeline::Outcome outcome = pipeline::simulate(inputs);
    BillInput input;
    input.compute.instances = inputs.instances;
    input.compute.price = Value<HourlyPrice>::given(usd_per_hour(random.log_uniform(0.1, 100.0)));
    input.compute.rule.startup_billed = random.chance(0.5);
    input.compute.rule.granularity = seconds(random.chance(0.5) ? 1.0 : 0.0);
    input.compute.rule.minimum = seconds(random.chance(0.3) ? 60.0 : 0.0);
    input.compute.startup = outcome.startup;
    input.compute.busy = outcome.total.wall - outcome.startup;
    input.stall = outcome.total.stall;
    INFO(i);
    check_idle(study::bill_of(input));
  }
}

TEST_CASE("billing: idle dollars are part of the compute dollars in all shipped scenarios") {
  std::size_t checked = 0;
  for (Scenario scenario : shipped()) {
    if (!scenario.cluster.instance && !scenario.cluster.price) continue;
    INFO(scenario.name);
    for (const Duration startup : {seconds(0), minutes(10), hours(100)}) {
      scenario.job.startup = startup;
      check_idle(Billed(scenario).bill);
    }
    ++checked;
  }
  CHECK(checked > 10);
}

TEST_CASE("billing: a start-up that is not billed wastes no money, one that is does") {
  const std::vector<std::pair<std::string, std::string>> slow_start = {
      {"startup", "10 min"}, {"/source/input_mode", "FastFile"}};
  Scenario scenario = job(slow_start);
  const Billed ec2(scenario);
  CHECK(ec2.bill.idle_gpu_by_stage[Stage::startup].base() >= 3.06 / 6.0);
  scenario.cluster.instance = "ml.p3.2xlarge";
  const Billed sagemaker(scenario);
  scenario.job.startup.reset();
  const Billed at_once(scenario);
  CHECK(sagemaker.bill.idle_gpu.base() == Approx(at_once.bill.idle_gpu.base()).epsilon(1e-9));
}

TEST_CASE("billing: the disk that is simulated is the one on the bill, on every machine") {
  std::size_t nvme = 0;
  std::size_t ebs = 0;
  for (const Machine& machine : catalog().machines) {
    if (!machine.gpus || machine.gpus->value <= 0.0) continue;
    for (const std::string kind : {"", "ebs", "nvme", "other"}) {
      std::vector<std::pair<std::string, std::string>> settings = {
          {"/source/service", "local"},  {"/disk/size", "1900 GB"},
          {"/cluster/price", "3 USD/h"}, {"/cluster/vcpus", "8"},
          {"samples", "1000"},           {"/cluster/instance", machine.name},
          {"gpu_times", "any"}};
      if (!kind.empty()) settings.emplace_back("/disk/kind", kind);
      INFO(machine.name << " " << kind);
      const Billed billed(job(settings));
      REQUIRE(billed.resolved.disk);
      const bool simulated_ebs = billed.resolved.disk->kind == DiskKind::ebs;
      if (!kind.empty()) CHECK(simulated_ebs == (kind == "ebs"));
      // Outside of AWS one may be simulated, and nobody sells it.
      const bool elsewhere = simulated_ebs && outside_aws(&machine, "");
      if (elsewhere) CHECK(billed.line("EBS gp3") == nullptr);
      const bool said = billed.remarks_say(elsewhere ? "the disk is not on the bill"
                                                     : "the EBS volume is not on the bill");
      CHECK((billed.line("EBS gp3") != nullptr || said) == simulated_ebs);
      (simulated_ebs ? ebs : nvme) += 1;
    }
  }
  CHECK(nvme > 20);
  CHECK(ebs > 20);
}

TEST_CASE("billing: a machine with NVMe pays for no EBS volume, in EC2 and in SageMaker") {
  for (const std::string instance : {"p3dn.24xlarge", "ml.p3dn.24xlarge"}) {
    const Billed billed(job({{"/source/service", "local"},
                             {"/disk/size", "1100 GB"},
                             {"/cluster/instance", instance},
                             {"/cluster/price", "31 USD/h"}}));
    CHECK(billed.bill.storage == Money{});
  }
}

TEST_CASE("billing: the instances' volumes live as long as the instances are billed") {
  // 2 TB for each of 4 instances at 0.08 USD/GiB/month: 596 USD a month, 0.8166 USD an hour.
  std::vector<std::pair<std::string, std::string>> settings = {{"/disk/kind", "ebs"},
                                                               {"/disk/size", "2 TB"},
                                                               {"/disk/bandwidth", "100 MB/s"},
                                                               {"/cluster/instances", "4"},
                                                               {"/source/bill_storage", "true"},
                                                               {"startup", "10 min"},
                                                               {"/source/input_mode", "File"}};
  const Billed plain(job(settings));
  CHECK(plain.dollars("EBS gp3") ==
        Approx(4 * 2e12 / 1073741824.0 * 0.08 / 730.0 * (plain.bill.billed_time / hours(1))));
  settings.emplace_back("/source/storage_held", "720 h");
  const Billed held(job(settings));
  CHECK(held.dollars("EBS gp3") == plain.dollars("EBS gp3"));
  CHECK(held.dollars("S3 STANDARD") == Approx(1000 * 0.023 / 730.0 * 720.0));
  // Where the data is stored on the volumes themselves, they are what is held.
  settings.emplace_back("/source/service", "ebs");
  settings.emplace_back("/source/input_mode", "local");
  CHECK(Billed(job(settings)).dollars("EBS gp3") ==
        Approx(4 * 2e12 / 1073741824.0 * 0.08 / 730.0 * 720.0));
  settings.emplace_back("/source/bill_storage", "false");
  CHECK(Billed(job(settings)).bill.storage == Money{});
}

TEST_CASE("billing: provisioned IOPS cost money where the volume type has none for free") {
  // 16,000 at 0.065 USD a month: 1040 USD, 1.4247 USD an hour.
  std::vector<std::pair<std::string, std::string>> settings = {{"/source/service", "ebs"},
                                                               {"/cluster/instance", "g5.xlarge"},
                                                               {"/disk/size", "1 TB"},
                                                               {"/disk/iops", "16000 /s"},
                                                               {"/disk/volume_type", "io2"}};
  for (const std::string type : {"io1", "io2"}) {
    settings.back().second = type;
    const Billed billed(job(settings));
    const double hours_billed = billed.bill.billed_time / hours(1);
    CHECK(billed.dollars("EBS IOPS") == Approx(16000 * 0.065 / 730.0 * hours_billed));
    REQUIRE(billed.line("EBS IOPS") != nullptr);
    CHECK(words::quantity(*billed.line("EBS IOPS")).starts_with("16000 for "));
    CHECK(billed.line("EBS IOPS")->from.source.find("infracost") != std::string::npos);
  }
  settings.back().second = "gp3";
  const Billed gp3(job(settings));
  CHECK(gp3.dollars("EBS IOPS") ==
        Approx(13000 * 0.005 / 730.0 * (gp3.bill.billed_time / hours(1))));
  // What is simulated where nothing is given is what is paid for: as many as gp3 has, and 50 a GiB
  // of a small io1 volume.
  settings.erase(settings.begin() + 3);
  settings.back().second = "io2";
  const auto operations = [&](const std::string& type) {
    const Billed by_default(job(settings));
    const double of_storage = by_default.bill.storage.base() - by_default.dollars("EBS " + type);
    return of_storage / (by_default.bill.billed_time / hours(1)) * 730.0 / 0.065;
  };
  CHECK(operations("io2") == Approx(3000.0));
  settings.back().second = "io1";
  CHECK(operations("io1") == Approx(3000.0));
  settings.back().second = "gp3";
  CHECK(Billed(job(settings)).line("EBS IOPS") == nullptr);
}

TEST_CASE("billing: File mode reads every byte once an instance, or once in all when sharded") {
  // 1 TB at 0.03 USD/GB.
  for (const std::string instances : {"1", "2", "8"}) {
    for (const std::string epochs : {"1", "5"}) {
      std::vector<std::pair<std::string, std::string>> settings = {
          {"/source/service", "efs"},
          {"/source/input_mode", "File"},
          {"/cluster/instances", instances},
          {"epochs", epochs}};
      INFO(instances << " " << epochs);
      CHECK(Billed(job(settings)).dollars("EFS elastic reads") ==
            Approx(30.0 * std::stod(instances)));
      settings.emplace_back("/source/distribution", "ShardedByS3Key");
      CHECK(Billed(job(settings)).dollars("EFS elastic reads") == Approx(30.0));
    }
  }
}

TEST_CASE("billing: EFS bills what is read even where somebody else pays for what is stored") {
  const Billed billed(job({{"/source/service", "efs"}, {"/source/bill_storage", "false"}}));
  CHECK(billed.dollars("EFS elastic reads") == Approx(30.0));
  CHECK(billed.bill.storage == Money{});
}

TEST_CASE("billing: what is made offline is what is stored and read") {
  // The same bill as for a dataset that always had the small samples.
  for (const std::string service : {"efs", "s3"}) {
    for (const std::string mode : {"mount", "File"}) {
      INFO(service << " " << mode);
      std::vector<std::pair<std::string, std::string>> settings = {
          {"/source/service", service},
          {"/source/input_mode", mode},
          {"/source/bill_storage", "true"}};
      Scenario resized = job(settings);
      Operation resize;
      resize.operation = "resize";
      resize.where = Place::offline;
      resize.output_bytes = bytes_per_sample(100e3);
      resized.preprocess.insert(resized.preprocess.begin(), resize);
      settings.emplace_back("bytes_per_sample", "100 KB");
      const Billed offline(resized);
      const Billed small(job(settings));
      REQUIRE(offline.bill.lines.size() == small.bill.lines.size());
      for (std::size_t i = 0; i < small.bill.lines.size(); ++i) {
        CHECK(words::item(offline.bill.lines[i]) == words::item(small.bill.lines[i]));
        CHECK(words::quantity(offline.bill.lines[i]) == words::quantity(small.bill.lines[i]));
      }
      // 100 GB at 0.03 USD/GB.
      if (service == "efs") CHECK(offline.dollars("EFS elastic reads") == Approx(3.0));
    }
  }
}

TEST_CASE("billing: a mounted bucket pays GETs for what the page cache does not have") {
  // 100,000 files for 10 epochs; all stay in memory after the first: 100,000 GETs, 0.04 USD.
  std::vector<std::pair<std::string, std::string>> settings = {{"/source/input_mode", "mount"},
                                                               {"samples", "100000"},
                                                               {"bytes_per_sample", "100 KB"},
                                                               {"epochs", "10"},
                                                               {"page_cache", "100 GB"}};
  CHECK(Billed(job(settings)).dollars("S3 GET") == Approx(0.04));
  settings.back().second = "0 B";
  CHECK(Billed(job(settings)).dollars("S3 GET") == Approx(0.40));
  settings[0].second = "FastFile";
  CHECK(Billed(job(settings)).dollars("S3 GET") == Approx(0.40));
}

TEST_CASE("billing: data of AWS pays its way to other clouds, and only there") {
  // Every byte that is read crosses: the tariff of us-east-1 on what EFS would bill as read.
  std::size_t abroad = 0;
  for (const Machine& machine : catalog().machines) {
    if (!machine.gpus || machine.gpus->value <= 0.0) continue;
    for (const std::string service : {"s3", "efs", "fsx-lustre", "local", "http"}) {
      INFO(machine.name << " " << service);
      const bool ours = service == "s3" || service == "efs" || service == "fsx-lustre";
      std::vector<std::pair<std::string, std::string>> settings = {
          {"/source/service", service},
          {"/cluster/instance", machine.name},
          {"/cluster/price", "3 USD/h"},
          {"/cluster/vcpus", "8"},
          {"/cluster/network", "10 Gbit/s"},
          {"/source/first_byte_latency", "10 ms"},
          {"/disk/kind", "ebs"},
          {"gpu_times", "any"}};
      const Billed billed(job(settings));
      const bool crosses = ours && machine.cloud != "aws";
      // 1 TB at 0.09 USD/GB, by File mode's one copy or by the one epoch.
      CHECK(billed.dollars("transfer from AWS") == Approx(crosses ? 90.0 : 0.0));
      CHECK(billed.remarks_say("cross the internet") == crosses);
      abroad += crosses ? 1 : 0;
    }
  }
  CHECK(abroad > 20);
}

TEST_CASE("billing: transfer out goes through its tiers, and above them costs what the last does") {
  std::vector<std::pair<std::string, std::string>> settings = {{"/source/input_mode", "FastFile"},
                                                               {"/cluster/instance", "gpu_8x_v100"},
                                                               {"/cluster/network", "10 Gbit/s"},
                                                               {"epochs", "10"}};
  // 10 TB at 0.09; 20 TB more at 0.085; 120 TB at 0.07 are the last that have a price.
  const Billed first(job(settings));
  CHECK(first.dollars("transfer from AWS") == Approx(900.0));
  CHECK(words::price(*first.line("transfer from AWS")) == "0.09 USD/GB");
  settings.back().second = "30";
  const Billed more(job(settings));
  CHECK(more.dollars("transfer from AWS") == Approx(900.0 + 1700.0));
  CHECK(words::price(*more.line("transfer from AWS")) == "0.0866667 USD/GB, mean of tiers");
  settings.back().second = "200";
  const Billed beyond(job(settings));
  CHECK(beyond.dollars("transfer from AWS") == Approx(900.0 + 3400.0 + 7000.0 + 3500.0));
  CHECK(
      beyond.remarks_say("50 TB of transfer from AWS to the internet are billed as those before "
                         "them: no price is known above 150 TB in us-east-1"));
  CHECK(beyond.line("transfer from AWS")->from.origin == Origin::assumed);
  // What the page cache has is not sent again.
  settings.back().second = "10";
  settings[0].second = "mount";
  settings.emplace_back("page_cache", "2 TB");
  CHECK(Billed(job(settings)).dollars("transfer from AWS") == Approx(90.0));
}

TEST_CASE("billing: auxiliary instances in AWS send what they have made, not what they read") {
  std::vector<std::pair<std::string, std::string>> settings = {
      {"/source/input_mode", "FastFile"},
      {"/cluster/instance", "gpu_8x_v100"},
      {"/cluster/network", "10 Gbit/s"},
      {"/loader/remote", R"({"instance": "c5.4xlarge", "bytes_per_sample": "600 KB"})"},
      {"/preprocess/0/where", "remote"}};
  CHECK(Billed(job(settings)).dollars("transfer from AWS") == Approx(54.0));
  settings[1].second = "p3.2xlarge";
  CHECK(Billed(job(settings)).line("transfer from AWS") == nullptr);
}

TEST_CASE("billing: what a baseline keeps of the prices holds the way to another cloud") {
  const Scenario scenario = job({{"/source/input_mode", "FastFile"},
                                 {"/cluster/instance", "gpu_8x_v100"},
                                 {"/cluster/network", "10 Gbit/s"}});
  schema::PricingFiles pricing(FEEDRATE_SOURCE_DIR "/pricing");
  const schema::JsonPtr parts = pricing.parts_for(scenario, catalog());
  const Billed kept(scenario, schema::read_catalog_parts(parts, ""));
  CHECK(kept.bill.money == Billed(scenario).bill.money);
  CHECK(kept.dollars("transfer from AWS") > 0.0);
  const BillLine* const line = kept.line("transfer from AWS");
  REQUIRE(line != nullptr);
  CHECK(!line->from.date.empty());
}

TEST_CASE("billing: own prices come before the catalogue's, for the types that they name") {
  const auto compute = [](std::vector<std::pair<std::string, std::string>> more) {
    more.insert(more.begin(), {"prices", R"({"p3.2xlarge": "1 USD/h", "g5.xlarge": "9 USD/h"})"});
    more.emplace_back("/disk/kind", "ebs");
    return Billed(job(more)).input.compute.price;
  };
  CHECK(compute({}).value == usd_per_hour(1.0));
  CHECK(compute({}).from.origin == Origin::given);
  CHECK(compute({{"instance", "g5.xlarge"}}).value == usd_per_hour(9.0));
  CHECK(compute({{"purchase", "savings_plan"}, {"savings", "0.25"}}).value / usd_per_hour(0.75) ==
        Approx(1.0).epsilon(1e-12));
  // Spot prices are the market's, and a type without an own price has the catalogue's.
  const auto plain = [](const std::vector<std::pair<std::string, std::string>>& more) {
    return Billed(job(more)).input.compute.price.value;
  };
  CHECK(compute({{"purchase", "spot"}}).value == plain({{"purchase", "spot"}}));
  CHECK(compute({{"instance", "g4dn.xlarge"}}).value ==
        plain({{"instance", "g4dn.xlarge"}, {"/disk/kind", "ebs"}}));
  CHECK(Billed(job({{"prices", R"({"g5.xlarge": "9 USD/h"})"}}))
            .remarks_say("p3.2xlarge has no price in /cluster/prices"));
}

TEST_CASE("billing: own prices on demand are not those of a block, but of the helpers beside it") {
  const std::vector<std::pair<std::string, std::string>> block = {
      {"instance", "p6e-gb200.36xlarge"},
      {"purchase", "capacity_block"},
      {"booked", "24 h"},
      {"gpu_times", "any"},
      {"loader.remote", R"({"instance": "c6i.4xlarge", "instances": 1})"}};
  std::vector<std::pair<std::string, std::string>> own = block;
  own.emplace_back("prices", R"({"p6e-gb200.36xlarge": "70 USD/h", "c6i.4xlarge": "9 USD/h"})");
  const Billed with(job(own));
  CHECK(with.input.compute.price.value == Billed(job(block)).input.compute.price.value);
  CHECK(with.remarks_say("p6e-gb200.36xlarge: /cluster/prices are on demand"));
  REQUIRE(with.input.auxiliary.size() == 1);
  CHECK(with.input.auxiliary[0].price.value == usd_per_hour(9.0));
}

TEST_CASE("billing: a savings plan takes nothing off the machines of another service") {
  const auto helpers = [](const char* instance, const char* purchase, const char* prices) {
    std::vector<std::pair<std::string, std::string>> settings = {
        {"instance", instance},
        {"disk.kind", "ebs"},
        {"purchase", purchase},
        {"loader.remote", R"({"instance": "c6i.4xlarge", "instances": 2})"}};
    if (std::string(purchase) == "savings_plan") settings.emplace_back("savings", "45%");
    if (std::string(prices) != "") settings.emplace_back("prices", prices);
    const Billed billed(job(settings));
    REQUIRE(billed.input.auxiliary.size() == 1);
    CHECK(billed.remarks_say("c6i.4xlarge is paid on demand") ==
          (std::string(purchase) == "savings_plan" && std::string(instance).starts_with("ml.") &&
           std::string(prices).empty()));
    return billed.input.auxiliary[0].price.value / usd_per_hour(1.0);
  };
  const double full = helpers("g5.4xlarge", "on_demand", "");
  CHECK(helpers("g5.4xlarge", "savings_plan", "") == Approx(0.55 * full));
  CHECK(helpers("ml.g5.4xlarge", "savings_plan", "") == full);
  const char* const own = R"({"ml.g5.4xlarge": "2 USD/h", "c6i.4xlarge": "3 USD/h"})";
  CHECK(helpers("ml.g5.4xlarge", "savings_plan", own) == Approx(3.0));
}

TEST_CASE("billing: a unit price is spelt as on its page, and reads back") {
  const Billed stored(job({{"source.bill_storage", "true"}, {"input_mode", "stream"}}));
  const BillLine* const s3 = stored.line("S3 STANDARD");
  REQUIRE(s3 != nullptr);
  CHECK(words::price(*s3) == "0.023 USD/GB-month");
  const BillLine* const gets = stored.line("S3 GET");
  REQUIRE(gets != nullptr);
  CHECK(words::price(*gets).ends_with(" USD per 1,000 requests"));
  const Billed fsx(job({{"service", "fsx-lustre"}}));
  REQUIRE(fsx.line("FSx") != nullptr);
  CHECK(words::price(*fsx.line("FSx")) == "140 USD/TiB-month");
  const Billed volume(job({{"disk.kind", "ebs"},
                           {"disk.volume_type", "gp3"},
                           {"disk.size", "1500 GB"},
                           {"disk.iops", "4000 /s"},
                           {"disk.bandwidth", "500 MB/s"}}));
  for (const Billed* billed : {&stored, &fsx, &volume}) {
    for (const BillLine& line : billed->bill.lines) {
      INFO(words::item(line) << ": " << words::price(line));
      int read = 0;
      for (const Dimension dimension : {Dimension{-1, 0, 1, 0}, Dimension{-1, -1, 1, 0},
                                        Dimension{0, -1, 1, 0}, Dimension{0, 0, 1, 0}}) {
        if (parse_quantity(words::price(line), dimension).ok()) ++read;
      }
      CHECK(read == 1);
    }
  }
  CHECK(words::price(*volume.line("EBS IOPS")) == "0.005 USD/IOPS-month");
  CHECK(words::price(*volume.line("EBS throughput")).ends_with(" USD/(MiB/s)-month"));
}

TEST_CASE("billing: a price is that of the machine that it was stated beside, named or not") {
  const auto paid = [](const char* cluster, const char* instance) {
    schema::Document document = schema::parse_document(
        fmt::format(
            R"({{"name": "t", "dataset": {{"samples": 1000, "bytes_per_sample": "100 KB"}},
                "source": {{"service": "local"}},
                "loader": {{"num_workers": 2, "batch_size": 10}},
                "preprocess": [{{"operation": "decode", "cpu": "1 ms"}}],
                "cluster": {{{}"price": "2 USD/h"}}, "job": {{"step": "10 ms"}}}})",
            cluster),
        "t.json");
    document.keep_as_base();
    schema::set_value(document, "instance", instance);
    schema::set_value(document, "region", "us-east-1");
    return Billed(schema::read_scenario(document));
  };
  const char* const nameless = R"("vcpus": 8, "cores": 4, "gpus_per_instance": 1, )";
  const char* const named = R"("instance": "p3.2xlarge", )";
  const Billed published(job({{"instance", "g5.xlarge"}, {"/disk/kind", "ebs"}}));
  for (const char* const stated_for : {nameless, named}) {
    INFO(stated_for);
    const Billed moved = paid(stated_for, "g5.xlarge");
    CHECK(moved.input.compute.price.value == published.input.compute.price.value);
    CHECK(moved.remarks_say(stated_for == named
                                ? "/cluster/price is that of p3.2xlarge: g5.xlarge has"
                                : "/cluster/price is that of a machine without a name: g5.xlarge"));
  }
  CHECK(paid(named, "p3.2xlarge").input.compute.price.value == usd_per_hour(2.0));
  // `--set price=…` of a sweep over instances is meant for them.
  schema::Document asked = schema::parse_document(
      R"({"name": "t", "dataset": {"samples": 1000}, "source": {"service": "local"},
          "loader": {"num_workers": 2, "batch_size": 10},
          "cluster": {"vcpus": 8, "gpus_per_instance": 1, "region": "us-east-1"},
          "job": {"step": "10 ms"}})",
      "t.json");
  schema::set_value(asked, "price", "2 USD/h");
  asked.keep_as_base();
  schema::set_value(asked, "instance", "g5.xlarge");
  CHECK(Billed(schema::read_scenario(asked)).input.compute.price.value == usd_per_hour(2.0));
}

TEST_CASE("billing: what drop_last leaves out is not fetched, unless it lies in a larger object") {
  // 15,999 samples for 8 GPUs: each trains on one batch of 1,000 in each of 10 epochs.
  std::vector<std::pair<std::string, std::string>> settings = {
      {"/source/input_mode", "FastFile"}, {"/dataset/samples", "15999"},
      {"/loader/batch_size", "1000"},     {"/loader/drop_last", "true"},
      {"/cluster/instances", "8"},        {"/job/epochs", "10"}};
  CHECK(Billed(job(settings)).dollars("S3 GET") == Approx(80000.0 * 0.4e-6));
  settings.emplace_back("/dataset/samples_per_object", "100");
  settings.emplace_back("/loader/divided_by", "samples");
  CHECK(Billed(job(settings)).dollars("S3 GET") == Approx(1600.0 * 0.4e-6));
}

TEST_CASE("billing: of large objects whole ones are asked for, and the bytes that there are") {
  // 1 TB in four objects, the last a third of the others: copied to each of two instances, or
  // shared.
  std::vector<std::pair<std::string, std::string>> settings = {
      {"/source/input_mode", "File"},
      {"/source/region", "us-west-2"},
      {"/dataset/samples_per_object", "300000"},
      {"/disk/size", "2 TB"},
      {"/cluster/instances", "2"}};
  const Billed copied(job(settings));
  CHECK(copied.input.requests.front().amount == Approx(8.0));
  CHECK(copied.input.transfer.front().amount.base() == Approx(2e12));
  settings.emplace_back("/source/distribution", "ShardedByS3Key");
  const Billed shared(job(settings));
  CHECK(shared.input.requests.front().amount == Approx(4.0));
  CHECK(shared.input.transfer.front().amount.base() == Approx(1e12));
}
