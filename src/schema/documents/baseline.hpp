#pragma once
// The baseline file of a check: sorted, one line per key, each scenario's entry on its own, so that
// git merges it. The version below rises when the meaning of a key changes.
#include <string>
#include <string_view>
#include <vector>

#include "model/baseline.hpp"
#include "schema/scenario/input_groups.hpp"

namespace feedrate::schema {

struct BaselineEntry {
  std::string key;      ///< the scenario's file, from the baseline's folder
  std::string name;     ///< of the scenario; "" where the entry was made before names were kept
  std::string version;  ///< of the feedrate that made it
  std::string profile;  ///< "NAME HASH" of the host profile; "" without one
  Figures figures;
  StoredInputs inputs;
  bool intact = true;  ///< the inputs have the hash that the entry states
  int line = 0;
  std::string stated_hash{};  ///< as read
};

/// A text of "thresholds" and where it stands.
struct ThresholdText {
  std::string text;
  std::string file;
  int line = 0;
  std::string pointer;
};

struct Baseline {
  std::string file;
  std::vector<ThresholdText> thresholds;  ///< for every scenario
  std::vector<BaselineEntry> entries;     ///< sorted by key

  [[nodiscard]] const BaselineEntry* find(std::string_view key) const;
};

/// InputError, one line per problem: no JSON, merge conflict markers, another version, an entry
/// twice, keys that are wrong or missing.
Baseline read_baseline(const std::string& path);
Baseline parse_baseline(std::string_view text, const std::string& file);

/// The file's text. Reads back as the same.
std::string write_baseline(const Baseline& baseline);

std::string baseline_manual();
std::string baseline_json_schema();

/// The texts of "thresholds" in a document; wrong kinds were refused before.
std::vector<ThresholdText> threshold_texts(const JsonPtr& root);

}  // namespace feedrate::schema
