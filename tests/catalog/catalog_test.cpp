// Look-ups in a catalogue made here, so that they do not hang on what pricing/ holds today.
#include "catalog/catalog.hpp"

#include <string>
#include <string_view>

#include "catalog/lookup.hpp"
#include "catch.hpp"

using namespace feedrate;

namespace {

Offer offer(std::string service, std::string region, double price, std::string date,
            bool current = true) {
  Offer made;
  made.service = std::move(service);
  made.instance = "p3.2xlarge";
  made.region = std::move(region);
  made.price = Value<HourlyPrice>::published(usd_per_hour(price), "list, " + date);
  made.date = std::move(date);
  made.current = current;
  return made;
}

Catalog small_catalog() {
  Catalog catalog;
  Machine p3;
  p3.name = "p3.2xlarge";
  p3.cloud = "aws";
  p3.pcie_generation = Value<double>::published(3, "");
  p3.pcie_lanes = Value<double>::published(8, "");
  Machine lambda;
  lambda.name = "gpu_8x_v100";
  lambda.cloud = "lambda";
  Machine azure;
  azure.name = "ND96isr H100 v5";
  azure.cloud = "azure";
  catalog.machines = {p3, lambda, azure};
  catalog.offers = {offer("ec2", "us-east-1", 3.06, "2026-07-20"),
                    offer("ec2", "us-east-1", 4.00, "2023-01-01", false),
                    offer("ec2", "eu-west-1", 3.305, "2026"),
                    offer("sagemaker", "US", 3.825, "2022-03-17", false)};
  catalog.pcie = {{3, std::nullopt, Value<Bandwidth>::assumed(bytes_per_second(12e9), "")}};
  return catalog;
}

double usd_an_hour(const Lookup<PricedOffer>& found) {
  REQUIRE(found);
  return found->price.value * hours(1) / usd(1);
}

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

OfferQuery ask(std::string instance, std::optional<std::string> region,
               Purchase purchase = Purchase::on_demand) {
  OfferQuery query;
  query.instance = std::move(instance);
  query.region = std::move(region);
  query.purchase = purchase;
  return query;
}

}  // namespace

TEST_CASE("catalogue: a machine is found with and without the prefix of SageMaker") {
  const Catalog catalog = small_catalog();
  REQUIRE(find_machine(catalog, "p3.2xlarge"));
  CHECK(*find_machine(catalog, "ml.p3.2xlarge") == *find_machine(catalog, "p3.2xlarge"));
  const auto elsewhere = find_machine(catalog, "ml.gpu_8x_v100");
  REQUIRE_FALSE(elsewhere);
  CHECK(says(elsewhere.failure.message, "SageMaker's, which are AWS's alone"));
  CHECK_FALSE(says(elsewhere.failure.message, "did you mean"));
}

TEST_CASE("catalogue: an unknown machine is answered with the nearest name") {
  const auto found = find_machine(small_catalog(), "ml.p3.3xlarge");
  REQUIRE_FALSE(found);
  CHECK(found.failure.kind == LookupProblem::unknown_name);
  CHECK(found.failure.key == "/cluster/instance");
  CHECK(says(found.failure.message, "did you mean \"ml.p3.2xlarge\"?"));
}

TEST_CASE("catalogue: the name decides the service that is billed") {
  const Catalog catalog = small_catalog();
  CHECK(service_of(catalog, "ml.p3.2xlarge") == "sagemaker");
  CHECK(service_of(catalog, "p3.2xlarge") == "ec2");
  CHECK(service_of(catalog, "gpu_8x_v100") == "lambda");
  CHECK(service_of(catalog, "nonsense").empty());
}

TEST_CASE("catalogue: the region's current price is taken, without a remark") {
  const auto found = find_offer(small_catalog(), ask("p3.2xlarge", "us-east-1"));
  CHECK(usd_an_hour(found) == Approx(3.06));
  CHECK(found->remark.empty());
  CHECK(found->price.from.source == "list, 2026-07-20");
}

TEST_CASE("catalogue: without a region the price says which was taken") {
  const auto found = find_offer(small_catalog(), ask("p3.2xlarge", std::nullopt));
  CHECK(usd_an_hour(found) == Approx(3.06));
  CHECK(found->remark == "no region given: us-east-1");
}

TEST_CASE("catalogue: a price for some US region serves US regions, and says so with its date") {
  const auto found = find_offer(small_catalog(), ask("ml.p3.2xlarge", "us-east-1"));
  CHECK(usd_an_hour(found) == Approx(3.825));
  CHECK(says(found->remark, "US region that the source does not name"));
  CHECK(says(found->remark, "price of 2022-03-17, no longer current"));
  CHECK_FALSE(find_offer(small_catalog(), ask("ml.p3.2xlarge", "eu-west-1")));
  CHECK_FALSE(find_offer(small_catalog(), ask("ml.p3.2xlarge", "us-west-9")));
}

