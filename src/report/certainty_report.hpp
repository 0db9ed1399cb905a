#pragma once
// How sure a result is, and what to measure to be surer.
#include <string>
#include <vector>

#include "model/result.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// The uncertain inputs that matter, those that explain most first; or that nothing that matters is
/// only assumed, where that was shown.
void add_certainty(Report& report, const Result& result);

/// What predictions of jobs like this were off by, and what would narrow it; "" where it is not
/// known.
std::string reference_words(const Result& result);

/// The classes of the model's own error that matter, the one that does most first.
std::vector<ModelDoubt> model_doubts(const Result& result);

/// The probe that would tell most and what it settles, without a full stop; "" where none would
/// tell much.
std::string measure_words(const Result& result);
/// "Measure first: …", the same as a sentence.
std::string measure_first(const Result& result);
/// The probe, and where there is none what else would narrow the range: a measured epoch, or the
/// input that makes most of it; "" where nothing would do much.
std::string narrowing_words(const Result& result);

/// "`feedrate calibrate disk` (about 30 s)".
std::string calibrate_words(const std::string& probe);

/// Assumptions that have no range, being settings that were left out, on the critical path.
std::vector<const InputUsed*> assumed_settings(const Result& result);

/// Inputs that have a range and matter, those that explain most first, each name once.
std::vector<const InputUsed*> uncertain_inputs(const Result& result);

/// "44 min 10 s … 46 min 3 s": how long the job takes at the ends of the input's range.
std::string job_range(const Effect& effect);

}  // namespace feedrate::report
