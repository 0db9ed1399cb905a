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

/// Those that Azure's names hold, which have no hyphens: an "us" within others comes behind them.
constexpr std::array words_within = std::to_array<Names>({
    {"australia", australia}, {"newzealand", australia}, {"austria", europe},
    {"europe", europe},       {"belgium", europe},       {"denmark", europe},
    {"france", europe},       {"germany", europe},       {"italy", europe},
    {"norway", europe},       {"poland", europe},        {"spain", europe},
    {"sweden", europe},       {"switzerland", europe},   {"uk", europe},
    {"asia", asia},           {"china", asia},           {"india", asia},
    {"indonesia", asia},      {"japan", asia},           {"korea", asia},
    {"taiwan", asia},         {"africa", africa},        {"uae", middle_east},
    {"israel", middle_east},  {"qatar", middle_east},    {"brazil", south_america},
    {"chile", south_america}, {"canada", north_america}, {"mexico", north_america},
    {"us", north_america},
});

}  // namespace

std::string_view continent_of(std::string_view region) {
  const std::size_t hyphen = region.find('-');
  if (hyphen == std::string_view::npos) {
    for (const auto& [word, continent] : words_within) {
      if (region.find(word) != std::string_view::npos) return continent;
    }
    return "";
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
  if (hyphens == 0) return "azure";
  const std::string_view end = region.substr(region.rfind('-') + 1);
  if (end.empty() || !is_digit(end.back())) return "";
  if (hyphens == 1) return "gcp";
  return std::all_of(end.begin(), end.end(), is_digit) ? "aws" : "";
}

}  // namespace feedrate
