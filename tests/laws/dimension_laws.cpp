// The laws of dimensions, over jobs that have everything: which unit seconds, bytes and money are
// counted in is nothing to the job, and a stage's speed is its costs.
#include <cmath>
#include <map>
#include <memory>

#include "catch.hpp"
#include "pipeline/complete_job.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

/// Everything that a job is given, with as many times the seconds and bytes as a new unit makes of
/// them. Cores do core-seconds a second, which stay.
struct Units {
  double seconds = 1.0;
  double bytes = 1.0;

  void change(Duration& time) const { time *= seconds; }
  void change(DurationPerSample& time) const { time *= seconds; }
  void change(Bandwidth& rate) const { rate *= bytes / seconds; }
  void change(Curve<Bandwidth>& rate) const {
    for (auto& point : rate.points) change(point.total);
  }
  void change(std::vector<RateLimit>& limits) const {
    for (RateLimit& limit : limits) {
      const double unit = limit.of_requests ? 1.0 : bytes;
      limit.rate *= unit / seconds;
      limit.burst_rate *= unit / seconds;
      limit.credit *= unit;
      limit.each *= unit;
    }
  }
  void change(Read& read) const {
    change(read.latency);
    read.bytes *= bytes;
    change(read.cpu);
    change(read.rate);
    change(read.limits);
    if (read.nic) change(*read.nic);
    change(read.shared_by_all);
    change(read.unshared);
  }
  void change(Step& step) const {
    if (step.fixed) change(*step.fixed);
    if (step.per_sample) change(*step.per_sample);
    if (!step.table) return;
    for (auto& [batch, time] : *step.table) change(time);
  }
  void change(reliability::InterruptedJob& job) const {
    job.sudden /= seconds;
    job.announced /= seconds;
    change(job.restart);
    change(job.wait);
  }
  [[nodiscard]] Inputs of(const Inputs& given) const {
    Inputs in = given;
    for (std::optional<Read>* read : {&in.first_source, &in.source, &in.disk}) {
      if (*read) change(**read);
    }
    for (DurationPerSample* time : {&in.cpu, &in.cached_cpu, &in.locked, &in.collate, &in.pin,
                                    &in.copy, &in.gpu_preprocess, &in.gpu_preprocess_ahead}) {
      change(*time);
    }
    for (Duration* time : {&in.worker_startup, &in.worker_warmup, &in.worker_shutdown, &in.handover,
                           &in.launch, &in.started, &in.copy_latency, &in.exposed_allreduce,
                           &in.startup, &in.checkpoint_interval, &in.checkpoint_time, &in.booked}) {
      change(*time);
    }
    change(in.step);
    in.network_allreduce *= bytes;
    if (in.network) change(*in.network);
    if (in.memory) in.memory->rate /= seconds;
    if (in.staging) {
      change(in.staging->read);
      in.staging->object_size *= bytes;
      if (in.staging->disk_write) change(*in.staging->disk_write);
      change(in.staging->write_limits);
    }
    if (in.remote) {
      change(in.remote->cpu);
      if (in.remote->fetch) change(*in.remote->fetch);
      in.remote->sent *= bytes;
      change(in.remote->latency);
      change(in.remote->network);
      if (in.remote->sending) change(*in.remote->sending);
      for (auto* credits : {&in.remote->network_credits, &in.remote->sending_credits}) {
        if (!*credits) continue;
        std::vector<RateLimit> changed{**credits};
        change(changed);
        *credits = changed.front();
      }
    }
    if (in.interruptions) change(*in.interruptions);
    if (in.unequal) {
      for (UnequalInstances::Kind& kind : in.unequal->others) {
        kind.inputs = std::make_shared<const Inputs>(of(*kind.inputs));
      }
    }
    return in;
  }
};

void halve(Read& read) {
  read.latency /= 2.0;
  read.cpu /= 2.0;
  for (Curve<Bandwidth>* rate : {&read.rate, &read.unshared}) {
    for (auto& point : rate->points) point.total *= 2.0;
  }
  read.shared_by_all *= 2.0;
  for (RateLimit& limit : read.limits) {
    if (!limit.of_nic) limit.rate *= 2.0, limit.burst_rate *= 2.0;
  }
}

void halve(std::optional<RateLimit>& credits) {
  if (credits) credits->rate *= 2.0, credits->burst_rate *= 2.0;
}

void widen(Read& read) {
  if (read.nic) *read.nic *= 2.0;
  for (RateLimit& limit : read.limits) {
    if (limit.of_nic) limit.rate *= 2.0, limit.burst_rate *= 2.0;
  }
}

void halve_steps(Step& step) {
  if (step.fixed) *step.fixed /= 2.0;
  if (step.per_sample) *step.per_sample /= 2.0;
  if (!step.table) return;
  for (auto& [batch, time] : *step.table) time /= 2.0;
}

