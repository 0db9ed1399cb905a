// Laws of what the catalogue says of GPUs and prices that nobody asked for by name: speeds by way
// of others, links, regions.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "catalog/gpu_speed.hpp"
#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"

using namespace feedrate;
using testing_resolve::catalog;

namespace {

/// Those for which each model's rate is published, in mixed precision.
std::set<std::string> measured_gpus() {
  std::set<std::string> names;
  for (const TrainingRates& one : catalog().training) {
    const bool all = one.resnet50 && one.ssd && one.bert_base && one.bert_large &&
                     one.transformer_xl_base && one.transformer_xl_large && one.gnmt;
    if (one.precision == Precision::mixed && all) names.insert(one.gpu);
  }
  return names;
}

}  // namespace

TEST_CASE("law: a GPU is as fast whichever measured GPU it is compared by") {
  const std::set<std::string> measured = measured_gpus();
  REQUIRE(measured.size() > 5);
  const Training mixed{std::nullopt, Precision::mixed};
  const auto speed = [&](const std::string& from, const std::string& to) {
    return relative_speed(catalog(), from, to, mixed)->value;
  };
  for (const std::string& a : measured) {
    for (const std::string& b : measured) {
      for (const Gpu& c : catalog().gpus) {
        if (!c.memory_bandwidth || measured.contains(c.name)) continue;
        INFO(a << ", " << b << " and " << c.name);
        CHECK(speed(a, c.name) == Approx(speed(a, b) * speed(b, c.name)).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("law: a machine whose link is not stated copies as its GPU does elsewhere") {
  int borrowed = 0;
  for (const Machine& machine : catalog().machines) {
    const auto copy = typical_pinned_copy(catalog(), machine);
    if (machine.pcie_generation || !copy) continue;
    ++borrowed;
    const auto gpu = std::find_if(catalog().gpus.begin(), catalog().gpus.end(),
                                  [&](const Gpu& one) { return one.name == machine.gpu_model; });
    INFO(machine.name);
    REQUIRE(gpu != catalog().gpus.end());
    Machine stated = machine;
    stated.pcie_generation = gpu->pcie_generation;
    stated.pcie_lanes = gpu->pcie_lanes;
    CHECK(copy->value == typical_pinned_copy(catalog(), stated)->value);
  }
  CHECK(borrowed > 20);
}

TEST_CASE("law: who names no region pays no more than elsewhere, or is at home") {
  const std::set<std::string> homes = {std::string(default_region),
                                       std::string(default_azure_region),
                                       std::string(default_gcp_region),
                                       "us-west-2",
                                       "all",
                                       "US",
                                       "not stated"};
  int elsewhere = 0;
  for (const Machine& machine : catalog().machines) {
    const auto taken =
        find_offer(catalog(), {"", machine.name, std::nullopt, Purchase::on_demand, std::nullopt});
    if (!taken || homes.contains(taken->region)) continue;
    ++elsewhere;
    for (const Offer& offer : catalog().offers) {
      const bool same = offer.instance == machine.name && offer.purchase == Purchase::on_demand &&
                        offer.service == taken->service && offer.current && offer.price;
      if (!same || homes.contains(offer.region)) continue;
      INFO(machine.name << " in " << taken->region << " and " << offer.region);
      // Prices of one region may have been written down twice.
      CHECK((offer.region == taken->region || taken->price.value <= offer.price->value));
    }
  }
  CHECK(elsewhere > 0);
}
