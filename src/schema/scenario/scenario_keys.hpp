#pragma once
// The keys of a scenario file.
#include "model/scenario.hpp"
#include "schema/record/codec.hpp"

namespace feedrate::schema {

/// Keys of the file's object, all levels; built once.
const Key& scenario_root();

/// The file's object, as the reader and the writer of scenarios see it.
const std::vector<Entry<Scenario>>& scenario_entries();

}  // namespace feedrate::schema
