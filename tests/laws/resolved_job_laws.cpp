// A second reading of the rest of a scenario: what interrupts the job, where its checkpoints go,
// what gradients take, what auxiliary instances add, and what is on the bill. Over drawn scenarios,
// machines and prices, in closed form.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/allreduce.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/drawn_world.hpp"

using namespace feedrate;
using namespace feedrate::resolve;
using namespace testing_world;
using pipeline::Read;

namespace {

constexpr double hour = 3600.0;

std::optional<Resolved> resolved(const World& w) {
  try {
    return w.resolved();
  } catch (const InputError&) {
    return std::nullopt;  // what is kept does not fit into memory, or data onto a volume
  }
}

/// How fast the place of the data takes checkpoints: as fast as it is read at most.
double store_rate(const Inputs& in) {
  const Read& read = in.source ? *in.source : in.staging ? in.staging->read : *in.disk;
  if (read.rate.empty()) return 0.0;
  double rate =
      base(read.connections > 0.0 ? read.rate.total(read.connections) : read.rate.maximum());
  for (const auto& limit : read.limits) {
    if (!limit.of_requests) rate = std::min(rate, limit.rate);
  }
  return rate;
}

void draw_interruptions(Drawn& d, Scenario& s) {
  Checkpoint& c = s.job.checkpoint.emplace();
  c.interval = d.maybe<Duration>(60.0, 7200.0, 0.7);
  c.size = d.of<Bytes>(1e8, 1e11);
  c.bandwidth = d.maybe<Bandwidth>(1e8, 1e10, 0.6);
  c.background = d.flag();
  c.restart = d.maybe<Duration>(60.0, 1200.0);
  if (d.generate.chance(0.5)) {
    Failures& f = s.cluster.failures.emplace();
    f.mttf = d.maybe<Duration>(1e5, 1e8);
    if (!f.mttf) f.per_1000_node_days = d.maybe<double>(1.0, 50.0);
  }
  if (d.generate.chance(0.6)) {
    s.cluster.purchase = Purchase::spot;
    Spot& spot = s.cluster.spot.emplace();
    spot.rate = d.maybe<Frequency>(1e-8, 1e-5);
    if (!spot.rate) spot.interruption_share_per_month = d.maybe<double>(0.01, 0.6);
    spot.notice = d.maybe<Duration>(1.0, 300.0);
    spot.wait_for_capacity = d.maybe<Duration>(10.0, 1e4);
    if (d.generate.chance(0.4)) {
      spot.fallback.emplace();
      spot.fallback->after_interruptions = 3.0;
      spot.on_demand_price = usd_per_hour(9.0);
    }
  } else if (d.generate.chance(0.3)) {
    s.cluster.purchase = Purchase::capacity_block;
    s.cluster.booked = d.of<Duration>(hour, 100.0 * hour);
  }
}

void check_interruptions(const Scenario& s, const Inputs& in) {
  const Checkpoint& c = *s.job.checkpoint;
  REQUIRE(in.checkpoint_background == c.background.value_or(false));
  const double rate = c.bandwidth ? base(*c.bandwidth) : store_rate(in);
  SAME(in.checkpoint_time, *c.size / bytes_per_second(rate));
  const bool beside = !c.bandwidth && (in.source || (in.disk && !in.staging));
  REQUIRE(in.checkpoint_beside.has_value() == beside);
  if (beside) {
    REQUIRE(*in.checkpoint_beside == (in.source ? Stage::download : Stage::disk));
  }
  const bool spot = s.cluster.purchase == Purchase::spot;
  const bool counted = s.cluster.failures || spot;
  REQUIRE(in.best_interval == (!c.interval && counted));
  SAME(in.checkpoint_interval, c.interval.value_or(Duration{}));
  SAME(in.booked, s.cluster.booked.value_or(Duration{}));
  REQUIRE(in.interruptions.has_value() == (counted || s.cluster.booked));
  REQUIRE_FALSE(in.restarts_all);
  if (!in.interruptions) return;
  const auto& job = *in.interruptions;
  SAME(job.restart, c.restart ? *c.restart : seconds(300.0) + in.checkpoint_time);
  double sudden = 0.0;
  if (const auto& f = s.cluster.failures) {
    const double nodes = assumed::failures_of(in.ranks).value;
    sudden = f->mttf ? 1.0 / base(*f->mttf)
                     : f->per_1000_node_days.value_or(nodes) / 1000.0 / (24.0 * hour);
    sudden *= in.instances;
  }
  double announced = 0.0;
  if (spot) {
    const Spot& given = *s.cluster.spot;
    const double share = given.interruption_share_per_month.value_or(0.1);
    // Of instances at a constant hazard, this share is left after a month of 730 hours.
    const double each = given.rate ? base(*given.rate) : -std::log(1.0 - share) / (730.0 * hour);
    const bool saved = given.notice && in.checkpoint_time <= *given.notice;
    (saved ? announced : sudden) += each * in.instances;
    SAME(job.wait, given.wait_for_capacity.value_or(seconds(2400.0)));
    REQUIRE(job.fallback.has_value() == given.fallback.has_value());
    if (job.fallback) {
      REQUIRE(job.fallback->after_interruptions == 3.0);
      SAME(job.fallback->sudden, per_second(saved ? sudden : sudden - each * in.instances));
    }
  }
  SAME(job.sudden, per_second(sudden));
  SAME(job.announced, per_second(announced));
}

}  // namespace

