// What remedies try that a list says: numbers of workers, and what the catalogue has of regions,
// tiers, machines with disks, and CPU instances.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalog/gpu_speed.hpp"
#include "laws/remediable_jobs.hpp"
#include "reliability/interval.hpp"
#include "seed.hpp"
#include "study/other_workers.hpp"
#include "study/replicate.hpp"

using namespace feedrate;

namespace {

using study::Change;
using study::Remedy;
using study::Setting;
using study::Situation;
using testing_laws::for_remediable;
using testing_laws::line_of;
using testing_laws::Remediable;
using testing_laws::run_with;
using testing_laws::tried;
using testing_resolve::catalog;

TEST_CASE(
    "remedies: every number of workers that may differ is tried, to twice the threads and "
    "beyond where they wait") {
  for_remediable(32, 60, [](const Remediable& looked) {
    const Remedy* remedy = study::all_remedies().front();
    REQUIRE(std::string_view(remedy->words.name) == "num_workers");
    REQUIRE(remedy->applies(looked.situation));
    const pipeline::Inputs& in = looked.resolved.inputs;
    const bool inline_now = looked.scenario.loader.kind.family() == LoaderKind::inline_;
    const study::WorkersTried tried = study::workers_tried(looked.resolved);
    const double most = tried.most;
    const double threads = *looked.resolved.installed.threads / in.ranks;
    CHECK(tried.twice == std::min(256.0, std::ceil(2.0 * std::max({threads, in.workers, 1.0}))));
    CHECK(most >= tried.twice);
    CHECK(most <= 256.0);
    double before = 0.0;
    for (const Change& change : remedy->changes(looked.situation)) {
      CHECK(change.set.size() == (inline_now ? 2U : 1U));
      if (inline_now)
        CHECK(
            (change.set.front() == std::pair<std::string, std::string>("/loader/kind", "pytorch")));
      CHECK(change.set.back().first == "num_workers");
      const double n = std::stod(change.set.back().second);
      CHECK(n > before);
      CHECK(n <= most);
      if (!inline_now) CHECK(n != in.workers);
      // No gap of more than 3 %, and of 10 % beyond twice the threads, but for the present number.
      const bool over_now = !inline_now && before < in.workers && in.workers < n;
      const double step = before < tried.twice ? 1.03 : 1.1;
      CHECK(n <= std::floor((over_now ? in.workers : before) * step) + 1.0);
      before = n;
    }
    CHECK(before * 1.1 + 2.0 > most);
  });
}

/// How much faster the instance's GPU trains in mixed precision, over all models that are known.
double published_ratio(const std::string& instance) {
  const std::string gpu = find_gpu(catalog(), gpu_of(catalog(), instance))->name;
  const TrainingRates* rates[2] = {};
  for (const TrainingRates& one : catalog().training) {
    if (one.gpu == gpu) rates[one.precision == Precision::mixed ? 1 : 0] = &one;
  }
  double product = 1.0;
  double count = 0.0;
  for (const auto model : {&TrainingRates::resnet50, &TrainingRates::ssd, &TrainingRates::bert_base,
                           &TrainingRates::bert_large, &TrainingRates::transformer_xl_base,
                           &TrainingRates::transformer_xl_large, &TrainingRates::gnmt}) {
    if (!(rates[0]->*model) || !(rates[1]->*model)) continue;
    product *= (rates[1]->*model)->value / (rates[0]->*model)->value;
    count += 1.0;
  }
  return std::pow(product, 1.0 / count);
}

TEST_CASE("remedies: other regions, tiers, machines with disks and helpers are the catalogue's") {
  int regions = 0, helpers = 0, disks = 0, tiers = 0, faster = 0, abroad = 0;
  for_remediable(33, 80, [&](const Remediable& looked) {
    const Situation& s = looked.situation;
    const bool sagemaker = s.service == "sagemaker";
    for (const Remedy* remedy : study::all_remedies()) {
      const std::string name(remedy->words.name);
      if (remedy->changes == nullptr || !remedy->applies(s)) continue;
      for (const Change& change : remedy->changes(s)) {
        INFO(name << ": " << change.words);
        CHECK_FALSE(change.words.empty());
        if (name == "region") {
          ++regions;
          OfferQuery query;
          query.service = s.service;
          query.instance = looked.resolved.machine->name;
          query.region = change.set.front().second;
          query.purchase = looked.scenario.cluster.purchase;
          CHECK(query.region != looked.scenario.cluster.region);
          CHECK(query.region != looked.scenario.source.region);
          const auto offer = find_offer(catalog(), query);
          REQUIRE(offer);
          // Elsewhere the bill cannot be smaller.
          CHECK(offer->price.value < looked.resolved.terms.compute.price.value);
        } else if (name == "cloud_of_data") {
          ++abroad;
          const Machine& there = **find_machine(catalog(), change.set.front().second);
          const Machine& here = *looked.resolved.machine;
          CHECK(there.cloud == "gcp");
          CHECK(there.gpu_model == here.gpu_model);
          double instances = looked.scenario.cluster.instances;
          for (const auto& [key, value] : change.set) {
            if (key == "instances") instances = std::stod(value);
            if (key == "region") CHECK(value == looked.resolved.terms.data_region);
          }
          CHECK(there.gpus->value * instances ==
                here.gpus->value * looked.scenario.cluster.instances);
        } else if (name == "cpu_helpers") {
          ++helpers;
          const std::string& text = change.set.front().second;
          const std::string from = sagemaker ? "{\"instance\": \"ml." : "{\"instance\": \"";
          REQUIRE(text.starts_with(from));
          const std::string of =
              text.substr(from.size(), text.find('"', from.size()) - from.size());
          const Machine& machine = **find_machine(catalog(), of);
          CHECK(machine.cloud == looked.resolved.machine->cloud);
          CHECK_FALSE((machine.gpus && machine.gpus->value > 0.0));
          CHECK(machine.vcpus->value >= 8.0);
          const double n = std::stod(text.substr(text.find("instances\": ") + 12));
          const double times = n / looked.resolved.inputs.instances;
          CHECK((times == 1.0 || times == 2.0 || times == 4.0 || times == 8.0));
        } else if (name == "nvme") {
          ++disks;
          const bool own = change.set.empty() || change.set.front().first != "instance";
          const std::string of = own ? looked.resolved.machine->name
                                     : change.set.front().second.substr(sagemaker ? 3 : 0);
          CHECK((*find_machine(catalog(), of))->nvme_disks.has_value());
          if (own) CHECK(looked.scenario.disk.kind == DiskKind::ebs);
          const auto sets = [&](const char* key) {
            return std::any_of(change.set.begin(), change.set.end(),
                               [&](const auto& pair) { return pair.first == key; });
          };
          CHECK(sets("disk.kind") == looked.scenario.disk.kind.has_value());
          CHECK(sets("volume_type") == looked.scenario.disk.volume_type.has_value());
          CHECK(sets("disk.size") == looked.scenario.disk.size.has_value());
        } else if (name == "fsx_tier") {
          ++tiers;
          const auto now =
              looked.scenario.source.throughput_per_capacity.value_or(default_fsx_tier);
          if (change.set.front().first != "/source/throughput_per_capacity") continue;
          CHECK(std::stod(change.set.front().second) * 1e6 / std::pow(2.0, 40.0) > now.base());
        } else if (name == "mixed_precision") {
          ++faster;
          const Step& step = *looked.scenario.job.step;
          // The geometric mean of what is published of this GPU in both precisions.
          const double ratio = published_ratio(*looked.scenario.cluster.instance);
          if (step.fixed) {
            const Scenario mixed = testing_resolve::scenario_with({change.set.front()});
            CHECK(mixed.job.step->fixed->base() == Approx(step.fixed->base() / ratio));
          }
          CHECK(change.set.back().second == "mixed");
          CHECK(change.set.size() ==
                1U + (step.fixed ? 1U : 0U) + (step.per_sample ? 1U : 0U) + (step.table ? 1U : 0U));
        }
      }
      // The cheapest threads of CPU instances: three kinds of them at most.
      if (name == "cpu_helpers") CHECK(remedy->changes(s).size() <= 12);
    }
  });
  CHECK_DRAWN(regions > 10);
  CHECK_DRAWN(helpers > 20);
  CHECK_DRAWN(disks > 5);
  CHECK_DRAWN(tiers > 5);
  CHECK_DRAWN(faster > 5);
  CHECK_DRAWN(abroad > 0);
}

TEST_CASE("remedies: data that goes along to another region is copied there once") {
  // 200,000 files of 100 kB: 20 GB over the way, and a request for each of them.
  const testing_resolve::Settings in_s3 = {
      {"/cluster/instance", "g5.12xlarge"},
      {"/cluster/purchase", "spot"},
      {"/source", R"({"service": "s3", "input_mode": "FastFile"})"}};
  const auto regions = tried(in_s3, "region");
  REQUIRE_FALSE(regions.empty());
  for (const Change& change : regions) {
    INFO(change.words);
    const std::string& to = change.set.front().second;
    const auto way = find_transfer_between(catalog(), "us-east-1", to);
    const auto put = find_s3_price(catalog(), to, "STANDARD");
    const double a_gigabyte = way->front().price.value.base() * 1e9;
    CHECK((a_gigabyte == Approx(0.02) || (to == "us-east-2" && a_gigabyte == Approx(0.01))));
    const double puts = put && put->put ? 200000.0 * put->put->value.base() : 0.0;
    CHECK(change.one_off.base() == Approx(20.0 * a_gigabyte + puts));
    CHECK(change.words.ends_with(", the data copied there once (20 GB)"));
  }
  // What lies on the instances goes along as well, and what stays where it is does not.
  testing_resolve::Settings here = in_s3;
  here.emplace_back("/source", R"({"service": "local"})");
  const auto taken = tried(here, "region");
  CHECK(taken.size() == regions.size());
  for (const Change& change : taken) CHECK(change.one_off > Money{});
  // Into a file system there each byte is written at 0.06 USD/GB, where that is known.
  testing_resolve::Settings mounted = in_s3;
  mounted.emplace_back("/cluster/purchase", "on_demand");
  mounted.emplace_back("/cluster/region", "eu-central-1");
  mounted.emplace_back("/source", R"({"service": "efs"})");
  int home = 0;
  for (const Change& change : tried(mounted, "region")) {
    if (change.set.front().second != "us-east-1") continue;
    ++home;
    CHECK(change.one_off.base() == Approx(20.0 * (0.02 + 0.06)));
  }
  CHECK(home == 1);
  testing_resolve::Settings stays = in_s3;
  stays.emplace_back("/source/region", "us-east-1");
  for (const Change& change : tried(stays, "region")) CHECK(change.one_off == Money{});
}

TEST_CASE("remedies: a block is as long as is sold and nineteen in twenty jobs need") {
  const auto booked = [](double days, const char* epochs) {
    return testing_resolve::Settings{{"/cluster/instance", "p5en.48xlarge"},
                                     {"/cluster/purchase", "capacity_block"},
                                     {"/cluster/booked", fmt::format("{:g} h", 24.0 * days)},
                                     {"/job/epochs", epochs}};
  };
  // Two minutes need a day: a seventh of what a week costs.
  const auto day = tried(booked(7.0, "3"), "block_length");
  REQUIRE(day.size() == 1);
  CHECK(day.front().set == Setting{{"/cluster/booked", "24 h"}});
  const double week = run_with(booked(7.0, "3"), {}).bill.money.base();
  CHECK(run_with(booked(7.0, "3"), day.front().set).bill.money.base() == Approx(week / 7.0));
  CHECK(tried(booked(1.0, "3"), "block_length").empty());

  study::RunOptions options;
  options.replications = 200;
  for (const char* const epochs : {"2500", "8000", "30000", "60000"}) {
    const auto settings = booked(400.0, epochs);
    const auto shorter = tried(settings, "block_length");
    REQUIRE(shorter.size() == 1);
    INFO(epochs << " epochs: " << shorter.front().words);
    const double days = std::stod(shorter.front().set.front().second) / 24.0;
    CHECK(std::fmod(days, days > 14.0 ? 7.0 : 1.0) == 0.0);
    const auto in_time = [&](double within) {
      return study::share_in_time(testing_resolve::scenario_with(settings), catalog(), nullptr,
                                  options, within * hours(24.0));
    };
    CHECK(in_time(days) >= 0.945);
    const double less = days > 14.0 ? days - 7.0 : days - 1.0;
    if (less > 0.0) CHECK(in_time(less) < 0.955);
  }
}

TEST_CASE("remedies: GPUs that nothing keeps waiting are as fast in a smaller instance") {
  const testing_resolve::Settings large = {
      {"/cluster/instance", "g5.16xlarge"},
      {"/preprocess", R"([{"operation": "decode", "cpu": "0.1 ms"}])"},
      {"/loader/num_workers", "3"}};
  const auto smaller = tried(large, "smaller_instance");
  REQUIRE_FALSE(smaller.empty());
  CHECK(smaller.front().set == Setting{{"instance", "g5.xlarge"}});
  const Result now = run_with(large, {});
  const Result then = run_with(large, smaller.front().set);
  CHECK(then.times.total.base() == Approx(now.times.total.base()).epsilon(0.02));
  // Of the same hour 1.006 USD instead of 4.096.
  CHECK(then.bill.compute.base() ==
        Approx(now.bill.compute.base() * 1.006 / 4.096 * (then.times.total / now.times.total))
            .epsilon(0.01));
  for (const Change& change : smaller) {
    const auto price = find_offer(
        catalog(), {"ec2", change.set.front().second, "us-east-1", Purchase::on_demand, {}});
    CHECK(price->price.value < usd_per_hour(4.096));
  }
  CHECK(tried({{"/cluster/instance", "g5.xlarge"}}, "smaller_instance").empty());
  testing_resolve::Settings own = large;
  own.emplace_back("/cluster/price", "5 USD/h");
  CHECK(tried(own, "smaller_instance").empty());
}

TEST_CASE(
    "remedies: an instance's own drives are filled before each job, from what holds the data") {
  const testing_resolve::Settings on_volume = {
      {"/cluster/instance", "g4dn.4xlarge"},
      {"/source", R"({"service": "ebs"})"},
      {"/dataset/samples", "400000"},
      {"/dataset/bytes_per_sample", "400 kB"},
      {"/disk", R"({"kind": "ebs", "volume_type": "gp3", "size": "200 GB",
                    "snapshot_held": "30 d"})"}};
  const auto drives = tried(on_volume, "nvme");
  REQUIRE_FALSE(drives.empty());
  const Change& own = drives.front();
  CHECK(own.words == "the instance's own NVMe, filled from S3 before each job");
  // 400,000 objects are put, at 5 USD a million.
  CHECK(own.one_off.base() == Approx(2.0));
  const Result job = run_with(on_volume, own.set);
  // 160 GB through 25 Gbit/s at the most.
  CHECK(job.times.staging > bytes(160e9) / bytes_per_second(25e9 / 8.0));
  // The bucket for as long as the snapshot: 160 GB at 0.023 USD for a month of 30 days.
  double stored = 0.0, asked = 0.0;
  for (const BillLine& line : job.bill.lines) {
    if (line.of.starts_with("S3 STANDARD")) stored += line.amount.base();
    if (line.of.starts_with("S3 GET")) asked += line.amount.base();
    CHECK_FALSE(line.of.starts_with("EBS"));
  }
  CHECK(stored == Approx(160.0 * 0.023).epsilon(0.02));
  CHECK(asked == Approx(0.4 * 0.4));  // 400,000 GETs, at 0.40 USD a million

  // As long as the volume itself was to hold it.
  testing_resolve::Settings held = on_volume;
  held.emplace_back("/disk/snapshot_held", "null");
  held.emplace_back("/source/storage_held", "60 d");
  const auto kept = run_with(held, tried(held, "nvme").front().set);
  double of_bucket = 0.0;
  for (const BillLine& line : kept.bill.lines) {
    if (line.of.starts_with("S3 STANDARD")) of_bucket += line.amount.base();
  }
  CHECK(of_bucket == Approx(2.0 * stored));

  // What is copied from S3 already is copied to the drives as it was to the volume.
  testing_resolve::Settings staged = on_volume;
  staged.emplace_back("/source", R"({"service": "s3", "input_mode": "File"})");
  const auto moved = tried(staged, "nvme");
  REQUIRE_FALSE(moved.empty());
  CHECK(moved.front().one_off == Money{});
  for (const auto& [key, value] : moved.front().set) CHECK(key != "/source");
}

TEST_CASE("remedies: with failures counted no interval is better than the one that is tried") {
  for (const char* const background : {"false", "true"}) {
    testing_resolve::Settings settings = {
        {"/job/epochs", "20000"},
        {"/cluster/failures", R"({"mttf": "2 d"})"},
        {"/job/checkpoint", fmt::format(R"({{"interval": "5 h", "size": "60 GB",
                                             "bandwidth": "1 GB/s", "background": {}}})",
                                        background)}};
    const auto better = tried(settings, "checkpoint_interval");
    REQUIRE(better.size() == 1);
    CHECK(better.front().set == Setting{{"/job/checkpoint/interval", "null"}});
    const Duration best = run_with(settings, better.front().set).times.total;
    const bool behind = std::string_view(background) == "true";
    const double as_good = behind ? reliability::as_good_in_background : 1.0;
    for (const char* const other : {"1 min", "10 min", "1 h", "2 h", "143 min", "1 d"}) {
      INFO(other);
      const Duration its = run_with(settings, {{"/job/checkpoint/interval", other}}).times.total;
      CHECK(best <= its * as_good * 1.001);
    }
    settings.emplace_back("/job/checkpoint/interval", "null");
    CHECK(tried(settings, "checkpoint_interval").empty());
    // The same of one that is written every so many steps.
    settings.emplace_back("/job/checkpoint/every_steps", "1");
    const auto of_steps = tried(settings, "checkpoint_interval");
    REQUIRE(of_steps.size() == 1);
    CHECK(run_with(settings, of_steps.front().set).times.total == best);
  }
}

