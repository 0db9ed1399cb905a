#include "cli/inputs.hpp"

#include "api/vary.hpp"
#include "base/errors.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/documents/host.hpp"

namespace feedrate::cli {

void apply_settings(schema::Document& document, const SimulationOptions& options) {
  for (const std::string& text : options.settings) {
    const auto [key, value] = api::parse_setting(text, "--set");
    schema::set_value(document, key, value);
  }
  document.keep_as_base();
}

AllowedFiles allowed_files(const SimulationOptions& options) {
  AllowedFiles allowed;
  allowed.folders = options.allow_files;
  allowed.read = options.named.get();
  return allowed;
}

schema::Document load_with_settings(const std::string& path, const SimulationOptions& options) {
  schema::Document document = schema::load_document(path, allowed_files(options));
  apply_settings(document, options);
  return document;
}

Catalog catalog_of(const std::set<std::string>& instances) {
  return schema::read_catalog(schema::find_pricing_folder(),
                              std::vector<std::string>(instances.begin(), instances.end()));
}

Catalog whole_catalog() {
  return schema::read_whole_catalog(schema::find_pricing_folder());
}

std::optional<HostProfile> host_of(const SimulationOptions& options) {
  if (options.host.empty()) return std::nullopt;
  return schema::read_host_profile(options.host);
}

std::vector<std::pair<std::string, std::string>> settings_of(const SimulationOptions& options) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& text : options.settings) {
    auto setting = api::parse_setting(text, "--set");
    std::erase_if(settings, [&](const auto& one) { return one.first == setting.first; });
    settings.push_back(std::move(setting));
  }
  return settings;
}

std::vector<std::string> files_read(std::span<const std::string> scenarios,
                                    const SimulationOptions& options) {
  std::vector<std::string> files(scenarios.begin(), scenarios.end());
  if (!options.host.empty()) files.push_back(options.host);
  const std::vector<std::string> named = options.named->paths();
  files.insert(files.end(), named.begin(), named.end());
  return files;
}

void refuse_to_overwrite_read(const std::string& output, std::span<const std::string> scenarios,
                              const SimulationOptions& options) {
  refuse_to_overwrite("--output", output, files_read(scenarios, options));
}

}  // namespace feedrate::cli
