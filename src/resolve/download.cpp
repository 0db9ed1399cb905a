// The remote side: what a source delivers to one instance, by service and input mode.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/input_mode.hpp"
#include "pipeline/page_cache.hpp"
#include "resolve/context.hpp"
#include "resolve/distance.hpp"
#include "resolve/network.hpp"
#include "resolve/pieces.hpp"
#include "resolve/services.hpp"

namespace feedrate::resolve {
namespace {

bool is_file_system(Service service) {
  return traits(service).form == StoreForm::file_system;
}

/// What it gives only those know who run or bought it.
bool is_stated_file_system(Service service) {
  return is_file_system(service) && traits(service).stated;
}

/// What is to be typed where nobody publishes it, and how to find it.
std::string first_byte_words(ServiceName store) {
  const std::string_view title = store.row().title;
  if (traits(store).objects != nullptr) {
    return fmt::format(
        "the time to the first byte of {}, which publishes none, such as \"50 ms\"; feedrate "
        "calibrate download --url URL measures it, or curl -w %{{time_starttransfer}} URL",
        title);
  }
  if (is_stated_file_system(store.family())) {
    return fmt::format(
        "what a small read from {} takes, such as \"1 ms\"; fio --rw=randread --bs=4k "
        "--iodepth=1 --direct=1 on the mount measures it",
        title);
  }
  return "the time to the first byte";
}

/// A small file on a file system is opened before it is read.
bool opens_files(const Context& context, Service service) {
  return is_file_system(service) &&
         context.scenario.dataset.samples_per_object.value_or(1.0) <= 1.0;
}

/// How one instance reads from the source; `request` is the size of one request, and it has one
/// part in `sharers` of what all instances share. What is given comes first, then what was measured
/// on the host, then what is published.
Read read_from(Context& context, Service service, Bytes request, const Network& network,
               double sharers, bool ignore_given) {
  const Scenario& s = context.scenario;
  const Source given = ignore_given ? Source{} : s.source;
  const bool from_host = context.host && !is_file_system(service);
  const Published known = published_limits(context, service, request);
  // Behind a file system that loads from S3 first, S3's figures are no keys of this scenario.
  const auto key = [&](const char* name) {
    return std::string(ignore_given ? "S3 behind the file system: " : "/source/") + name;
  };
  Read read;
  read.latency = context.need<Duration>(
      Stage::download, key("first_byte_latency"), given.first_byte_latency,
      from_host ? context.host->first_byte_latency : std::nullopt, known.latency,
      first_byte_words(ignore_given ? service : s.source.service));
  const bool own_latency =
      given.first_byte_latency || (from_host && context.host->first_byte_latency);
  const auto far = ignore_given || own_latency ? std::nullopt : way_to_data(context);
  if (far) read.latency += context.assume<Duration>(Stage::download, *far);
  // Steps wait for the instances in other zones, whatever their share.
  if (!ignore_given && !own_latency && share_from_other_zones(context) > 0.0) {
    read.latency += 2.0 * context.assume<Duration>(Stage::download, assumed::zone_latency);
  }
  const bool opens = s.dataset.samples_per_object.value_or(1.0) <= 1.0;
  const auto open = context.find<Duration>(Stage::download, key("open_latency"), given.open_latency,
                                           {}, known.open);
  if (open && opens) {
    read.latency += *open;
  } else if (opens_files(context, service)) {
    read.latency += context.assume(Stage::download, assumed::file_open, read.latency);
  }
  // The service's own rate typed in is no other service.
  const bool own = !given.bandwidth || same_number(*given.bandwidth, known.bandwidth);
  // What is stated of a service is what it gives to all; what S3 is known to give is for one.
  const bool shared = given.shared.value_or(known.shared || !own);
  const double of_instances = shared ? sharers : 1.0;
  const auto limit = context.find<Bandwidth>(Stage::download, key("bandwidth"), given.bandwidth, {},
                                             known.bandwidth);
  if (!limit && (!network.most || is_stated_file_system(service))) {
    context.needed(key("bandwidth"),
                   is_stated_file_system(service)
                       ? fmt::format("what {} gives to all its clients together, such as "
                                     "\"1.2 GB/s\", or throughput_per_capacity; fio --rw=read on "
                                     "the mount of enough clients measures it",
                                     s.source.service.row().title)
                       : "what the source gives; nor is /cluster/network");
  }
  const bool measured = from_host && context.host->download && !given.bandwidth_per_connection;
  if (measured) {
    read.rate = context.use_curve(Stage::download, "download curve", *context.host->download);
    read.nic = s.cluster.network;
  } else {
    const auto known_each =
        context.find<Bandwidth>(Stage::download, key("bandwidth_per_connection"),
                                given.bandwidth_per_connection, {}, known.per_connection);
    const auto share = [&](Bandwidth within) {
      if (given.bandwidth_per_connection || !far) return within;
      return within * context.assume<double>(Stage::download, assumed::region_connection_share);
    };
    std::optional<Bandwidth> line = network.most;
    if (line) *line *= line_share(context);
    const std::string each_key = key("bandwidth_per_connection");
    Assumption own = from_host ? assumed::connection_rate : unmeasured(assumed::connection_rate);
    own.key = each_key;
    Bandwidth each = known_each ? *known_each : context.assume<Bandwidth>(Stage::download, own);
    if (limit && !known_each) each = std::min(each, *limit);
    each = share(each);
    // Each connection has its own rate up to the limits.
    constexpr double unshared = 1e6;
    read.rate = linear_until(each, each * unshared);
    read.nic = line;
    if (network.limit) {
      read.limits.push_back(*network.limit);
      read.limits.back().each = 1.0;
    }
  }
  if (given.connections) read.connections = *given.connections;
  if (limit && (!measured || given.bandwidth)) {
    const Discipline discipline =
        context.choose(Stage::download, key("discipline"), given.discipline, Discipline::rate_limit,
                       Discipline::shared, "services enforce their rates by counting");
    RateLimit of_service{"source bandwidth", (*limit / of_instances).base(), 0.0, 0.0, 1.0};
    of_service.shared = shared;
    const bool bursts = known.burst && own && known.burst->value > *limit;
    const Bandwidth most = bursts ? known.burst->value : *limit;
    if (bursts) {
      of_service.name = "EFS burst credits";
      of_service.burst_rate = (most / of_instances).base();
      of_service.credit = (known.credit / of_instances).base();
    }
    // Credit is counted, however requests share what there is at a time.
    if (discipline == Discipline::rate_limit || bursts) {
      read.limits.push_back(std::move(of_service));
    }
    if (discipline == Discipline::one_at_a_time) read.discipline = discipline;
    if (discipline != Discipline::rate_limit) {
      if (shared) {
        read.shared_by_all = most;
        read.unshared = read.rate;
      }
      read.rate = capped(read.rate, most / of_instances);
    }
  }
  if (known.per_client) {
    read.limits.push_back(
        {"throughput of one client", known.per_client->value.base(), 0.0, 0.0, 1.0});
  }
  const auto requests = context.find<Frequency>(
      Stage::download, key("requests_per_second"), given.requests_per_second,
      from_host ? context.host->requests_per_second : std::nullopt, known.requests);
  // A request-rate limit is the service's, whoever asks: all instances share it.
  if (requests) {
    read.limits.push_back({"request rate", requests->base() / sharers, 0.0, 0.0, 0.0, true, true});
  }
  return read;
}

/// Limits count what a sample (or an object, when staging) costs them.
void count_limits(Read& read, double bytes, double requests) {
  for (RateLimit& limit : read.limits) {
    limit.each = limit.of_requests ? requests * read.parts : bytes;
  }
}

/// Requests that a service counts for an object: one, and one more to open a file.
double counted_requests(const Context& context, Service service) {
  return opens_files(context, service) ? 2.0 : 1.0;
}

/// Of objects that instances take in turn, the last of them maybe a part of one, those of the
/// instance that takes most: training begins when all have theirs.
double most_of_instance(double objects, double instances) {
  const double taken = std::ceil(objects - 1e-6);
  const double most = std::ceil(taken / instances);
  const double with_most = taken - (most - 1.0) * instances;
  return with_most > 1.0 ? most : most - 1.0 + (objects - (taken - 1.0));
}

void resolve_staging(Context& context, Bytes object, double objects, const Network& network) {
  Inputs& inputs = context.out.inputs;
  Staging staging;
  staging.connections = context.find_or<double>(
      Stage::download, context.scenario.source.connections, {}, assumed::staging_connections);
  staging.object_size = object;
  staging.objects = most_of_instance(objects, shards(context));
  staging.read = read_from(context, context.scenario.source.service.family(), object, network,
                           inputs.instances, false);
  if (context.by_name("/source/connections") != nullptr) {
    staging.read.connections = staging.connections;
  }
  staging.read.parts = requests_of_object(context.access_by_name, object.base());
  count_limits(staging.read, object.base(),
               counted_requests(context, context.scenario.source.service.family()));
  resolve_disk(context, true);
  if (inputs.disk) {
    staging.disk_write = write_rate(*inputs.disk);
    for (const RateLimit& limit : inputs.disk->limits) {
      if (limit.of_requests) continue;
      staging.write_limits.push_back(limit);
      staging.write_limits.back().each = object.base();
    }
  }
  inputs.staging = staging;
}

}  // namespace

void resolve_source(Context& context) {
  const Scenario& s = context.scenario;
  const Source& source = s.source;
  Inputs& inputs = context.out.inputs;
  const DataPerSample stored = bytes_in_chain(s).stored;
  const InputMode mode = input_mode_of(s);
  if (mode == InputMode::local || traits(source.service).form == StoreForm::disk) {
    if (stored.base() > 0.0) resolve_disk(context, false);
    return;
  }
  if (stored.base() <= 0.0) {
    context.problem("/dataset/bytes_per_sample", "expected the size of a sample, got nothing");
    return;
  }
  if (const std::string_view reader = input_mode_by(s); !reader.empty()) {
    context.use(
        Stage::download, "/source/input_mode",
        Value<std::string>::assumed(std::string(input_mode_words[static_cast<std::size_t>(mode)]),
                                    fmt::format("as {} reads", reader)));
  }
  const double per_object =
      context.find_or<double>(Stage::download, "/dataset/samples_per_object",
                              s.dataset.samples_per_object, {}, {}, 1.0, "a file a sample");
  const Network network = network_of(context);
  const double in_object = std::min(per_object, inputs.samples);
  if (mode == InputMode::file) {
    const double objects = inputs.samples / std::max(in_object, 1e-300);
    resolve_staging(context, stored * samples(in_object), objects, network);
    return;
  }
  const double objects = std::max(1.0, std::ceil(inputs.samples / per_object));
  const bool pipe = mode == InputMode::pipe;
  inputs.sequential_stream = pipe;
  const Pieces pieces = pieces_of(context, objects, stored, Stage::download);
  const Bytes request = pieces.in_groups ? pieces.request : stored * samples(in_object);
  // Ranks that step together read together.
  const double sharers = inputs.instances_alike();
  Read read = read_from(context, source.service.family(), request, network, sharers, false);
  read.bytes = pieces.bytes;
  read.requests = pieces.requests;
  read.parts = requests_of_object(context.access_by_name,
                                  (read.bytes * samples(1.0 / read.requests)).base());
  count_limits(read, read.bytes.base(),
               read.requests * counted_requests(context, source.service.family()));
  const auto cpu =
      context.find<DurationPerByte>(Stage::decode, "/source/client_cpu", source.client_cpu, {}, {});
  if (cpu) read.cpu = read.bytes * *cpu;
  if (pipe) {
    read.connections = context.find_or<double>(Stage::download, source.connections, {},
                                               source.service.family() == Service::s3
                                                   ? assumed::pipe_connections
                                                   : assumed::stream_connections);
  } else if (mode == InputMode::mount) {
    // A mount's daemon has them for the whole instance; clients in workers have their own.
    read.connections =
        context.count(Stage::download, "/source/connections", source.connections, read.connections);
  }
  inputs.source = read;
  inputs.first_source = read;
  inputs.network = network.most;
  if (const std::optional<Bytes> cache = source_cache(context); cache && *cache > Bytes{}) {
    if (s.loader.remote) {
      context.problem("/source/cache",
                      "expected nothing beside /loader/remote, whose workers read for themselves");
      return;
    }
    if (const std::optional<NamedDefault> kept = cache_by_default(context)) {
      context.use_default<Bytes>(Stage::disk, *kept);
    } else {
      context.use(Stage::disk, "/source/cache", Value<Bytes>::given(*cache));
    }
    inputs.caches.above_mount = mode == InputMode::mount;
    resolve_disk(context, false);
  } else if (mode == InputMode::mount) {
    resolve_page_cache(context, false);  // the client's
  }
  if (mode != InputMode::mount) return;
  if (source.service.family() == Service::fsx_lustre && source.lazy_load_from_s3.value_or(false)) {
    Read s3 = read_from(context, Service::s3, request, network, sharers, true);
    count_limits(s3, read.bytes.base(), read.requests);
    Read& first = *inputs.first_source;
    first.latency += s3.latency;
    const Bandwidth each = std::min(first.rate.total(1.0), s3.rate.total(1.0));
    first.rate = linear_until(each, std::min(first.rate.maximum(), s3.rate.maximum()));
    first.limits.insert(first.limits.end(), s3.limits.begin(), s3.limits.end());
  }
}

}  // namespace feedrate::resolve
