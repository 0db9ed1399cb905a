// A second reading of what a scenario, a host profile and a catalogue say: which number is taken
// for each input of the simulation, and what is made of it. Every number is drawn, and whether it
// is given, measured, published or none of these.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/errors.hpp"
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/drawn_world.hpp"
#include "resolve/generated_scenario.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::resolve;
using namespace testing_world;
using pipeline::Copies;
using pipeline::RateLimit;
using pipeline::Read;

namespace {

/// The first that there is.
template <class T>
T first_of(const std::optional<T>& given, const std::optional<Value<T>>& measured, T otherwise) {
  return given ? *given : measured ? measured->value : otherwise;
}

template <class T>
std::optional<Value<T>> of_host(const World& w, std::optional<Value<T>> HostProfile::*member) {
  return w.host ? (*w.host).*member : std::nullopt;
}

bool starts(const World& w) {
  const Loader& l = w.scenario.loader;
  return l.kind.family() == LoaderKind::pytorch && l.num_workers && l.num_workers->number > 0.0;
}

DataPerSample to_gpu(const World& w) {
  const Scenario& s = w.scenario;
  if (s.dataset.bytes_on_gpu_per_sample) return *s.dataset.bytes_on_gpu_per_sample;
  return s.preprocess[1].output_bytes.value_or(DataPerSample{});
}

Copies copies_of(const World& w) {
  const Job& j = w.scenario.job;
  const bool apart = j.non_blocking.value_or(false) && j.asynchronous_step.value_or(true) &&
                     (w.scenario.loader.pin_memory.value_or(false) || base(to_gpu(w)) <= 0.0);
  if (!apart) return Copies::waited;
  return j.copy_stream == CopyStream::step ? Copies::queued : Copies::beside;
}

void check_shape(const World& w, const Inputs& in) {
  const Scenario& s = w.scenario;
  REQUIRE(in.samples == *s.dataset.samples);
  REQUIRE(in.epochs == *s.job.epochs);
  REQUIRE(in.batch == *s.loader.batch_size);
  REQUIRE(in.instances == s.cluster.instances);
  REQUIRE(in.ranks == s.cluster.gpus_per_instance.value_or(w.machine().gpus->value));
  REQUIRE(in.accumulation == s.job.gradient_accumulation.value_or(1.0));
  REQUIRE(in.drop_last == s.loader.drop_last.value_or(false));
  REQUIRE(in.startup == s.job.startup.value_or(Duration{}));
  REQUIRE(in.asynchronous_step == s.job.asynchronous_step.value_or(true));
  REQUIRE(in.copies == copies_of(w));
}

bool pickled(const World& w) {
  return w.scenario.loader.transport == Transport::pickled;
}

/// Seconds a byte of a batch that is taken from a worker.
double transport_of(const World& w) {
  return (pickled(w) ? assumed::handover_pickled : assumed::handover_shared).value;
}

void check_loader(const World& w, const Inputs& in) {
  const Loader& l = w.scenario.loader;
  const double by_default = l.kind.family() == LoaderKind::pool ? 1.0 : 0.0;
  REQUIRE(in.kind == l.kind.family());
  REQUIRE(in.workers == (l.num_workers ? l.num_workers->number : by_default));
  REQUIRE(in.prefetch == l.prefetch_factor.value_or(2.0));
  REQUIRE(in.persistent_workers == l.persistent_workers.value_or(false));
  const bool several = in.prefetch >= 2.0;
  const bool shared = l.kind.family() == LoaderKind::pool && in.workers > 1.0 && several;
  const bool own_objects = in.whole_objects && in.per_object > 0.0;
  const bool own = (own_objects || l.kind.row().cuts_batches) && !in.sequential_stream;
  const bool batches = l.kind.family() == LoaderKind::pytorch && in.workers > 1.0 && !own;
  REQUIRE(in.in_order == (l.in_order.value_or(true) || !(shared || batches || l.remote)));
  REQUIRE(in.caches.decoded == l.in_memory_cache.has_value());
  const bool sharded = w.scenario.source.distribution == Distribution::sharded_by_s3_key;
  REQUIRE(in.caches.readers == (sharded ? 1.0 : in.instances));
  SAME(in.locked, l.lock.value_or(DurationPerSample{}));
  REQUIRE(in.fetch_threads == l.fetch_threads.value_or(1.0));
  REQUIRE(in.cpu_quota.has_value() == w.scenario.cluster.cpu_quota.has_value());
  if (in.cpu_quota) REQUIRE(in.cpu_quota->rate == *w.scenario.cluster.cpu_quota);
  using H = HostProfile;
  const auto assumed_time = [](const Assumption& a) { return seconds(a.value); };
  const bool forked = l.start.value_or(WorkerStart::fork) == WorkerStart::fork;
  const Duration startup = first_of(
      l.worker_startup, starts(w) && forked ? of_host(w, &H::worker_startup) : std::nullopt,
      starts(w) ? assumed_time(forked ? assumed::worker_startup : assumed::worker_spawn)
                : Duration{});
  SAME(in.worker_startup, startup);
  const auto& list = w.scenario.preprocess;
  const bool works = std::any_of(list.begin(), list.end(),
                                 [](const Operation& op) { return op.where == Place::cpu; });
  const Duration warmup = first_of<Duration>(
      {}, of_host(w, &H::worker_warmup),
      works && l.worker_startup != Duration{} ? assumed_time(assumed::worker_warmup) : Duration{});
  SAME(in.worker_warmup, starts(w) ? warmup : Duration{});
  const Duration shutdown = first_of<Duration>({}, of_host(w, &H::worker_shutdown),
                                               assumed_time(assumed::worker_shutdown));
  SAME(in.worker_shutdown, starts(w) ? in.workers * shutdown : Duration{});
  Duration handover;
  if (starts(w) || l.handover) {
    // What a thread pins, its copy touches first.
    const double bytes = l.pin_memory.value_or(false) ? 0.0 : base(to_gpu(w)) * in.batch;
    handover = first_of(l.handover, of_host(w, &H::handover),
                        seconds(assumed::handover_of_any.value + bytes * transport_of(w)));
    SAME(in.handover_cv, l.handover_cv.value_or(assumed::handover_cv.value));
  }
  const Step& step = *w.scenario.job.step;
  const bool given = step.fixed || step.per_sample;
  const Duration launch =
      first_of(step.launch, given ? std::nullopt : of_host(w, &H::step_launch), Duration{});
  // A loop that waits for its step has in it what starting it takes, as far as it is that long.
  SAME(in.handover, in.asynchronous_step ? handover + launch : handover);
  SAME(in.launch, in.asynchronous_step ? Duration{} : launch);
  DurationPerSample collate{};
  if (base(to_gpu(w)) > 0.0 && (l.kind.family() != LoaderKind::pool || l.collate)) {
    const auto measured = of_host(w, starts(w) ? &H::collate : &H::collate_inline);
    const double unknown = (starts(w) ? assumed::collate : assumed::collate_inline).value;
    collate = first_of(l.collate, measured, DurationPerByte::of(unknown)) * to_gpu(w);
  }
  SAME(in.collate, collate);
}

void check_preprocess(const World& w, const Inputs& in) {
  const Scenario& s = w.scenario;
  const auto given = [&](const Operation& op) -> std::optional<DurationPerSample> {
    if (op.cpu_per_byte) return *op.cpu_per_byte * *s.dataset.decoded_bytes_per_sample;
    return op.cpu;
  };
  const DurationPerSample decode =
      given(s.preprocess[0]) ? *given(s.preprocess[0]) : w.host->operations.at("decode").value;
  const DurationPerSample crop = *s.preprocess[1].cpu;
  SAME(in.cpu, decode + crop);
  // Where decoded samples are kept, that is the output of the first operation.
  SAME(in.cached_cpu, s.loader.in_memory_cache ? crop : DurationPerSample{});
  const Operation& flip = s.preprocess[2];
  const DurationPerSample on_gpu = flip.gpu ? *flip.gpu : w.host->gpu_operations.at("flip").value;
  const bool ahead = flip.in_loader.value_or(false);
  SAME(in.gpu_preprocess, ahead ? DurationPerSample{} : on_gpu);
  SAME(in.gpu_preprocess_ahead, ahead ? on_gpu : DurationPerSample{});
}

/// What a GPU gets of a host whose GPUs copy together; never more than one alone.
std::optional<Bandwidth> share_of_copies(const World& w, double gpus,
                                         std::optional<Value<Bandwidth>> HostProfile::*single,
                                         std::optional<Curve<Bandwidth>> HostProfile::*together) {
  if (!w.host) return std::nullopt;
  const auto& alone = (*w.host).*single;
  const auto& curve = (*w.host).*together;
  std::optional<Bandwidth> share;
  if (alone) share = alone->value;
  if (!curve || (alone && gpus <= 1.0)) return share;
  const Bandwidth each = std::min(curve->total(gpus) / gpus, curve->total(1.0));
  return share ? std::min(*share, each) : each;
}

void check_copies(const World& w, const Inputs& in) {
  if (base(to_gpu(w)) <= 0.0) return;
  using H = HostProfile;
  const Cluster& c = w.scenario.cluster;
  REQUIRE(in.pinned == w.scenario.loader.pin_memory.value_or(false));
  const auto memcpy_rate = of_host(w, &H::memcpy_bandwidth);
  Bandwidth pinned = bytes_per_second(assumed::pinned_copy.value);
  if (w.machine().pcie_lanes) {
    pinned = w.catalog.pcie[0].pinned_copy->value * (w.machine().pcie_lanes->value / 16.0);
  }
  const auto of_host_pinned = share_of_copies(w, in.ranks, &H::pinned_bandwidth, &H::pinned_copies);
  if (of_host_pinned) pinned = *of_host_pinned;
  if (c.pinned_bandwidth) pinned = *c.pinned_bandwidth;
  if (in.pinned) {
    const auto kernel = of_host(w, &H::copy_beside_kernel);
    const double left = in.copies == Copies::beside && kernel ? std::min(1.0, kernel->value) : 1.0;
    SAME(in.copy, to_gpu(w) / (pinned * left));
    const DurationPerSample copied =
        to_gpu(w) /
        first_of<Bandwidth>({}, memcpy_rate, bytes_per_second(assumed::host_copy.value));
    const double unpickled = starts(w) && pickled(w) ? assumed::handover_pickled.value : 0.0;
    SAME(in.pin, copied + DurationPerByte::of(unpickled) * to_gpu(w));
  } else {
    Bandwidth pageable = assumed::pageable_share.value * pinned;
    if (memcpy_rate) pageable = std::min(pageable, memcpy_rate->value);
    const auto of_host_pageable =
        share_of_copies(w, in.ranks, &H::pageable_bandwidth, &H::pageable_copies);
    if (of_host_pageable) pageable = *of_host_pageable;
    if (c.pageable_bandwidth) pageable = *c.pageable_bandwidth;
    SAME(in.copy, to_gpu(w) / pageable);
    SAME(in.pin, DurationPerSample{});
  }
  SAME(in.copy_latency, first_of(c.copy_latency, of_host(w, &H::copy_latency),
                                 seconds(assumed::copy_latency.value)));
}

void check_step(const World& w, const Inputs& in) {
  const Step& given = *w.scenario.job.step;
  REQUIRE(in.step_cv == given.cv.value_or(0.0));
  const bool is_given = given.fixed || given.per_sample;
  if (!is_given && w.host->step_table) {
    REQUIRE(in.step.table.has_value());
    for (std::size_t i = 0; i < in.step.table->size(); ++i) {
      SAME((*in.step.table)[i].second, w.host->step_table->points[i].second);
    }
    return;
  }
  // A step that is given is a whole one: the part that it leaves out is none, not the profile's.
  const auto fixed = is_given ? given.fixed
                     : of_host(w, &HostProfile::step_fixed)
                         ? std::optional(w.host->step_fixed->value)
                         : std::nullopt;
  const auto per_sample = is_given ? given.per_sample
                          : of_host(w, &HostProfile::step_per_sample)
                              ? std::optional(w.host->step_per_sample->value)
                              : std::nullopt;
  REQUIRE(in.step.fixed.has_value() == fixed.has_value());
  if (fixed) SAME(*in.step.fixed, *fixed);
  REQUIRE(in.step.per_sample.has_value() == per_sample.has_value());
  if (per_sample) SAME(*in.step.per_sample, *per_sample);
}

struct Network {
  Bandwidth most;
  std::optional<RateLimit> credits;
};

Network network_of(const World& w) {
  const Machine& m = w.machine();
  if (w.scenario.cluster.network) return {*w.scenario.cluster.network, {}};
  if (!m.network_burst) return {m.network->value, {}};
  // Five minutes, the shortest that credits last.
  const Bandwidth beyond = m.network_burst->value - m.network->value;
  return {m.network_burst->value,
          RateLimit{"network credits", base(m.network->value), base(m.network_burst->value),
                    base(beyond) * 300.0, 0.0, false, false, true}};
}

/// Of requests of `request` bytes; `bytes` and `requests` are what a sample (or an object) costs.
Read expected_read(const World& w, Bytes request, double bytes, double requests) {
  const Scenario& s = w.scenario;
  const Source& given = s.source;
  const bool s3 = given.service.family() == Service::s3;
  const bool own = w.host && given.service.family() != Service::nfs;
  const double instances = s.cluster.instances;
  const Network network = network_of(w);
  Read read;
  const Duration published = milliseconds(base(request) < 512e3 ? 25.0 : 150.0);
  read.latency = first_of(given.first_byte_latency, own ? w.host->first_byte_latency : std::nullopt,
                          s3 ? published : Duration{});
  if (given.open_latency && s.dataset.samples_per_object.value_or(1.0) <= 1.0) {
    read.latency += *given.open_latency;
  } else if (s.dataset.samples_per_object.value_or(1.0) <= 1.0 &&
             given.service.family() == Service::nfs) {
    read.latency = 2.0 * read.latency;
  }
  const bool shared =
      given.shared.value_or(given.service.family() == Service::nfs || given.bandwidth);
  const double sharers = shared ? instances : 1.0;
  const auto limit = given.bandwidth ? given.bandwidth
                     : s3 && w.catalog.s3.per_instance
                         ? std::optional(w.catalog.s3.per_instance->value)
                         : std::nullopt;
  const bool measured = own && w.host->download && !given.bandwidth_per_connection;
  if (measured) {
    read.rate = *w.host->download;
    read.nic = s.cluster.network;
  } else {
    read.nic = given.line_share.value_or(0.9) * network.most;
    const Bandwidth unknown = bytes_per_second(assumed::connection_rate.value);
    const Bandwidth each = given.bandwidth_per_connection ? *given.bandwidth_per_connection
                           : s3                           ? bytes_per_second(87.5e6)
                                : std::min(limit.value_or(unknown), unknown);
    read.rate = linear_until(each, 1e6 * each);
    if (network.credits) read.limits.push_back(*network.credits);
  }
  read.connections = given.connections.value_or(0.0);
  if (limit && (!measured || given.bandwidth)) {
    const Discipline discipline = given.discipline.value_or(Discipline::rate_limit);
    if (discipline == Discipline::rate_limit) {
      read.limits.push_back(
          {"source bandwidth", base(*limit) / sharers, 0.0, 0.0, 1.0, false, shared});
    } else {
      if (discipline == Discipline::one_at_a_time) read.discipline = Discipline::one_at_a_time;
      if (shared) {
        read.shared_by_all = *limit;
        read.unshared = read.rate;
      }
      // Up to the limit as before, flat from there.
      const Bandwidth most = *limit / sharers;
      const auto& points = read.rate.points;
      Curve<Bandwidth> under;
      for (std::size_t i = 0; i < points.size() && under.points.size() <= i; ++i) {
        if (points[i].total < most) {
          under.points.push_back(points[i]);
          continue;
        }
        const double users = i > 0 ? points[i - 1].users : 0.0;
        const Bandwidth total = i > 0 ? points[i - 1].total : Bandwidth{};
        const double left = (most - total) / (points[i].total - total);
        under.points.push_back({users + left * (points[i].users - users), most});
        break;
      }
      read.rate.points = under.points;
    }
  }
  const auto most_requests = given.requests_per_second ? given.requests_per_second
                             : own && w.host->requests_per_second
                                 ? std::optional(w.host->requests_per_second->value)
                             : s3 ? std::optional(per_second(5500.0))
                                  : std::nullopt;
  if (most_requests) {
    read.limits.push_back(
        {"request rate", base(*most_requests) / instances, 0.0, 0.0, 0.0, true, true});
  }
  const bool opened =
      given.service.family() == Service::nfs && s.dataset.samples_per_object.value_or(1.0) <= 1.0;
  const double asked = opened ? 2.0 * requests : requests;
  for (RateLimit& one : read.limits) one.each = one.of_requests ? asked : bytes;
  return read;
}

void check_read(const Read& found, const Read& expected) {
  SAME(found.latency, expected.latency);
  check_curve(found.rate, expected.rate);
  REQUIRE(found.nic.has_value() == expected.nic.has_value());
  if (found.nic) SAME(*found.nic, *expected.nic);
  REQUIRE(found.discipline == expected.discipline);
  REQUIRE(found.connections == expected.connections);
  SAME(found.shared_by_all, expected.shared_by_all);
  check_curve(found.unshared, expected.unshared);
  check_limits(found.limits, expected.limits);
}

double data_of_instance(const World& w) {
  const bool sharded = w.scenario.source.distribution == Distribution::sharded_by_s3_key;
  return base(*w.scenario.dataset.bytes_per_sample) * *w.scenario.dataset.samples /
         (sharded ? w.scenario.cluster.instances : 1.0);
}

/// Of the instance's memory, what a page cache may have: nine tenths of what processes leave.
void check_page_cache(const World& w, const Inputs& in) {
  const Scenario& s = w.scenario;
  double room = 0.0;
  if (s.disk.page_cache) {
    room = base(*s.disk.page_cache);
  } else {
    const double batch = in.batch * base(to_gpu(w));
    // No more than an epoch has are begun.
    const double ahead = std::min((in.kind == LoaderKind::pool ? 1.0 : in.workers) * in.prefetch,
                                  pipeline::epoch_shape(in).steps);
    const double pinned = s.loader.pin_memory.value_or(false) ? 2.0 : 0.0;
    const double shards =
        s.source.distribution == Distribution::sharded_by_s3_key ? s.cluster.instances : 1.0;
    const double kept = s.loader.in_memory_cache
                            ? base(*s.dataset.decoded_bytes_per_sample) * in.samples / shards
                            : 0.0;
    const double used =
        in.ranks * (3e9 + (starts(w) ? in.workers * 0.5e9 : 0.0) + (ahead + pinned) * batch) + kept;
    room = 0.9 * std::max(0.0, base(*s.cluster.memory) - used);
  }
  SAME(in.caches.room, room / data_of_instance(w));
}

void check_disk(const World& w, const Resolved& out) {
  const Scenario& s = w.scenario;
  const Disk& given = s.disk;
  const Machine& m = w.machine();
  const Read& disk = *out.inputs.disk;
  const DiskKind kind = given.kind.value_or(m.nvme_disks ? DiskKind::nvme : DiskKind::ebs);
  const std::string type = given.volume_type.value_or("gp3");
  const double size =
      given.size ? base(*given.size) : std::ceil(data_of_instance(w) / 1073741824.0) * 1073741824.0;
  REQUIRE(out.disk->kind == kind);
  const double per_object = s.dataset.samples_per_object.value_or(1.0);
  const bool files = per_object <= 1.0;
  double requests = 1.0 / per_object;
  if (w.host && w.host->reads_per_sample) requests = w.host->reads_per_sample->value;
  if (given.reads_per_sample) requests = *given.reads_per_sample;
  SAME(disk.requests, requests);
  SAME(disk.bytes, *s.dataset.bytes_per_sample);
  double latency = (kind == DiskKind::ebs ? 1e-3 : 1e-4) + (files ? 50e-6 : 0.0);
  if (w.host && w.host->disk_latency) latency = base(w.host->disk_latency->value);
  if (given.latency) latency = base(*given.latency);
  if (files && given.open_latency) latency += base(*given.open_latency) / std::max(1.0, requests);
  SAME(disk.latency, seconds(latency));
  const double blocks = base(disk.bytes) / 262144.0;
  const double operations =
      kind == DiskKind::ebs ? std::max(requests, files ? std::ceil(blocks) : blocks) : requests;
  const bool measured = w.host && w.host->disk && !given.bandwidth;
  const Discipline discipline = given.discipline.value_or(
      kind == DiskKind::ebs && !measured ? Discipline::rate_limit : Discipline::shared);
  REQUIRE(disk.discipline == discipline);
  double rate = kind == DiskKind::nvme ? base(m.nvme_read.value().value)
                : type == "gp3"        ? 125e6
                : type == "gp2"        ? 250e6
                                       : 1e9;
  if (given.bandwidth) rate = base(*given.bandwidth);
  std::vector<RateLimit> limits;
  if (measured) {
    check_curve(disk.rate, *w.host->disk);
  } else if (discipline == Discipline::rate_limit) {
    REQUIRE(disk.rate.empty());
    limits.push_back({"volume throughput", rate, 0.0, 0.0, base(disk.bytes), false, false});
  } else {
    check_curve(disk.rate, {{{1.0, bytes_per_second(rate)}}, 0.0});
  }
  // 3 IOPS a GiB of gp2, and 3,000 while a credit of 5.4 million operations lasts.
  const double gp2 = std::clamp(3.0 * size / 1073741824.0, 100.0, 16000.0);
  std::optional<double> iops;
  if (kind == DiskKind::nvme && m.nvme_read_iops) iops = base(m.nvme_read_iops->value);
  if (kind == DiskKind::ebs) iops = type == "gp2" ? gp2 : 3000.0;
  const bool of_host_iops = w.host && w.host->disk_iops;
  if (of_host_iops) iops = base(w.host->disk_iops->value);
  if (given.iops) iops = base(*given.iops);
  if (iops) {
    RateLimit limit{"disk IOPS", *iops, 0.0, 0.0, operations, true, false};
    if (kind == DiskKind::ebs && type == "gp2" && gp2 < 3000.0 && !of_host_iops && !given.iops) {
      limit = {"gp2 burst credits", gp2,  3000.0, 5.4e6 * assumed::gp2_credit.value,
               operations,          true, false};
    }
    limits.push_back(limit);
  }
  const auto of_instance = [&](const char* name, auto baseline, auto burst, double each,
                               bool counted) {
    if (!baseline) return;
    RateLimit limit{name, base(baseline->value), 0.0, 0.0, each, counted, false};
    if (burst && burst->value > baseline->value) {
      limit.burst_rate = base(burst->value);
      limit.credit = base(burst->value - baseline->value) * 1800.0;  // half an hour a day
    }
    limits.push_back(limit);
  };
  if (kind == DiskKind::ebs && !measured) {
    of_instance("EBS bandwidth of the instance", m.ebs_bandwidth, m.ebs_bandwidth_burst,
                base(disk.bytes), false);
    of_instance("EBS IOPS of the instance", m.ebs_iops, m.ebs_iops_burst, operations, true);
  }
  check_limits(disk.limits, limits);
  if (kind == DiskKind::ebs) SAME(*out.disk->size, bytes(size));
}

void check_source(const World& w, const Resolved& out) {
  const Scenario& s = w.scenario;
  const Inputs& in = out.inputs;
  const double stored = base(*s.dataset.bytes_per_sample);
  const double per_object = s.dataset.samples_per_object.value_or(1.0);
  const double objects = std::ceil(in.samples / per_object);
  const InputMode mode = s.source.input_mode.value_or(
      s.source.service.family() == Service::nfs ? InputMode::mount : InputMode::local);
  REQUIRE(in.staging.has_value() == (mode == InputMode::file));
  REQUIRE(in.source.has_value() == (mode != InputMode::file && mode != InputMode::local));
  REQUIRE(in.disk.has_value() == (mode == InputMode::file || mode == InputMode::local));
  if (in.disk) check_disk(w, out);
  if (in.disk || mode == InputMode::mount) check_page_cache(w, in);
  REQUIRE(in.caches.staged == in.staging.has_value());
  if (in.staging) {
    const double in_one = std::min(per_object, in.samples);
    const double object = stored * in_one;
    const bool sharded = s.source.distribution == Distribution::sharded_by_s3_key;
    SAME(in.staging->object_size, bytes(object));
    // Of the instance that gets most of them; the last object has what is left.
    const double taken = sharded ? in.instances : 1.0;
    const double most = std::ceil(objects / taken);
    const double left = in.samples / in_one - (objects - 1.0);
    const bool alone = objects - (most - 1.0) * taken < 1.5;
    SAME(in.staging->objects, alone ? most - 1.0 + left : most);
    REQUIRE(in.staging->connections == s.source.connections.value_or(16.0));
    check_read(in.staging->read, expected_read(w, bytes(object), object, 1.0));
    REQUIRE(in.staging->disk_write.has_value() == !in.disk->rate.empty());
    if (in.staging->disk_write) SAME(*in.staging->disk_write, in.disk->rate.maximum());
    std::vector<RateLimit> writes;
    for (RateLimit limit : in.disk->limits) {
      if (limit.of_requests) continue;
      limit.each = object;
      writes.push_back(limit);
    }
    check_limits(in.staging->write_limits, writes);
  }
  if (!in.source) return;
  const double requests = objects / in.samples;
  Read read = expected_read(w, bytes(stored * per_object), stored, requests);
  if (mode == InputMode::pipe) {
    read.connections = s.source.connections.value_or(s.source.service.family() == Service::s3
                                                         ? assumed::pipe_connections.value
                                                         : assumed::stream_connections.value);
  }
  REQUIRE(in.sequential_stream == (mode == InputMode::pipe));
  check_read(*in.source, read);
  check_read(*in.first_source, read);
  SAME(in.source->bytes, *s.dataset.bytes_per_sample);
  SAME(in.source->requests, requests);
  SAME(in.network.value(), network_of(w).most);
}

void check_cores(const World& w, const Inputs& in) {
  const Cluster& c = w.scenario.cluster;
  const Loader& l = w.scenario.loader;
  const bool torch = l.kind.family() == LoaderKind::pytorch;
  const double crowd = first_of(l.oversubscription, of_host(w, &HostProfile::oversubscription),
                                assumed::oversubscription.value);
  const bool measured = w.host && (w.host->cpu || w.host->pytorch_cpu) && !c.vcpus && !c.cores;
  if (measured) {
    const auto& own = torch ? w.host->pytorch_cpu : w.host->cpu;
    const Curve<double>& curve = own ? *own : torch ? *w.host->cpu : *w.host->pytorch_cpu;
    for (const auto& point : curve.points) SAME(in.cores.total(point.users), point.total);
    const double threads = std::max(*w.host->hardware_threads, 8.0);
    const bool known = l.oversubscription || w.host->oversubscription;
    const double most = curve.points.back().total;
    SAME(in.cores.total(threads + 1.0), known ? most / (1.0 + crowd) : most);
    return;
  }
  const double threads = c.vcpus.value_or(w.machine().vcpus->value);
  const double each = w.machine().vcpus->value / w.machine().cores->value;
  const double physical = c.cores                               ? *c.cores
                          : threads == w.machine().vcpus->value ? w.machine().cores->value
                                                                : std::max(1.0, threads / each);
  const double cores = std::min(physical, threads);
  // n of them do the work of n/(1 + c·(n − 1)), with a c that is given; else all of them lose a
  // share, and some of them their part of it; of a pool on each GPU at least what its
  // workers cost each other.
  const auto longer = [&](double n) {
    if (l.contention) return 1.0 + *l.contention * (n - 1.0);
    const double part = cores > 1.0 ? (n - 1.0) / (cores - 1.0) : 0.0;
    // From one core to two the loss begins.
    const double busy = assumed::contention.value * std::clamp(cores - 1.0, 0.0, 1.0) * part;
    if (l.kind.family() != LoaderKind::pool) return 1.0 + busy;
    const double others = std::max(0.0, n / in.ranks - 1.0);
    return 1.0 + std::max(busy, assumed::pool_contention.value * others * 16.0 / (16.0 + others));
  };
  const double all = cores / longer(cores);
  SAME(in.cores.total(cores), std::min(cores, all));
  SAME(in.cores.total(1.0), 1.0);
  const double second = threads > cores ? assumed::hyper_threading_gain.value *
                                              std::min(1.0, (threads - cores) / cores)
                                        : 0.0;
  SAME(in.cores.total(threads), all * (1.0 + second));
  SAME(in.cores.total(threads + 1.0), all * (1.0 + second) / (1.0 + crowd));
  for (double n = 2.0; n < cores; n += 1.0) {
    REQUIRE(in.cores.total(n) == Approx(n / longer(n)).epsilon(0.01));
  }
}

void check_variation(const World& w, const Inputs& in) {
  const Scenario& s = w.scenario;
  REQUIRE(in.size_cv == s.dataset.size_cv.value_or(0.3));
  REQUIRE(in.make_cv == s.loader.make_cv.value_or(0.08));
  const Read& read = in.source ? *in.source : *in.disk;
  const double requests =
      std::max({1.0, read.requests * in.batch, base(read.bytes) * in.batch / 1e6});
  SAME(in.read_cv, s.loader.read_cv.value_or(std::sqrt(0.01 + 0.25 / requests)));
}

}  // namespace