TEST_CASE("remedies: a copy does not take its original off the bill") {
  // 20 GB in 200,000 objects, held 60 days: 0.023 USD for a GB and 30 days, here and there.
  const testing_resolve::Settings far = {
      {"/source", R"({"service": "s3", "input_mode": "FastFile", "region": "us-east-2",
                      "bill_storage": true, "storage_held": "60 d"})"}};
  const double bucket = line_of(run_with(far, {}), "S3 STANDARD");
  CHECK(bucket == Approx(20.0 * 0.023 * 2.0).epsilon(0.02));
  const auto copy = tried(far, "copy_data");
  REQUIRE(copy.size() == 1);
  const double brought = 20.0 * 0.01 + 200000.0 * 5e-6;
  CHECK(copy.front().one_off.base() == Approx(brought + bucket));
  CHECK(line_of(run_with(far, copy.front().set), "S3 STANDARD") == Approx(bucket));
  // A file system that is filled from the copy has two of them beside it.
  CHECK(tried(far, "fsx").front().one_off.base() == Approx(brought + 2.0 * bucket));
  // Where the job goes to the data there is one.
  const auto there = tried(far, "region_of_data");
  REQUIRE(there.size() == 1);
  CHECK(there.front().one_off == Money{});
  const Result moved = run_with(far, there.front().set);
  CHECK(line_of(moved, "S3 STANDARD") == Approx(bucket));
  CHECK(moved.bill.transfer == Money{});
}

