// The pricing files as they ship, and what happens to broken ones.
#include "schema/catalog/catalog_reader.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/errors.hpp"
#include "base/text_file.hpp"
#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "schema/json/json_reader.hpp"

using namespace feedrate;
namespace fs = std::filesystem;

namespace {

const std::string shipped = FEEDRATE_SOURCE_DIR "/pricing";

const Catalog& whole() {
  static const Catalog catalog = schema::read_whole_catalog(shipped);
  return catalog;
}

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A copy of the pricing folder in which one file is replaced.
class Spoilt {
 public:
  Spoilt(const std::string& file, const std::string& text) {
    folder_ = (fs::temp_directory_path() / "feedrate_catalog_test").string();
    fs::remove_all(folder_);
    fs::copy(shipped, folder_, fs::copy_options::recursive);
    std::ofstream(fs::path(folder_) / file) << text;
  }
  ~Spoilt() { fs::remove_all(folder_); }
  Spoilt(const Spoilt&) = delete;
  Spoilt& operator=(const Spoilt&) = delete;

  [[nodiscard]] const std::string& folder() const { return folder_; }

  /// What reading for a p3.2xlarge complains about.
  [[nodiscard]] std::string complaint() const {
    try {
      const std::string names[] = {"p3.2xlarge"};
      schema::read_catalog(folder_, names);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

 private:
  std::string folder_;
};

std::string p3_with(const std::string& machine, const std::string& offer) {
  return "{\"schema\": 1,\n\"machines\": [\n" + machine + "],\n\"offers\": [\n" + offer + "]}\n";
}

const std::string good_machine =
    R"({"name": "p3.2xlarge", "cloud": "aws", "cpu": {"vcpus": 8, "source": "x"}})";

double usd_an_hour(const PricedOffer& offer) {
  return offer.price.value * hours(1) / usd(1);
}

void collect_sources(const schema::JsonValue& value, std::set<std::string>& found) {
  for (const schema::JsonMember& member : value.members) {
    if (member.key == "source") found.insert(member.value->text);
    if (member.key == "sources") {
      for (const auto& own : member.value->members) found.insert(own.value->text);
    } else {
      collect_sources(*member.value, found);
    }
  }
  for (const auto& item : value.items) collect_sources(*item, found);
}

}  // namespace

TEST_CASE("pricing: every shipped file reads without a complaint") {
  CHECK(whole().machines.size() > 150);
  CHECK(whole().offers.size() > 800);
  CHECK(whole().folder == shipped);
}

TEST_CASE("pricing: the SageMaker price of 2021 for a p3.2xlarge is found, with its date") {
  const std::string names[] = {"ml.p3.2xlarge"};
  const Catalog catalog = schema::read_catalog(shipped, names);
  OfferQuery query;
  query.instance = "ml.p3.2xlarge";
  query.region = "us-west-2";
  const auto found = find_offer(catalog, query);
  REQUIRE(found);
  CHECK(usd_an_hour(*found) == Approx(3.825));
  CHECK(found->region == "us-west-2");
  CHECK(found->date == "2021-2023");
  CHECK_FALSE(found->current);
}

TEST_CASE("pricing: a machine has its shape, each number with its origin") {
  const auto found = find_machine(whole(), "ml.p3.16xlarge");
  REQUIRE(found);
  const Machine& machine = **found;
  CHECK(machine.vcpus->value == 64);
  CHECK(machine.memory->value == gibibytes(488));
  CHECK(machine.gpus->value == 8);
  CHECK(machine.interconnect == Interconnect::nvlink);
  CHECK(machine.network->value == gigabits_per_second(25));
  CHECK(machine.network->from.origin == Origin::published);
  CHECK(machine.network->from.source == "ec2-ac-page, 2025");
  CHECK(machine.pcie_generation->from.origin == Origin::assumed);
  CHECK(says(machine.pcie->from.source, "derived: generation and lanes"));
  CHECK_FALSE(machine.nvme_size);
}

TEST_CASE("pricing: a machine without GPUs has zero of them, not an unknown number") {
  const auto found = find_machine(whole(), "c5.4xlarge");
  REQUIRE(found);
  CHECK((*found)->gpus->value == 0);
  CHECK((*found)->gpu_model.empty());
}

TEST_CASE("pricing: the network of large CPU machines is below 101 Gbit/s") {
  // A list that we read had vCPUs and GiB in the columns of Gbit/s for these.
  for (const Machine& machine : whole().machines) {
    if (machine.gpus && machine.gpus->value > 0) continue;
    if (machine.network) CHECK(machine.network->value <= gigabits_per_second(100));
  }
}

TEST_CASE("pricing: services have their limits and prices") {
  const Catalog& catalog = whole();
  CHECK(catalog.s3.gets_per_prefix->value == per_second(5500));
  CHECK(catalog.s3.puts_per_prefix->value == per_second(3500));
  CHECK(middle_of(catalog.s3.first_byte)->value.base() == Approx(0.022));
  const auto s3 = find_s3_price(catalog, "us-east-1", "STANDARD");
  REQUIRE(s3);
  CHECK(s3->get->value.base() == Approx(0.0004 / 1000));
  CHECK(billing_rule(catalog, "ec2").minimum == seconds(60));
  CHECK_FALSE(billing_rule(catalog, "sagemaker").startup_billed);
  const auto tier = [](double mb) { return bytes_per_second(mb * 1e6) / tebibytes(1); };
  const auto fsx = find_fsx_price(catalog, "us-east-1", "SCRATCH_2", tier(200));
  REQUIRE(fsx);
  CHECK((fsx->storage->value * tebibytes(1.2) * months(1)).base() == Approx(168));
  CHECK(fsx_steps(catalog, "SCRATCH_1", tier(200)).value.step == tebibytes(3.6));
  CHECK(fsx_steps(catalog, "PERSISTENT_2", tier(125)).value.step == tebibytes(2.4));
  const auto internet = find_transfer(catalog, "to internet", "us-east-1");
  REQUIRE(internet);
  CHECK(internet->back().up_to == gigabytes(150000));
  CHECK(find_ebs_volume(catalog, "gp3")->baseline_iops->value == per_second(3000));
  CHECK(find_efs_mode(catalog, "elastic")->read.high);
}

TEST_CASE("pricing: every source that a record names is described in sources.json") {
  const auto load = [](const std::string& path) {
    return schema::parse_json(read_text_file(path), path);
  };
  std::set<std::string> used;
  for (const auto& entry : fs::recursive_directory_iterator(shipped)) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "sources.json") continue;
    collect_sources(*load(entry.path().string()), used);
  }
  const auto described = load(shipped + "/sources.json");
  const auto* sources = described->find("sources");
  REQUIRE(sources != nullptr);
  for (const std::string& source : used) {
    INFO(source);
    CHECK(sources->find(source) != nullptr);
  }
  CHECK(used.size() > 20);
}

