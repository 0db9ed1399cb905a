// From a scenario to its numbers and its bill: laws over generated scenarios on the shipped
// catalogue.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/errors.hpp"
#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "seed.hpp"
#include "study/billing.hpp"
#include "study/cost.hpp"

using namespace feedrate;
using namespace testing_resolve;

namespace {

struct Answer {
  resolve::Resolved resolved;
  pipeline::Outcome outcome;
  BillInput input;
  Bill bill;
};

/// Nothing where the plan is impossible.
std::optional<Answer> answer(const Settings& settings) {
  try {
    Answer all;
    all.resolved = resolve::resolve(scenario_with(settings), catalog());
    all.outcome = pipeline::simulate(all.resolved.inputs);
    std::vector<std::string> remarks;
    all.input = study::bill_input(all.resolved.terms, all.resolved.inputs, all.outcome, remarks);
    all.bill = study::bill_of(all.input);
    return all;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += " --set " + key + "='" + value + "'";
  return text;
}

const pipeline::RateLimit* limit_named(const std::optional<pipeline::Read>& read,
                                       std::string_view name) {
  if (!read) return nullptr;
  for (const pipeline::RateLimit& limit : read->limits) {
    if (limit.name == name) return &limit;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("resolve: a default that is typed in changes nothing") {
  pipeline::Generator random(11);
  int typed = 0;
  for (int i = 0; i < 150; ++i) {
    const Settings settings = generated_settings(random);
    const auto plain = answer(settings);
    if (!plain) continue;
    for (const InputUsed& input : plain->resolved.used) {
      if (!input.key.starts_with('/') || input.from.origin == Origin::given) continue;
      Settings more = settings;
      more.emplace_back(input.key, input.text);
      INFO(input.key << text_of(more));
      const auto again = answer(more);
      REQUIRE(again);
      // Six digits of it are typed in.
      CHECK(again->outcome.total.wall / plain->outcome.total.wall == Approx(1.0).epsilon(1e-4));
      // Machines are paid by the second: six digits may move the end across one.
      const double second = seconds(1.0) / plain->outcome.total.wall;
      CHECK(again->bill.money / plain->bill.money == Approx(1.0).epsilon(1e-4 + second));
      ++typed;
    }
  }
  CHECK_DRAWN(typed > 500);
}

TEST_CASE("resolve: idle dollars are part of the compute dollars") {
  pipeline::Generator random(12);
  int checked = 0;
  for (int i = 0; i < 300; ++i) {
    const Settings settings = generated_settings(random);
    const auto one = answer(settings);
    if (!one) continue;
    INFO(text_of(settings));
    double sum = 0.0;
    for (const Stage stage : all_stages()) sum += one->bill.idle_gpu_by_stage[stage].base();
    CHECK(sum == Approx(one->bill.idle_gpu.base()).epsilon(1e-9));
    CHECK(sum <= one->bill.compute.base() * (1.0 + 1e-9));
    ++checked;
  }
  CHECK_DRAWN(checked > 150);
}

TEST_CASE("resolve: what is simulated is what is billed") {
  pipeline::Generator random(13);
  int volumes = 0, provisioned = 0, file_systems = 0;
  for (int i = 0; i < 600; ++i) {
    const Settings settings = generated_settings(random);
    const auto one = answer(settings);
    if (!one) continue;
    INFO(text_of(settings));
    const auto& [inputs, installed, terms, exchanged, layout, disk, machine, used, remarks, kinds,
                 caveats, unheld] = one->resolved;
    CHECK(one->input.compute.instances == inputs.instances);
    const auto billed =
        [&lines = terms.storage](std::string_view name) -> const resolve::Leased<StorageUse>* {
      for (const auto& line : lines) {
        if (line.use.what.starts_with(name)) return &line;
      }
      return nullptr;
    };
    if (disk && disk->kind == DiskKind::ebs) {
      const auto* volume = billed("EBS " + disk->volume_type);
      const auto says = [](const std::vector<std::string>& all, std::string_view begin) {
        return std::any_of(all.begin(), all.end(),
                           [&](const std::string& one) { return one.starts_with(begin); });
      };
      const bool no_price = says(remarks, "the EBS volume is not on the bill: ") ||
                            says(caveats, "The EBS volume is not on the bill: ");
      // Whatever is told to be missing, but for what an instance outside AWS has no use for.
      const auto missing = [](const std::vector<std::string>& all) {
        return std::any_of(all.begin(), all.end(), [](const std::string& one) {
          return one.find("not on the bill") != std::string::npos &&
                 one.find("the instances are not in AWS") == std::string::npos;
        });
      };
      CHECK(terms.unpriced == (missing(remarks) || missing(caveats)));
      const bool kept = scenario_with(settings).source.bill_storage.value_or(true) ||
                        scenario_with(settings).source.service.family() != Service::ebs;
      CHECK((volume != nullptr) == (kept && !no_price));
      if (volume != nullptr) {
        CHECK(volume->use.amount / (*disk->size * inputs.instances) == Approx(1.0));
        ++volumes;
      }
      const auto* iops = limit_named(inputs.disk, "disk IOPS");
      if (!terms.iops.empty()) {
        REQUIRE(iops != nullptr);
        REQUIRE(terms.iops.size() == 1);
        const auto all = terms.iops.front().use.amount;
        CHECK(all * seconds(1.0) / inputs.instances == Approx(iops->rate));
        ++provisioned;
      }
    } else {
      CHECK(billed("EBS") == nullptr);
    }
    if (const auto* fsx = billed("FSx")) {
      const Bytes capacity = billed_capacity(fsx->use.amount, fsx->use.steps);
      const auto tier = find_fsx_tier(catalog(), default_fsx_deployment, default_fsx_tier);
      const auto& read = inputs.staging ? std::optional(inputs.staging->read) : inputs.source;
      const auto* rate = limit_named(read, "source bandwidth");
      REQUIRE(rate != nullptr);
      CHECK(rate->rate * inputs.instances == Approx((tier->disk_read->value * capacity).base()));
      ++file_systems;
    }
  }
  CHECK_DRAWN(volumes > 50);
  CHECK_DRAWN(provisioned > 10);
  CHECK_DRAWN(file_systems > 20);
}
