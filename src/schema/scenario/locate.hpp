#pragma once
// Complaints that know only a JSON pointer, brought home to a file and a line.
#include "base/errors.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {

/// The same problems; those that name no file get that of the value at their pointer, or of the
/// nearest one around it when the value itself is not there. Pointers that lead into no part of the
/// document (a default, a command-line flag) stay as they are.
InputError located(const Document& document, const InputError& error);

}  // namespace feedrate::schema
