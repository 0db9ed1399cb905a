#pragma once
// The parts of the HTML report, each as HTML.
#include <map>
#include <string>

#include "model/advice.hpp"
#include "report/html.hpp"

namespace feedrate::report {

/// Values of the page's template.
using PageValues = std::map<std::string, std::string>;

/// Headline, figures, pipeline, bill, inputs: everything about the one result.
void add_run_parts(PageValues& values, const HtmlInput& input);

/// The slider, the points of the sweep and what is best among them.
void add_sweep_parts(PageValues& values, const HtmlInput& input);

/// The ladder, the remedies and the settings that make them.
std::string advice_part(const Advice& advice);

/// A chart and a table for each section of the timeline.
std::string timeline_parts(const Timeline& timeline);

}  // namespace feedrate::report