TEST_CASE("remedies: a copy that is made once is held until the last run that shares it") {
  // 20 GB, at 0.30 USD for a GB and month of EFS and 0.023 of S3.
  constexpr double efs = 20.0 * 0.30, s3 = 20.0 * 0.023;
  const auto job = [](const char* runs, const char* a_month, const char* held) {
    return testing_resolve::Settings{
        {"/source", R"({"service": "s3", "input_mode": "FastFile", "region": "us-east-2"})"},
        {"/source/storage_held", held},
        {"/accounting/runs", runs},
        {"/accounting/runs_per_month", a_month}};
  };
  const auto stored = [](const testing_resolve::Settings& settings, const char* name,
                         const char* line) {
    const auto changes = tried(settings, name);
    REQUIRE(changes.size() == 1);
    return line_of(run_with(settings, changes.front().set), line);
  };
  const auto warned = [](const testing_resolve::Settings& settings, const char* name) {
    return tried(settings, name).front().words.find("/source/storage_held") != std::string::npos;
  };
  // Four runs a month hold it a quarter of a month each.
  const auto runs = job("240", "4", "null");
  CHECK(stored(runs, "efs", "EFS Standard") == Approx(efs / 4.0));
  CHECK(stored(runs, "copy_data", "S3 STANDARD") == Approx(s3 / 4.0));
  const double brought = 20.0 * 0.01 + 200000.0 * 5e-6;
  CHECK(tried(runs, "fsx").front().one_off.base() == Approx(brought + s3 / 4.0));
  // As long as the data is held, where that is said.
  const auto held = job("240", "4", "1460 h");
  CHECK(stored(held, "efs", "EFS Standard") == Approx(efs * 2.0));
  CHECK(stored(held, "copy_data", "S3 STANDARD") == Approx(s3 * 2.0));
  // Of one run the copy is held for its time, and so is one that jobs share one after the other.
  const double once = stored(job("1", "4", "null"), "efs", "EFS Standard");
  CHECK(once < efs / 100.0);
  auto jobs = runs;
  jobs.emplace_back("/job/jobs", "240");
  CHECK(stored(jobs, "efs", "EFS Standard") == Approx(once).epsilon(1e-3));
  // Nobody knows how long runs without a number a month take in all.
  const auto spread = job("240", "null", "null");
  for (const char* const name : {"efs", "copy_data", "fsx"}) {
    INFO(name);
    CHECK(warned(spread, name));
    CHECK_FALSE(warned(runs, name));
    CHECK_FALSE(warned(held, name));
    CHECK_FALSE(warned(jobs, name));
  }
}

