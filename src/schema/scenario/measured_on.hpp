#pragma once
// Which machine the numbers of a document belong to, after settings have named another one.
#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {

/// Fills what the document's "measured_on" leaves open. Numbers belong to the instance that stood
/// beside them when they were stated: those of the file to the file's instance, those of --set to
/// the one after --set, those that a sweep or a case sets to its own. Where that is the instance
/// asked for now, nothing is filled; where none stood there, it is unknown_machine.
void fill_measured_on(Scenario& scenario, const Document& document);

}  // namespace feedrate::schema