TEST_CASE("resolved numbers: each is the first of given, measured, published and assumed") {
  Drawn d(2001);
  int resolved = 0;
  for (int i = 0; i < 1200; ++i) {
    const World w = draw_world(d);
    INFO("world " << i);
    std::optional<Resolved> found;
    try {
      found = w.resolved();
    } catch (const InputError&) {
      continue;  // samples that are kept do not fit into memory, or data onto the volume
    }
    ++resolved;
    const Resolved& out = *found;
    const Inputs& in = out.inputs;
    check_shape(w, in);
    check_loader(w, in);
    check_preprocess(w, in);
    check_copies(w, in);
    check_step(w, in);
    check_cores(w, in);
    check_source(w, out);
    check_variation(w, in);
  }
  CHECK_DRAWN(resolved > 1000);
}

TEST_CASE("resolved numbers: a draw has its assumption at a place in the range, by factors") {
  Drawn d(2002);
  for (const Assumption* one : assumptions()) {
    INFO(one->key);
    REQUIRE(one->at(0.0) == Approx(one->low).margin(1e-30));
    REQUIRE(one->at(0.5) == Approx(one->value).margin(1e-30));
    REQUIRE(one->at(1.0) == Approx(one->high).margin(1e-30));
    // Half way to an end that is above 0: their geometric mean; else their mean.
    const auto middle = [&](double end) {
      return end > 0.0 && one->value > 0.0 ? std::sqrt(end * one->value) : (end + one->value) / 2.0;
    };
    REQUIRE(one->at(0.25) == Approx(middle(one->low)).margin(1e-30));
    REQUIRE(one->at(0.75) == Approx(middle(one->high)).margin(1e-30));
  }
  for (int i = 0; i < 200; ++i) {
    World w = draw_world(d);
    w.host.reset();
    w.scenario.loader.kind = LoaderKind::pytorch;
    w.scenario.loader.num_workers = WorkerCount(4.0);
    w.scenario.loader.lock.reset();
    w.scenario.loader.in_memory_cache.reset();
    w.scenario.source = {};
    w.scenario.disk = {};
    w.scenario.dataset.bytes_on_gpu_per_sample = bytes_per_sample(6e5);
    w.scenario.preprocess[0].cpu = milliseconds(3.0) / samples(1.0);
    w.scenario.preprocess[0].cpu_per_byte.reset();
    w.scenario.preprocess[2].gpu = seconds_per_sample(1e-4);
    w.scenario.job.step->fixed = milliseconds(20.0);
    w.scenario.errors = {{"/preprocess/0/cpu", 0.2}};
    const double u = d.generate.uniform(0.01, 0.99);
    const Inputs middle = w.resolved([](std::string_view) { return 0.5; }).inputs;
    const Inputs stated = w.resolved().inputs;
    const Inputs drawn = w.resolved([&](std::string_view) { return u; }).inputs;
    INFO("world " << i << ", " << u << " of all are below");
    SAME(middle.cpu, stated.cpu);
    SAME(middle.collate, stated.collate);
    SAME(middle.worker_startup, stated.worker_startup);
    SAME(middle.caches.room, stated.caches.room);
    const auto is_drawn = [&](bool given, double found, double was, const Assumption& one) {
      if (one.value == 0.0) return;
      REQUIRE(found == Approx(given ? was : was * one.at(u) / one.value).epsilon(1e-6));
    };
    const Loader& l = w.scenario.loader;
    is_drawn(l.worker_startup.has_value(), base(drawn.worker_startup), base(stated.worker_startup),
             assumed::worker_startup_by(l.start.value_or(WorkerStart::fork)));
    is_drawn(false, base(drawn.worker_shutdown), base(stated.worker_shutdown),
             assumed::worker_shutdown);
    is_drawn(l.collate.has_value(), base(drawn.collate), base(stated.collate), assumed::collate);
    is_drawn(w.scenario.cluster.copy_latency.has_value(), base(drawn.copy_latency),
             base(stated.copy_latency), assumed::copy_latency);
    is_drawn(l.read_cv.has_value(), drawn.read_cv, stated.read_cv, assumed::read_cv);
    // What is stated with an error of 20 % is drawn lognormally: the median is what is stated.
    const double factor = base(drawn.cpu - *w.scenario.preprocess[1].cpu) / 3e-3;
    const Inputs mirrored = w.resolved([&](std::string_view) { return 1.0 - u; }).inputs;
    const double mirror = base(mirrored.cpu - *w.scenario.preprocess[1].cpu) / 3e-3;
    REQUIRE(factor * mirror == Approx(1.0));
    REQUIRE(0.5 * std::erfc(-std::log(factor) / 0.2 / std::sqrt(2.0)) == Approx(u).epsilon(1e-3));
  }
}