TEST_CASE("remedies: data in another cloud is copied to the job's, or the job goes to it") {
  // 20 GB in 200,000 objects. From AWS 0.09 USD/GB and 0.40 USD for a million GETs, into GCS
  // 0.05 USD for ten thousand.
  const testing_resolve::Settings to_gcs = {
      {"/cluster/instance", "a2-highgpu-8g"},
      {"/cluster/region", "us-central1"},
      {"/job/epochs", "20"},
      {"/source", R"({"service": "s3", "input_mode": "FastFile", "region": "us-east-1"})"}};
  const Result now = run_with(to_gcs, {});
  CHECK(line_of(now, "transfer from AWS") == Approx(20.0 * 20.0 * 0.09).epsilon(0.01));
  const auto copy = tried(to_gcs, "copy_to_cloud");
  REQUIRE(copy.size() == 1);
  CHECK(copy.front().one_off.base() == Approx(20.0 * 0.09 + 0.08 + 1.0));
  const Result copied = run_with(to_gcs, copy.front().set);
  CHECK(copied.bill.transfer == Money{});
  CHECK(line_of(copied, "GCS STANDARD") > 0.0);
  // Nobody publishes how soon GCS answers: no sooner than what is far away does.
  CHECK(copied.times.total.base() == Approx(now.times.total.base()).epsilon(0.01));

  const auto there = tried(to_gcs, "cloud_of_data");
  REQUIRE_FALSE(there.empty());
  CHECK(there.front().set == Setting{{"instance", "p4d.24xlarge"}, {"region", "us-east-1"}});
  CHECK(run_with(to_gcs, there.front().set).bill.transfer == Money{});

  // From GCS 0.12 USD/GB to the internet, into S3 5 USD for a million PUTs; the bucket stays.
  const testing_resolve::Settings to_s3 = {
      {"/source", R"({"service": "gcs", "input_mode": "FastFile", "region": "us-central1",
                      "first_byte_latency": "60 ms", "bill_storage": true})"}};
  const Result from_gcs = run_with(to_s3, {});
  const double way = line_of(from_gcs, "transfer from GCP") / 3.0;
  const double reads = line_of(from_gcs, "GCS reads") / 3.0;
  const auto into_s3 = tried(to_s3, "copy_to_cloud");
  REQUIRE(into_s3.size() == 1);
  CHECK(into_s3.front().one_off.base() ==
        Approx(way + reads + 1.0 + line_of(from_gcs, "GCS STANDARD")).epsilon(0.01));
  CHECK(run_with(to_s3, into_s3.front().set).bill.transfer == Money{});

  // Where the data is at home there is nothing to bring together.
  for (const char* const name : {"copy_to_cloud", "cloud_of_data", "copy_data", "region_of_data"}) {
    CHECK(tried({{"/source", R"({"service": "s3", "input_mode": "FastFile"})"}}, name).empty());
  }
}