TEST_CASE("pricing: a run reads only the families it needs, and all of them for an unknown name") {
  const std::string one[] = {"ml.p3.2xlarge"};
  CHECK(schema::read_catalog(shipped, one).machines.size() == 3);
  const std::string cloud[] = {"gpu_8x_v100"};
  CHECK(find_machine(schema::read_catalog(shipped, cloud), "gpu_8x_v100"));
  const std::string unknown[] = {"p3.3xlarge"};
  CHECK(schema::read_catalog(shipped, unknown).machines.size() == whole().machines.size());
  const std::string hostile[] = {"../../etc/passwd.x"};
  CHECK(schema::read_catalog(shipped, hostile).machines.size() == whole().machines.size());
}

TEST_CASE("pricing: an unknown key is named with its place and the nearest one") {
  const Spoilt spoilt("aws/p3.json", p3_with(R"({"name": "p3.2xlarge", "cloud": "aws",
 "cpu": {"vpcus": 8, "source": "x"}})",
                                             ""));
  CHECK(says(spoilt.complaint(), "aws/p3.json:4: /machines/0/cpu/vpcus: expected a known key"));
  CHECK(says(spoilt.complaint(), "got \"vpcus\" (did you mean \"vcpus\"?)"));
}

TEST_CASE("pricing: keys and limits of older files that nothing asks for are passed over") {
  const Spoilt spoilt("s3.json", R"({"schema": 1, "limits": [
{"limit": "range_request", "low": "8 MB", "high": "16 MB", "source": "x"},
{"limit": "gets_per_prefix", "value": "5500 /s", "source": "x"}]})");
  CHECK(schema::read_whole_catalog(spoilt.folder()).s3.gets_per_prefix->value == per_second(5500));
  // In another record they are keys that nobody knows.
  const Spoilt misplaced("s3.json", R"({"schema": 1, "limits": [
{"limit": "gets_per_prefix", "value": "5500 /s", "source": "x", "fp8": 242}]})");
  CHECK(says(misplaced.complaint(), "got \"fp8\""));
}

