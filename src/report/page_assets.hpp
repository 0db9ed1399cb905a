#pragma once
// The parts of the HTML report that do not depend on a result: files of src/report/page and plots,
// put into the program by the build (page/embed.cmake).
#include <string_view>

namespace feedrate::report {

struct Script {
  std::string_view text;
  std::string_view sha256;  ///< in hexadecimal
};

struct PageAssets {
  std::string_view page;   ///< page.html, a template
  std::string_view style;  ///< page.css
  std::string_view specs;  ///< {"name": Vega-Lite specification}, one of each plots/*.vl.json
  Script theme;            ///< runs before anything is drawn
  Script script;           ///< page.js and what it imports
  Script charts;           ///< vega, vega-lite and vega-embed; empty where npm had nothing to offer
  std::string_view notices;  ///< what is within `charts`, with its licences; empty without charts
};

const PageAssets& page_assets();

}  // namespace feedrate::report
