// Where the pricing files are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/shared_folder.hpp"
#include "schema/catalog/catalog_reader.hpp"

namespace feedrate::schema {
namespace {

constexpr const char* marker = "services.json";

bool is_pricing_folder(const char* folder) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(std::filesystem::path(folder) / marker, ignored);
}

/// Where the user's own catalogue is, if there is one: "" where no folder of the user is known.
std::string users_folder() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return std::string(config) + "/feedrate/pricing";
  const char* home = std::getenv("HOME");
  return home == nullptr || *home != '/' ? "" : std::string(home) + "/.config/feedrate/pricing";
}

}  // namespace

std::string own_pricing_folder() {
  const char* set = std::getenv("FEEDRATE_PRICING");
  if (set != nullptr && *set != '\0') return find_pricing_folder();
  const std::string own = users_folder();
  if (!own.empty()) return own;
  throw HostError(
      "no folder for prices of your own: set HOME, XDG_CONFIG_HOME or FEEDRATE_PRICING");
}

std::string find_pricing_folder(const std::string& library) {
  if (const char* set = std::getenv("FEEDRATE_PRICING"); set != nullptr && *set != '\0') {
    if (is_pricing_folder(set)) return set;
    throw InputError(fmt::format(
        "FEEDRATE_PRICING: expected a folder with pricing files (services.json …), got {}",
        in_quotes(set, 200)));
  }
  const std::string own = users_folder();
  if (!own.empty() && is_pricing_folder(own.c_str())) return own;
  const SharedFolder folder = find_shared_folder("pricing", marker, library);
  if (!folder.path.empty()) return folder.path;
  throw HostError(fmt::format("no pricing files in {}; set FEEDRATE_PRICING to their folder",
                              fmt::join(folder.tried, ", ")));
}

}  // namespace feedrate::schema