TEST_CASE("resolved job: what interrupts it, and the checkpoints that it goes back to") {
  Drawn d(2101);
  int done = 0;
  for (int i = 0; i < 800; ++i) {
    World w = draw_world(d);
    draw_interruptions(d, w.scenario);
    INFO("world " << i);
    const auto out = resolved(w);
    if (!out) continue;
    ++done;
    check_interruptions(w.scenario, out->inputs);
  }
  CHECK(done > 500);
}

TEST_CASE("resolved job: failures of an instance fall with its GPUs, as far as GPUs cause them") {
  // 47.3 % of those of a node of 8 are its GPUs', and go with their number.
  for (const double gpus : {1.0, 2.0, 3.0, 4.0, 7.0, 8.0, 16.0}) {
    const double share = std::min(1.0, gpus / 8.0);
    CHECK(assumed::failures_of(gpus).value == Approx(3.8 * (1.0 - 0.473 * (1.0 - share))));
  }
}

TEST_CASE("resolved job: gradients in a ring, in two levels, by an efficiency, or as assumed") {
  Drawn d(2102);
  int done = 0;
  for (int i = 0; i < 800; ++i) {
    World w = draw_world(d);
    w.host.reset();
    Scenario& s = w.scenario;
    for (Operation& op : s.preprocess) {
      if (op.where == Place::cpu && !op.cpu && !op.cpu_per_byte)
        op.cpu = milliseconds(1.0) / samples(1.0);
      if (op.where == Place::gpu) op.gpu = seconds_per_sample(1e-4);
    }
    s.job.step->fixed = milliseconds(20.0);
    if (s.source.service != Service::s3 && s.source.service != Service::local) {
      s.source.first_byte_latency = milliseconds(5.0);
    }
    s.job.step->cv.reset();
    const double kind = d.generate.uniform(0.0, 1.0);
    AllReduce a;
    a.algorithm = kind < 0.3 ? AllReduceAlgorithm::ring : AllReduceAlgorithm::hierarchical;
    a.busbw = d.of<Bandwidth>(1e8, 1e9);
    a.busbw_inside = d.of<Bandwidth>(1e9, 1e11);
    a.latency = d.of<Duration>(1e-6, 1e-4);
    a.overlap = 0.0;
    if (d.generate.chance(0.5)) {
      a.parameters = d.of<double>(1e6, 1e9);
      if (d.generate.chance(0.5)) a.gradient_type = NumberType::bf16;
    } else {
      a.gradient_bytes = d.of<Bytes>(1e6, 1e9);
    }
    a.compression = d.maybe<double>(1.0, 8.0);
    if (kind < 0.6) {
      s.job.allreduce = a;
    } else if (kind < 0.8) {
      s.job.efficiency = d.generate.uniform(0.3, 1.0);
    }
    INFO("world " << i);
    const auto out = resolved(w);
    if (!out) continue;
    ++done;
    const Inputs& in = out->inputs;
    const bool several = in.instances > 1.0;
    REQUIRE(in.time_ratio.has_value() == (s.job.efficiency && several));
    if (in.time_ratio) {
      REQUIRE(*in.time_ratio == Approx(1.0 / in.instances / *s.job.efficiency));
      // T(1), of the same job.
      REQUIRE(in.alone->instances == 1.0);
      REQUIRE(in.alone->samples == in.samples);
      REQUIRE_FALSE(in.alone->time_ratio.has_value());
    }
    if (!s.job.allreduce) {
      const double efficiency = assumed::unknown_communication.value;
      const Duration step =
          *in.step.fixed +
          (in.step.per_sample ? *in.step.per_sample * samples(in.batch) : Duration{});
      const bool unknown = several && !s.job.efficiency;
      SAME(in.exposed_allreduce,
           unknown ? in.accumulation * step * (1.0 / efficiency - 1.0) : Duration{});
      continue;
    }
    const double n = in.gpus();
    const double of_each =
        a.parameters ? *a.parameters * (a.gradient_type ? 2.0 : 4.0) : base(*a.gradient_bytes);
    const double size = of_each / a.compression.value_or(1.0);
    const auto in_ring = [&](double ranks, Bandwidth bus) {
      return 2.0 * (ranks - 1.0) / ranks * size / base(bus) +
             2.0 * (ranks - 1.0) * base(*a.latency);
    };
    const bool ring = a.algorithm == AllReduceAlgorithm::ring;
    const double time = ring ? in_ring(n, *a.busbw)
                             : in_ring(in.ranks, *a.busbw_inside) + in_ring(in.instances, *a.busbw);
    SAME(in.exposed_allreduce, seconds(time));
    const double rings = ring ? n : in.instances;
    // More than the NIC carries goes over a network of its own.
    const auto& line = s.cluster.network           ? *s.cluster.network
                       : w.machine().network_burst ? w.machine().network_burst->value
                                                   : w.machine().network->value;
    const bool shared = several && *a.busbw <= line;
    SAME(in.network_allreduce, bytes(shared ? 2.0 * (rings - 1.0) / rings * size : 0.0));
  }
  CHECK(done > 500);
}

