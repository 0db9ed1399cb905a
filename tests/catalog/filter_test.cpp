// The filter's laws over conditions drawn from all keys and the shipped catalogue, then what it
// says to input that it cannot read.
#include "catalog/filter.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/errors.hpp"
#include "catalog/filter_words.hpp"
#include "catch.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "seed.hpp"

using namespace feedrate;

namespace {

const Catalog& catalog() {
  static const Catalog whole = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  return whole;
}

/// Every listing everywhere.
const std::vector<Listing>& all() {
  static const std::vector<Listing> list = [] {
    std::vector<Listing> made = listings(catalog(), regions_of(catalog()));
    // Machines without a price too.
    for (const Listing& listing : listings(catalog(), {})) {
      if (!listing.price) made.push_back(listing);
    }
    return made;
  }();
  return list;
}

Match match(const std::string& filter, const Listing& listing) {
  return Filter::parse(filter, catalog(), "FILTER").matches(listing);
}

std::string refusal(const std::string& filter) {
  try {
    static_cast<void>(Filter::parse(filter, catalog(), "FILTER"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Keys with a value that splits the catalogue, to be put after an operator.
struct Drawn {
  std::string key, value;
  bool ordered;
};

const std::vector<Drawn>& drawn() {
  static const std::vector<Drawn> list = {
      {"instance", "*g5*", false},    {"cloud", "aws", false},      {"service", "sagemaker", false},
      {"region", "us-*", false},      {"purchase", "spot", false},  {"price", "3.06", true},
      {"gpu", "A10G", true},          {"gpu", "V100", true},        {"gpus", "4", true},
      {"gpu_memory", "24 GB", true},  {"nvlink", "0", true},        {"vcpus", "32", true},
      {"cores", "8", true},           {"coremark", "500000", true}, {"memory", "122 GiB", true},
      {"network", "10 Gbit/s", true}, {"ebs", "1 GB/s", true},      {"nvme", "900 GB", true}};
  return list;
}

/// Whether the machine has nothing that the key could be about.
bool has_none(const std::string& key, const Machine& machine) {
  if (key == "ebs") return machine.cloud != "aws";
  return (key == "gpu" || key == "gpu_memory" || key == "nvlink") && machine.gpu_model.empty();
}

std::string random_condition(std::mt19937_64& random) {
  const Drawn& one = drawn()[random() % drawn().size()];
  const std::vector<std::string> ordered = {"=", "!=", "<", "<=", ">", ">="};
  return one.key + ordered[random() % (one.ordered ? ordered.size() : 2)] + one.value;
}

}  // namespace

TEST_CASE("filter: a star stands for any characters, as for POSIX") {
  std::mt19937_64 random(feedrate::test::seeded(11));
  const auto some_of = [&](std::string_view letters) {
    std::string text;
    for (std::size_t n = random() % 8; n > 0; --n) text += letters[random() % letters.size()];
    return text;
  };
  int alike = 0;
  for (int i = 0; i < 5'000; ++i) {
    const std::string text = some_of("ab");
    const std::string pattern = some_of("ab**");
    INFO("\"" << text << "\" like \"" << pattern << '"');
    const bool like = is_like(text, pattern);
    REQUIRE(like == (fnmatch(pattern.c_str(), text.c_str(), 0) == 0));
    alike += like ? 1 : 0;
  }
  CHECK_DRAWN(alike > 1'000);
}

TEST_CASE("filter: a pattern of many stars is answered at once") {
  // Where each star tries every place, these take longer than anybody has.
  std::string stars, letters;
  for (int i = 0; i < 10'000; ++i) {
    stars += '*';
    letters += "*a";
  }
  CHECK_FALSE(is_like(std::string(20, 'a'), stars + "x"));
  CHECK_FALSE(is_like(std::string(5'000, 'a'), letters + "*x"));
  CHECK(is_like(std::string(20'000, 'a'), letters + "*"));
  CHECK(refusal("instance=" + stars + "x, gpus=1") != "accepted");
}

TEST_CASE("filter: conditions commute, and a conjunction is the intersection") {
  std::mt19937_64 random(feedrate::test::seeded(7));
  for (int i = 0; i < 300; ++i) {
    const std::string a = random_condition(random);
    const std::string b = random_condition(random);
    INFO(a << " and " << b);
    // Two conditions on the region may leave none, which is refused.
    if (has(a, "region") && has(b, "region")) continue;
    const Filter first = Filter::parse(a, catalog(), "");
    const Filter second = Filter::parse(b, catalog(), "");
    const Filter both = Filter::parse(a + ", " + b, catalog(), "");
    const Filter turned = Filter::parse(b + "," + a, catalog(), "");
    for (const Listing& listing : all()) {
      REQUIRE(both.matches(listing) == std::min(first.matches(listing), second.matches(listing)));
      REQUIRE(turned.matches(listing) == both.matches(listing));
    }
  }
}

TEST_CASE("filter: a condition and its opposite part what is known, and neither takes the rest") {
  const std::vector<std::pair<std::string, std::string>> opposites = {
      {"=", "!="}, {"<", ">="}, {"<=", ">"}};
  for (const Drawn& one : drawn()) {
    std::set<Match> seen;
    for (std::size_t i = 0; i < (one.ordered ? opposites.size() : 1); ++i) {
      const Filter holds = Filter::parse(one.key + opposites[i].first + one.value, catalog(), "");
      const Filter fails = Filter::parse(one.key + opposites[i].second + one.value, catalog(), "");
      INFO(one.key << opposites[i].first << one.value);
      for (const Listing& listing : all()) {
        const Match a = holds.matches(listing);
        const Match b = fails.matches(listing);
        seen.insert({a, b});
        if (a == Match::unknown || b == Match::unknown) {
          REQUIRE(a == b);
        } else if (has_none(one.key, *listing.machine)) {
          REQUIRE((a == Match::no && b == Match::no));
        } else {
          REQUIRE(a != b);
        }
      }
    }
    // A value that splits nothing would test nothing.
    INFO(one.key);
    CHECK((seen.contains(Match::yes) && seen.contains(Match::no)));
  }
}

TEST_CASE("filter: machines of an unknown figure are counted once, whatever else they lack") {
  for (const std::string text : {"price<1000000", "gpu>=T4", "nvme>0", "coremark>0, nvme>0"}) {
    const Filter filter = Filter::parse(text, catalog(), "");
    const Chosen chosen = choose(catalog(), filter);
    std::set<const Machine*> taken, unknown;
    for (const Listing& listing : listings(catalog(), {})) {
      const Match match = filter.matches(listing);
      if (match == Match::yes) taken.insert(listing.machine);
      if (match == Match::unknown) unknown.insert(listing.machine);
    }
    for (const Machine* machine : taken) unknown.erase(machine);
    std::size_t most = 0, sum = 0;
    for (const auto& [key, count] : chosen.unknown) {
      most = std::max(most, count);
      sum += count;
    }
    INFO(text);
    CHECK(!unknown.empty());
    CHECK(most <= unknown.size());
    CHECK(sum >= unknown.size());
  }
}

TEST_CASE("filter: GPUs are ordered by their dense 16-bit tensor peak") {
  CHECK(tensor_peak(catalog(), "A10G-24GB") == 70.0);
  CHECK_FALSE(tensor_peak(catalog(), "AWS Trainium"));
  for (const Listing& listing : all()) {
    const auto peak = tensor_peak(catalog(), listing.machine->gpu_model);
    const Match expected = listing.machine->gpu_model.empty() ? Match::no
                           : !peak                            ? Match::unknown
                           : *peak >= 70.0                    ? Match::yes
                                                              : Match::no;
    REQUIRE(match("gpu>=A10G", listing) == expected);
  }
}

TEST_CASE("filter: a GPU is named by any of its parts, a type by a pattern, words by several") {
  std::set<std::string> models, instances;
  for (const Listing& listing : all()) {
    if (match("gpu=A100", listing) == Match::yes) models.insert(listing.machine->gpu_model);
    if (match("instance=p3.*|ml.p3.2xlarge", listing) == Match::yes) {
      instances.insert(listing.instance());
    }
  }
  CHECK(models == std::set<std::string>{"A100-SXM4-40GB", "A100-SXM4-80GB"});
  CHECK(instances ==
        std::set<std::string>{"p3.2xlarge", "p3.8xlarge", "p3.16xlarge", "ml.p3.2xlarge"});
  const Listing* large = nullptr;
  for (const Listing& listing : all()) {
    if (listing.machine->gpu_model == "A100-SXM4-80GB") large = &listing;
  }
  REQUIRE(large != nullptr);
  CHECK(match("gpu=a100-80gb", *large) == Match::yes);
  CHECK(match("gpu=A10", *large) == Match::no);
}

TEST_CASE("filter: a region is looked up as a scenario's is, with what is sold there only") {
  const Chosen chosen =
      choose(catalog(), Filter::parse("region=us-east-1, gpu=A10G, gpus=1", catalog(), ""));
  CHECK(!chosen.listings.empty());
  bool spot = false, sagemaker = false;
  for (const Listing& listing : chosen.listings) {
    CHECK(listing.region == "us-east-1");
    OfferQuery query{listing.service, listing.machine->name, "us-east-1", listing.purchase, {}};
    const auto offer = find_offer(catalog(), query);
    REQUIRE(offer);
    CHECK(listing.price == offer->price.value);
    spot = spot || listing.purchase == Purchase::spot;
    sagemaker = sagemaker || listing.instance().starts_with("ml.");
  }
  CHECK(spot);
  CHECK(sagemaker);
  // Without one every machine of the catalogue has its place.
  std::set<const Machine*> machines;
  for (const Listing& listing : choose(catalog(), Filter::parse(" ", catalog(), "")).listings) {
    machines.insert(listing.machine);
  }
  CHECK(machines.size() == catalog().machines.size());
  // A cloud is not in a region of another one, not even where a source names no region.
  for (const Listing& listing : all()) {
    if (listing.region.empty()) continue;
    // "eu-west-3", beside Google's "europe-west3" and Azure's "westeurope".
    const std::size_t size = listing.region.size();
    const bool numbered = size > 2 && listing.region[size - 2] == '-' &&
                          std::isdigit(static_cast<unsigned char>(listing.region[size - 1])) != 0;
    REQUIRE((listing.machine->cloud == "aws") == numbered);
  }
  // The region of a scenario moves the clouds that have prices there, and no other.
  for (const Listing& listing : listings(catalog(), {}, "eu-west-1")) {
    if (listing.machine->cloud == "aws") CHECK(listing.region == "eu-west-1");
    if (listing.machine->cloud == "gcp") CHECK(listing.region != "eu-west-1");
  }
}

TEST_CASE("listing: an instance's prices are those that a scenario would pay, region by region") {
  for (const std::string instance : {"p3.2xlarge", "ml.p3.2xlarge", "a2-highgpu-1g"}) {
    const std::vector<PriceRow> rows = prices_of(catalog(), instance);
    INFO(instance);
    REQUIRE(rows.size() > 1);
    CHECK(rows.front().region.empty());
    std::set<std::string> seen;
    for (const PriceRow& row : rows) {
      CHECK(seen.insert(row.region).second);
      const auto region = row.region.empty() ? std::nullopt : std::optional(row.region);
      for (const Purchase purchase : {Purchase::on_demand, Purchase::spot}) {
        const auto offer = find_offer(catalog(), {"", instance, region, purchase, {}});
        const auto& listed = purchase == Purchase::spot ? row.spot : row.on_demand;
        REQUIRE(offer.value.has_value() == listed.has_value());
        if (listed) CHECK(offer->price.value == *listed);
      }
      CHECK((row.on_demand || row.spot));
    }
    // Where EC2's has no row, it has no price.
    for (const std::string& region : regions_of(catalog())) {
      if (seen.contains(region) || instance != "p3.2xlarge") continue;
      CHECK_FALSE(find_offer(catalog(), {"", instance, region, Purchase::on_demand, {}}));
    }
  }
  CHECK(prices_of(catalog(), "p3.3xlarge").empty());
}

TEST_CASE("listing: what has GPUs and a price can be chosen, each once, and is found by its name") {
  std::set<std::string> names;
  for (const Listing& rented : rented_with_gpus(catalog())) {
    INFO(rented.instance());
    CHECK(names.insert(rented.instance()).second);
    CHECK(rented.machine->gpus->value >= 1.0);
    CHECK(service_of(catalog(), rented.instance()) == rented.service);
    CHECK_FALSE(prices_of(catalog(), rented.instance()).empty());
  }
  CHECK(names.contains("p3.2xlarge"));
  CHECK(names.contains("ml.p3.2xlarge"));
  CHECK_FALSE(names.contains("c5.18xlarge"));
}

TEST_CASE("filter: what cannot be read is told all at once, with what may be meant") {
  CHECK(has(refusal("gpuss=8"), "got \"gpuss\" (did you mean \"gpus\"?)"));
  CHECK(has(refusal("gpus"), "expected conditions KEY OP VALUE separated by commas"));
  CHECK(has(refusal("=3"), "expected conditions KEY OP VALUE"));
  CHECK(has(refusal("gpus=8, price<1,000"), "got \"000\""));
  CHECK(has(refusal("gpus="), "expected a value after \"gpus=\", such as gpus=8"));
  CHECK(has(refusal("gpus=<8"), "expected =, !=, <, <=, > or >= after gpus, got \"=<\""));
  CHECK(has(refusal("gpus=many"), "gpus: expected a number such as gpus=8, got \"many\""));
  CHECK(has(refusal("cloud<aws"), "expected = or != after cloud"));
  CHECK(has(refusal("memory>=100"), "memory: expected an amount of data such as \"50 GB\""));
  CHECK(has(refusal("network>=25 Gbps"), "bits or bytes?"));
  CHECK(has(refusal("price<40 EUR/h"), "prices are in USD"));
  CHECK(has(refusal("region=us-esat-1"), "(did you mean \"us-east-1\"?)"));
  CHECK(has(refusal("region=us-east-1, region=us-west-2"), "no region of the catalogue fits"));
  CHECK(
      has(refusal("cloud=amazon"), "expected one of the catalogue: aws, azure, digitalocean, gcp"));
  CHECK(has(refusal("purchase=on-demnd"), "(did you mean \"on_demand\"?)"));
  CHECK(has(refusal("gpu>=Trainium*"), "expected a GPU of the catalogue"));
  CHECK(has(refusal("gpu>=AWS Trainium"), "no tensor peak of \"AWS Trainium\" is in the"));
  CHECK(has(refusal("gpu=A100G"), "gpu: expected a GPU of the catalogue"));
  CHECK(has(refusal("gpu>=A100|H100"), "expected one model to compare with"));
  CHECK(has(refusal("instance=q5*"), "instance: expected one of the catalogue"));
  const std::string two = refusal("gpuss=8, cloud=awss");
  CHECK(has(two, "gpuss"));
  CHECK(has(two, "awss"));
  CHECK(has(two, "FILTER: "));
  CHECK(refusal("purchase=on-demand, PRICE < $40/h , gpus == 8") == "accepted");
}