/// The same job with half of what this stage costs; empty where something else hangs on it.
std::optional<Inputs> with_half(const Inputs& given, Stage stage) {
  Inputs in = given;
  switch (stage) {
    case Stage::download:
      if (in.source) halve(*in.source), halve(*in.first_source);
      if (in.remote && in.remote->fetch) halve(*in.remote->fetch);
      if (in.staging) halve(in.staging->read);
      break;
    case Stage::network:
      if (in.network) *in.network *= 2.0;
      if (in.remote) in.remote->network *= 2.0, halve(in.remote->network_credits);
      for (std::optional<Read>* read : {&in.source, &in.first_source}) {
        if (*read) widen(**read);
      }
      if (in.staging) widen(in.staging->read);
      break;
    case Stage::disk:
      if (in.disk) halve(*in.disk);
      if (!in.staging) break;
      if (in.staging->disk_write) *in.staging->disk_write *= 2.0;
      for (RateLimit& limit : in.staging->write_limits) limit.rate *= 2.0, limit.burst_rate *= 2.0;
      break;
    case Stage::decode:
      in.cpu /= 2.0, in.cached_cpu /= 2.0, in.locked /= 2.0;
      if (in.memory) in.memory->rate *= 2.0;
      break;
    case Stage::remote:
      if (!in.remote) break;
      in.remote->cpu /= 2.0, in.remote->latency /= 2.0;
      if (in.remote->sending) *in.remote->sending *= 2.0;
      halve(in.remote->sending_credits);
      break;
    case Stage::collate: in.collate /= 2.0; break;
    case Stage::handover: in.handover /= 2.0, in.launch /= 2.0; break;
    case Stage::h2d: in.pin /= 2.0, in.copy /= 2.0, in.copy_latency /= 2.0; break;
    case Stage::gpu: halve_steps(in.step); break;
    case Stage::gpu_preprocess: in.gpu_preprocess /= 2.0, in.gpu_preprocess_ahead /= 2.0; break;
    case Stage::allreduce: in.exposed_allreduce /= 2.0; break;
    case Stage::startup:
      in.worker_startup /= 2.0, in.worker_warmup /= 2.0, in.worker_shutdown /= 2.0;
      break;
    case Stage::checkpoint: in.checkpoint_time /= 2.0; break;
    case Stage::interruption:
      if (in.interruptions) in.interruptions->sudden /= 2.0, in.interruptions->announced /= 2.0;
      break;
  }
  if (in.unequal) {
    for (UnequalInstances::Kind& kind : in.unequal->others) {
      kind.inputs = std::make_shared<const Inputs>(with_half(*kind.inputs, stage).value_or(in));
    }
  }
  return in;
}

void check_same(const std::vector<pipeline::Figure>& was, const std::vector<pipeline::Figure>& is,
                double seconds, double epsilon) {
  REQUIRE(is.size() == was.size());
  for (std::size_t i = 0; i < was.size(); ++i) {
    const double unit = std::pow(seconds, was[i].seconds);
    if (is[i].value == was[i].value * unit) continue;  // to save time, and for infinities
    INFO(was[i].name);
    REQUIRE(is[i].value ==
            Approx(was[i].value * unit).epsilon(epsilon).margin(epsilon * unit * 1e-3));
  }
}

/// A job that never ends has a time all the same: one in seconds.
bool ends(const Inputs& in) {
  return simulate(in).total.wall < seconds(1e8);
}

}  // namespace

TEST_CASE("dimensions: a job's answers know no unit of time") {
  Generator generate(1801);
  for (int i = 0; i < 1500; ++i) {
    Inputs in = complete_job(generate, 100.0);
    in.best_interval = false;  // no shorter than a second
    if (!ends(in)) continue;
    const double seconds = generate.chance(0.5) ? 0x1p20 : 0x1p-20;
    INFO("job " << i);
    check_same(figures_of(in), figures_of(Units{seconds, 1.0}.of(in)), seconds, 1e-6);
  }
}

TEST_CASE("dimensions: a job's answers know no unit of data") {
  Generator generate(1802);
  for (int i = 0; i < 1500; ++i) {
    const Inputs in = complete_job(generate, 100.0);
    INFO("job " << i);
    check_same(figures_of(in),
               figures_of(Units{1.0, generate.chance(0.5) ? 0x1p24 : 0x1p-24}.of(in)), 1.0, 1e-6);
  }
}

TEST_CASE("dimensions: a stage twice as fast is the stage with half its costs, in every figure") {
  Generator generate(1803);
  for (int i = 0; i < 400; ++i) {
    const Inputs in = complete_job(generate, 100.0);
    for (const Stage stage : all_stages()) {
      // A quota counts core-seconds, and a shared service what it gives, whatever it is taken for.
      if (in.cpu_quota && stage == Stage::decode) continue;
      if (shares_limits(in) && stage == Stage::download) continue;
      const std::optional<Inputs> half = with_half(in, stage);
      if (!half) continue;
      Inputs faster = in;
      faster.speed[stage] *= 2.0;
      INFO("job " << i << ", " << name_of(stage));
      check_same(figures_of(*half), figures_of(faster), 1.0, 1e-6);
    }
  }
}