TEST_CASE("pricing: wrong units, missing origins and negative numbers are all told in one go") {
  const Spoilt spoilt("aws/p3.json", p3_with(good_machine, R"(
{"service": "ec2", "instance": "p3.2xlarge", "region": "a", "purchase": "on_demand", "price": "3 GB", "source": "x"},
{"service": "ec2", "instance": "p3.2xlarge", "region": "a", "purchase": "on_demand", "price": "3 USD/h"},
{"service": "ec2", "instance": "p3.2xlarge", "region": "a", "purchase": "rent", "price": "-3 USD/h", "source": "x"},
{"instance": "p3.2xlarge", "region": "a", "purchase": "spot", "price": 3, "source": "x"})"));
  const std::string complaint = spoilt.complaint();
  CHECK(says(complaint, "p3.json:6: /offers/0/price: expected"));
  CHECK(says(complaint, "p3.json:7: /offers/1/price: expected \"source\" or \"derived\""));
  CHECK(says(complaint, "p3.json:8: /offers/2/purchase: expected \"on_demand\", \"spot\""));
  CHECK(says(complaint, "p3.json:8: /offers/2/price: expected a price per time in the range 0"));
  CHECK(says(complaint, "p3.json:9: /offers/3: expected the key \"service\""));
  CHECK(says(complaint, "p3.json:9: /offers/3/price: expected"));
}

TEST_CASE("pricing: 0 needs no unit, and what nothing has is refused") {
  const auto with = [](const std::string& price, const std::string& zones) {
    return p3_with(good_machine,
                   R"({"service": "ec2", "instance": "p3.2xlarge", "region": "us-east-1",
"purchase": "spot", "price": )" +
                       price + R"(, "zones": )" + zones + R"(, "source": "x"})");
  };
  const std::string names[] = {"p3.2xlarge"};
  const Spoilt nothing("aws/p3.json", with("0", "0"));
  const Catalog catalog = schema::read_catalog(nothing.folder(), names);
  REQUIRE(catalog.offers.size() == 1);
  CHECK(catalog.offers[0].price->value == usd_per_hour(0.0));
  CHECK(catalog.offers[0].price->from.source == "x");
  CHECK(catalog.offers[0].zones == 0.0);
  CHECK(says(Spoilt("aws/p3.json", with("3", "1")).complaint(), "(the unit is missing)"));
  for (const char* beyond : {"1e-40", "1e40", "-1"}) {
    INFO(beyond);
    const std::string complaint =
        Spoilt("aws/p3.json", with("\"" + std::string(beyond) + " USD/s\"", beyond)).complaint();
    CHECK(says(complaint, "/offers/0/price: expected a price per time in the range 0, "));
    CHECK(says(complaint, "/offers/0/zones: expected a number, 0 or from 1e-30 to 1e30, got "));
  }
}

TEST_CASE("pricing: a price of null is not known, and asking for it names the key to set") {
  const std::string text = p3_with(
      good_machine,
      R"({"service": "ec2", "instance": "p3.2xlarge", "region": "us-east-1", "purchase": "on_demand", "price": null})");
  const Spoilt spoilt("aws/p3.json", text);
  const std::string names[] = {"p3.2xlarge"};
  const Catalog catalog = schema::read_catalog(spoilt.folder(), names);
  OfferQuery query;
  query.instance = "p3.2xlarge";
  const auto found = find_offer(catalog, query);
  REQUIRE_FALSE(found);
  CHECK(found.failure.kind == LookupProblem::unknown_price);
  CHECK(says(found.failure.message, "set /cluster/price"));
}

TEST_CASE("pricing: files of another schema, unknown sections and broken syntax are refused") {
  CHECK(says(Spoilt("s3.json", "{\"schema\": 2}").complaint(),
             "s3.json:1: /schema: expected \"schema\": 1"));
  CHECK(says(Spoilt("s3.json", "{\"schema\": 1,\n\"price\": []}").complaint(),
             "s3.json:2: /price: expected a known key, got \"price\" (did you mean \"prices\"?)"));
  CHECK(says(Spoilt("s3.json", "{\"schema\": 1,\n\"prices\": {}}").complaint(),
             "/prices: expected a list"));
  CHECK(says(Spoilt("s3.json", "[]").complaint(), "s3.json:1: expected an object"));
  CHECK(says(Spoilt("s3.json", "{\"schema\": 1,").complaint(), "s3.json:1"));
  CHECK(says(Spoilt("s3.json", "{\"schema\": 1, \"limits\": [{\"limit\": \"speed\"}]}").complaint(),
             "/limits/0/limit: expected \"gets_per_prefix\""));
}

