#include "report/page_assets.hpp"

#include "base/embed.hpp"
#include "page/page_hashes.hpp"  // made by the build

#define EMBED(name, file) FEEDRATE_EMBED(feedrate_##name, FEEDRATE_PAGE_FOLDER "/" file)

EMBED(page, "page.html");
EMBED(style, "page.css");
EMBED(specs, "specs.json");
EMBED(theme, "theme.js");
EMBED(script, "script.js");
EMBED(charts, "charts.js");
EMBED(notices, "notices.txt");

namespace feedrate::report {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

const PageAssets& page_assets() {
  static const PageAssets assets = {
      .page = between(feedrate_page, feedrate_page_end),
      .style = between(feedrate_style, feedrate_style_end),
      .specs = between(feedrate_specs, feedrate_specs_end),
      .theme = {between(feedrate_theme, feedrate_theme_end), page_hashes::theme},
      .script = {between(feedrate_script, feedrate_script_end), page_hashes::script},
      .charts = {between(feedrate_charts, feedrate_charts_end), page_hashes::charts},
      .notices = between(feedrate_notices, feedrate_notices_end),
  };
  return assets;
}

}  // namespace feedrate::report
