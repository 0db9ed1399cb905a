// What is priced is billed: each price of the catalogue is on the bill of some plan, or stands in
// the list of those that no bill asks for, with its reason; and each key of the pricing files is
// asked for, or says why it is not.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"
#include "schema/catalog/catalog_fields.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/billing.hpp"
#include "study/cost.hpp"

using namespace feedrate;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Records that no bill asks for, by what tells them from others: each with its reason.
const std::map<std::string, std::string> unasked_records = {
    {"transfer same region", "it is free"},
};

/// A job with interruptions and checkpoints, that holds its data; changed by `settings`.
Scenario plan(const Settings& settings) {
  schema::Document document = schema::parse_document(
      R"({"name": "t",
          "dataset": {"samples": 1000000, "bytes_per_sample": "1 MB"},
          "source": {"service": "s3", "input_mode": "stream", "bill_storage": true,
                     "storage_held": "2000 h", "first_byte_latency": "10 ms"},
          "disk": {"kind": "other", "bandwidth": "2 GB/s"},
          "loader": {"num_workers": 8, "batch_size": 64},
          "preprocess": [{"operation": "decode", "cpu": "3 ms"}],
          "cluster": {"price": "3 USD/h", "vcpus": 16, "memory": "1 TB", "network": "10 Gbit/s",
                      "gpus_per_instance": 1, "failures": {"mttf": "100 h"}},
          "job": {"epochs": 2, "step": "100 ms", "startup": "400 s",
                  "checkpoint": {"size": "5 GB", "interval": "20 min", "bandwidth": "2 GB/s"}}})",
      "t.json");
  for (const auto& [key, value] : settings) schema::set_value(document, key, value);
  return schema::read_scenario(document);
}

Bill bill(const Scenario& scenario, const Catalog& catalog) {
  const resolve::Resolved resolved = resolve::resolve(scenario, catalog);
  const pipeline::Outcome outcome = pipeline::simulate(resolved.inputs);
  std::vector<std::string> remarks;
  return study::bill_of(study::bill_input(resolved.terms, resolved.inputs, outcome, remarks));
}

Money billed(const Scenario& scenario, const Catalog& catalog) {
  return bill(scenario, catalog).money;
}

/// Puts another price in the place of this one; nothing where the value is none.
template <class V>
std::function<void()> repriced(V* value) {
  if constexpr (requires { (*value)->value.base(); }) {
    using Q = std::decay_t<decltype((*value)->value)>;
    constexpr bool money = std::is_same_v<Q, Money> || std::is_same_v<Q, HourlyPrice> ||
                           std::is_same_v<Q, StoragePrice> || std::is_same_v<Q, TransferPrice> ||
                           std::is_same_v<Q, BandwidthPrice>;
    if constexpr (money) {
      if (!*value) return {};
      return [value] { (*value)->value = Q::of(2.0 * (*value)->value.base() + 1e-9); };
    }
  }
  return {};
}

struct Asked {
  Catalog catalog = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  std::size_t prices = 0;
  std::set<std::string> unasked{};

  /// Whether a price, changed by `change`, changes the bill of one of the plans.
  template <class T>
  void price(const std::string& name, T& place, const std::function<void()>& change,
             const std::vector<Settings>& plans) {
    const T before = place;
    bool asked = false;
    for (const Settings& settings : plans) {
      INFO(name);
      const Scenario scenario = plan(settings);
      const Money with = billed(scenario, catalog);
      change();
      asked = asked || billed(scenario, catalog) != with;
      place = before;
    }
    ++prices;
    if (!asked) unasked.insert(name);
  }