TEST_CASE("catalogue: an unknown region is answered with those that exist") {
  const auto found = find_offer(small_catalog(), ask("p3.2xlarge", "eu-north-1"));
  REQUIRE_FALSE(found);
  CHECK(found.failure.kind == LookupProblem::unknown_region);
  CHECK(found.failure.key == "/cluster/region");
  CHECK(found.failure.choices == std::vector<std::string>{"us-east-1", "eu-west-1"});
  CHECK(says(found.failure.message, "only in us-east-1, eu-west-1"));
}

TEST_CASE("catalogue: an unknown price names the key that sets it") {
  const auto spot = find_offer(small_catalog(), ask("p3.2xlarge", "us-east-1", Purchase::spot));
  REQUIRE_FALSE(spot);
  CHECK(spot.failure.kind == LookupProblem::unknown_price);
  CHECK(spot.failure.key == "/cluster/price");

  Catalog no_price = small_catalog();
  for (Offer& one : no_price.offers) one.price.reset();
  CHECK(find_offer(no_price, ask("p3.2xlarge", "us-east-1")).failure.key == "/cluster/price");
}

TEST_CASE("catalogue: a savings plan is the on-demand price less a discount that must be given") {
  OfferQuery query = ask("p3.2xlarge", "us-east-1", Purchase::savings_plan);
  CHECK(find_offer(small_catalog(), query).failure.key == "/cluster/savings");
  query.savings = 0.25;
  const auto found = find_offer(small_catalog(), query);
  CHECK(usd_an_hour(found) == Approx(0.75 * 3.06));
  CHECK(says(found->price.from.source, "less 25 % savings plan"));
}

TEST_CASE("catalogue: a source without a region serves a service that has no other, as assumed") {
  Catalog catalog = small_catalog();
  Offer placeless = offer("lambda", "not stated", 4.4, "2025-03-07");
  placeless.instance = "gpu_8x_v100";
  catalog.offers.push_back(placeless);
  const auto found = find_offer(catalog, ask("gpu_8x_v100", "us-east-1"));
  CHECK(usd_an_hour(found) == Approx(4.4));
  CHECK(found->price.from.origin == Origin::assumed);

  placeless.instance = "p3.2xlarge";
  placeless.service = "ec2";
  catalog.offers.push_back(placeless);
  CHECK_FALSE(find_offer(catalog, ask("p3.2xlarge", "eu-north-1")));
}

TEST_CASE("catalogue: a price that holds everywhere serves any region") {
  Catalog catalog = small_catalog();
  Offer everywhere = offer("lambda", "all", 6.32, "2025");
  everywhere.instance = "gpu_8x_v100";
  catalog.offers.push_back(everywhere);
  const auto found = find_offer(catalog, ask("gpu_8x_v100", "mars-1"));
  CHECK(usd_an_hour(found) == Approx(6.32));
  CHECK(found->remark.empty());
}

TEST_CASE("catalogue: where a region has no price, that of us-east-1 or us-west-2 is assumed") {
  Catalog catalog;
  const StoragePrice price = usd(0.08) / gibibytes(1) / months(1);
  catalog.ebs_prices = {
      {"us-west-2", "gp3", Value<StoragePrice>::published(price, "list"), {}, {}, {}, {}}};
  const auto exact = find_ebs_price(catalog, "us-west-2", "gp3");
  REQUIRE(exact);
  CHECK(exact->storage->from.origin == Origin::published);
  const auto twin = find_ebs_price(catalog, "us-east-1", "gp3");
  REQUIRE(twin);
  CHECK(twin->storage->from.origin == Origin::assumed);
  CHECK(twin->storage->from.source == "list, taken for us-east-1");
  // Of both the first, wherever they stand in the list.
  const StoragePrice first = usd(0.07) / gibibytes(1) / months(1);
  catalog.ebs_prices.push_back(
      {"us-east-1", "gp3", Value<StoragePrice>::published(first, "list"), {}, {}, {}, {}});
  const auto other = find_ebs_price(catalog, "eu-west-1", "gp3");
  REQUIRE(other);
  CHECK(other->storage->value.base() == first.base());
  CHECK(other->storage->from.origin == Origin::assumed);
  CHECK(other->storage->from.source == "list, taken for eu-west-1");
  catalog.ebs_prices = {
      {"sa-east-1", "gp3", Value<StoragePrice>::published(price, "list"), {}, {}, {}, {}}};
  const auto none = find_ebs_price(catalog, "eu-west-1", "gp3");
  REQUIRE_FALSE(none);
  CHECK(none.failure.kind == LookupProblem::unknown_region);
  CHECK(says(none.failure.message, "only in sa-east-1"));
  CHECK(find_ebs_price(catalog, "us-west-2", "io9").failure.kind == LookupProblem::unknown_price);
}

