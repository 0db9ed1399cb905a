#pragma once
// Which group each input belongs to: what changed between two scenarios, and mixtures of both.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/baseline.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/json/json_writer.hpp"

namespace feedrate::schema {

/// Everything that a result depends on, as JSON: the scenario with its includes and settings merged
/// in and nothing said for readers, the records of the pricing files, the host profile.
struct StoredInputs {
  JsonPtr scenario;
  JsonPtr catalog;
  JsonPtr host;  ///< null: none
};

/// The group of a key of the scenario.
InputGroup group_of(std::string_view pointer);

/// What is not as it was, in the order of the keys. `source` is the document that `now.scenario`
/// was made from: it knows files and lines. Pricing records that only one side uses are left out
/// (the key that chose them is there); sources and dates do not count as changes.
std::vector<KeyChange> changes(const StoredInputs& before, const StoredInputs& now,
                               const JsonPtr& source);

/// The scenario `before` with the keys of the groups in `taken` as in `now`.
JsonPtr mixed(const JsonPtr& before, const JsonPtr& now, std::span<const InputGroup> taken);

/// The value that `pointer` leads to in `root`, or the nearest one around it.
const JsonValue& nearest_value(const JsonPtr& root, std::string_view pointer);

/// The text's Fingerprint; tells changes, not forgeries.
std::string hash_of(const StoredInputs& inputs);
std::string hash_of(std::string_view text);

}  // namespace feedrate::schema
