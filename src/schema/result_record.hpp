#pragma once
// The object called "result" in every document: what is written, what each key means, and in which
// order, in one description.
#include "model/result.hpp"
#include "schema/json_writer.hpp"
#include "schema/key.hpp"

namespace feedrate::schema {

/// The object that `run --format json` has under "result". Precondition: a value may follow.
void write_result_body(const Result& result, JsonWriter& out);

/// Its keys, each with its own, in the order of writing.
const Key& result_root();

}  // namespace feedrate::schema
