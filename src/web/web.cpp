// What a page may ask of the simulator: texts in, texts out, without files or a network.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <string_view>

#include "api/answer.hpp"
#include "base/files.hpp"
#include "schema/catalog/catalog_list.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/requests/request.hpp"
#include "schema/scenario/prepared_setting.hpp"
#include "schema/scenario/scenario.hpp"
#include "web/embedded.hpp"

namespace {

const feedrate::FilesInMemory& files() {
  static const feedrate::FilesInMemory all = [] {
    std::map<std::string, std::string_view> texts;
    for (const auto& [name, text] : feedrate::web::embedded_files()) texts.emplace(name, text);
    return feedrate::FilesInMemory(std::move(texts));
  }();
  return all;
}

/// Read once: a list to choose from is asked for with each change.
const auto& catalog() {
  static const auto all = feedrate::schema::read_whole_catalog("pricing", files());
  return all;
}

/// A copy that the caller frees, ended by a zero.
char* handed_over(std::string_view text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace

extern "C" {

/// The answer to a request (src/api/answer.hpp), to be freed; null where memory is short.
char* web_answer(const char* request) {
  return handed_over(feedrate::api::answer(
      request, {files(), [] { return std::string("pricing"); }, {"scenarios"}}));
}

/// What is to be written into the scenario's text for the request's "set" to hold in it, a JSON
/// object {POINTER: VALUE, …}, to be freed; {} where the request is wrong, which the answer to it
/// explains.
char* web_edits(const char* request) {
  try {
    const auto asked = feedrate::schema::read_request(request, {files(), {"scenarios"}, true});
    feedrate::schema::Document changed = asked.scenario;
    for (const auto& setting : asked.set) {
      feedrate::schema::set_value(changed, setting.first, setting.second, "set");
    }
    changed.keep_as_base();
    return handed_over(feedrate::schema::write_edits(asked.scenario, changed));
  } catch (const std::exception&) {
    return handed_over("{}");
  }
}

/// The JSON Schema of a scenario, to be freed.
char* web_schema() {
  return handed_over(feedrate::schema::scenario_json_schema());
}

/// The instances with GPUs that the catalogue has prices of, as JSON, to be freed.
char* web_instances() {
  return handed_over(feedrate::schema::write_instances(catalog()));
}

/// What one of them costs by region and purchase, as JSON, to be freed; [] where there is none.
char* web_prices(const char* instance) {
  return handed_over(feedrate::schema::write_prices_of(catalog(), instance));
}

/// Names of what travels inside, a line each, to be freed.
char* web_files() {
  std::string names;
  for (const auto& [name, text] : feedrate::web::embedded_files()) names += name + "\n";
  return handed_over(names);
}

/// The text of one of them, to be freed; empty where there is none of that name.
char* web_file(const char* name) {
  return handed_over(files().has(name) ? files().text(name) : "");
}
}
