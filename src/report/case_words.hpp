#pragma once
// How wrong predictions are, in words that `cases` and `validate` share.
#include <string>
#include <vector>

#include "model/case_result.hpp"

namespace feedrate::report {

/// "a 90 % interval"; "a range of 2 draws" where those are too few for a share.
std::string interval_words(int draws);

/// A case's error with its sign, in what it is told in: "+2.7 %", "-0.2 points", "+3.5".
std::string error_text(const CaseResult& result);

/// What the size of a case's error may be: "10 %", "4.5 points". Precondition: it has a limit.
std::string limit_text(const CaseResult& result);

/// What a case counts as in a summary: "relative", "points", "zero", "bottleneck", "fitted",
/// "identity".
std::string counted_as(const CaseResult& result);

/// The median and the worst error of all predictions and how many lie in their interval (or, where
/// none was drawn, are near), as one sentence. Names the worst one's file if `with_file`.
std::string errors_sentence(const CaseSummary& summary, bool with_file);

/// What else there is to say, most telling first: bottlenecks, tolerances that are missed, what is
/// not counted.
std::vector<std::string> further_sentences(const CaseSummary& summary);

/// Both, the worst one with its file, and how the errors of changes are counted.
std::vector<std::string> summary_sentences(const CaseSummary& summary);

}  // namespace feedrate::report