TEST_CASE("resolved job: a scaling fit is 1 on one instance, and each of its terms its own share") {
  Drawn d(2103);
  for (int i = 0; i < 300; ++i) {
    ScalingFit fit;
    fit.bandwidth = d.of<double>(1e-3, 1.0);
    fit.latency = d.of<double>(1e-4, 1e-1);
    if (d.generate.chance(0.5)) fit.batch_size = d.generate.whole(1.0, 64.0);
    const double batch = d.generate.whole(1.0, 64.0);
    const double n = d.generate.whole(2.0, 64.0);
    // Half the batch exchanges as much twice as often.
    const double often = fit.batch_size > 0.0 ? fit.batch_size / batch : 1.0;
    const double loss = often * 2.0 * (n - 1.0) * (fit.bandwidth / n + fit.latency);
    INFO("fit " << i);
    REQUIRE(from_fit(fit, n, batch) * n == Approx(1.0 + loss));
    REQUIRE(from_fit(fit, 1.0, batch) == 1.0);
    // Without a batch it is the fit's own.
    REQUIRE(from_fit(fit, n) == Approx(from_fit(fit, n, fit.batch_size)));
  }
}

TEST_CASE("resolved job: auxiliary instances bring their threads, their NICs and their price") {
  Drawn d(2104);
  int done = 0;
  for (int i = 0; i < 400; ++i) {
    World w = draw_world(d);
    w.host.reset();
    Scenario& s = w.scenario;
    s.loader.kind = LoaderKind::pool;
    s.loader.num_workers = WorkerCount(4.0);
    s.loader.lock.reset();
    s.loader.in_memory_cache.reset();
    s.source = {};
    s.disk = {};
    s.job.step->fixed = milliseconds(20.0);
    const auto published = [](auto value) {
      return Value<decltype(value)>{value, {Origin::published, "test", 0.0}};
    };
    Machine aux;
    aux.name = "aux.large";
    aux.cloud = "aws";
    const double cores = d.generate.whole(2.0, 16.0);
    const double threads = cores * d.generate.whole(1.0, 2.0);
    aux.cores = published(cores);
    aux.vcpus = published(threads);
    aux.gpus = published(0.0);
    d.publish(aux.network, 1e8, 1e10);
    w.catalog.machines.push_back(aux);
    RemoteWorkers& remote = s.loader.remote.emplace();
    remote.instance = aux.name;
    remote.instances = d.generate.whole(1.0, 5.0);
    if (d.generate.chance(0.5)) remote.workers_per_instance = d.generate.whole(1.0, 32.0);
    remote.price = usd_per_hour(1.5);
    remote.bytes_per_sample = d.maybe<DataPerSample>(1e4, 1e6);
    const bool all_there = d.generate.chance(0.5);
    s.preprocess[0].cpu = d.of<DurationPerSample>(1e-4, 1e-2);
    s.preprocess[0].cpu_per_byte.reset();
    s.preprocess[2].gpu = seconds_per_sample(1e-4);
    for (Operation& op : s.preprocess) {
      if (op.where == Place::cpu && all_there) op.where = Place::remote;
    }
    INFO("world " << i);
    const auto out = resolved(w);
    if (!out) continue;
    ++done;
    const Inputs& in = out->inputs;
    REQUIRE(in.remote.has_value());
    const auto& pool = *in.remote;
    const double count = remote.instances;
    REQUIRE(pool.workers == count * remote.workers_per_instance.value_or(threads));
    const DurationPerSample cpu = *s.preprocess[0].cpu + *s.preprocess[1].cpu;
    SAME(pool.cpu, cpu);
    SAME(in.cpu, all_there ? DurationPerSample{} : cpu);
    // Each has cores of its own, that contend as those of one instance do.
    const double all = cores / (1.0 + s.loader.contention.value_or(0.002) * (cores - 1.0));
    SAME(pool.cores.total(count * cores), count * all);
    SAME(pool.cores.total(count * threads), count * all * (threads > cores ? 1.3 : 1.0));
    const auto made = s.dataset.bytes_on_gpu_per_sample ? s.dataset.bytes_on_gpu_per_sample
                                                        : s.preprocess[1].output_bytes;
    SAME(pool.sent,
         remote.bytes_per_sample ? *remote.bytes_per_sample : made.value_or(DataPerSample{}));
    const Bandwidth own = s.cluster.network.value_or(w.machine().network->value);
    SAME(pool.network,
         aux.network ? std::min(own, aux.network->value * (count / in.instances)) : own);
    SAME(pool.deliveries, 1.0 / in.batch);
    SAME(pool.latency, seconds(0.0005));
    REQUIRE(out->terms.auxiliary.size() == 1);
    REQUIRE(out->terms.auxiliary[0].instances == count);
    SAME(out->terms.auxiliary[0].price.value, usd_per_hour(1.5));
  }
  CHECK(done > 300);
}

