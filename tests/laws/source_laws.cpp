// Where data may lie: a store or a server that nobody publishes figures of is what its figures make
// it, whatever its name, and only its bill is its own.
#include <fmt/format.h>

#include <optional>

#include "base/errors.hpp"
#include "catch.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "seed.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

using namespace feedrate;
using testing_resolve::catalog;
using testing_resolve::scenario_with;
using testing_resolve::Settings;

namespace {

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

/// Everything that a source can be asked for.
Settings figures_of(pipeline::Generator& random) {
  const auto megabytes = [&](double low, double high) {
    return fmt::format("{:.0f} MB/s", random.log_uniform(low, high));
  };
  return {
      {"/source/first_byte_latency", fmt::format("{:.2f} ms", random.log_uniform(0.2, 100.0))},
      {"/source/bandwidth", megabytes(50.0, 5000.0)},
      {"/source/bandwidth_per_connection", megabytes(10.0, 500.0)},
      {"/source/requests_per_second", fmt::format("{:.0f} /s", random.log_uniform(1000.0, 1e5))},
      {"/source/open_latency", fmt::format("{:.2f} ms", random.log_uniform(0.1, 5.0))},
      {"/source/shared", random.chance(0.5) ? "true" : "false"}};
}

Settings job_of(pipeline::Generator& random) {
  Settings settings;
  for (const auto& [key, value] : testing_resolve::generated_settings(random)) {
    if (!key.starts_with("/source")) settings.emplace_back(key, value);
  }
  return settings;
}

std::optional<pipeline::Outcome> outcome(const Settings& settings) {
  try {
    return pipeline::simulate(resolve::resolve(scenario_with(settings), catalog()).inputs);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string problems_of(const Settings& settings) {
  try {
    static_cast<void>(study::run(scenario_with(settings), catalog(), nullptr));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool said(const Result& result, const std::string& part) {
  for (const std::string& remark : result.remarks) {
    if (remark.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("law: GCS and Azure Blob with given figures are an HTTP server with them") {
  pipeline::Generator random(1);
  int same = 0;
  for (int i = 0; i < 60; ++i) {
    const Settings job = with(job_of(random), figures_of(random));
    const char* const mode = i % 3 == 0 ? "File" : i % 3 == 1 ? "FastFile" : "Pipe";
    const auto from = [&](const char* service) {
      return outcome(with(job, {{"/source/service", service}, {"/source/input_mode", mode}}));
    };
    const auto http = from("http"), gcs = from("gcs"), azure = from("azure-blob");
    REQUIRE(http.has_value() == gcs.has_value());
    REQUIRE(http.has_value() == azure.has_value());
    if (!http) continue;
    ++same;
    CHECK(gcs->total.wall == http->total.wall);
    CHECK(azure->total.wall == http->total.wall);
    CHECK(gcs->total.stall[Stage::download] == http->total.stall[Stage::download]);
  }
  CHECK_DRAWN(same > 20);
}

TEST_CASE("law: an NFS server with given figures is a Lustre file system with them") {
  pipeline::Generator random(2);
  int same = 0;
  for (int i = 0; i < 60; ++i) {
    const Settings job = with(job_of(random), figures_of(random));
    const char* const mode = i % 2 == 0 ? "mount" : "File";
    const auto from = [&](const char* service) {
      return outcome(with(job, {{"/source/service", service}, {"/source/input_mode", mode}}));
    };
    const auto lustre = from("fsx-lustre"), nfs = from("nfs");
    REQUIRE(lustre.has_value() == nfs.has_value());
    if (!nfs) continue;
    ++same;
    CHECK(nfs->total.wall == lustre->total.wall);
  }
  CHECK_DRAWN(same > 20);
}

TEST_CASE("law: more bandwidth of a store or a server never makes a job longer") {
  pipeline::Generator random(3);
  int faster = 0;
  for (const char* service : {"gcs", "azure-blob", "nfs"}) {
    for (int i = 0; i < 15; ++i) {
      const Settings job =
          with(with(job_of(random), figures_of(random)), {{"/source/service", service}});
      std::optional<Duration> before;
      for (const char* bandwidth : {"100 MB/s", "300 MB/s", "1 GB/s", "10 GB/s"}) {
        const auto made = outcome(with(job, {{"/source/bandwidth", bandwidth}}));
        if (!made) continue;
        INFO(service << " " << i << " " << bandwidth << ": " << made->total.wall.base() << " s, "
                     << (before ? before->base() : 0.0) << " s before, "
                     << study::setting_words(job));
        if (before) {
          // A volume whose credit decides passes as many bytes in the same time; what is staged
          // sooner leaves it less credit, and the epoch's last batch after it.
          CHECK(made->total.wall <= *before * (1.0 + 2e-5));
          faster += made->total.wall < *before * 0.99 ? 1 : 0;
        }
        before = made->total.wall;
      }
    }
  }
  CHECK_DRAWN(faster > 10);
}

TEST_CASE("law: what an NFS server gives is shared: beyond it more instances read no faster") {
  // 200,000 samples of 100 kB at 100 MB/s take 200 s however many instances ask.
  const Settings job = {{"/source/service", "nfs"},
                        {"/source/first_byte_latency", "0.5 ms"},
                        {"/source/bandwidth", "100 MB/s"},
                        {"/disk/page_cache", "0 GB"},
                        {"/preprocess/0/cpu", "1 ms"},
                        {"/job/step", "1 ms"}};
  for (const char* instances : {"1", "2", "4", "8"}) {
    INFO(instances);
    const auto made = outcome(with(job, {{"/cluster/instances", instances}}));
    REQUIRE(made.has_value());
    CHECK(made->first.wall / seconds(1.0) == Approx(200.0).epsilon(0.02));
  }
  const auto own = outcome(with(job, {{"/cluster/instances", "8"}, {"/source/shared", "false"}}));
  REQUIRE(own.has_value());
  CHECK(own->first.wall < seconds(60.0));
}

TEST_CASE("sources: a file is opened for each sample, or once for all that lie in it") {
  pipeline::Generator random(14);
  const auto latency = [&](double milliseconds, double in_one) {
    const Settings settings = {{"/source/service", "nfs"},
                               {"/source/first_byte_latency", "2 ms"},
                               {"/source/bandwidth", "1 GB/s"},
                               {"/source/open_latency", fmt::format("{} ms", milliseconds)},
                               {"/dataset/samples_per_object", fmt::format("{}", in_one)}};
    const pipeline::Inputs inputs = resolve::resolve(scenario_with(settings), catalog()).inputs;
    const auto& read = inputs.source ? inputs.source : inputs.first_source;
    REQUIRE(read);
    return read->latency / seconds(1e-3);
  };
  for (int i = 0; i < 20; ++i) {
    const double opening = std::round(random.uniform(1.0, 50.0));
    CHECK(latency(opening, 1.0) == Approx(2.0 + opening));
    CHECK(latency(opening, 2.0) == Approx(2.0));
    CHECK(latency(opening, std::round(random.uniform(2.0, 1000.0))) == Approx(2.0));
  }
}

TEST_CASE(
    "sources: a figure that nobody publishes is asked for, with what to type and how to measure") {
  const std::string gcs = problems_of({{"/source/service", "gcs"}});
  INFO(gcs);
  CHECK(gcs.find("/source/first_byte_latency: needed here and not known") != std::string::npos);
  CHECK(gcs.find("\"50 ms\"") != std::string::npos);
  CHECK(gcs.find("feedrate calibrate download --url URL") != std::string::npos);
  const std::string nfs = problems_of({{"/source/service", "nfs"}});
  INFO(nfs);
  CHECK(nfs.find("/source/first_byte_latency: needed") != std::string::npos);
  CHECK(nfs.find("/source/bandwidth: needed") != std::string::npos);
  CHECK(nfs.find("fio") != std::string::npos);
}

TEST_CASE(
    "sources: GCS and Azure Blob bill reads in every region, those without a price as assumed") {
  const Settings job = {{"/source/service", "gcs"},
                        {"/source/input_mode", "FastFile"},
                        {"/source/first_byte_latency", "50 ms"},
                        {"/source/bandwidth", "1 GB/s"},
                        {"/dataset/samples_per_object", "1"},
                        {"/disk/page_cache", "0 GB"},
                        {"/cluster/price", "1 USD/h"}};
  const auto run = [&](const Settings& more) {
    return study::run(scenario_with(with(job, more)), catalog(), nullptr);
  };
  const Result europe = run({{"/source/region", "EU multi-region"}});
  // Three epochs of 200,000 reads at 0.004 USD for 10,000 (infracost, 2024-07-01).
  CHECK(europe.bill.requests / usd(1.0) == Approx(3 * 200000 * 0.004 / 10000));
  const Result elsewhere = run({{"/source/region", "europe-west4"}});
  CHECK(elsewhere.bill.requests == europe.bill.requests);
  const Result central = run({{"/source/region", "us-central1"}});
  CHECK(central.bill.requests == europe.bill.requests);
  CHECK(central.times.total == europe.times.total);
  for (const Result* one : {&europe, &elsewhere, &central}) {
    for (const std::string& remark : one->remarks) {
      if (remark.find("on the bill") != std::string::npos) {
        CHECK(one->kind_of(remark) == RemarkKind::check);
      }
    }
  }
  const Result azure = study::run(
      scenario_with(with(job, {{"/source/service", "azure-blob"}, {"/cluster/region", "westus"}})),
      catalog(), nullptr);
  CHECK(azure.bill.requests / usd(1.0) == Approx(3 * 200000 * 0.0045 / 10000));
  const Result nfs = study::run(
      scenario_with(with(job, {{"/source/service", "nfs"}, {"/source/input_mode", "mount"}})),
      catalog(), nullptr);
  CHECK(std::any_of(nfs.caveats.begin(), nfs.caveats.end(), [](const std::string& caveat) {
    return caveat.find("No price of the NFS server is known") == 0;
  }));
}

namespace {

pipeline::Inputs inputs_of(const Settings& settings) {
  return resolve::resolve(scenario_with(settings), catalog()).inputs;
}

/// A worker of one GPU that reads single files and does nothing else.
Settings streamed(const std::string& service, const std::string& mode) {
  return {{"/source/service", service},
          {"/source/input_mode", mode},
          {"/dataset/samples_per_object", "1"},
          {"/disk/page_cache", "0 GB"},
          {"/cluster/price", "1 USD/h"}};
}

}  // namespace

TEST_CASE(
    "sources: S3's first byte is what is measured in its region, of small objects and large") {
  for (const char* bytes : {"64 KB", "1 MB", "5 MB"}) {
    Settings job = streamed("s3", "FastFile");
    job.emplace_back("/dataset/bytes_per_sample", bytes);
    const pipeline::Inputs standard = inputs_of(job);
    INFO(bytes);
    CHECK(standard.source->latency >= milliseconds(16.0));
    CHECK(standard.source->latency <= milliseconds(28.0));
    job.emplace_back("/source/storage_class", "EXPRESS_ONEZONE");
    const pipeline::Inputs express = inputs_of(job);
    CHECK(express.source->latency >= milliseconds(4.0));
    CHECK(express.source->latency <= milliseconds(16.0));
    CHECK(express.source->latency < 0.6 * standard.source->latency);
    // Of large objects the network's baseline binds both.
    const double faster =
        pipeline::simulate(express).total.wall / pipeline::simulate(standard).total.wall;
    CHECK(faster < (std::string(bytes) == "5 MB" ? 1.0 + 1e-4 : 0.9));
  }
}

TEST_CASE("sources: S3 Express One Zone is on the bill with requests and the bytes they read") {
  Settings job = streamed("s3", "FastFile");
  job.emplace_back("/cluster/region", "us-east-1");
  job.emplace_back("/source/storage_class", "EXPRESS_ONEZONE");
  const Result result = study::run(scenario_with(job), catalog(), nullptr);
  CHECK_FALSE(said(result, "S3 is not on the bill"));
  const auto line = [&](const std::string& name) {
    for (const BillLine& one : result.bill.lines) {
      if (one.of == name) return one.amount.base();
    }
    return -1.0;
  };
  // 200,000 objects of 100 kB, three times.
  CHECK(line("S3 GET") == Approx(600'000.0 * 0.00003 / 1000.0));
  CHECK(line("S3 retrieval") == Approx(60.0 * 0.0006));
}

TEST_CASE("sources: a host's downloads reach a share of its line, and no more than it") {
  Settings job = streamed("http", "stream");
  job.emplace_back("/source/first_byte_latency", "1 ms");
  job.emplace_back("/source/bandwidth", "100 GB/s");
  job.emplace_back("/cluster/network", "1 Gbit/s");
  CHECK(inputs_of(job).source->nic->base() == Approx(0.9 * 125e6));
  for (const double share : {0.5, 0.75, 1.0}) {
    Settings other = job;
    other.emplace_back("/source/line_share", fmt::format("{}", share));
    CHECK(inputs_of(other).source->nic->base() == Approx(share * 125e6));
  }
  job.emplace_back("/source/line_share", "1.5");
  CHECK_FALSE(problems_of(job).empty());
}

TEST_CASE("sources: a small file of a server is opened and read, a record of a large one read") {
  for (const char* service : {"nfs", "fsx-lustre", "efs"}) {
    Settings job = streamed(service, "mount");
    job.emplace_back("/source/first_byte_latency", "2 ms");
    job.emplace_back("/source/bandwidth", "1 GB/s");
    job.emplace_back("/source/requests_per_second", "1000 /s");
    const pipeline::Inputs files = inputs_of(job);
    job.emplace_back("/dataset/samples_per_object", "100");
    const pipeline::Inputs records = inputs_of(job);
    INFO(service);
    CHECK(records.source->latency.base() == Approx(2e-3));
    CHECK(files.source->latency > milliseconds(2.0));
    // Both are requests to the server.
    const auto requests = [](const pipeline::Inputs& in) {
      double each = 0.0;
      for (const auto& limit : in.source->limits) {
        if (limit.of_requests) each = std::max(each, limit.each);
      }
      return each;
    };
    CHECK(requests(files) == 2.0);
    CHECK(requests(records) == Approx(0.01));
    CHECK(pipeline::simulate(files).total.wall > pipeline::simulate(records).total.wall);
  }
  Settings job = streamed("nfs", "mount");
  job.emplace_back("/source/first_byte_latency", "2 ms");
  job.emplace_back("/source/bandwidth", "1 GB/s");
  CHECK(inputs_of(job).source->latency.base() == Approx(4e-3));
}

TEST_CASE("sources: what a client computes for a byte is work of the workers that fetch it") {
  Settings job = streamed("http", "stream");
  job.emplace_back("/source/first_byte_latency", "1 ms");
  job.emplace_back("/source/bandwidth", "100 GB/s");
  job.emplace_back("/dataset/bytes_per_sample", "1 MB");
  double before = 0.0;
  for (const char* cpu : {"0 ms/MB", "1 ms/MB", "5 ms/MB", "20 ms/MB"}) {
    Settings slower = job;
    slower.emplace_back("/source/client_cpu", cpu);
    pipeline::Inputs in = inputs_of(slower);
    INFO(cpu);
    const double time = pipeline::simulate(in).total.wall.base();
    CHECK(time >= before * (1.0 - 1e-6));  // where the line binds
    before = time;
    // It is preprocessing by another name.
    pipeline::Inputs same = in;
    same.cpu += same.source->cpu;
    same.cached_cpu += same.source->cpu;
    same.source->cpu = same.first_source->cpu = DurationPerSample{};
    CHECK(pipeline::simulate(same).total.wall.base() == Approx(time));
  }
}
