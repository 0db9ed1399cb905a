#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/version.hpp"
#include "report/html_parts.hpp"
#include "report/html_text.hpp"
#include "report/numbers.hpp"
#include "report/page_assets.hpp"
#include "report/run_tables.hpp"
#include "words/bill.hpp"

namespace feedrate::report {
namespace {

// Nothing may be loaded, and only the page's own scripts may run. Styles carry the length of bars.
std::string policy(const PageAssets& assets) {
  std::string scripts;
  for (const Script& script : {assets.theme, assets.charts, assets.script}) {
    scripts += ' ' + csp_hash(script.sha256);
  }
  return fmt::format(
      "default-src 'none'; script-src{}; style-src 'unsafe-inline'; base-uri 'none'; form-action "
      "'none'",
      scripts);
}

// Where the bill's prices come from, each source with its date, once.
std::string prices(const Bill& bill) {
  const std::string sources = words::price_sources(bill);
  return sources.empty() ? sources : escaped(sources) + ".";
}

}  // namespace

bool html_has_charts() {
  return !page_assets().charts.text.empty();
}

std::string html_charts_hint() {
  return "No charts: this build of feedrate lacks Vega. Install Node.js and npm (Debian: "
         "apt-get "
         "install nodejs npm), run `npm ci --prefix plots` and build again.";
}

std::string html_page(const HtmlInput& input) {
  const PageAssets& assets = page_assets();
  PageValues values = {
      {"csp", policy(assets)},
      {"version", std::string(version)},
      {"name", escaped(input.named.name)},
      {"file", escaped(input.named.file)},
      {"description", escaped(input.description)},
      {"style", std::string(assets.style)},
      {"theme_script", std::string(assets.theme.text)},
      {"no_charts", html_has_charts() ? "" : escaped(html_charts_hint())},
      {"timeline", input.timeline != nullptr ? timeline_parts(*input.timeline) : ""},
      {"advice", input.advice != nullptr ? advice_part(*input.advice) : ""},
      {"scenario", escaped_lines(input.scenario)},
      {"prices", prices(input.named.result.bill)},
      {"effort", effort_words(input.named.result.effort)},
      {"data", json_in_script(input.data)},
      {"specs", json_in_script(assets.specs)},
      {"charts", std::string(assets.charts.text)},
      {"notices", escaped_lines(std::string(assets.notices))},
      {"script", std::string(assets.script.text)},
  };
  add_run_parts(values, input);
  add_sweep_parts(values, input);
  return filled_in(assets.page, values);
}

}  // namespace feedrate::report