TEST_CASE("pricing: transfer tiers must ascend, and only the last may be open") {
  const auto tariff = [](const std::string& tiers) {
    return "{\"schema\": 1, \"tariffs\": [{\"path\": \"p\", \"region\": \"all\", \"source\": "
           "\"x\", \"tiers\": [" +
           tiers + "]}]}";
  };
  CHECK(says(Spoilt("transfer.json", tariff("")).complaint(), "at least one tier"));
  CHECK(says(Spoilt("transfer.json", tariff(R"({"price": "1 USD/GB"}, {"price": "1 USD/GB"})"))
                 .complaint(),
             "only the last tier has no end"));
  CHECK(says(Spoilt("transfer.json", tariff(R"({"up_to": "2 TB", "price": "1 USD/GB"},
                                               {"up_to": "1 TB", "price": "1 USD/GB"})"))
                 .complaint(),
             "ascending"));
}

TEST_CASE("pricing: FEEDRATE_PRICING decides where the files are, and must be right") {
  setenv("FEEDRATE_PRICING", shipped.c_str(), 1);
  CHECK(schema::find_pricing_folder() == shipped);
  CHECK(schema::find_pricing_folder("/nowhere/libfeedrate.so") == shipped);
  setenv("FEEDRATE_PRICING", "/nowhere", 1);
  CHECK_THROWS_AS(schema::find_pricing_folder(), InputError);
  unsetenv("FEEDRATE_PRICING");
  CHECK(fs::exists(schema::find_pricing_folder() + "/services.json"));
  CHECK_THROWS_AS(schema::find_pricing_folder("/nowhere/libfeedrate.so"), HostError);
}

TEST_CASE("pricing: the manual names the keys of every file") {
  const std::string manual = schema::pricing_manual();
  for (const auto& entry : fs::directory_iterator(shipped)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json" || name == "sources.json") continue;
    INFO(name);
    CHECK(says(manual, name));
  }
  CHECK(says(manual, "startup_billed"));
  CHECK(says(manual, "per_1000_gets"));
}

TEST_CASE("catalog: offers of many regions are one record, and read as one for each") {
  const auto file = [](const std::string& offers) {
    return R"({"schema": 1, "machines": [
  {"name": "p3.2xlarge", "cloud": "aws", "cpu": {"vcpus": 8, "source": "recalled"}}],
 "offers": [)" +
           offers + "\n ]}";
  };
  const std::string head =
      R"(
  {"service": "ec2", "instance": "p3.2xlarge", "purchase": "spot", "by_region": )";
  const Spoilt fine(
      "aws/p3.json",
      file(
          head +
          R"({"eu-central-1": "1.5 USD/h", "eu-north-1": {"price": "1 USD/h", "zones": 2, "date": "2027"}}, "source": "skypilot-v9", "date": "2026"})"));
  const std::string names[] = {"p3.2xlarge"};
  const Catalog read = schema::read_catalog(fine.folder(), names);
  REQUIRE(read.offers.size() == 2);
  CHECK(read.offers[0].region == "eu-central-1");
  CHECK(read.offers[0].price->value / usd_per_hour(1.0) == Approx(1.5));
  CHECK(read.offers[1].region == "eu-north-1");
  CHECK(read.offers[1].zones == 2.0);
  CHECK(read.offers[0].date == "2026");
  CHECK(read.offers[1].date == "2027");  // what differs there comes before what is said of all

  const auto complaint = [&](const std::string& regions) {
    return Spoilt("aws/p3.json", file(head + regions + R"(, "source": "recalled"})")).complaint();
  };
  CHECK(says(complaint(R"("eu-central-1")"), "expected the key \"region\""));
  CHECK(says(complaint(R"({"eu-central-1": 1.5})"), "p3.json:4"));
  CHECK(says(complaint(R"({"eu-central-1": "1.5"})"), "USD/h"));
  CHECK(says(complaint(R"({"eu-central-1": {"prise": "1.5 USD/h"}})"), "did you mean \"price\""));
  for (const char* wrong : {"{}", R"({"eu-west-1": {"region": "eu-west-3"}})"}) {
    CHECK(says(complaint(wrong), "expected the key \"region\""));
  }
  CHECK(says(complaint(R"({"eu-west-1": "1 USD/h"}, "region": "eu-west-3")"), "by_region"));
}

TEST_CASE("catalog: no spot price is above on demand, and no region is ten times another") {
  std::map<std::string, double> least;
  const auto of = [](const Offer& o) { return o.service + " " + o.instance + " "; };
  for (const Offer& offer : whole().offers) {
    if (!offer.price || !offer.current || offer.purchase != Purchase::on_demand) continue;
    double& known = least.try_emplace(of(offer), 1e9).first->second;
    known = std::min(known, offer.price->value / usd_per_hour(1.0));
  }
  for (const Offer& offer : whole().offers) {
    if (!offer.price || !offer.current || !least.contains(of(offer))) continue;
    INFO(of(offer) << offer.region);
    const double price = offer.price->value / usd_per_hour(1.0);
    if (offer.purchase == Purchase::on_demand) CHECK(price < 2.5 * least[of(offer)]);
    if (offer.purchase != Purchase::spot || offer.region == "not stated") continue;
    const auto paid =
        find_offer(whole(), {offer.service, offer.instance, offer.region, Purchase::on_demand, {}});
    if (paid && paid->region == offer.region) {
      CHECK(price <= paid->price.value / usd_per_hour(1.0) * (1.0 + 1e-9));
    }
  }
}