TEST_CASE(
    "resolved: a local disk's rate is the one known, twice a floor, or assumed of each disk") {
  const auto disk_of = [](Known<Bandwidth> rate, Known<Bandwidth> floor) {
    Drawn d(41);
    World w;
    draw_machine(d, w.catalog);
    Machine& machine = w.catalog.machines.front();
    machine.nvme_disks = published(4.0);
    machine.nvme_size = published(gigabytes(4000.0));
    machine.nvme_read = rate;
    machine.nvme_read_floor = floor;
    w.scenario = testing_resolve::scenario_with({{"/source/service", "local"},
                                                 {"/cluster/instance", "own.large"},
                                                 {"/cluster/price", "1 USD/h"}});
    w.scenario.measured_on = {};
    return w.resolved();
  };
  const Bandwidth one = bytes_per_second(3e9);
  // From memory is no floor.
  const Value<Bandwidth> recalled{one, {Origin::assumed, "recalled", 0.0}};
  CHECK(base(disk_of(published(one), {}).inputs.disk->rate.maximum()) == 3e9);
  CHECK(base(disk_of(recalled, {}).inputs.disk->rate.maximum()) == 3e9);
  CHECK(base(disk_of({}, published(one)).inputs.disk->rate.maximum()) ==
        Approx(3e9 * assumed::nvme_floor.value));
  const Resolved unknown = disk_of({}, {});
  CHECK(base(unknown.inputs.disk->rate.maximum()) == Approx(4.0 * assumed::nvme_disk_rate.value));
  CHECK(std::any_of(unknown.used.begin(), unknown.used.end(), [](const InputUsed& used) {
    return used.key == "/disk/bandwidth" && !used.range.empty();
  }));
}
