#pragma once
// From what people type (num_workers, disk.bandwidth, /preprocess/resize/where) to a place.
#include <string>
#include <string_view>
#include <vector>

#include "schema/record/key.hpp"

namespace feedrate::schema {

/// A resolved name: the tokens of its pointer, and the key it leads to.
struct KeyPlace {
  std::vector<std::string> tokens;
  const Key* key = nullptr;

  [[nodiscard]] std::string pointer() const;
};

/// What `name` means under `root`; InputError when unknown or ambiguous.
KeyPlace find_key(const Key& root, std::string_view name);

/// Names that find_key takes without a prefix, sorted.
std::vector<std::string> short_names(const Key& root);

}  // namespace feedrate::schema
