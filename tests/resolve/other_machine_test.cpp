// A profile that was measured on another machine: what one thread does is taken from it, what the
// machine is comes from the catalogue.
#include <algorithm>

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/resolve.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/documents/host.hpp"
#include "schema/scenario/scenario.hpp"

using namespace feedrate;

namespace {

const Catalog& catalog() {
  static const Catalog whole = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  return whole;
}

Scenario job(const std::string& instance, bool step_given = true) {
  schema::Document document = schema::parse_document(
      R"({"name": "t",
          "dataset": {"samples": 1000000, "bytes_per_sample": "100 kB",
                      "bytes_on_gpu_per_sample": "600 KB"},
          "source": {"service": "local"}, "disk": {"kind": "ebs", "size": "200 GB"},
          "loader": {"num_workers": 8, "batch_size": 64, "pin_memory": true},
          "preprocess": [{"operation": "decode"}],
          "cluster": {"price": "1 USD/h", "instance": ")" +
          instance + R"("}})",
      "t.json");
  if (step_given) schema::set_value(document, "/job/step", "100 ms");
  return schema::read_scenario(document);
}

/// Two hardware threads, a fast disk, slow copies, and an operation of 3 ms.
HostProfile profile(const std::string& instance) {
  HostProfile host;
  host.name = "h";
  host.instance = instance;
  host.hardware_threads = 2.0;
  host.cpu = Curve<double>{{{1.0, 1.0}, {2.0, 1.4}}, 0.01};
  host.operations["decode"] = {milliseconds(3.0) / samples(1.0), {Origin::measured, "h", 0.01}};
  host.collate =
      Value<DurationPerByte>{microseconds(0.7) / bytes(1000.0), {Origin::measured, "h", 0.0}};
  host.disk = Curve<Bandwidth>{{{1.0, gigabytes(3.0) / seconds(1.0)}}, 0.0};
  host.pinned_bandwidth = {gigabytes(3.0) / seconds(1.0), {Origin::measured, "h", 0.0}};
  host.step_fixed = Value<Duration>{milliseconds(80.0), {Origin::measured, "h", 0.0}};
  return host;
}

bool says(const std::vector<std::string>& sentences, std::string_view part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

double measured_share(const resolve::Resolved& resolved) {
  const auto count = std::count_if(resolved.used.begin(), resolved.used.end(), [](const auto& one) {
    return one.from.origin == Origin::measured;
  });
  return static_cast<double>(count);
}

}  // namespace

TEST_CASE("other machine: its threads, disk and copies come from the catalogue, on every machine") {
  const HostProfile host = profile("");
  int checked = 0;
  for (const Machine& machine : catalog().machines) {
    if (!machine.gpus || machine.gpus->value <= 0.0 || !machine.vcpus) continue;
    if (!machine.ebs_bandwidth || machine.vcpus->value == 2.0) continue;
    INFO(machine.name);
    const Scenario scenario = job(machine.name);
    Scenario told = scenario;
    told.preprocess[0].cpu = host.operations.at("decode").value;
    told.loader.collate = host.collate->value;
    const resolve::Resolved with = resolve::resolve(scenario, catalog(), &host);
    const resolve::Resolved without = resolve::resolve(told, catalog());
    CHECK(with.inputs.cores == without.inputs.cores);
    CHECK(with.inputs.cpu == without.inputs.cpu);
    CHECK(with.inputs.collate == without.inputs.collate);
    CHECK(with.inputs.copy == without.inputs.copy);
    CHECK(with.inputs.disk->rate == without.inputs.disk->rate);
    CHECK(says(with.caveats, "but not its cores, disk, copies, step"));
    CHECK(without.caveats.empty());
    ++checked;
  }
  CHECK(checked > 20);
}

TEST_CASE("other machine: the profile of the instance itself is taken whole") {
  const HostProfile host = profile("g5.xlarge");
  for (const char* name : {"g5.xlarge", "ml.g5.xlarge"}) {
    const resolve::Resolved own = resolve::resolve(job(name, false), catalog(), &host);
    CHECK(own.caveats.empty());
    CHECK(own.inputs.cores.maximum() == 1.4);
    CHECK(*own.inputs.step.fixed == milliseconds(80.0));
    CHECK(measured_share(own) >= 6.0);
  }
}

TEST_CASE("other machine: what the GPU does is taken where the GPU is the same") {
  const HostProfile host = profile("g5.xlarge");
  const resolve::Resolved larger = resolve::resolve(job("g5.4xlarge", false), catalog(), &host);
  CHECK(*larger.inputs.step.fixed == milliseconds(80.0));
  CHECK(larger.inputs.cores.maximum() > 4.0);
  CHECK(says(larger.caveats, "but not its cores, disk."));
  const HostProfile unknown = profile("");
  CHECK_THROWS_AS(resolve::resolve(job("p3.2xlarge", false), catalog(), &unknown), InputError);
}

TEST_CASE("other machine: of copies only what one GPU gets, where the GPU is the same") {
  HostProfile host = profile("g5.12xlarge");
  const auto rate = [](double gigabytes_per_second) {
    return gigabytes(gigabytes_per_second) / seconds(1.0);
  };
  host.pinned_copies = Curve<Bandwidth>{{{1.0, rate(3.0)}, {4.0, rate(4.0)}}, 0.0};
  host.allreduce_busbw_between = {rate(1.0), {Origin::measured, "h", 0.0}};
  const auto copy = [&](const char* instance) {
    return resolve::resolve(job(instance, false), catalog(), &host);
  };
  const double bytes = 600e3;
  CHECK(copy("g5.12xlarge").inputs.copy.base() == Approx(bytes / 1e9));
  const resolve::Resolved larger = copy("g5.48xlarge");
  CHECK(larger.inputs.copy.base() == Approx(bytes / 3e9));
  CHECK(says(larger.caveats, "copies to several GPUs at once, all-reduce"));
}
