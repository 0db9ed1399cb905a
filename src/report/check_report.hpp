#pragma once
// A check in each of the forms that people and CI systems read; JSON is
// schema/documents/documents.hpp.
#include <string>

#include "model/verdict.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// For the terminal: one row per scenario, then why, for each that changed.
Report check_report(const Verdict& verdict);

/// The same at a glance: the verdict, and what changed in the worst scenario, in twelve lines at
/// most above the tables, none of which is wider than 80 columns.
Report check_brief(const Verdict& verdict);

/// GitHub refuses longer comments.
inline constexpr std::size_t longest_comment = 65'536;

/// A pull-request comment: a hidden marker ("<!-- feedrate check: BASELINE -->") to find it again,
/// headline, table, folded details. Shorter than longest_comment: details that do not fit, then
/// rows, are left out, and it says so.
std::string check_markdown(const Verdict& verdict);

/// JUnit XML: a test suite a check, a test case a scenario and limit.
std::string check_junit(const Verdict& verdict);

/// GitHub's workflow commands, a line each: "::error file=…,line=…,title=…::…".
std::string check_github(const Verdict& verdict);

}  // namespace feedrate::report
