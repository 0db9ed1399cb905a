#include "cli/live_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/answer.hpp"
#include "base/errors.hpp"
#include "base/shared_folder.hpp"
#include "base/text_file.hpp"
#include "cli/inputs.hpp"
#include "report/html_text.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/json/json_writer.hpp"
#include "study/run.hpp"

namespace feedrate::cli {
namespace {

constexpr std::string_view page_name = "whatif.html";
constexpr std::string_view nothing_given =
    R"(<script type="application/json" id="given">[]</script>)";

/// The page without scenarios: as it was installed, or of this build.
std::string empty_page() {
  const std::string name(page_name);
  const SharedFolder folder = find_shared_folder("web", name);
  if (!folder.path.empty()) return read_text_file(folder.path + "/" + name);
  throw HostError(
      fmt::format("--live: this build of feedrate lacks the page that contains the simulator ({} "
                  "is in none of {}); build it where Emscripten is installed: cmake -B build "
                  "-DFEEDRATE_WEB=ON && cmake --build build --target web",
                  page_name, fmt::join(folder.tried, ", ")));
}

/// The file as it was written, so that lines are those of the file; where settings or other files
/// are part of it, what they make of it.
std::string text_of(const std::string& path, const SimulationOptions& options) {
  const schema::Document document = load_with_settings(path, options);
  // What run refuses is refused here, with its places.
  static_cast<void>(scenario_of(document));
  if (path == "-") return schema::write_document(document);  // has been read to its end
  const bool alone = options.settings.empty() && !document.names_files();
  return alone ? read_text_file(path) : schema::write_document(document);
}

std::string request_of(const std::string& text, const std::string& file, const std::string& host) {
  schema::JsonWriter json;
  json.begin_object().text("scenario", text).text("file", file);
  if (!host.empty()) json.text("host", host);
  json.end();
  return std::move(json).finish();
}

}  // namespace

void write_live_page(const LivePageRequest& request) {
  std::string page = empty_page();
  const std::size_t place = page.find(nothing_given);
  if (place == std::string::npos) {
    throw HostError(fmt::format(
        "--live: {} has no place for scenarios: it belongs to another version", page_name));
  }
  refuse_to_overwrite_read(request.output, request.scenarios, request.simulation);
  const std::string host =
      request.simulation.host.empty() ? "" : read_text_file(request.simulation.host);
  schema::JsonWriter given;
  given.begin_array(schema::JsonWriter::Layout::block);
  for (const std::string& file : request.scenarios) {
    const std::string text = text_of(file, request.simulation);
    const std::string answer =
        api::answer(request_of(text, file, host),
                    {files_on_disk(), [] { return schema::find_pricing_folder(); }});
    given.begin_object().text("file", file).text("text", text);
    if (!host.empty()) given.text("host", host);
    given.text("answer", answer).end();
  }
  given.end();
  refuse_to_overwrite_read(request.output, request.scenarios, request.simulation);
  std::string filled(nothing_given);
  filled.replace(filled.find("[]"), 2, report::json_in_script(std::move(given).finish()));
  page.replace(place, nothing_given.size(), filled);
  write_text_file(request.output, page);
}

}  // namespace feedrate::cli