TEST_CASE("remedies: blocks that are a little too short are booked longer, or shorter and more") {
  // 100 h and what checkpoints take on two instances.
  const testing_resolve::Settings job = {
      {"/cluster/instance", "p5.48xlarge"},
      {"/cluster/instances", "2"},
      {"/cluster/price", "40 USD/h"},
      {"/cluster/purchase", "capacity_block"},
      {"/cluster/booked", "96 h"},
      {"/job", R"({"duration_on_one_instance": "200 h", "efficiency": 1,
                   "checkpoint": {"size": "100 GB", "bandwidth": "1 GB/s", "interval": "1 h"}})"},
      {"/dataset", "null"},
      {"/source", "null"},
      {"/loader", "null"},
      {"/preprocess", "null"}};
  CHECK(run_with(job, {}).bill.money.base() == Approx(2.0 * 2.0 * 96.0 * 40.0));
  const auto blocks = tried(job, "block_length");
  REQUIRE(blocks.size() > 1);
  CHECK(blocks.front().set == Setting{{"/cluster/booked", "120 h"}});
  CHECK(run_with(job, blocks.front().set).bill.money.base() == Approx(2.0 * 120.0 * 40.0));
  const auto days = std::find_if(blocks.begin(), blocks.end(), [](const Change& change) {
    return change.set == Setting{{"/cluster/booked", "24 h"}};
  });
  REQUIRE(days != blocks.end());
  CHECK(run_with(job, days->set).bill.money.base() == Approx(5.0 * 2.0 * 24.0 * 40.0));
}

