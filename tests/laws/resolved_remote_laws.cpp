// A second reading of auxiliary instances: what they add, and how fast their threads are taken to
// be. Over drawn scenarios, machines and profiles, in closed form.
#include <algorithm>
#include <optional>

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/drawn_world.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::resolve;
using namespace testing_world;
using pipeline::RateLimit;
using pipeline::Read;

TEST_CASE("resolved remote: auxiliary instances bring their threads, their NICs and their price") {
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
    const auto out = resolved_if_fits(w);
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
    const double all = cores / (s.loader.contention ? 1.0 + *s.loader.contention * (cores - 1.0)
                                : cores > 1.0       ? 1.0 + assumed::contention.value
                                                    : 1.0);
    SAME(pool.cores.total(count * cores), count * all);
    SAME(pool.cores.total(count * threads),
         count * all * (threads > cores ? 1.0 + assumed::hyper_threading_gain.value : 1.0));
    const auto made = s.dataset.bytes_on_gpu_per_sample ? s.dataset.bytes_on_gpu_per_sample
                                                        : s.preprocess[1].output_bytes;
    SAME(pool.sent,
         remote.bytes_per_sample ? *remote.bytes_per_sample : made.value_or(DataPerSample{}));
    const Machine& trainer = w.machine();
    const Bandwidth own = s.cluster.network       ? *s.cluster.network
                          : trainer.network_burst ? trainer.network_burst->value
                                                  : trainer.network->value;
    SAME(pool.network, own * assumed::line_share.value);
    SAME(pool.instances, count);
    // As fast as the trainer's where nobody says how fast theirs are.
    SAME(pool.sending.value(),
         (aux.network ? aux.network->value : own) * assumed::line_share.value);
    SAME(pool.deliveries, 1.0 / in.batch);
    SAME(pool.latency, seconds(0.0005));
    REQUIRE(out->terms.auxiliary.size() == 1);
    REQUIRE(out->terms.auxiliary[0].instances == count);
    SAME(out->terms.auxiliary[0].price.value, usd_per_hour(1.5));
  }
  CHECK_DRAWN(done > 300);
}

TEST_CASE("resolved remote: what is delivered and what is fetched pass a NIC by one rule") {
  Drawn d(2111);
  int with_credits = 0, without = 0;
  for (int i = 0; i < 400; ++i) {
    World w = draw_world(d);
    make_plain(w);
    Scenario& s = w.scenario;
    s.loader.kind = LoaderKind::pool;
    s.loader.num_workers = WorkerCount(4.0);
    s.loader.lock.reset();
    s.dataset.bytes_per_sample = d.of<DataPerSample>(1e4, 1e6);
    s.source.service = Service::s3;
    s.source.input_mode = InputMode::fast_file;
    if (d.generate.chance(0.5)) s.source.line_share = d.generate.uniform(0.3, 1.0);
    auto& lasts = w.catalog.limits.network_burst;
    lasts = {};
    if (d.generate.chance(0.8)) lasts.low = published(d.of<Duration>(60.0, 600.0));
    Machine& trainer = w.catalog.machines.front();
    Machine aux;
    aux.name = "aux.large";
    aux.cloud = "aws";
    aux.vcpus = published(8.0);
    aux.gpus = published(0.0);
    aux.network = published(d.of<Bandwidth>(1e8, 1e10));
    for (Machine* machine : {&trainer, &aux}) {
      machine->network_burst.reset();
      if (d.generate.chance(0.3)) continue;
      machine->network_burst = published(machine->network->value * d.generate.uniform(0.8, 10.0));
    }
    s.cluster.network.reset();
    if (d.generate.chance(0.4)) {
      s.cluster.network = trainer.network->value * (d.generate.chance(0.5) ? 1.0 : 1.3);
    }
    w.catalog.machines.push_back(aux);
    RemoteWorkers& remote = s.loader.remote.emplace();
    remote.instance = aux.name;
    remote.instances = d.generate.whole(1.0, 5.0);
    remote.price = usd_per_hour(1.5);
    INFO("world " << i);
    const auto out = resolved_if_fits(w);
    if (!out) continue;
    const auto& pool = out->inputs.remote.value();
    const Read& source = out->inputs.source.value();
    SAME(pool.network, source.nic.value());
    const auto credits = std::find_if(source.limits.begin(), source.limits.end(),
                                      [](const RateLimit& limit) { return limit.of_nic; });
    REQUIRE(pool.network_credits.has_value() == (credits != source.limits.end()));
    if (pool.network_credits) {
      CHECK(pool.network_credits->name == credits->name);
      SAME(pool.network_credits->rate, credits->rate);
      SAME(pool.network_credits->burst_rate, credits->burst_rate);
      SAME(pool.network_credits->credit, credits->credit);
    }
    // A helper's NIC is what it would be if that instance trained.
    World helper = w;
    helper.catalog.machines.front().network = aux.network;
    helper.catalog.machines.front().network_burst = aux.network_burst;
    helper.scenario.cluster.network.reset();
    const auto trains = resolved_if_fits(helper);
    REQUIRE(trains);
    const auto& as_trainer = trains->inputs.remote.value();
    SAME(pool.sending.value(), as_trainer.network);
    REQUIRE(pool.sending_credits.has_value() == as_trainer.network_credits.has_value());
    ++(pool.sending_credits ? with_credits : without);
    if (pool.sending_credits) {
      SAME(pool.sending_credits->rate, as_trainer.network_credits->rate);
      SAME(pool.sending_credits->burst_rate, as_trainer.network_credits->burst_rate);
      SAME(pool.sending_credits->credit, as_trainer.network_credits->credit);
    }
    // What they fetch passes their own NICs: a request one of them, all requests all.
    const Read& fetch = pool.fetch.value();
    CHECK(fetch.rate.total(1.0) <= *pool.sending * (1.0 + 1e-9));
    SAME(fetch.rate.total(1.0), std::min(source.rate.total(1.0), *pool.sending));
    SAME(fetch.rate.maximum(), *pool.sending * remote.instances);
    REQUIRE(std::none_of(fetch.limits.begin(), fetch.limits.end(),
                         [](const RateLimit& limit) { return limit.of_nic; }));
  }
  CHECK_DRAWN(with_credits > 30);
  CHECK_DRAWN(without > 30);
}

