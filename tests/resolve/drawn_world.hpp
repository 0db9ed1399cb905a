#pragma once
// A scenario, a host profile and a catalogue of one machine with drawn numbers, each given,
// measured, published or none of these.
#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "base/errors.hpp"
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "resolve/resolve.hpp"

namespace testing_world {

using namespace feedrate;
using namespace feedrate::resolve;
using pipeline::Generator;

struct World {
  Scenario scenario;
  Catalog catalog;
  std::optional<HostProfile> host;

  [[nodiscard]] const Machine& machine() const { return catalog.machines.front(); }
  [[nodiscard]] Resolved resolved(const Draw& draw = {}) const {
    return resolve::resolve(scenario, catalog, host ? &*host : nullptr, draw);
  }
};

/// What is kept may not fit into memory, or data not onto a volume.
inline std::optional<Resolved> resolved_if_fits(const World& w) {
  try {
    return w.resolved();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

template <class T>
Value<T> published(T value) {
  return {value, {Origin::published, "test", 0.0}};
}

class Drawn {
 public:
  explicit Drawn(unsigned seed) : generate(seed) {}

  template <class T>
  T of(double low, double high) {
    return from(generate.log_uniform(low, high), T{});
  }
  template <class T>
  std::optional<T> maybe(double low, double high, double probability = 0.5) {
    if (!generate.chance(probability)) return std::nullopt;
    return of<T>(low, high);
  }
  template <class T>
  std::optional<Value<T>> known(double low, double high, Origin origin, double probability = 0.5) {
    const auto value = maybe<T>(low, high, probability);
    if (!value) return std::nullopt;
    return Value<T>{*value, {origin, "test", 0.0}};
  }
  template <class T>
  void publish(Known<T>& field, double low, double high, double probability = 0.5) {
    field = known<T>(low, high, Origin::published, probability);
  }
  template <class T>
  void measure(std::optional<Value<T>>& field, double low, double high) {
    field = known<T>(low, high, Origin::measured);
  }
  std::optional<bool> flag() {
    if (generate.chance(0.4)) return std::nullopt;
    return generate.chance(0.5);
  }

  Generator generate;

 private:
  static double from(double base, double) { return base; }
  template <int T, int B, int M, int S>
  static Quantity<T, B, M, S> from(double base, Quantity<T, B, M, S>) {
    return Quantity<T, B, M, S>::of(base);
  }
};

inline void draw_machine(Drawn& d, Catalog& catalog) {
  Machine m;
  m.name = "own.large";
  m.cloud = "aws";
  const double cores = d.generate.whole(2.0, 32.0);
  m.cores = published(cores);
  m.vcpus = published(cores * d.generate.whole(1.0, 2.0));
  m.memory = published(gibibytes(d.generate.whole(64.0, 1024.0)));
  m.gpus = published(d.generate.whole(1.0, 8.0));
  m.network = published(d.of<Bandwidth>(1e8, 1e10));
  if (d.generate.chance(0.5)) m.network_burst = published(m.network->value * 1.7);
  if (d.generate.chance(0.7)) {
    d.publish(m.ebs_bandwidth, 1e8, 1e9, 0.8);
    d.publish(m.ebs_bandwidth_burst, 1e8, 4e9, 0.5);
    d.publish(m.ebs_iops, 3e3, 4e4, 0.8);
    d.publish(m.ebs_iops_burst, 3e3, 1e5, 0.5);
  }
  if (d.generate.chance(0.5)) {
    m.nvme_disks = published(1.0);
    m.nvme_size = published(gigabytes(1e6));
    m.nvme_read = published(d.of<Bandwidth>(1e9, 1e10));
    d.publish(m.nvme_read_iops, 1e4, 1e6);
  }
  if (d.generate.chance(0.5)) {
    m.pcie_generation = published(4.0);
    m.pcie_lanes = published(8.0);
    catalog.pcie.push_back({4.0, {}, published(d.of<Bandwidth>(1e10, 3e10))});
  }
  catalog.machines.push_back(m);
  catalog.limits.network_burst = {published(minutes(5.0)), published(minutes(60.0))};
  for (const char* type : {"gp3", "io2"}) {
    EbsVolume volume;
    volume.type = type;
    if (std::string(type) == "gp3") {
      volume.baseline_iops = published(per_second(3000.0));
      volume.baseline_bandwidth = published(bytes_per_second(125e6));
    }
    volume.max_iops = published(per_second(64000.0));
    volume.max_bandwidth = published(bytes_per_second(1e9));
    catalog.ebs.push_back(volume);
  }
  EbsVolume gp2;
  gp2.type = "gp2";
  gp2.baseline_iops = published(per_second(100.0));
  gp2.max_iops = published(per_second(16000.0));
  gp2.max_bandwidth = published(bytes_per_second(250e6));
  gp2.earned_iops_per_gib = published(3.0);
  gp2.burst_iops = published(per_second(3000.0));
  gp2.io_credit = published(5.4e6);
  catalog.ebs.push_back(gp2);
  catalog.s3.small_request = {published(milliseconds(20.0)), published(milliseconds(30.0))};
  catalog.s3.first_byte = {published(milliseconds(100.0)), published(milliseconds(200.0))};
  catalog.s3.per_connection = {published(bytes_per_second(85e6)),
                               published(bytes_per_second(90e6))};
  catalog.s3.gets_per_prefix = published(per_second(5500.0));
  d.publish(catalog.s3.per_instance, 1e9, 1e10);
}

inline void draw_host(Drawn& d, const Machine& machine, HostProfile& h) {
  h.name = "host";
  h.instance = machine.name;
  h.hardware_threads = machine.vcpus->value;
  if (d.generate.chance(0.5)) h.cpu = Curve<double>{{{1.0, 1.0}, {4.0, 3.0}, {8.0, 5.0}}, 0.0};
  if (d.generate.chance(0.5)) h.pytorch_cpu = Curve<double>{{{1.0, 1.0}, {8.0, 6.0}}, 0.0};
  if (d.generate.chance(0.5)) {
    h.disk = Curve<Bandwidth>{{{1.0, bytes_per_second(3e8)}, {4.0, bytes_per_second(9e8)}}, 0.0};
  }
  if (d.generate.chance(0.5)) {
    h.download =
        Curve<Bandwidth>{{{1.0, bytes_per_second(6e7)}, {16.0, bytes_per_second(7e8)}}, 0.0};
  }
  d.measure(h.disk_latency, 1e-4, 1e-2);
  d.measure(h.disk_iops, 1e3, 1e5);
  d.measure(h.first_byte_latency, 1e-3, 1e-1);
  d.measure(h.requests_per_second, 1e2, 1e5);
  d.measure(h.memcpy_bandwidth, 4e9, 2e10);
  d.measure(h.pinned_bandwidth, 4e9, 2e10);
  d.measure(h.pageable_bandwidth, 1e9, 8e9);
  d.measure(h.copy_latency, 5e-6, 5e-5);
  if (d.generate.chance(0.5)) {
    h.pinned_copies =
        Curve<Bandwidth>{{{1.0, bytes_per_second(11e9)}, {8.0, bytes_per_second(40e9)}}, 0.0};
  }
  if (d.generate.chance(0.5)) {
    h.pageable_copies =
        Curve<Bandwidth>{{{1.0, bytes_per_second(5e9)}, {8.0, bytes_per_second(12e9)}}, 0.0};
  }
  d.measure(h.copy_beside_kernel, 0.5, 1.2);
  d.measure(h.step_fixed, 1e-3, 1e-1);
  d.measure(h.step_per_sample, 1e-5, 1e-2);
  if (d.generate.chance(0.3)) h.step_table = StepTable{{{8.0, seconds(0.1)}, {64.0, seconds(0.5)}}};
  d.measure(h.step_launch, 1e-4, 1e-2);
  d.measure(h.collate, 1e-10, 1e-9);
  d.measure(h.collate_inline, 1e-10, 1e-9);
  d.measure(h.handover, 1e-4, 1e-2);
  d.measure(h.worker_startup, 1e-3, 1e-1);
  d.measure(h.worker_warmup, 1e-3, 1e-1);
  d.measure(h.worker_shutdown, 1e-3, 1e-1);
  d.measure(h.oversubscription, 0.01, 0.2);
  d.measure(h.reads_per_sample, 0.1, 3.0);
  h.operations["decode"] = {d.of<DurationPerSample>(1e-4, 1e-2), {Origin::measured, "host", 0.0}};
  h.gpu_operations["flip"] = {d.of<DurationPerSample>(1e-5, 1e-3), {Origin::measured, "host", 0.0}};
}

inline void draw_loader(Drawn& d, Scenario& s) {
  Loader& l = s.loader;
  const double kind = d.generate.uniform(0.0, 1.0);
  l.kind = kind < 0.5 ? LoaderKind::pytorch : kind < 0.8 ? LoaderKind::pool : LoaderKind::inline_;
  if (d.generate.chance(0.8)) l.num_workers = WorkerCount(d.generate.whole(0.0, 12.0));
  if (l.kind.family() == LoaderKind::pool) l.num_workers = WorkerCount(d.generate.whole(1.0, 12.0));
  if (l.kind.family() == LoaderKind::inline_) l.num_workers.reset();
  if (d.generate.chance(0.5)) l.prefetch_factor = d.generate.whole(1.0, 8.0);
  l.pin_memory = d.flag();
  l.persistent_workers = d.flag();
  l.batch_size = d.generate.whole(2.0, 128.0);
  l.drop_last = d.flag();
  l.in_memory_cache = d.generate.chance(0.2) ? std::optional(true) : std::nullopt;
  l.in_order = d.flag();
  l.worker_startup = d.maybe<Duration>(1e-3, 1e-1);
  l.collate = d.maybe<DurationPerByte>(1e-10, 1e-9);
  l.handover = d.maybe<Duration>(1e-4, 1e-2);
  l.handover_cv = d.maybe<double>(0.05, 0.5);
  if (d.generate.chance(0.3)) l.transport = Transport::pickled;
  if (d.generate.chance(0.3)) l.start = WorkerStart::spawn;
  l.oversubscription = d.maybe<double>(0.01, 0.3);
  l.contention = d.maybe<double>(1e-4, 1e-2);
  if (l.kind.family() == LoaderKind::pool) l.lock = d.maybe<DurationPerSample>(1e-6, 1e-5);
  if (d.generate.chance(0.5)) l.fetch_threads = d.generate.whole(1.0, 8.0);
  l.read_cv = d.maybe<double>(0.05, 0.5);
  l.make_cv = d.maybe<double>(0.05, 0.5);
}

inline void draw_disk(Drawn& d, Scenario& s) {
  if (d.generate.chance(0.3)) s.disk.kind = DiskKind::other;
  if (d.generate.chance(0.3)) s.disk.kind = DiskKind::ebs;
  if (d.generate.chance(0.6)) {
    s.disk.volume_type = d.generate.chance(0.4) ? "gp2" : d.generate.chance(0.5) ? "io2" : "gp3";
  }
  s.disk.size = d.maybe<Bytes>(4e11, 4e12);
  s.disk.bandwidth = d.maybe<Bandwidth>(1e8, 4e9);
  if (s.disk.kind == DiskKind::other) s.disk.bandwidth = d.of<Bandwidth>(1e8, 4e9);
  s.disk.iops = d.maybe<Frequency>(1e3, 1e5);
  s.disk.latency = d.maybe<Duration>(1e-4, 1e-2);
  s.disk.open_latency = d.maybe<Duration>(1e-4, 1e-2);
  if (d.generate.chance(0.5)) {
    const double which = d.generate.uniform(0.0, 1.0);
    s.disk.discipline = which < 0.4   ? Discipline::shared
                        : which < 0.7 ? Discipline::one_at_a_time
                                      : Discipline::rate_limit;
  }
  s.disk.reads_per_sample = d.maybe<double>(0.1, 4.0);
  s.disk.page_cache = d.maybe<Bytes>(1e9, 1e11);
}

inline void draw_source(Drawn& d, Scenario& s) {
  Source& source = s.source;
  const double service = d.generate.uniform(0.0, 1.0);
  source.service = service < 0.3   ? Service::local
                   : service < 0.6 ? Service::s3
                   : service < 0.8 ? Service::http
                                   : Service::nfs;
  if (source.service.family() == Service::local) return;
  if (source.service.family() != Service::nfs) {
    const double mode = d.generate.uniform(0.0, 1.0);
    source.input_mode = mode < 0.4   ? InputMode::file
                        : mode < 0.8 ? InputMode::fast_file
                                     : InputMode::pipe;
    if (source.service.family() == Service::http && source.input_mode == InputMode::pipe) {
      source.input_mode = InputMode::stream;
    }
  }
  const bool published = source.service.family() == Service::s3;
  source.first_byte_latency = d.maybe<Duration>(1e-3, 1e-1, published ? 0.5 : 1.0);
  source.bandwidth = d.maybe<Bandwidth>(1e8, 1e10, published ? 0.5 : 1.0);
  source.bandwidth_per_connection = d.maybe<Bandwidth>(1e7, 1e9);
  source.requests_per_second = d.maybe<Frequency>(1e2, 1e5);
  if (d.generate.chance(0.5)) source.connections = d.generate.whole(1.0, 64.0);
  source.open_latency = d.maybe<Duration>(1e-4, 1e-2);
  source.shared = d.flag();
  if (d.generate.chance(0.5)) {
    const double which = d.generate.uniform(0.0, 1.0);
    source.discipline = which < 0.4   ? Discipline::shared
                        : which < 0.7 ? Discipline::one_at_a_time
                                      : Discipline::rate_limit;
  }
  if (d.generate.chance(0.3)) source.distribution = Distribution::sharded_by_s3_key;
}

inline World draw_world(Drawn& d) {
  World w;
  draw_machine(d, w.catalog);
  if (d.generate.chance(0.6)) draw_host(d, w.machine(), w.host.emplace());
  Scenario& s = w.scenario;
  s.dataset.samples = d.generate.whole(1e5, 1e6);
  s.dataset.bytes_per_sample = d.of<DataPerSample>(2e4, 4e5);
  if (d.generate.chance(0.5)) s.dataset.samples_per_object = d.generate.whole(1.0, 500.0);
  s.dataset.size_cv = d.maybe<double>(0.05, 0.5);
  s.dataset.bytes_on_gpu_per_sample = d.maybe<DataPerSample>(1e5, 1e6);
  s.dataset.decoded_bytes_per_sample = d.of<DataPerSample>(1e5, 1e6);
  draw_loader(d, s);
  Operation decode{"decode", d.maybe<DurationPerSample>(1e-4, 1e-2), {}, {}, Place::cpu, {}};
  if (!decode.cpu && (!w.host || d.generate.chance(0.5))) {
    decode.cpu_per_byte = d.of<DurationPerByte>(1e-9, 1e-8);
  }
  Operation crop{"crop", d.of<DurationPerSample>(1e-5, 1e-3), {}, {}, Place::cpu, {}};
  if (d.generate.chance(0.5)) crop.output_bytes = d.of<DataPerSample>(1e5, 1e6);
  Operation flip{"flip", {}, {}, d.maybe<DurationPerSample>(1e-5, 1e-3), Place::gpu, {}};
  if (!w.host && !flip.gpu) flip.gpu = seconds_per_sample(1e-4);
  if (s.loader.kind.family() == LoaderKind::pool) flip.in_loader = d.flag();
  s.preprocess = {decode, crop, flip};
  Cluster& c = s.cluster;
  c.instance = w.machine().name;
  c.instances = d.generate.whole(1.0, 6.0);
  c.price = usd_per_hour(3.0);
  if (d.generate.chance(0.3)) c.gpus_per_instance = d.generate.whole(1.0, w.machine().gpus->value);
  if (d.generate.chance(0.3)) c.cpu_quota = d.generate.whole(1.0, 16.0);
  if (d.generate.chance(0.3)) c.vcpus = d.generate.whole(2.0, 64.0);
  if (d.generate.chance(0.2)) c.cores = d.generate.whole(2.0, 32.0);
  c.memory = gibibytes(d.generate.whole(256.0, 2048.0));
  c.network = d.maybe<Bandwidth>(1e8, 1e10, 0.3);
  c.pinned_bandwidth = d.maybe<Bandwidth>(4e9, 2e10);
  c.pageable_bandwidth = d.maybe<Bandwidth>(1e9, 8e9);
  c.copy_latency = d.maybe<Duration>(5e-6, 5e-5);
  Job& j = s.job;
  j.epochs = d.generate.whole(1.0, 9.0);
  if (d.generate.chance(0.5)) j.gradient_accumulation = d.generate.whole(1.0, 4.0);
  Step step;
  step.fixed = d.maybe<Duration>(1e-3, 1e-1);
  step.per_sample = d.maybe<DurationPerSample>(1e-5, 1e-2);
  step.launch = d.maybe<Duration>(1e-4, 1e-2);
  step.cv = d.maybe<double>(0.01, 0.3);
  const bool of_host = w.host && (w.host->step_fixed || w.host->step_per_sample);
  if (!step.fixed && !step.per_sample && !of_host) step.fixed = milliseconds(20.0);
  j.step = step;
  j.asynchronous_step = d.flag();
  j.non_blocking = d.flag();
  if (d.generate.chance(0.3)) j.copy_stream = CopyStream::step;
  j.startup = d.maybe<Duration>(1.0, 100.0);
  draw_source(d, s);
  draw_disk(d, s);
  return w;
}

/// Takes a profile away, and where the data lies: what the scenario needs of them it says itself.
inline void make_plain(World& w) {
  w.host.reset();
  Scenario& s = w.scenario;
  s.source = {};
  s.disk = {};
  s.loader.in_memory_cache.reset();
  for (Operation& op : s.preprocess) {
    if (op.where == Place::gpu) op.gpu = seconds_per_sample(1e-4);
    if (op.where == Place::cpu && !op.cpu && !op.cpu_per_byte) {
      op.cpu = milliseconds(1.0) / samples(1.0);
    }
  }
  s.job.step->fixed = milliseconds(20.0);
}

template <class T>
double base(T value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return value.base();
  }
}

#define SAME(found, expected) REQUIRE(base(found) == Approx(base(expected)).epsilon(1e-9))

inline void check_curve(const Curve<Bandwidth>& found, const Curve<Bandwidth>& expected) {
  REQUIRE(found.points.size() == expected.points.size());
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    SAME(found.points[i].users, expected.points[i].users);
    SAME(found.points[i].total, expected.points[i].total);
  }
}

inline void check_limits(const std::vector<pipeline::RateLimit>& found,
                         const std::vector<pipeline::RateLimit>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("limit " << expected[i].name);
    REQUIRE(found[i].name == expected[i].name);
    SAME(found[i].rate, expected[i].rate);
    SAME(found[i].burst_rate, expected[i].burst_rate);
    SAME(found[i].credit, expected[i].credit);
    SAME(found[i].each, expected[i].each);
    REQUIRE(found[i].of_requests == expected[i].of_requests);
    REQUIRE(found[i].of_nic == expected[i].of_nic);
    REQUIRE(found[i].shared == expected[i].shared);
  }
}

}  // namespace testing_world