TEST_CASE("remedies: what holds the data is no larger and no dearer than the data needs") {
  const auto best = [](const testing_resolve::Settings& settings, const char* name) {
    const auto changes = tried(settings, name);
    REQUIRE_FALSE(changes.empty());
    Money least = run_with(settings, {}).bill.money;
    for (const Change& change : changes) {
      least = std::min(least, run_with(settings, change.set).bill.money);
    }
    return least;
  };
  // 20 GB on 2.4 TiB of PERSISTENT_2 for 30 days: 1.2 TiB of SCRATCH_2 hold them.
  const testing_resolve::Settings lustre = {
      {"/source", R"({"service": "fsx-lustre", "input_mode": "mount", "capacity": "2.4 TiB",
                      "deployment_type": "PERSISTENT_2", "storage_held": "30 d",
                      "throughput_per_capacity": "250 MB/s/TiB"})"}};
  const auto scratch = find_fsx_price(catalog(), "us-east-1", "SCRATCH_2", default_fsx_tier);
  const double now = line_of(run_with(lustre, {}), "FSx for Lustre");
  const double then = best(lustre, "smaller_fsx").base();
  const double month = 1.2 * std::pow(2.0, 40.0) * scratch->storage->value.base() * 30.0 * 86400.0;
  CHECK(now == Approx(3.0 * month));  // twice as much at 0.21 instead of 0.14 USD/GB-month
  CHECK(then <= 1.05 * month);

  // 5 TB earn 250 MiB/s, so that 500 MiB/s need not be bought.
  const testing_resolve::Settings nfs = {
      {"/source", R"({"service": "efs", "input_mode": "mount", "throughput_mode": "provisioned",
                      "provisioned_throughput": "500 MiB/s", "capacity": "5 TB",
                      "storage_held": "10 d"})"}};
  const double stored = line_of(run_with(nfs, {}), "EFS Standard");
  CHECK(line_of(run_with(nfs, {{"/source/throughput_mode", "bursting"}}), "EFS") == Approx(stored));
  CHECK(best(nfs, "efs_throughput").base() < stored * 1.05);
  CHECK(line_of(run_with(nfs, tried(nfs, "efs_one_zone").front().set), "EFS One Zone") <
        0.6 * stored);

  // 20 GB are 18.6 GiB, and a tenth more 20.5. 60,000 IOPS of io2 need 120 GiB (500 a GiB).
  for (const auto& [type, size] : {std::pair("gp3", "21 GiB"), std::pair("io2", "120 GiB")}) {
    const testing_resolve::Settings volume = {
        {"/cluster/instance", "g5.2xlarge"},
        {"/source", R"({"service": "s3", "input_mode": "File"})"},
        {"/disk", fmt::format(R"({{"kind": "ebs", "volume_type": "{}", "size": "4000 GiB"{}}})",
                              type, type[0] == 'i' ? R"(, "iops": "60000 /s")" : "")}};
    const auto smaller = tried(volume, "smaller_volume");
    REQUIRE_FALSE(smaller.empty());
    CHECK(smaller.front().set == Setting{{"disk.size", size}});
    const double of_size = std::stod(smaller.front().set.front().second);
    CHECK(line_of(run_with(volume, smaller.front().set), std::string("EBS ") + type) ==
          Approx(line_of(run_with(volume, {}), std::string("EBS ") + type) * of_size / 4000.0)
              .epsilon(0.01));
    testing_resolve::Settings fits = volume;
    fits.emplace_back("disk.size", "20 GiB");
    CHECK(tried(fits, "smaller_volume").empty());
  }

  // 16,000 IOPS of gp3 take 32 GiB; 3,000 come with any.
  const testing_resolve::Settings little = {
      {"/cluster/instance", "g5.2xlarge"},
      {"/source", R"({"service": "s3", "input_mode": "File"})"},
      {"/disk", R"({"kind": "ebs", "volume_type": "gp3", "size": "20 GiB"})"}};
  for (const Change& change : tried(little, "gp3")) {
    const bool many =
        std::find(change.set.begin(), change.set.end(),
                  std::pair<std::string, std::string>("disk.iops", "16000 /s")) != change.set.end();
    const bool larger =
        change.set.back() == std::pair<std::string, std::string>("disk.size", "32 GiB");
    CHECK(many == larger);
  }
}

}  // namespace
