#pragma once
// The stages as charts need them: all names, in the order in which a sample meets them.
#include "model/stage.hpp"
#include "schema/json/json_writer.hpp"

namespace feedrate::schema {

/// A list of names. Precondition: a value may follow.
inline void write_stage_names(JsonWriter& out) {
  out.begin_array();
  for (const Stage stage : all_stages()) out.text(name_of(stage));
  out.end();
}

}  // namespace feedrate::schema
