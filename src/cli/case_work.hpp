#pragma once
// The measured cases of a scenario, run.
#include "cli/inputs.hpp"
#include "report/reports.hpp"

namespace feedrate::cli {

/// The scenario of `document` with each of its cases predicted, and what they come to. A case's
/// keys are set as --set does; an InputError names the document's files and lines.
ScenarioCases cases_of(const schema::Document& document, const Catalog& catalog,
                       const HostProfile* host, const study::RunOptions& options);

}  // namespace feedrate::cli
