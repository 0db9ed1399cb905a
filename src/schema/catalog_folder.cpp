// Where the pricing files are.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "schema/catalog_reader.hpp"

namespace feedrate::schema {
namespace {

namespace fs = std::filesystem;

bool is_pricing_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "services.json", ignored);
}

}  // namespace

std::string find_pricing_folder(const std::string& built_in) {
  if (const char* set = std::getenv("FEEDRATE_PRICING"); set != nullptr && *set != '\0') {
    if (is_pricing_folder(set)) return set;
    throw InputError(fmt::format(
        "FEEDRATE_PRICING: expected a folder with pricing files (services.json …), got {}",
        in_quotes(set, 200)));
  }
  std::vector<std::string> tried;
  std::error_code failed;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const fs::path above = executable.parent_path().parent_path();
    tried.push_back((above / "share/feedrate/pricing").string());
    tried.push_back((above / "pricing").string());
  }
  if (!built_in.empty()) tried.push_back(built_in);
  for (const std::string& folder : tried) {
    if (is_pricing_folder(folder)) return folder;
  }
  throw HostError(fmt::format("no pricing files in {}; set FEEDRATE_PRICING to their folder",
                              fmt::join(tried, ", ")));
}

}  // namespace feedrate::schema
