// The list of remedies, and which of them go together.
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

std::vector<const Remedy*> all_remedies() {
  std::vector<const Remedy*> all;
  for (const auto part : {loader_remedies(), preprocess_remedies(), storage_remedies(),
                          machine_remedies(), training_remedies(), price_remedies()}) {
    for (const Remedy& remedy : part) all.push_back(&remedy);
  }
  return all;
}

}  // namespace feedrate::study