  /// Each priced field of each record of a list. `name` tells records apart; `plans` are those that
  /// should ask for one.
  template <class T>
  void list(std::vector<T>& records, const std::string& file, std::string_view section,
            const std::function<std::string(const T&)>& name,
            const std::function<std::vector<Settings>(const T&)>& plans) {
    const std::string path = FEEDRATE_SOURCE_DIR "/pricing/" + file;
    const schema::JsonPtr root = schema::parse_json(read_text_file(path), path);
    const auto& items = root->find(section)->items;
    REQUIRE(items.size() == records.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      T& record = records[i];
      const T copy = record;
      for (const schema::Entry<T>& entry : schema::entries<T>()) {
        const schema::JsonValue* given = items[i]->find(entry.key.name);
        if (entry.key.dimension.money != 1 || given == nullptr || given->text.empty()) continue;
        schema::JsonValue other = *given;
        other.text = "7.77" + given->text.substr(given->text.find(' '));
        const auto change = [&] {
          schema::Reading reading;
          reading.record = items[i].get();
          entry.read(record, other, entry.key, {nullptr, entry.key.name}, reading);
          REQUIRE(reading.problems.empty());
        };
        price(name(copy) + " " + std::string(entry.key.name), record, change, plans(copy));
      }
    }
  }
};

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

}  // namespace

TEST_CASE("priced: every price of storage is on the bill of a plan that uses it") {
  Asked all;
  all.list<S3Price>(
      all.catalog.s3_prices, "s3.json", "prices",
      [](const S3Price& p) { return "s3 " + p.region + " " + p.storage_class; },
      [](const S3Price& p) {
        const Settings few = {{"cluster.region", p.region},
                              {"source.storage_class", p.storage_class}};
        return std::vector<Settings>{few, with(few, {{"dataset.samples", "1000000000"}})};
      });
  all.list<FsxPrice>(
      all.catalog.fsx_prices, "fsx_lustre.json", "prices",
      [](const FsxPrice& p) { return "fsx " + p.region + " " + p.deployment_type; },
      [](const FsxPrice& p) {
        return std::vector<Settings>{
            {{"cluster.region", p.region},
             {"source.service", "fsx-lustre"},
             {"source.input_mode", "mount"},
             {"source.deployment_type", p.deployment_type},
             {"source.throughput_per_capacity",
              std::to_string(p.throughput.base() * 1099511.627776) + " MB/s/TiB"}}};
      });
  const Settings efs = {{"source.service", "efs"}, {"source.input_mode", "mount"}};
  all.list<EfsPrice>(
      all.catalog.efs_prices, "efs.json", "prices",
      [](const EfsPrice& p) { return "efs " + p.region + " " + p.storage_class; },
      [&](const EfsPrice& p) {
        return std::vector<Settings>{
            with(efs, {{"cluster.region", p.region}, {"source.storage_class", p.storage_class}})};
      });
  all.list<EfsThroughputPrice>(
      all.catalog.efs_throughput_prices, "efs.json", "throughput_prices",
      [](const EfsThroughputPrice& p) { return "efs throughput " + p.region; },
      [&](const EfsThroughputPrice& p) {
        return std::vector<Settings>{with(efs, {{"cluster.region", p.region}}),
                                     with(efs, {{"cluster.region", p.region},
                                                {"source.throughput_mode", "provisioned"},
                                                {"source.provisioned_throughput", "5 GB/s"}})};
      });
  all.list<EbsPrice>(
      all.catalog.ebs_prices, "ebs.json", "prices",
      [](const EbsPrice& p) { return "ebs " + p.region + " " + p.type; },
      [](const EbsPrice& p) {
        const Settings volume = {{"cluster.region", p.region},
                                 {"source.service", "ebs"},
                                 {"source.input_mode", "local"},
                                 {"disk.kind", "ebs"},
                                 {"disk.volume_type", p.type == "snapshot" ? "gp3" : p.type},
                                 {"disk.snapshot_held", "730 h"},
                                 {"disk.size", "2 TB"},
                                 {"disk.iops", "15000 /s"},
                                 {"disk.bandwidth", "900 MB/s"}};
        return std::vector<Settings>{volume, with(volume, {{"disk.iops", "90000 /s"}})};
      });
  all.list<ObjectPrice>(
      all.catalog.object_prices, "object_stores.json", "prices",
      [](const ObjectPrice& p) { return p.service + " " + p.region + " " + p.storage_class; },
      [](const ObjectPrice& p) {
        return std::vector<Settings>{{{"source.service", p.service == "gcs" ? "gcs" : "azure-blob"},
                                      {"source.region", p.region},
                                      {"source.storage_class", p.storage_class}}};
      });
  all.price("sagemaker volume", all.catalog.limits.sagemaker_volume_price,
            repriced(&all.catalog.limits.sagemaker_volume_price),
            {{{"cluster.instance", "ml.p3.2xlarge"},
              {"source.input_mode", "File"},
              {"disk.kind", "ebs"},
              {"disk.size", "2 TB"}}});
  for (NatGatewayPrice& price : all.catalog.nat_gateways) {
    const std::vector<Settings> plan = {
        {{"cluster.region", price.region}, {"source.nat_gateway", "true"}}};
    all.price("NAT gateway, hour", price, repriced(&price.hour), plan);
    all.price("NAT gateway, through it", price, repriced(&price.through), plan);
  }
  CHECK(all.unasked == std::set<std::string>{});
  CHECK(all.prices > 60);
}

