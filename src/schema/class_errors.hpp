#pragma once
// A table of the model's own errors as text.
#include <string>
#include <string_view>

#include "model/class_errors.hpp"

namespace feedrate::schema {

/// `text` holds a row a line, as in src/model/class_errors.inc: {"NAME", bias, between, within,
/// degrees of freedom, points, studies, median error, 90 % factor}, and comments after //. Names
/// are classes
/// ("storage", "cpu", "copies", "gpu", "scale_out", "any"), alone or with what was known
/// ("storage/nothing", "any/fitted", "cpu/profile"). InputError with file:line for anything else.
ClassErrors parse_class_errors(std::string_view text, const std::string& file);

}  // namespace feedrate::schema
