// The list of remedies, which of them go together, and what several of them need.
#include <cmath>

#include "catalog/lookup.hpp"
#include "study/remedy.hpp"

namespace feedrate::study {

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

void add_one_off(Change& change, Money cost, std::string_view of) {
  if (cost <= Money{}) return;
  change.one_off += cost;
  change.one_off_words += (change.one_off_words.empty() ? "" : " and ") + std::string(of);
}

std::vector<const Remedy*> all_remedies() {
  std::vector<const Remedy*> all;
  for (const auto part : {loader_remedies(), preprocess_remedies(), storage_remedies(),
                          machine_remedies(), training_remedies(), price_remedies()}) {
    for (const Remedy& remedy : part) all.push_back(&remedy);
  }
  return all;
}

}  // namespace feedrate::study
