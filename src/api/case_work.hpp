#pragma once
// The measured cases of a scenario, run.
#include "api/inputs.hpp"
#include "model/case_result.hpp"

namespace feedrate::api {

/// The scenario of `document` with each of its cases predicted, and what they come to. A case's
/// keys are set as --set does; an InputError names the document's files and lines, and so does
/// what is wrong with cases that cannot be simulated, where these are to be kept apart.
ScenarioCases cases_of(const schema::Document& document, const Catalog& catalog,
                       const HostProfile* host, const study::RunOptions& options,
                       bool keep_refused = false);

/// The options of such a prediction: with an interval, of a hundred draws where `depth` names no
/// other number.
study::RunOptions case_options(const Depth& depth);

}  // namespace feedrate::api
