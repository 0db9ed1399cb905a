// The remote side: what a source delivers to one instance, by service and input mode.
#include <fmt/format.h>

#include <algorithm>

#include "pipeline/context.hpp"
#include "pipeline/page_cache.hpp"

namespace feedrate::pipeline {
namespace {

constexpr double small_request_bytes = 512e3;  // S3 publishes another latency below this

/// What the catalogue knows of a service, as far as a Source can override it.
struct Published {
  Known<Duration> latency;
  Known<Bandwidth> per_connection;
  Known<Bandwidth> bandwidth;  ///< of the service, in all
  Known<Frequency> requests;
  bool shared = false;
};

Published of_s3(const Catalog& catalog, Bytes request) {
  Published s3;
  s3.latency = request.base() < small_request_bytes ? middle_of(catalog.s3.small_request)
                                                    : middle_of(catalog.s3.first_byte);
  s3.per_connection = middle_of(catalog.s3.per_connection);
  s3.bandwidth = catalog.s3.per_instance;
  s3.requests = catalog.s3.gets_per_prefix;
  return s3;
}

Published of_fsx(Context& context) {
  const Source& source = context.scenario.source;
  Published fsx;
  fsx.shared = true;
  fsx.latency = context.scenario.dataset.samples_per_object.value_or(1.0) > 1.0
                    ? context.catalog.fsx.latency
                    : context.catalog.fsx.open_small_file;
  fsx.per_connection = context.catalog.fsx.one_disk;
  if (source.bandwidth) return fsx;
  const std::string type = context.find_or<std::string>(
      Stage::download, "/source/deployment_type", source.deployment_type, {}, {},
      default_fsx_deployment, "no FSx deployment type is given");
  const SpecificBandwidth per_capacity = context.find_or<SpecificBandwidth>(
      Stage::download, "/source/throughput_per_capacity", source.throughput_per_capacity, {}, {},
      default_fsx_tier, "no FSx throughput tier is given");
  const auto tier = find_fsx_tier(context.catalog, type, per_capacity);
  if (!tier) {
    context.problem(tier.failure.key.empty() ? "/source/deployment_type" : tier.failure.key,
                    tier.failure.message);
    return fsx;
  }
  const Bytes capacity = billed_capacity(
      context.find_or<Bytes>(Stage::download, "/source/capacity", source.capacity, {}, {},
                             tebibytes(1.2), "the smallest FSx for Lustre file system"),
      fsx_steps(context.catalog, type).value);
  if (tier->disk_read) {
    fsx.bandwidth = Value<Bandwidth>{tier->disk_read->value * capacity, tier->disk_read->from};
  }
  return fsx;
}

Published of_efs(Context& context) {
  const Source& source = context.scenario.source;
  const EfsLimits& limits = context.catalog.efs;
  Published efs;
  efs.shared = true;
  const std::string name = context.find_or<std::string>(Stage::download, "/source/throughput_mode",
                                                        source.throughput_mode, {}, {}, "elastic",
                                                        "the default of new EFS file systems");
  const EfsMode* mode = find_efs_mode(context.catalog, name);
  if (mode == nullptr) {
    context.problem("/source/throughput_mode",
                    "expected elastic, bursting or provisioned, got \"" + name + "\"");
    return efs;
  }
  efs.latency = mode->read_latency;
  if (efs.latency && limits.round_trips_per_file) {
    efs.latency->value *= 1.0 + limits.round_trips_per_file->value;
    efs.latency->from.source += ", plus the round trips to open and close a file";
  }
  efs.per_connection = mode->per_client;
  efs.bandwidth = mode->read.low;
  efs.requests = mode->read_iops;
  if (name == "bursting" && limits.earned && source.capacity) {
    const Bandwidth earned = limits.earned->value * *source.capacity;
    const Bandwidth least = limits.earned_minimum ? limits.earned_minimum->value : earned;
    const double metered = limits.read_metering ? limits.read_metering->value : 1.0;
    efs.bandwidth = Value<Bandwidth>{std::max(earned, least) / metered, limits.earned->from};
  } else if (name == "bursting" && !source.bandwidth) {
    context.problem("/source/capacity",
                    "needed: EFS in bursting mode earns throughput by what it stores");
  } else if (name == "provisioned" && !source.bandwidth) {
    const Bandwidth provisioned = context.need<Bandwidth>(
        Stage::download, "/source/provisioned_throughput", source.provisioned_throughput, {}, {},
        "the throughput that is paid for");
    efs.bandwidth = Value<Bandwidth>::given(provisioned);
  }
  return efs;
}

Published published_limits(Context& context, Service service, Bytes request) {
  switch (service) {
    case Service::s3: return of_s3(context.catalog, request);
    case Service::fsx_lustre: return of_fsx(context);
    case Service::efs: return of_efs(context);
    default: return {};
  }
}

/// How one instance reads from the source; `request` is the size of one request.
Read read_from(Context& context, Service service, Bytes request, double connections_by_default,
               bool ignore_given) {
  const Scenario& s = context.scenario;
  const Source given = ignore_given ? Source{} : s.source;
  const bool from_host = context.host && service != Service::fsx_lustre && service != Service::efs;
  const Published known = published_limits(context, service, request);
  Read read;
  read.latency = context.need<Duration>(Stage::download, "/source/first_byte_latency",
                                        given.first_byte_latency,
                                        from_host ? context.host->first_byte_latency : std::nullopt,
                                        known.latency, "the time to the first byte");
  const bool shared = given.shared.value_or(known.shared);
  const double instances = s.cluster.instances;
  const auto network =
      context.find<Bandwidth>(Stage::download, "/cluster/network", s.cluster.network, {},
                              context.published(&Machine::network));
  auto limit = context.find<Bandwidth>(Stage::download, "/source/bandwidth", given.bandwidth, {},
                                       known.bandwidth);
  if (limit && shared) *limit /= instances;
  if (!limit && !network) {
    context.needed("/source/bandwidth", "what the source gives; nor is /cluster/network");
    limit = bytes_per_second(1.0);
  }
  Bandwidth most = limit && network ? std::min(*limit, *network) : (limit ? *limit : *network);
  if (from_host && context.host->download && !given.bandwidth) {
    read.rate = context.use_curve(Stage::download, "download curve", *context.host->download);
  } else {
    const Bandwidth each = context.find_or<Bandwidth>(
        Stage::download, "/source/bandwidth_per_connection", given.bandwidth_per_connection, {},
        known.per_connection, most, "one connection can use all of it");
    if (given.connections) most = std::min(most, *given.connections * each);
    if (connections_by_default > 0.0 && !given.connections) {
      most = std::min(most, connections_by_default * each);
    }
    read.rate = linear_until(each, most);
  }
  const auto requests = context.find<Frequency>(
      Stage::download, "/source/requests_per_second", given.requests_per_second,
      from_host ? context.host->requests_per_second : std::nullopt, known.requests);
  // A request-rate limit is the service's, whoever asks: all instances share it.
  if (requests) read.max_requests = *requests / instances;
  return read;
}

InputMode default_mode(Service service) {
  switch (service) {
    case Service::s3:
    case Service::http: return InputMode::file;
    case Service::fsx_lustre:
    case Service::efs: return InputMode::mount;
    default: return InputMode::local;
  }
}

constexpr double staging_connections = 16.0;

void resolve_staging(Context& context, Bytes object, double objects) {
  Inputs& inputs = context.out.inputs;
  Staging staging;
  staging.connections = context.find_or<double>(
      Stage::download, "/source/connections", context.scenario.source.connections, {}, {},
      staging_connections, "parallel copies of File mode");
  staging.object_size = object;
  staging.objects = objects;
  if (context.scenario.source.distribution == Distribution::sharded_by_s3_key) {
    staging.objects = std::max(1.0, staging.objects / inputs.instances);
  }
  staging.read = read_from(context, context.scenario.source.service, object, 0.0, false);
  resolve_disk(context, true);
  if (inputs.disk) staging.disk_write = inputs.disk->rate.maximum();
  inputs.staging = staging;
}

}  // namespace

DataPerSample stored_bytes(const Scenario& scenario) {
  DataPerSample stored = scenario.dataset.bytes_per_sample.value_or(DataPerSample{});
  for (const Operation& op : scenario.preprocess) {
    if (op.where == Place::offline && op.output_bytes) stored = *op.output_bytes;
  }
  return stored;
}

void resolve_source(Context& context) {
  const Scenario& s = context.scenario;
  const Source& source = s.source;
  Inputs& inputs = context.out.inputs;
  const DataPerSample stored = stored_bytes(s);
  const InputMode mode = source.input_mode.value_or(default_mode(source.service));
  const bool remote_service = source.service != Service::local && source.service != Service::ebs;
  if (mode == InputMode::local || !remote_service) {
    if (stored.base() > 0.0) resolve_disk(context, false);
    return;
  }
  if (stored.base() <= 0.0) {
    context.problem("/dataset/bytes_per_sample", "expected the size of a sample, got nothing");
    return;
  }
  const double per_object =
      context.find_or<double>(Stage::download, "/dataset/samples_per_object",
                              s.dataset.samples_per_object, {}, {}, 1.0, "a file a sample");
  const Bytes object = stored * samples(per_object);
  if (mode == InputMode::file) {
    resolve_staging(context, object, std::max(1.0, std::ceil(inputs.samples / per_object)));
    return;
  }
  const bool pipe = mode == InputMode::pipe;
  inputs.sequential_stream = pipe;
  Read read = read_from(context, source.service, object, pipe ? 1.0 : 0.0, false);
  read.bytes = stored;
  read.requests = 1.0 / per_object;
  if (pipe) {
    // One stream: what its connections reach together, one request's latency at a time hidden
    // behind the others.
    const double connections = source.connections.value_or(1.0);
    read.rate = {{{1.0, read.rate.total(connections)}}, 0.0};
    read.latency = read.latency / connections;
  }
  inputs.source = read;
  inputs.first_source = read;
  if (mode != InputMode::mount) return;
  resolve_page_cache(context, false);  // the client's
  if (source.service == Service::fsx_lustre && source.lazy_load_from_s3.value_or(false)) {
    Read s3 = read_from(context, Service::s3, object, 0.0, true);
    Read& first = *inputs.first_source;
    first.latency += s3.latency;
    const Bandwidth each = std::min(first.rate.total(1.0), s3.rate.total(1.0));
    first.rate = linear_until(each, std::min(first.rate.maximum(), s3.rate.maximum()));
    first.max_requests = s3.max_requests;
  }
}

}  // namespace feedrate::pipeline
