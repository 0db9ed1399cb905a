#pragma once
// The measured cases of a scenario, run.
#include "api/inputs.hpp"
#include "model/case_result.hpp"

namespace feedrate::api {

/// The scenario of `document` with each of its cases predicted, and what they come to. A case's
/// keys are set as --set does; an InputError names the document's files and lines. Where `refused`
/// is given, cases that cannot be simulated are left out, and it takes what is wrong with them.
ScenarioCases cases_of(const schema::Document& document, const Catalog& catalog,
                       const HostProfile* host, const study::RunOptions& options,
                       std::vector<Problem>* refused = nullptr);

/// The options of such a prediction: with an interval, of a hundred draws where `depth` names no
/// other number.
study::RunOptions case_options(const Depth& depth);

}  // namespace feedrate::api
