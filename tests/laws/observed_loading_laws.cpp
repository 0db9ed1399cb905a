// Of a job that was observed, the loader's side: what its workers do and what they wait for is a
// closed form of what was seen, and predicts the job that was.
#include <algorithm>
#include <cmath>

#include "catalog/catalog.hpp"
#include "laws/observed_jobs.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/cores.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

using study::observed_scenario;
using study::ObservedScenario;
using study::rounded;
using test::cpus_taken;
using test::Jobs;
using test::listed;
using test::or_zero;
using test::Waiting;

/// Of an interval, what a job that waits for itself to load spends on that.
double beside_step(const ObservedJob& job) {
  const Waiting waiting(job);
  if (!waiting.starved) return 0.0;
  if (!job.wait) return (1.0 - job.gpu_busy->value) * job.interval.value;
  return job.waited() - waiting.constant * job.interval.value;
}

TEST_CASE("observed loading: a worker's time at a sample is its CPU's and what it waits") {
  Jobs jobs(5);
  int from_disk = 0, from_network = 0, by_disk = 0, by_link = 0, crowded = 0;
  for (int i = 0; i < 6000; ++i) {
    const ObservedJob job = jobs.one();
    const ObservedScenario made = observed_scenario(job);
    const Scenario& s = made.scenario;
    const bool starved = Waiting(job).starved;
    const double x = job.throughput.value;
    const double hands = std::max(1.0, job.workers) * job.gpus;
    // Little's law; without workers loading is what is neither step nor hand-over.
    const double each = (job.workers > 0.0 ? hands / x : beside_step(job) / job.batch_size);
    auto cpu = job.workers == 0.0 ? std::nullopt : job.worker_cpu ? job.worker_cpu : job.all_cpu;
    // What all CPUs do may be more than a worker is at its sample.
    if (cpu && !job.worker_cpu) cpu->value = std::min(cpu->value, each);
    const bool all_busy = job.cpu_busy && job.cpu_busy->value > 0.95;
    const bool seen_apart = cpu && job.worker_cpu && cpu->value != job.all_cpu.value_or(*cpu).value;
    const double own = or_zero(cpu) * x + (seen_apart ? or_zero(job.main_cpu) * x : 0.0);
    const bool others = all_busy && job.cpus && own < 0.85 * *job.cpus;
    const bool short_of_cores = all_busy && (!others || hands > *job.cpus);

    // The operation costs what it would alone on the machine. So many threads do together what the
    // curve of the fitted scenario's cores says, and of more than there are CPUs each has a part.
    const double threads = std::max(1.0, job.cpus.value_or(cpus_taken(job)));
    const double whole = starved ? each * std::min(1.0, threads / hands) : 0.0;
    double cost = cpu ? cpu->value : whole;
    const double reading = cpu && starved ? each - cpu->value : 0.0;
    const bool reads = reading > 0.03 * each;
    const bool quota = reads && short_of_cores && others;
    const bool by_cpu = cpu && !quota;  // a quota stops all of them
    const double busy = std::clamp(by_cpu ? cpu->value * x : hands, 1.0, threads);
    cost *= resolve::assumed_cores(threads, job.cores).total(busy) / busy;
    if (by_cpu ? short_of_cores && !others : hands > threads) {
      cost /= 1.0 + resolve::assumed::oversubscription.value;
    }
    REQUIRE(s.preprocess.size() == (cost > 0.0 ? 1U : 0U));
    if (cost > 0.0) CHECK(s.preprocess.front().cpu->base() == Approx(cost).epsilon(1e-3));
    listed(made, "/preprocess/0/cpu", cost > 0.0,
           cpu ? cpu->relative_error : job.throughput.relative_error);

    const double received = or_zero(job.network_bytes);
    const double device = or_zero(job.device_bytes);
    const double memory = or_zero(job.cached_bytes);
    const bool network =
        !job.ranks_elsewhere && received * x > 1e5 && received > device && received > 0.5 * memory;
    CHECK((s.source.service.family() == Service::http) == network);
    const double bytes = network                  ? std::max(1.0, rounded(received))
                         : device + memory >= 1.0 ? rounded(device + memory)
                                                  : 1.0;

    CHECK(s.cluster.cpu_quota.has_value() == quota);
    if (quota) CHECK(*s.cluster.cpu_quota == Approx(rounded(own)));
    listed(made, "/cluster/cpu_quota", quota, cpu ? cpu->relative_error : 0.0);
    const bool waits = reads && !short_of_cores;
    CHECK(s.disk.kind == DiskKind::other);
    CHECK(s.disk.open_latency == Duration{});
    // All comes from memory, unless reading is what is waited for.
    CHECK((s.disk.page_cache == feedrate::bytes(1.0)) == (waits && !network));
    const double error = waits ? std::hypot(job.throughput.relative_error,
                                            cpu->relative_error * cpu->value / reading)
                               : 0.0;

    const bool full_link = waits && network && job.link && job.link->is_saturated();
    // As often as no worker reads, one that serves all reads at once is idle.
    const bool nearly = job.disk && job.disk->saturated >= 0.9 && job.disk->busy &&
                        1.0 - job.disk->busy->value >
                            2.0 * std::pow(std::clamp(1.0 - reading / each, 0.0, 1.0), hands);
    const bool full_disk = waits && !network && job.disk && (job.disk->is_saturated() || nearly) &&
                           device > 0.0 && job.disk->written <= 0.1 * job.disk->rate.value;
    const bool device_waits = waits && !network && !full_disk && job.disk && job.disk->busy &&
                              job.disk->busy->value >= 0.5 * std::min(1.0, reading * x) &&
                              or_zero(job.device_reads) >= 1e-3;
    if (network) {
      CHECK(s.source.input_mode == InputMode::stream);
      CHECK(s.source.open_latency == Duration{});
      CHECK(s.source.bandwidth_per_connection == study::at_once);
      CHECK(s.source.bandwidth.has_value() == !full_link);
      const double first_byte = waits && !full_link ? rounded(reading) : 0.0;
      CHECK(s.source.first_byte_latency->base() == Approx(first_byte));
    }
    listed(made, "/source/first_byte_latency", waits && network && !full_link, error);
    CHECK(s.cluster.network.has_value() == full_link);
    if (full_link) CHECK(s.cluster.network->base() == Approx(rounded(job.link->rate.value)));
    listed(made, "/cluster/network", full_link, job.link ? job.link->rate.relative_error : 0.0);
    const double disk_rate = full_disk ? rounded(device * x) : study::at_once.base();
    CHECK(s.disk.bandwidth->base() == Approx(disk_rate));
    listed(made, "/disk/bandwidth", full_disk,
           full_disk ? std::hypot(job.throughput.relative_error, job.device_bytes->relative_error)
                     : 0.0);
    const double device_reads = device_waits ? rounded(job.device_reads->value) : 1.0;
    CHECK(s.disk.reads_per_sample.has_value() == device_waits);
    if (device_waits) CHECK(*s.disk.reads_per_sample == device_reads);
    listed(made, "/disk/reads_per_sample", device_waits,
           job.device_reads ? job.device_reads->relative_error : 0.0);
    const bool read_waits = waits && !network && !full_disk;
    CHECK(s.disk.latency->base() == Approx(read_waits ? rounded(reading / device_reads) : 0.0));
    listed(made, "/disk/latency", read_waits, error);

    const double stored = full_disk ? (device >= 1.0 ? rounded(device) : 1.0) : bytes;
    CHECK(s.dataset.bytes_per_sample->base() == Approx(stored));
    from_disk += read_waits ? 1 : 0;
    from_network += waits && network ? 1 : 0;
    by_disk += full_disk ? 1 : 0;
    by_link += full_link ? 1 : 0;
    crowded += quota ? 1 : 0;
  }
  CHECK_DRAWN(from_disk > 50);
  CHECK_DRAWN(from_network > 20);
  CHECK_DRAWN(by_disk > 20);
  CHECK_DRAWN(by_link > 10);
  CHECK_DRAWN(crowded > 3);
}

TEST_CASE("observed loading: a job without workers is predicted as fast as it was") {
  Jobs jobs(8);
  int checked = 0;
  for (int i = 0; i < 2000 && checked < 60; ++i) {
    ObservedJob job = jobs.one();
    job.workers = 0.0;
    job.gpus = 1.0;
    job.throughput.value = job.batch_size / job.interval.value;
    job.instance.clear();
    job.cpus = 8.0;
    job.memory.reset();
    job.epoch_steps = 1000.0;
    job.startup.reset();
    job.step_cv.reset();
    job.copied_bytes.reset();
    job.gpu_bytes.reset();
    if (!job.wait && !job.gpu_busy) continue;
    const ObservedScenario made = observed_scenario(job);
    INFO((job.wait ? job.wait->value : job.gpu_busy->value) << " of " << job.interval.value);
    const auto predicted = study::run(made.scenario, Catalog{}, nullptr).throughput;
    CHECK(predicted->base() == Approx(job.throughput.value).epsilon(0.01));
    ++checked;
  }
  CHECK(checked == 60);
}

}  // namespace