TEST_CASE("priced: every tariff of transfer is on the bill of a plan that sends data that way") {
  Asked all;
  std::set<std::string> unasked;
  for (TransferTariff& tariff : all.catalog.transfer) {
    for (std::size_t i = 0; i < tariff.tiers.size(); ++i) {
      const auto change = [&, i] { tariff.tiers[i].price.value *= 2.0; };
      const auto space = tariff.path.find(" to ");
      const bool pair = space != std::string::npos;
      const std::string from = pair ? tariff.path.substr(0, space) : tariff.region;
      const std::string to = pair                  ? tariff.path.substr(space + 4)
                             : from == "eu-west-1" ? "us-east-1"
                                                   : "eu-west-1";
      // 210 TB are beyond the last tier.
      const Settings within = {{"source.region", from}, {"cluster.region", to}};
      const Settings out = {
          {"source.region", from}, {"cluster.instance", "gpu_8x_v100"}, {"job.epochs", "210"}};
      std::string name = "transfer " + tariff.path;
      const Settings store = {{"source.input_mode", "stream"},
                              {"source.region", "us-central1"},
                              {"source.first_byte_latency", "50 ms"},
                              {"source.bandwidth", "1 GB/s"},
                              {"job.epochs", "20"}};
      const auto of = [&](const char* service, const char* instance, const char* region) {
        Settings settings = store;
        settings.emplace_back("source.service", service);
        settings.emplace_back("cluster.instance", instance);
        settings.emplace_back("cluster.region", region);
        return settings;
      };
      if (tariff.path == gcs_on_one_continent) {
        all.price(name, tariff, change, {of("gcs", "a2-highgpu-1g", "us-east1")});
      } else if (tariff.path.starts_with("gcp to internet")) {
        const bool asia = tariff.path.ends_with("asia");
        const bool australia = tariff.path.ends_with("australia");
        all.price(name + " " + std::to_string(i), tariff, change,
                  {of("gcs", "p3.2xlarge",
                      asia        ? "ap-northeast-1"
                      : australia ? "ap-southeast-2"
                                  : "us-east-1")});
      } else if (tariff.path == "azure to internet") {
        all.price(name, tariff, change, {of("azure-blob", "p3.2xlarge", "us-east-1")});
      } else if (tariff.path == "runpod to internet") {
        all.price(name, tariff, change,
                  {{{"cluster.instance", "runpod-1x-A100-PCIe-80GB"},
                    {"job.checkpoint.size", "10 GB"},
                    {"job.checkpoint.interval", "100 s"},
                    {"job.checkpoint.bandwidth", "2 GB/s"}}});
      } else if (tariff.path == between_zones) {
        all.price(name, tariff, change,
                  {{{"cluster.region", "us-east-1"},
                    {"source.service", "fsx-lustre"},
                    {"source.input_mode", "mount"},
                    {"source.other_zone", "true"}}});
      } else if (from == "all") {
        all.price(name, tariff, change, {{{"cluster.region", "us-east-1"}}});
      } else {
        name += " " + tariff.region + " " + std::to_string(i);
        all.price(name, tariff, change, {tariff.path == to_internet ? out : within});
      }
    }
  }
  std::set<std::string> listed;
  for (const auto& [name, why] : unasked_records) listed.insert(name);
  CHECK(all.unasked == listed);
  CHECK(all.prices > 100);
}

