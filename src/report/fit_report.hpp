#pragma once
// `fit`: unknowns, how sure they are, and how well the cases are met.
#include <string>

#include "model/unknowns_fit.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// `written`: the file that holds the fitted scenario; empty: none was asked for, and the settings
/// that make it are listed.
Report fit_report(const UnknownsFit& fit, const std::string& written);

}  // namespace feedrate::report