TEST_CASE("catalogue: a tier of FSx is the same however its text writes the unit") {
  Catalog catalog;
  FsxTier tier;
  tier.deployment_type = "SCRATCH_2";
  tier.throughput = bytes_per_second(200e6) / tebibytes(1);
  catalog.fsx.tiers = {tier};
  const SpecificBandwidth same = bytes_per_second(0.2e9) / tebibytes(1);
  CHECK(find_fsx_tier(catalog, "SCRATCH_2", same));
  const auto missing = find_fsx_tier(catalog, "SCRATCH_2", same * 2.0);
  REQUIRE_FALSE(missing);
  CHECK(says(missing.failure.message, "it has SCRATCH_2 at 200 MB/s/TiB"));
}

TEST_CASE("catalogue: a service without a billing rule is billed per second, and that is assumed") {
  const BillingRule rule = billing_rule(small_catalog(), "lambda");
  CHECK(rule.granularity == seconds(1));
  CHECK(rule.minimum == seconds(0));
  CHECK(rule.from.origin == Origin::assumed);
}

TEST_CASE("catalogue: eight lanes copy at half the rate of sixteen") {
  const Catalog catalog = small_catalog();
  const auto copy = typical_pinned_copy(catalog, catalog.machines[0]);
  REQUIRE(copy);
  CHECK(copy->value.base() == Approx(6e9));
  CHECK(copy->from.origin == Origin::assumed);
  CHECK_FALSE(typical_pinned_copy(catalog, catalog.machines[1]));
}

TEST_CASE("catalogue: the middle of a range knows how wide the range is") {
  const auto known = [](double ms) {
    return Value<Duration>::published(milliseconds(ms), "guide");
  };
  const Range<Duration> range{known(100), known(200)};
  const auto middle = middle_of(range);
  REQUIRE(middle);
  CHECK(middle->value.base() == Approx(0.150));
  // Uniform on 100…200 ms: standard deviation 100/√12 = 28.87 ms, of 150 ms.
  CHECK(middle->from.relative_error == Approx(28.8675 / 150).epsilon(1e-5));
  CHECK_FALSE(middle_of(Range<Duration>{}));
  CHECK(middle_of(Range<Duration>{known(100), {}})->value.base() == Approx(0.1));
}

TEST_CASE("look-up: a machine of Azure answers to the name that its API has, and to no other's") {
  const Catalog catalog = small_catalog();
  const auto found = find_machine(catalog, "Standard_ND96isr_H100_v5");
  REQUIRE(found);
  CHECK((*found)->name == "ND96isr H100 v5");
  CHECK(service_of(catalog, "Standard_ND96isr_H100_v5") == "azure");
  CHECK_FALSE(find_machine(catalog, "Standard_ND96isr_H100_v6"));
  CHECK_FALSE(find_machine(catalog, "Standard_p3.2xlarge_"));
  CHECK_FALSE(find_machine(catalog, "ml.ND96isr H100 v5"));
}

TEST_CASE("look-up: managed spot is on demand less what EC2's spot price saves, within its limit") {
  Catalog catalog = small_catalog();
  catalog.offers = {offer("ec2", "us-east-1", 3.0, "2026-07-20"),
                    offer("sagemaker", "us-east-1", 3.6, "2026-07-20")};
  const OfferQuery query = {"", "ml.p3.2xlarge", "us-east-1", Purchase::spot, std::nullopt};
  CHECK_FALSE(find_offer(catalog, query));  // nobody knows what spot saves
  Offer spot = offer("ec2", "us-east-1", 1.0, "2026-07-21");
  spot.purchase = Purchase::spot;
  catalog.offers.push_back(spot);
  const auto found = find_offer(catalog, query);
  REQUIRE(found);
  CHECK(found->service == "sagemaker");
  CHECK(found->price.from.origin == Origin::assumed);
  CHECK(found->price.value / usd_per_hour(1.0) == Approx(3.6 / 3.0));
  CHECK(found->remark.find("EC2's spot price of 2026-07-21 saves is taken, 67 %") !=
        std::string::npos);
  catalog.limits.managed_spot_max = Value<double>::published(0.5, "");
  CHECK(find_offer(catalog, query)->price.value / usd_per_hour(1.0) == Approx(1.8));
  // A spot price above the one on demand saves nothing.
  catalog.offers.back().price = Value<HourlyPrice>::published(usd_per_hour(4.0), "");
  CHECK(find_offer(catalog, query)->price.value / usd_per_hour(1.0) == Approx(3.6));
}