TEST_CASE("priced: every offer is on the bill of a plan that rents it, or another answers for it") {
  Asked all;
  const auto question = [](const Offer& o) {
    return o.service + " " + o.instance + " " + o.region + " " +
           std::string(purchase_words[static_cast<std::size_t>(o.purchase)]);
  };
  const auto plans = [](const Offer& o) {
    const bool real = o.region != "US" && o.region != "not stated" && o.region != "all";
    Settings settings = {
        {"cluster.price", "null"},
        {"cluster.instance", (o.service == "sagemaker" ? "ml." : "") + o.instance},
        {"cluster.purchase", std::string(purchase_words[static_cast<std::size_t>(o.purchase)])},
        {"measured_on.gpu_times", "any"},
        {"measured_on.cpu_times", "any"}};
    if (is_booked(o.purchase)) settings.emplace_back("cluster.booked", "24 h");
    if (real) settings.emplace_back("cluster.region", o.region);
    if (o.region == "US") settings.emplace_back("cluster.region", "us-east-1");
    return std::vector<Settings>{settings};
  };
  // Those of one question, of which the latest current one answers.
  std::map<std::string, int> same;
  for (const Offer& offer : all.catalog.offers) ++same[question(offer)];
  // A price whose source names no region stands in where no other one is known.
  const auto placed = [&](const Offer& offer) {
    return std::any_of(all.catalog.offers.begin(), all.catalog.offers.end(), [&](const Offer& o) {
      return o.service == offer.service && o.instance == offer.instance &&
             o.purchase == offer.purchase && o.price && o.region != "not stated";
    });
  };
  std::size_t older = 0;
  for (Offer& offer : all.catalog.offers) {
    if (!offer.price) continue;
    const std::string name = question(offer);
    const std::size_t before = all.unasked.size();
    all.price(name, offer, repriced(&offer.price), plans(offer));
    if (all.unasked.size() == before) continue;
    const bool another =
        same[name] > 1 || !offer.current || (offer.region == "not stated" && placed(offer));
    older += another ? 1 : 0;
    if (another) all.unasked.erase(name);
  }
  CHECK(all.unasked == std::set<std::string>{});
  CHECK(all.prices > 700);
  CHECK(older < 45);
}

TEST_CASE("priced: no old price without a region is current beside a newer one of its product") {
  const Catalog whole = Asked{}.catalog;
  const auto product = [&](const Offer& offer) -> std::string {
    const Machine& m = **find_machine(whole, offer.instance);
    return fmt::format("{} {} x{} {} vCPUs {}", offer.service, m.gpu_model,
                       m.gpus ? m.gpus->value : 0.0, m.vcpus ? m.vcpus->value : 0.0,
                       static_cast<int>(offer.purchase));
  };
  // "2025-03-07", "2025-2026": the last year that is named first or behind a hyphen.
  const auto year = [](const std::string& date) {
    return date.size() == 9 ? date.substr(5) : date.substr(0, 4);
  };
  for (const Offer& old : whole.offers) {
    if (!old.price || !old.current || old.region != "not stated") continue;
    if ((*find_machine(whole, old.instance))->gpu_model.empty()) continue;
    for (const Offer& other : whole.offers) {
      // Of the same instance find_offer takes the one that has a region.
      const bool rival = other.price && other.current && other.instance != old.instance;
      if (!rival || product(other) != product(old)) continue;
      INFO(old.instance << " " << old.date << ", " << other.instance << " " << other.date);
      CHECK(year(other.date) <= year(old.date));
    }
  }
}

