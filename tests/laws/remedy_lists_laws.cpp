// What remedies try that a list says: numbers of workers, and what the catalogue has of regions,
// tiers, machines with disks, and CPU instances.
#include <algorithm>
#include <cmath>

#include "catalog/gpu_speed.hpp"
#include "laws/remediable_jobs.hpp"
#include "seed.hpp"
#include "study/other_workers.hpp"

using namespace feedrate;

namespace {

using study::Change;
using study::Remedy;
using study::Setting;
using study::Situation;
using testing_laws::for_remediable;
using testing_laws::Remediable;
using testing_resolve::catalog;

TEST_CASE("remedies: every number of workers that may differ is tried, to twice the threads") {
  for_remediable(32, 60, [](const Remediable& looked) {
    const Remedy* remedy = study::all_remedies().front();
    REQUIRE(std::string_view(remedy->words.name) == "num_workers");
    REQUIRE(remedy->applies(looked.situation));
    const pipeline::Inputs& in = looked.resolved.inputs;
    const bool inline_now = looked.scenario.loader.kind.family() == LoaderKind::inline_;
    const double most = study::most_workers_tried(looked.resolved);
    const double threads = *looked.resolved.installed.threads / in.ranks;
    CHECK(most == std::min(256.0, std::ceil(2.0 * std::max({threads, in.workers, 1.0}))));
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
      // No gap of more than 3 %, but for the present number.
      const bool over_now = !inline_now && before < in.workers && in.workers < n;
      CHECK(n <= std::floor((over_now ? in.workers : before) * 1.03) + 1.0);
      before = n;
    }
    CHECK(before * 1.03 + 2.0 > most);
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
  int regions = 0, helpers = 0, disks = 0, tiers = 0, faster = 0;
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
          const auto offer = find_offer(catalog(), query);
          REQUIRE(offer);
          // Elsewhere the bill cannot be smaller.
          CHECK((query.region == looked.scenario.source.region ||
                 offer->price.value < looked.resolved.terms.compute.price.value));
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
}

}  // namespace