TEST_CASE("resolved remote: times of another processor are scaled by what CoreMark compares") {
  Drawn d(2109);
  int measured = 0, given = 0, compared = 0;
  for (int i = 0; i < 1600; ++i) {
    World w = draw_world(d);
    if (!w.host) continue;
    const auto processor = [&](Machine& m) {
      if (d.generate.chance(0.7)) m.coremark = published(d.of<double>(1e4, 1e6));
      const double model = d.generate.whole(0.0, 3.0);
      if (model > 0.0) m.cpu_model = "processor " + std::to_string(static_cast<int>(model));
    };
    Machine aux = w.machine();
    aux.name = "aux.large";
    aux.cores = published(d.generate.whole(2.0, 16.0));
    aux.vcpus = published(aux.cores->value * d.generate.whole(1.0, 2.0));
    aux.gpus = published(0.0);
    Machine third = aux;
    third.name = "third.large";
    processor(w.catalog.machines.front());
    processor(aux);
    processor(third);
    w.catalog.machines.push_back(aux);
    w.catalog.machines.push_back(third);
    Scenario& s = w.scenario;
    s.loader.kind = LoaderKind::pool;
    s.loader.num_workers = WorkerCount(4.0);
    s.loader.in_memory_cache.reset();
    s.source = {};
    s.disk = {};
    s.job.step->fixed = milliseconds(20.0);
    RemoteWorkers& remote = s.loader.remote.emplace();
    remote.instance = aux.name;
    remote.instances = 1.0;
    remote.price = usd_per_hour(1.5);
    remote.bytes_per_sample = bytes_per_sample(1e5);
    s.preprocess.resize(1);
    s.preprocess[0] = {"decode", {}, {}, {}, Place::cpu, {}};
    const bool of_scenario = d.generate.chance(0.5);
    if (of_scenario) s.preprocess[0].cpu = d.of<DurationPerSample>(1e-4, 1e-2);
    const double where = d.generate.whole(0.0, 4.0);
    const Machine* from = nullptr;  // whose processor is told apart
    if (of_scenario) {
      const char* const places[] = {"", any_machine, unknown_machine, "aux.large", "third.large"};
      if (where > 0.0) s.measured_on.remote_times = places[static_cast<std::size_t>(where)];
      if (where == 4.0) from = &third;
    } else {
      // The profile's instance, or its processor, or neither.
      w.host->instance = where == 0.0 || where == 1.0 ? ""
                         : where == 2.0               ? w.machine().name
                         : where == 3.0               ? aux.name
                                                      : third.name;
      if (where == 1.0) w.host->processor = "another";
      if (where == 2.0) from = &w.machine();
      if (where == 4.0) from = &third;
    }
    const auto name = [](const Machine& m) { return m.cpu_model.empty() ? m.name : m.cpu_model; };
    const auto thread = [](const Machine& m) {
      const double second = m.vcpus->value / m.cores->value - 1.0;  // that a core has
      return m.coremark->value /
             (m.cores->value * (1.0 + assumed::hyper_threading_gain.value * second));
    };
    const bool another = !of_scenario && where == 1.0;
    const bool differs = another || (from != nullptr && name(*from) != name(aux));
    double speed = 1.0;
    if (differs && !another && from->coremark && aux.coremark) {
      speed = thread(aux) / thread(*from);
      ++compared;
    }
    INFO("world " << i << ", place " << where << (of_scenario ? ", given" : ", measured"));
    const auto out = resolved_if_fits(w);
    if (!out) continue;
    ++(of_scenario ? given : measured);
    const DurationPerSample time =
        of_scenario ? *s.preprocess[0].cpu : w.host->operations.at("decode").value;
    SAME(out->inputs.remote.value().cpu, time / speed);
    // A speed that is assumed is on the list of what is used.
    const std::string key = "thread speed of " + name(aux) + " relative to " +
                            (another           ? "another"
                             : from != nullptr ? name(*from)
                                               : "");
    const bool listed = std::any_of(out->used.begin(), out->used.end(), [&](const auto& one) {
      return one.key.starts_with(differs ? key : "thread speed of " + name(aux)) &&
             one.stage == Stage::remote;
    });
    REQUIRE(listed == differs);
    // Without a profile, what it would say is to be typed.
    if (of_scenario) continue;
    w.host.reset();
    REQUIRE_THROWS_AS(w.resolved(), InputError);
  }
  CHECK_DRAWN(measured > 100);
  CHECK_DRAWN(given > 100);
  CHECK_DRAWN(compared > 50);
}
