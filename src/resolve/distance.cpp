#include "resolve/distance.hpp"

#include <array>
#include <utility>

#include "catalog/lookup.hpp"

namespace feedrate::resolve {
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

std::string region_of_job(const Context& context) {
  const std::string given = context.scenario.cluster.region.value_or("");
  return given.empty() ? region_of_price(context.catalog, context.scenario.cluster) : given;
}

/// Auxiliary instances read in place of the cluster's own.
const Machine* machine_that_reads(const Context& context) {
  const auto& remote = context.scenario.loader.remote;
  if (!remote) return context.machine();
  const auto found = find_machine(context.catalog, remote->instance);
  return found ? *found : nullptr;
}

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

double share_from_other_zones(const Context& context) {
  const Source& source = context.scenario.source;
  const bool in_one_zone = traits(source.service).in_one_zone ||
                           (source.service.family() == Service::efs &&
                            (source.storage_class_or(default_efs_class) == efs_one_zone ||
                             source.throughput_mode.value_or("") == efs_one_zone_mode));
  if (!in_one_zone) return 0.0;
  if (source.other_zone.value_or(false)) return 1.0;
  const double zones = context.scenario.cluster.zones_used();
  return (zones - 1.0) / zones;
}

std::optional<Distance> distance_to_data(const Context& context) {
  const Source& source = context.scenario.source;
  const std::string_view cloud = traits(source.service).cloud;
  if (!source.region || cloud.empty()) return std::nullopt;
  const Machine* machine = context.machine();
  // A machine of one's own stands where the catalogue's default is.
  if ((machine != nullptr ? std::string_view(machine->cloud) : "aws") != cloud) return std::nullopt;
  std::string job = region_of_job(context);
  if (job.empty() && cloud == "aws") job = default_region;
  if (job.empty() || job == *source.region) return std::nullopt;
  return Distance{*source.region, job, continent_of(*source.region) != continent_of(job)};
}

std::optional<Assumption> way_to_data(const Context& context) {
  if (const auto far = distance_to_data(context)) {
    return far->continents ? assumed::continent_latency : assumed::region_latency;
  }
  const Source& source = context.scenario.source;
  const std::string_view cloud = traits(source.service).cloud;
  const Machine* machine = machine_that_reads(context);
  if (cloud.empty() || machine == nullptr || machine->cloud == cloud) return std::nullopt;
  const std::string data =
      source.region.value_or(cloud == "aws" ? std::string(default_region) : "");
  const std::string_view from = continent_of(data);
  const std::string_view to = continent_of(region_of_job(context));
  const bool continents = !from.empty() && !to.empty() && from != to;
  return continents ? assumed::continent_latency : assumed::cloud_latency;
}

}  // namespace feedrate::resolve
