#include "catalog/regions.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/number_text.hpp"

namespace feedrate {
namespace {

constexpr std::string_view north_america = "north america", south_america = "south america",
                           europe = "europe", asia = "asia", australia = "australia",
                           africa = "africa", middle_east = "middle east";
using Names = std::pair<std::string_view, std::string_view>;

/// Those that AWS's and Google's names begin with.
constexpr std::array first_words = std::to_array<Names>({
    {"us", north_america},
    {"ca", north_america},
    {"mx", north_america},
    {"northamerica", north_america},
    {"sa", south_america},
    {"southamerica", south_america},
    {"eu", europe},
    {"europe", europe},
    {"ap", asia},
    {"asia", asia},
    {"cn", asia},
    {"australia", australia},
    {"af", africa},
    {"africa", africa},
    {"me", middle_east},
    {"il", middle_east},
});

/// Those that Azure's names hold, which have no hyphens. "us" and "uk" stand in other words, too
/// ("campus"): there they count beside what Azure sets beside them.
constexpr std::array words_within = std::to_array<Names>({
    {"australia", australia},  {"newzealand", australia},
    {"austria", europe},       {"europe", europe},
    {"belgium", europe},       {"denmark", europe},
    {"france", europe},        {"germany", europe},
    {"italy", europe},         {"norway", europe},
    {"poland", europe},        {"spain", europe},
    {"sweden", europe},        {"switzerland", europe},
    {"uknorth", europe},       {"uksouth", europe},
    {"ukwest", europe},        {"asia", asia},
    {"china", asia},           {"india", asia},
    {"indonesia", asia},       {"japan", asia},
    {"korea", asia},           {"malaysia", asia},
    {"taiwan", asia},          {"africa", africa},
    {"uae", middle_east},      {"israel", middle_east},
    {"qatar", middle_east},    {"brazil", south_america},
    {"chile", south_america},  {"canada", north_america},
    {"mexico", north_america}, {"centralus", north_america},
    {"eastus", north_america}, {"westus", north_america},
    {"usdod", north_america},  {"usgov", north_america},
});

/// What AWS's names have before their number: "ashburn" and "frankfurt" are another seller's.
constexpr std::array directions =
    std::to_array<std::string_view>({"north", "northeast", "east", "southeast", "south",
                                     "southwest", "west", "northwest", "central"});
/// First words of AWS's and other sellers' names that none of Google's has.
constexpr std::array never_google =
    std::to_array<std::string_view>({"eu", "ap", "sa", "af", "ca", "il"});

constexpr bool has(const auto& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view continent_by_azure(std::string_view region) {
  for (const auto& [word, continent] : words_within) {
    if (region.find(word) != std::string_view::npos) return continent;
  }
  return "";
}

}  // namespace

std::string_view continent_of(std::string_view region) {
  const std::size_t hyphen = region.find('-');
  if (hyphen == std::string_view::npos) {
    if (const std::string_view found = continent_by_azure(region); !found.empty()) return found;
  }
  // Of AWS's "ap" Sydney, Melbourne and New Zealand lie as far from Asia as another continent.
  for (const std::string_view one : {"ap-southeast-2", "ap-southeast-4", "ap-southeast-6"}) {
    if (region == one) return australia;
  }
  for (const auto& [word, continent] : first_words) {
    if (region.substr(0, hyphen) == word) return continent;
  }
  return "";
}

std::string_view cloud_of_region(std::string_view region) {
  if (continent_of(region).empty()) return "";
  const auto hyphens = std::count(region.begin(), region.end(), '-');
  if (hyphens == 0) return continent_by_azure(region).empty() ? "" : "azure";
  const std::size_t last = region.rfind('-');
  const std::string_view end = region.substr(last + 1);
  if (end.empty() || !is_digit(end.back())) return "";
  if (hyphens == 1) return has(never_google, region.substr(0, last)) ? "" : "gcp";
  const std::string_view before = region.substr(0, last);
  const bool numbered = std::all_of(end.begin(), end.end(), is_digit);
  return numbered && has(directions, before.substr(before.rfind('-') + 1)) ? "aws" : "";
}

}  // namespace feedrate