TEST_CASE("resolved job: what a file system of AWS gives, by its size, its tier and its mode") {
  Drawn d(2106);
  const auto published = [](auto value) {
    return Value<decltype(value)>{value, {Origin::published, "test", 0.0}};
  };
  const auto tier = SpecificBandwidth::of(200e6 / 1099511627776.0);
  int done = 0;
  for (int i = 0; i < 600; ++i) {
    World w = draw_world(d);
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
    const bool files = s.dataset.samples_per_object.value_or(1.0) <= 1.0;
    const double instances = s.cluster.instances;
    const double stored = base(*s.dataset.bytes_per_sample) * *s.dataset.samples;
    const bool efs = d.generate.chance(0.5);
    s.source.service = efs ? Service::efs : Service::fsx_lustre;
    if (d.generate.chance(0.4)) s.source.capacity = bytes(stored * d.generate.uniform(1.0, 20.0));
    const double capacity = s.source.capacity ? base(*s.source.capacity) : stored;
    double latency = 0.0, rate = 0.0, burst = 0.0, credit = 0.0, each = 0.0;
    std::optional<double> per_client, requests;
    if (efs) {
      const double kind = d.generate.whole(0.0, 2.0);
      const char* name = kind == 0.0 ? "elastic" : kind == 1.0 ? "bursting" : "provisioned";
      if (kind > 0.0 || d.generate.chance(0.5)) s.source.throughput_mode = name;
      EfsMode mode;
      mode.mode = name;
      mode.read_latency = published(d.of<Duration>(1e-4, 1e-2));
      mode.per_client = published(d.of<Bandwidth>(1e8, 1e9));
      mode.read.low = published(d.of<Bandwidth>(1e9, 1e10));
      d.publish(mode.read_iops, 1e3, 1e5);
      w.catalog.efs.modes.push_back(mode);
      EfsLimits& limits = w.catalog.efs;
      limits.round_trips_per_file = published(2.0);
      limits.read_metering = published(1.0 / 3.0);
      limits.earned = published(SpecificBandwidth::of(5e-5));
      limits.earned_minimum = published(bytes_per_second(1e6));
      limits.burst = published(SpecificBandwidth::of(1e-4));
      limits.burst_minimum = published(bytes_per_second(1e8));
      if (kind == 2.0) s.source.provisioned_throughput = d.of<Bandwidth>(1e8, 1e9);
      latency = base(mode.read_latency->value) * (files ? 3.0 : 1.0);
      rate = base(mode.read.low->value);
      if (kind == 1.0) {
        // A read is metered at a third of its bytes.
        rate = 3.0 * std::max(1e6, 5e-5 * capacity);
        burst = 3.0 * std::max(1e8, 1e-4 * capacity);
        credit = 3.0 * 2.1 * 1099511627776.0;
      }
      if (kind == 2.0) rate = base(*s.source.provisioned_throughput);
      per_client = base(mode.per_client->value);
      each = *per_client;
      if (mode.read_iops) requests = base(mode.read_iops->value);
    } else {
      FsxTier one;
      one.deployment_type = "SCRATCH_2";
      one.throughput = tier;
      one.disk_read = published(d.of<SpecificBandwidth>(1e-4, 1e-3));
      w.catalog.fsx.tiers.push_back(one);
      const Bytes step = gibibytes(1200.0);
      w.catalog.fsx.steps.push_back(
          {"", published(step), published(2.0 * step), published(2.0 * step)});
      w.catalog.fsx.latency = published(d.of<Duration>(1e-4, 1e-2));
      w.catalog.fsx.open_small_file = published(d.of<Duration>(1e-4, 1e-2));
      w.catalog.fsx.one_disk = published(d.of<Bandwidth>(1e8, 1e9));
      const double first = base(step);
      const double sold =
          capacity <= first ? first : std::ceil(capacity / first / 2.0) * first * 2.0;
      latency = base((files ? w.catalog.fsx.open_small_file : w.catalog.fsx.latency)->value);
      rate = base(one.disk_read->value) * sold;
      each = base(w.catalog.fsx.one_disk->value);
    }
    INFO("world " << i << (efs ? ", EFS" : ", FSx"));
    const auto out = resolved(w);
    if (!out) continue;
    ++done;
    const Read& read = out->inputs.source.value();
    SAME(read.latency, seconds(latency));
    SAME(read.rate.total(1.0), std::min(bytes_per_second(each), out->inputs.network.value()));
    const auto limit = [&](std::string_view name) {
      const auto found = std::find_if(read.limits.begin(), read.limits.end(),
                                      [&](const auto& one) { return one.name == name; });
      return found == read.limits.end() ? nullptr : &*found;
    };
    // All instances share the file system; what one client gets, and its NIC, they do not.
    const auto* service = limit(burst > rate ? "EFS burst credits" : "source bandwidth");
    REQUIRE(service != nullptr);
    REQUIRE(service->shared);
    SAME(service->rate, rate / instances);
    SAME(service->burst_rate, burst > rate ? burst / instances : 0.0);
    SAME(service->credit, burst > rate ? credit / instances : 0.0);
    const auto* client = limit("throughput of one client");
    REQUIRE((client != nullptr) == per_client.has_value());
    if (client != nullptr) {
      REQUIRE_FALSE(client->shared);
      SAME(client->rate, *per_client);
    }
    const auto* asked = limit("request rate");
    REQUIRE((asked != nullptr) == requests.has_value());
    if (asked != nullptr) SAME(asked->rate, *requests / instances);
    REQUIRE_FALSE(out->inputs.staging.has_value());
    REQUIRE_FALSE(out->inputs.disk.has_value());
  }
  CHECK(done > 400);
}

