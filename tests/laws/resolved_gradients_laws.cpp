// A second reading of what gradients take: over drawn scenarios and machines, in closed form.
#include <algorithm>
#include <cmath>
#include <optional>

#include "catch.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/allreduce.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/drawn_world.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::resolve;
using namespace testing_world;

TEST_CASE(
    "resolved gradients: gradients in a ring, in two levels, by an efficiency, or as assumed") {
  Drawn d(2102);
  int done = 0;
  int held = 0;
  int missed = 0;
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
    if (s.source.service.family() != Service::s3 && s.source.service.family() != Service::local) {
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
    const auto out = resolved_if_fits(w);
    if (!out) continue;
    ++done;
    const Inputs& in = out->inputs;
    const bool several = in.instances > 1.0;
    REQUIRE(in.exposed_is_of_job == (s.job.efficiency && several));
    if (in.exposed_is_of_job) {
      World one = w;
      one.scenario = on_one_instance(s);
      one.scenario.job.efficiency.reset();
      // Decoded samples that several instances hold may not fit into one.
      const auto fits = resolved_if_fits(one);
      if (!fits) continue;
      const Duration alone = pipeline::simulate(fits->inputs).training();
      const Duration ideal = alone / in.instances;
      const Duration all = pipeline::simulate(in).training();
      if (in.efficiency_missed) {
        REQUIRE(in.exposed_allreduce == Duration{});
        REQUIRE(all * *s.job.efficiency > ideal);
        ++missed;
      } else {
        // What several caches gain is gained beside it.
        World none = w;
        none.scenario.job.efficiency.reset();
        none.scenario.job.allreduce = AllReduce{};
        none.scenario.job.allreduce->gradient_bytes = Bytes{};
        const auto free = resolved_if_fits(none);
        REQUIRE(free);
        const Duration linear = std::min(ideal, pipeline::simulate(free->inputs).training());
        REQUIRE((linear / all) == Approx(*s.job.efficiency).epsilon(1e-6));
        ++held;
      }
      continue;
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
  CHECK_DRAWN(done > 500);
  CHECK_DRAWN(held > 20);
  CHECK_DRAWN(missed > 0);
}

TEST_CASE(
    "resolved gradients: a scaling fit is 1 on one instance, and each of its terms its own share") {
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

TEST_CASE("resolved gradients: beyond what was measured, the loss goes on between two laws") {
  Drawn d(2104);
  for (int i = 0; i < 300; ++i) {
    const double few = d.generate.whole(1.0, 4.0);
    const double most = few + d.generate.whole(1.0, 8.0);
    const double n = most + d.generate.whole(1.0, 200.0);
    ScalingFit fit;
    fit.bandwidth = d.of<double>(1e-3, 1.0);
    fit.sizes = 2.0;
    fit.most = most;
    const auto by_bandwidth = [&](double k) { return fit.bandwidth * 2.0 * (k - 1.0) / k; };
    fit.slope = (by_bandwidth(most) - by_bandwidth(few)) / (most - few);
    const auto loss = [&](double k, double departure) {
      return from_fit(fit, k, 0.0, departure) * k - 1.0;
    };
    const double line = by_bandwidth(most) + fit.slope * (n - most);
    INFO("fit " << i << ": " << few << " and " << most << ", asked at " << n);
    REQUIRE(loss(n, 0.0) == Approx(std::sqrt(by_bandwidth(n) * line)));
    // What was measured stays, whatever is drawn; the range is wider the further it is.
    REQUIRE(loss(most, 0.3) == Approx(by_bandwidth(most)));
    REQUIRE(loss(n, 0.3) / loss(n, -0.3) == Approx(std::pow(n / most, 0.6)));
    REQUIRE(loss(n, 0.0) * (1.0 + 1e-12) >= by_bandwidth(n));
    // Three numbers of instances tell both terms: nothing lies between.
    fit.slope = 0.0;
    REQUIRE(loss(n, 0.0) == Approx(by_bandwidth(n)));
  }
}

TEST_CASE("resolved gradients: none at all cost nothing, and are nobody's guess") {
  Drawn d(2105);
  int done = 0;
  for (int i = 0; i < 200; ++i) {
    World w = draw_world(d);
    make_plain(w);
    Scenario& s = w.scenario;
    s.job.efficiency.reset();
    s.job.scaling.reset();
    s.job.allreduce.emplace().gradient_bytes = Bytes{};
    if (d.generate.chance(0.3)) s.job.parallelism = Parallelism::fsdp;
    INFO("world " << i);
    const auto out = resolved_if_fits(w);
    if (!out) continue;
    ++done;
    REQUIRE(out->inputs.exposed_allreduce == Duration{});
    REQUIRE(out->inputs.network_allreduce == Bytes{});
    REQUIRE_FALSE(out->communication.has_value());
    REQUIRE(std::none_of(out->used.begin(), out->used.end(), [](const InputUsed& used) {
      return used.stage == Stage::allreduce && used.from.origin == Origin::assumed;
    }));
  }
  CHECK_DRAWN(done > 100);
}

TEST_CASE("resolved gradients: what each GPU hands over, however its parameters are kept") {
  Drawn d(2107);
  int done = 0;
  for (int i = 0; i < 400; ++i) {
    World w = draw_world(d);
    make_plain(w);
    Scenario& s = w.scenario;
    AllReduce& a = s.job.allreduce.emplace();
    a.busbw = bytes_per_second(1e7);  // less than any network: gradients have none of their own
    a.busbw_inside = d.of<Bandwidth>(1e9, 1e11);
    a.latency = d.of<Duration>(1e-6, 1e-4);
    const auto how = static_cast<Parallelism>(d.generate.whole(0.0, 6.0));
    s.job.parallelism = how;
    const auto type = [&]() -> std::optional<NumberType> {
      if (d.generate.chance(0.5)) return std::nullopt;
      return d.generate.chance(0.5) ? NumberType::bf16 : NumberType::fp32;
    };
    const auto size_of = [](NumberType one) { return one == NumberType::fp32 ? 4.0 : 2.0; };
    a.parameter_type = type();
    double gradients = 0.0, parameters = 0.0;
    if (d.generate.chance(0.5)) {
      a.parameters = d.of<double>(1e6, 1e9);
      a.gradient_type = type();
      const NumberType sent = a.gradient_type.value_or(NumberType::fp32);
      gradients = *a.parameters * size_of(sent);
      parameters = *a.parameters * size_of(a.parameter_type.value_or(sent));
    } else {
      a.gradient_bytes = d.of<Bytes>(1e6, 1e9);
      gradients = base(*a.gradient_bytes);
      parameters = gradients * size_of(a.parameter_type.value_or(NumberType::fp32)) / 4.0;
    }
    a.compression = d.maybe<double>(1.0, 8.0);
    gradients /= a.compression.value_or(1.0);
    INFO("world " << i << ", " << parallelism_words[static_cast<std::size_t>(how)]);
    const auto out = resolved_if_fits(w);
    if (!out || out->inputs.gpus() <= 1.0) continue;
    ++done;
    const Inputs& in = out->inputs;
    const bool sharded = how == Parallelism::fsdp || how == Parallelism::zero3;
    const bool of_optimiser = how == Parallelism::zero1 || how == Parallelism::zero2;
    double size = gradients;
    // Before the forward and before the backward pass of each micro-batch; its gradients after it.
    const double batches = s.job.gradient_accumulation.value_or(1.0);
    if (sharded) size = batches * (2.0 * parameters + gradients);
    if (how == Parallelism::zero1) size = gradients + parameters;
    if (how == Parallelism::zero2) size = in.accumulation * gradients + parameters;
    SAME(out->communication.value().size, bytes(size));
    // A sum over all is scattering and gathering. Sharded parameters exchange in every batch.
    CHECK(in.accumulation == (sharded ? 1.0 : batches));
    const double n = in.gpus();
    const double halves = sharded || of_optimiser ? 1.0 : 2.0;
    const double each = size / (batches / in.accumulation);
    // A tree sums inside the instances first.
    const std::string& algorithm = out->communication->algorithm;
    const bool trees = algorithm == "tree" || algorithm == "nvls_tree";
    const double on_line = trees ? in.instances : n;
    SAME(in.network_allreduce,
         bytes(in.instances > 1.0 ? halves * (on_line - 1.0) / on_line * each : 0.0));
  }
  CHECK_DRAWN(done > 250);
}

TEST_CASE("resolved gradients: an instance's GPUs exchange by NVLink where there is any, or PCIe") {
  Drawn d(2108);
  int by_nvlink = 0, by_pcie = 0, unknown = 0;
  for (int i = 0; i < 400; ++i) {
    World w = draw_world(d);
    make_plain(w);
    Machine& m = w.catalog.machines.front();
    m.gpus = published(d.generate.whole(2.0, 8.0));
    m.gpu_model = "own GPU";
    Gpu gpu;
    gpu.name = m.gpu_model;
    d.publish(gpu.nvlink, 1e10, 1e12);
    w.catalog.gpus.push_back(gpu);
    d.publish(m.nvlink, 1e10, 1e12);
    if (!m.nvlink && d.generate.chance(0.4)) m.nvlink = published(Bandwidth{});
    d.publish(m.pcie, 1e9, 1e11);
    if (d.generate.chance(0.5)) m.interconnect = Interconnect::pcie;
    Scenario& s = w.scenario;
    s.cluster.instances = 1.0;
    s.cluster.gpus_per_instance.reset();
    AllReduce& a = s.job.allreduce.emplace();
    a.algorithm = AllReduceAlgorithm::hierarchical;
    a.gradient_bytes = d.of<Bytes>(1e6, 1e9);
    a.latency = Duration{};
    a.busbw = bytes_per_second(1e9);
    a.overlap = 0.0;
    if (d.generate.chance(0.5)) {
      a.transport_inside = d.generate.chance(0.5) ? TransportInside::shm : TransportInside::p2p;
    }
    // Of a machine of one's own; where there is NVLink, nobody uses it.
    s.cluster.pcie = d.maybe<Bandwidth>(1e9, 1e11, 0.2);
    // Where the catalogue says nothing of the machine, its GPUs' model does.
    const bool known = m.nvlink || m.pcie || m.interconnect != Interconnect::unknown;
    const auto& line = known ? m.nvlink : gpu.nvlink;
    const bool nvlink = line && base(line->value) > 0.0;
    const double pcie = s.cluster.pcie ? base(*s.cluster.pcie) : m.pcie ? base(m.pcie->value) : 0.0;
    const auto& share = a.transport_inside == TransportInside::shm
                            ? assumed::pcie_share_through_host
                            : assumed::pcie_share;
    const double crowded =
        std::pow(2.0 / std::max(2.0, m.gpus->value), assumed::pcie_crowding.value);
    const double rate =
        nvlink ? assumed::nvlink_share.value * base(line->value) : share.value * pcie * crowded;
    INFO("world " << i);
    if (rate <= 0.0) {
      ++unknown;
      REQUIRE_THROWS_AS(w.resolved(), InputError);
      continue;
    }
    const auto out = resolved_if_fits(w);
    if (!out) continue;
    ++(nvlink ? by_nvlink : by_pcie);
    const double n = m.gpus->value;
    SAME(out->inputs.exposed_allreduce,
         seconds(2.0 * (n - 1.0) / n * base(*a.gradient_bytes) / rate));
  }
  CHECK_DRAWN(by_nvlink > 100);
  CHECK_DRAWN(by_pcie > 50);
  CHECK_DRAWN(unknown > 20);
}
