#pragma once
// The HTML report: one file that needs nothing but itself.
#include <string>
#include <vector>

#include "base/units.hpp"
#include "model/advice.hpp"
#include "model/sweep.hpp"
#include "model/timeline.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

struct HtmlInput {
  NamedResult named;
  std::string description;       ///< a sentence for readers; may be empty
  const Sweep* sweep = nullptr;  ///< null: none was made; all points have a result
  std::string no_sweep;          ///< why not, or why points of it are left out
  const Timeline* timeline = nullptr;
  const Advice* advice = nullptr;  ///< null: none could be given
  HourlyPrice value_of_hour;
  bool hour_varies = false;  ///< the sweep itself varies the value of an hour: no slider
  std::string data;          ///< schema::write_chart_data
  std::string scenario;      ///< as JSON
};

/// The whole page. Texts of the input appear as text, whatever they hold.
std::string html_page(const HtmlInput& input);

/// A report as a page of headings, tables and lists, without scripts but that of the colours.
/// `name` stands in the browser's tab.
std::string html_page(const Report& report, const std::string& name);

/// Whether the build has embedded what draws charts; without, the page has tables only.
bool html_has_charts();

/// What to do to have charts, in one sentence.
std::string html_charts_hint();

/// The sections of a timeline that the page shows, short enough to be looked at.
Timeline shortened(const Timeline& timeline);

}  // namespace feedrate::report
