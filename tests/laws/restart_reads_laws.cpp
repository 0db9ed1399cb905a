// Laws of what interrupted jobs read from their source, over generated ones: an instance that is
// replaced has neither a copy of the data nor warm caches, and what it reads again is billed: of a
// copy that is interrupted itself, the part that was there.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"
#include "schema/catalog/catalog_parts.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/billing.hpp"
#include "study/cost.hpp"

using namespace feedrate;

namespace {

constexpr double all_samples = 1e5;

/// A job that reads 10 GB, a file a sample: copied from S3, or from a mount, through the page
/// cache, which has room for them.
schema::Document job(bool sagemaker, bool copies, double instances, double epochs) {
  schema::Document job = schema::parse_document(
      R"({"name": "t",
          "dataset": {"samples": 100000, "bytes_per_sample": "100 KB"},
          "source": {"service": "s3"},
          "loader": {"kind": "pytorch", "num_workers": 8, "batch_size": 32},
          "cluster": {"instance": "p3.2xlarge", "region": "us-east-1"},
          "job": {"step": {"fixed": "100 ms"}, "checkpoint": {"size": "1 GB", "interval": "5 min"}}})",
      "t.json");
  if (sagemaker) schema::set_value(job, "/cluster/instance", "ml.p3.2xlarge");
  if (copies) schema::set_value(job, "/source/input_mode", "File");
  if (!copies) schema::set_value(job, "/source/service", "efs");
  schema::set_value(job, "/cluster/instances", fmt::format("{:g}", instances));
  schema::set_value(job, "/job/epochs", fmt::format("{:g}", epochs));
  return job;
}

struct Reads {
  double interruptions = 0.0;
  double copying = 0.0;  ///< seconds, by all instances, and by one that is replaced
  double copying_anew = 0.0;
  double samples = 0.0;  ///< read by all instances together, as billed
  double dollars = 0.0;
};

Reads reads_of(schema::Document job, double mttf_hours) {
  if (mttf_hours > 0.0) {
    schema::set_value(job, "/cluster/failures/mttf", fmt::format("{:.6g} h", mttf_hours));
  }
  static const Catalog catalog = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  const resolve::Resolved resolved = resolve::resolve(schema::read_scenario(job), catalog);
  const pipeline::Outcome outcome = pipeline::simulate(resolved.inputs);
  std::vector<std::string> remarks;
  const BillInput input = study::bill_input(resolved.terms, resolved.inputs, outcome, remarks);
  Reads reads;
  reads.interruptions = outcome.interrupted.counted.interruptions;
  reads.copying = outcome.staging.base();
  reads.copying_anew = outcome.interrupted.job.copying_anew.base();
  for (const RequestUse& use : input.requests) {
    if (use.what == "S3 GET") reads.samples += use.amount;
  }
  for (const TransferUse& use : input.transfer) {
    if (use.what.find("checkpoints") != std::string::npos) continue;
    reads.samples += use.amount.base() / resolved.terms.dataset.base() * all_samples;
  }
  const Bill bill = study::bill_of(input, false);
  reads.dollars = (bill.requests + bill.transfer).base();
  return reads;
}

}  // namespace

TEST_CASE("restart reads: each interruption reads one instance's part again, or all of them") {
  pipeline::Generator random(1503);
  int cut = 0;
  for (int i = 0; i < 60; ++i) {
    const bool sagemaker = random.chance(0.5);
    const bool copies = random.chance(0.5);
    const double instances = random.whole(1.0, 4.0);
    const double epochs = random.whole(1.0, 30.0);
    const schema::Document whole = job(sagemaker, copies, instances, epochs);
    const Reads without = reads_of(whole, 0.0);
    const double mttf = random.log_uniform(0.3, 10.0);
    const Reads with = reads_of(whole, mttf);
    INFO("job " << i << ": " << instances << " instances, " << epochs << " epochs, copies "
                << copies << ", SageMaker " << sagemaker);
    REQUIRE(with.interruptions > 0.0);
    CHECK(with.dollars >= without.dollars * (1.0 - 1e-9));
    const double replaced = sagemaker ? instances : 1.0;
    if (copies) {
      // Of a copy by an instance that is gone after an exponential time: the mean of what is there.
      const double rate = (sagemaker ? instances : 1.0) / (mttf * 3600.0);
      const auto there = [&](double time) { return -std::expm1(-rate * time) / (rate * time); };
      REQUIRE(with.copying > 0.0);
      const double copied = instances * there(with.copying) +
                            replaced * with.interruptions * there(with.copying_anew);
      CHECK(with.samples == Approx(all_samples * copied).epsilon(1e-5));
      cut += there(with.copying) < 0.995 ? 1 : 0;
      continue;
    }
    // Each reads its part once and finds it in memory then: a single epoch never does.
    // Parts are alike: some samples fill them up.
    const double of_one = epochs > 1.0 ? std::ceil(all_samples / instances) : 0.0;
    const double again = of_one * replaced * with.interruptions;
    CHECK(with.samples == Approx(without.samples + again).epsilon(1e-6));
  }
  CHECK(cut > 0);
}
