// The list of remedies, which of them go together, and what several of them need.
#include <cmath>

#include "base/number_text.hpp"
#include "catalog/lookup.hpp"
#include "study/remedy.hpp"
#include "study/scale.hpp"
#include "words/remedies.hpp"

namespace feedrate::study {

Setting checkpoints_at(const Situation& s, const std::string& interval) {
  Setting set{{"/job/checkpoint/interval", interval}};
  if (s.inputs().checkpoint_steps > 0.0) set.emplace_back("/job/checkpoint/every_steps", "null");
  if (s.inputs().checkpoint_epochs > 0.0) set.emplace_back("/job/checkpoint/every_epochs", "null");
  return set;
}

bool clash(const Setting& a, const Setting& b) {
  const auto within = [](const std::string& key, const std::string& object) {
    return key.size() > object.size() && key[object.size()] == '/' && key.starts_with(object);
  };
  for (const auto& [key, value] : a) {
    for (const auto& [other, other_value] : b) {
      if (key == other ? value != other_value : within(key, other) || within(other, key)) {
        return true;
      }
    }
  }
  return false;
}

std::string region_of_job(const Situation& s) {
  return s.scenario.cluster.region.value_or(std::string(default_region));
}

bool as_in_catalogue(const Situation& s) {
  const Cluster& cluster = s.scenario.cluster;
  return cluster.instance && !cluster.price && !cluster.prices && !cluster.vcpus &&
         !cluster.cores && !cluster.memory && !cluster.network;
}

void keep_samples_of_steps(const Situation& s, double now, double then, Change& change) {
  if (!s.scenario.job.steps) return;
  change.set.emplace_back("/job/steps",
                          whole_text(steps_of_as_many(*s.scenario.job.steps, now, then)));
}

void add_with_its_workers(const Situation& s, Change change, std::vector<Change>& list) {
  if (!traits(s.scenario.loader.kind).workers) return;
  const bool pool = traits(s.scenario.loader.kind).shared_batches;
  change.set.emplace_back("num_workers", pool ? "auto" : "cpus-1");
  change.words += pool ? words::thread_for_each_cpu : words::worker_fewer_than_cpus;
  list.push_back(std::move(change));
}

bool from_afar(const Situation& s) {
  return s.inputs().staging || s.inputs().source;
}

bool from_s3(const Situation& s) {
  return s.scenario.source.service.family() == Service::s3 && from_afar(s);
}

bool from_objects(const Situation& s) {
  return traits(s.scenario.source.service).form == StoreForm::objects && from_afar(s);
}

double objects_of_dataset(const Situation& s) {
  return std::ceil(s.inputs().samples / s.scenario.dataset.samples_per_object.value_or(1.0));
}

Money written_to_s3(const Situation& s, std::string_view region) {
  const auto price =
      find_s3_price(s.catalog, region, s.scenario.source.storage_class_or("STANDARD"));
  return price && price->put ? price->put->value * objects_of_dataset(s) : Money{};
}

Money written_to_efs(const Situation& s, std::string_view region) {
  const auto price = find_efs_throughput_price(s.catalog, region);
  return price && price->elastic_write ? price->elastic_write->value * s.resolved.terms.dataset
                                       : Money{};
}

Money read_from_s3(const Situation& s) {
  const auto price = find_s3_price(s.catalog, s.scenario.source.region.value_or(region_of_job(s)),
                                   s.scenario.source.storage_class_or("STANDARD"));
  Money cost;
  if (price && price->get) cost += price->get->value * objects_of_dataset(s);
  if (price && price->retrieval) cost += price->retrieval->value * s.resolved.terms.dataset;
  return cost;
}

void add_one_off(Change& change, Money cost, std::string_view of) {
  if (cost <= Money{}) return;
  change.one_off += cost;
  change.one_off_words += (change.one_off_words.empty() ? "" : " and ") + std::string(of);
}

std::vector<const Remedy*> all_remedies() {
  std::vector<const Remedy*> all;
  for (const auto part :
       {loader_remedies(), preprocess_remedies(), storage_remedies(), place_remedies(),
        machine_remedies(), training_remedies(), price_remedies()}) {
    for (const Remedy& remedy : part) all.push_back(&remedy);
  }
  return all;
}

}  // namespace feedrate::study