TEST_CASE("priced: every billing rule decides what is paid") {
  Asked all;
  for (BillingRule& rule : all.catalog.billing) {
    const char* const instance = rule.service == "sagemaker" ? "ml.p3.2xlarge"
                                 : rule.service == "gcp"     ? "a2-highgpu-8g"
                                 : rule.service == "azure"   ? "NC24ads A100 v4"
                                                             : "p3.2xlarge";
    const std::vector<Settings> plans = {
        {{"cluster.instance", instance}, {"source.nat_gateway", "true"}, {"job.startup", "2 h"}}};
    INFO(rule.service);
    all.price(
        rule.service + " granularity", rule, [&] { rule.granularity = hours(7); }, plans);
    all.price(
        rule.service + " minimum", rule, [&] { rule.minimum = hours(7000); }, plans);
    all.price(
        rule.service + " startup", rule, [&] { rule.startup_billed = !rule.startup_billed; },
        plans);
  }
  CHECK(all.unasked == std::set<std::string>{});
  CHECK(all.prices == 3 * all.catalog.billing.size());
}

TEST_CASE("priced: every key of the pricing files is asked for, but one that is only shown") {
  namespace fs = std::filesystem;
  const auto text_of = [](const fs::path& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  std::string source;
  for (const auto& entry : fs::recursive_directory_iterator(FEEDRATE_SOURCE_DIR "/src")) {
    const std::string path = entry.path().string();
    if (!path.ends_with("pp") || path.find("/src/schema/catalog/catalog_") != std::string::npos)
      continue;
    if (path.find("/src/formats/prices/catalog_import.") != std::string::npos) continue;
    if (path.ends_with("/catalog/catalog.hpp") || path.find("/src/report/") != std::string::npos)
      continue;
    source += text_of(path);
  }
  std::set<std::string> asked;
  const std::regex access(R"((\.|->|::)([a-z][a-z0-9_]*))");
  for (std::sregex_iterator at(source.begin(), source.end(), access), end; at != end; ++at) {
    asked.insert((*at)[2].str());
  }
  const std::string table = text_of(FEEDRATE_SOURCE_DIR "/src/schema/catalog/catalog_fields.hpp");
  const std::regex row(R"re(field(?:_of<\d+, |<)&(\w+)::(\w+)[>,])re");
  std::set<std::string> dead;
  int rows = 0;
  for (std::sregex_iterator at(table.begin(), table.end(), row), end; at != end; ++at) {
    ++rows;
    if (!asked.contains((*at)[2].str())) {
      dead.insert((*at)[1].str() + "::" + (*at)[2].str());
    }
  }
  // `catalog show` prints it, and no answer asks for it.
  CHECK(dead == std::set<std::string>{"Machine::nvme_write_iops"});
  CHECK(rows > 120);
}

TEST_CASE("priced: data in another region pays for each byte of each epoch, and checkpoints back") {
  const Catalog catalog = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  // 1 TB an epoch; without interruptions no checkpoint is written.
  const auto sent = [&](const char* from, const char* to, const char* epochs) {
    const Bill of = bill(plan({{"cluster.failures", "null"},
                               {"job.checkpoint", "null"},
                               {"source.region", from},
                               {"cluster.region", to},
                               {"job.epochs", epochs}}),
                         catalog);
    return of.transfer.base();
  };
  CHECK(sent("us-east-1", "us-east-1", "3") == 0.0);
  CHECK(sent("us-east-1", "us-west-2", "1") == Approx(20.0));
  CHECK(sent("us-east-1", "us-west-2", "3") == Approx(60.0));
  CHECK(sent("us-east-1", "us-east-2", "3") == Approx(30.0));
  CHECK(sent("us-east-2", "us-east-1", "3") == Approx(30.0));
  CHECK(sent("ap-northeast-1", "us-east-1", "2") == Approx(180.0));
  // Without /source/region the data is where the job is.
  const Bill beside = bill(plan({{"cluster.region", "us-west-2"}}), catalog);
  CHECK(beside.transfer == Money{});
  // Each checkpoint of 5 GB goes back at the price of the job's region, and is as many as are put.
  const Bill far =
      bill(plan({{"source.region", "us-east-1"}, {"cluster.region", "ap-northeast-1"}}), catalog);
  double puts = 0.0, back = 0.0;
  for (const BillLine& line : far.lines) {
    if (line.of == "S3 PUT of checkpoints") puts = std::get<ChargedRequests>(line.charge).amount;
    if (line.of.starts_with("transfer of checkpoints from ap-")) back = line.amount.base();
  }
  CHECK(puts > 3.0);
  // In parts of 8 MiB, with a request that begins an upload and one that ends it.
  CHECK(back == Approx(puts / 599.0 * 5.0 * 0.09));
}

TEST_CASE("priced: a job far from its data waits longer for each byte of it, never less long") {
  const Catalog catalog = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  const auto latency = [&](const char* from, const char* to) {
    const Scenario scenario = plan(
        {{"source.first_byte_latency", "null"}, {"source.region", from}, {"cluster.region", to}});
    return resolve::resolve(scenario, catalog).inputs.source->latency;
  };
  const Duration near = latency("us-east-1", "us-east-1");
  CHECK(latency("us-east-1", "us-west-2") > near);
  CHECK(latency("us-east-1", "eu-west-1") > latency("us-east-1", "us-west-2"));
  CHECK(latency("us-east-1", "ca-central-1") == latency("us-east-1", "us-west-2"));
  // What is given was measured from where the job is.
  const auto given = [&](const char* from) {
    return resolve::resolve(plan({{"source.region", from}, {"cluster.region", "us-east-1"}}),
                            catalog)
        .inputs.source->latency;
  };
  CHECK(given("eu-west-1") == given("us-east-1"));
}

TEST_CASE("priced: EFS is billed by its storage class, and an unknown one is refused") {
  const Catalog catalog = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  const auto efs = [&](const Settings& more) {
    return bill(plan(with({{"source.service", "efs"},
                           {"source.input_mode", "mount"},
                           {"cluster.failures", "null"},
                           {"job.checkpoint", "null"},
                           {"disk.page_cache", "0 B"}},
                          more)),
                catalog);
  };
  // 1 TB for 2,000 of a month's 730 hours.
  constexpr double months = 2000.0 / 730.0;
  CHECK(efs({}).storage.base() == Approx(300.0 * months));
  CHECK(efs({{"source.storage_class", "One Zone"}}).storage.base() == Approx(160.0 * months));
  CHECK(efs({{"source.throughput_mode", "one zone"}}).storage.base() == Approx(160.0 * months));
  // Two epochs of elastic reads at 0.03 USD/GB, and of access at 0.01.
  CHECK(efs({}).transfer.base() == Approx(60.0));
  CHECK(efs({{"source.storage_class", "Standard-IA"}}).transfer.base() == Approx(80.0));
  CHECK_THROWS_AS(efs({{"source.storage_class", "Onezone"}}), InputError);
  CHECK_THROWS_AS(
      efs({{"source.throughput_mode", "one zone"}, {"source.storage_class", "Standard-IA"}}),
      InputError);
}

TEST_CASE("priced: each byte that S3 Express is given is billed") {
  const Catalog catalog = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  const Bill express =
      bill(plan({{"source.storage_class", "EXPRESS_ONEZONE"}, {"cluster.region", "us-east-1"}}),
           catalog);
  double puts = 0.0, uploads = 0.0;
  for (const BillLine& line : express.lines) {
    if (line.of == "S3 PUT of checkpoints") puts = std::get<ChargedRequests>(line.charge).amount;
    if (line.of == "S3 upload of checkpoints") uploads = line.amount.base();
  }
  CHECK(puts > 3.0);
  CHECK(uploads == Approx(puts / 599.0 * 5.0 * 0.0032));
}
