#include "resolve/distance.hpp"

#include "catalog/lookup.hpp"

namespace feedrate::resolve {
namespace {

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
  if (!source.region || cloud.empty() || context.outside(cloud)) return std::nullopt;
  std::string job = region_of_job(context);
  if (job.empty() && cloud == "aws") job = default_region;
  if (job.empty() || job == *source.region) return std::nullopt;
  return Distance{*source.region, job, continent_of(*source.region) != continent_of(job)};
}

std::string region_of_checkpoints(const Context& context, const std::string& job,
                                  const std::string& data) {
  const auto& given = context.scenario.job.checkpoint;
  if (given && given->region) return *given->region;
  if (!given || !given->to) return data;
  const std::string_view cloud = traits(*given->to).cloud;
  if (cloud == "aws") return aws_region(context.machine(), job);
  // Machines that may stand anywhere are taken to stand beside the data, as their reading is.
  return job.empty() && cloud == traits(context.scenario.source.service).cloud ? data : job;
}

bool checkpoints_elsewhere(const Context& context) {
  const auto& given = context.scenario.job.checkpoint;
  if (!given) return false;
  const Source& source = context.scenario.source;
  if (given->to) {
    const bool express = given->to->row().storage_class == s3_express;
    const bool from_express = source.storage_class_or("STANDARD") == s3_express;
    if (given->to->name() != source.service.name() || express != from_express) return true;
  }
  const std::string job = region_of_job(context);
  const std::string data = source.region.value_or(
      traits(source.service).cloud == "aws" ? aws_region(context.machine(), job) : job);
  return region_of_checkpoints(context, job, data) != data;
}

std::optional<Assumption> way_to_data(const Context& context) {
  if (const auto far = distance_to_data(context)) {
    return far->continents ? assumed::continent_latency : assumed::region_latency;
  }
  const Source& source = context.scenario.source;
  const std::string_view cloud = traits(source.service).cloud;
  const Machine* machine = machine_that_reads(context);
  if (cloud.empty() || !context.outside(machine, cloud)) return std::nullopt;
  const std::string data =
      source.region.value_or(cloud == "aws" ? std::string(default_region) : "");
  const std::string_view from = continent_of(data);
  const std::string_view to = continent_of(region_of_job(context));
  const bool continents = !from.empty() && !to.empty() && from != to;
  return continents ? assumed::continent_latency : assumed::cloud_latency;
}

}  // namespace feedrate::resolve