TEST_CASE("resolved job: the bill has each volume, each request and each lease that is used") {
  Drawn d(2105);
  int done = 0, provisioned = 0;
  for (int i = 0; i < 800; ++i) {
    World w = draw_world(d);
    Scenario& s = w.scenario;
    s.cluster.region = "us-east-1";
    const auto published = [](auto value) {
      return Value<decltype(value)>{value, {Origin::published, "test", 0.0}};
    };
    for (const EbsVolume& volume : w.catalog.ebs) {
      EbsPrice price{"us-east-1", volume.type, published(StoragePrice::of(4e-17)), {}, {}};
      if (volume.type != "gp2") price.iops = published(HourlyPrice::of(2e-9));
      if (volume.type == "gp3") price.bandwidth = published(BandwidthPrice::of(1.6e-14));
      w.catalog.ebs_prices.push_back(price);
    }
    w.catalog.s3_prices.push_back({"us-east-1",
                                   "STANDARD",
                                   published(StoragePrice::of(9e-18)),
                                   published(usd(4e-7)),
                                   published(usd(5e-6)),
                                   {}});
    s.source.bill_storage = d.flag();
    s.source.storage_held = d.maybe<Duration>(hour, 1e3 * hour);
    s.job.jobs = d.maybe<double>(1.0, 5.0);
    s.job.value_of_hour = usd_per_hour(d.generate.whole(0.0, 100.0));
    INFO("world " << i);
    const auto out = resolved(w);
    if (!out) continue;
    ++done;
    const Terms& terms = out->terms;
    const double n = out->inputs.instances;
    REQUIRE(terms.compute.instances == n);
    SAME(terms.compute.price.value, usd_per_hour(3.0));
    SAME(terms.value_of_hour, *s.job.value_of_hour);
    SAME(terms.dataset, *s.dataset.bytes_per_sample * samples(*s.dataset.samples));
    const bool s3 = s.source.service == Service::s3;
    REQUIRE(terms.requests.size() == (s3 ? 2U : 0U));
    if (s3) {
      SAME(terms.requests[0].price.value, usd(4e-7));
      REQUIRE(terms.requests[0].counts == RequestTerms::Of::objects_read);
      SAME(terms.requests[1].price.value, usd(5e-6));
      REQUIRE(terms.requests[1].counts == RequestTerms::Of::checkpoints);
    }
    const bool held = s3 && s.source.bill_storage.value_or(false);
    const bool volume = out->disk && out->disk->kind == DiskKind::ebs;
    REQUIRE(terms.storage.size() == (held ? 1U : 0U) + (volume ? 1U : 0U));
    if (held) {
      const auto& [use, lease] = terms.storage.front();
      SAME(use.amount, terms.dataset);
      REQUIRE(lease.until == Lease::Until::job_ends);
      REQUIRE(lease.given == s.source.storage_held);
      REQUIRE(lease.shared_by == s.job.jobs.value_or(1.0));
    }
    if (!volume) {
      REQUIRE(terms.iops.empty());
      REQUIRE(terms.bandwidth.empty());
      continue;
    }
    const auto& [use, lease] = terms.storage.back();
    SAME(use.amount, *out->disk->size * n);
    REQUIRE(lease.until == Lease::Until::instances_end);
    REQUIRE_FALSE(lease.given.has_value());
    REQUIRE(lease.shared_by == 1.0);
    // gp3 has 3,000 IOPS and 125 MB/s in its price; what a type has none of is paid from the first.
    const std::string& type = out->disk->volume_type;
    const double free_iops = type == "gp3" ? 3000.0 : 0.0;
    const bool pays_iops = type != "gp2" && out->disk->iops && base(*out->disk->iops) > free_iops;
    REQUIRE(terms.iops.size() == (pays_iops ? 1U : 0U));
    if (pays_iops) {
      ++provisioned;
      SAME(terms.iops[0].use.amount, *out->disk->iops * n);
      SAME(terms.iops[0].use.free, per_second(free_iops * n));
    }
    const bool pays_bandwidth =
        type == "gp3" && out->disk->bandwidth && base(*out->disk->bandwidth) > 125e6;
    REQUIRE(terms.bandwidth.size() == (pays_bandwidth ? 1U : 0U));
    if (pays_bandwidth) {
      SAME(terms.bandwidth[0].use.amount, *out->disk->bandwidth * n);
      SAME(terms.bandwidth[0].use.free, bytes_per_second(125e6 * n));
    }
  }
  CHECK(done > 500);
  CHECK(provisioned > 50);
}
