#pragma once
// A result inside another document.
#include "model/result.hpp"
#include "schema/json_writer.hpp"

namespace feedrate::schema {

/// The object that `run --format json` has under "result". Precondition: a value may follow.
void write_result_body(const Result& result, JsonWriter& out);

}  // namespace feedrate::schema
