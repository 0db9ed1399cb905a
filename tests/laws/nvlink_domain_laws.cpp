// GPUs that NVLink connects across instances (GB200 NVL72) are those of one large machine.
#include <fmt/format.h>

#include <cmath>

#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"

using namespace feedrate;
using testing_resolve::catalog;
using testing_resolve::scenario_with;
using testing_resolve::Settings;

namespace {

constexpr const char* gb200 = "p6e-gb200.36xlarge";

/// A catalogue in which that machine has so many GPUs, its other parts in proportion, and no domain
/// beyond it.
Catalog with_large_machine(double gpus) {
  Catalog other = catalog();
  for (Machine& machine : other.machines) {
    if (machine.name != gb200) continue;
    const double times = gpus / machine.gpus->value;
    machine.gpus->value = gpus;
    machine.vcpus->value *= times;
    machine.cores->value *= times;
    machine.memory->value = times * machine.memory->value;
    machine.network->value = times * machine.network->value;
    machine.network_burst->value = times * machine.network_burst->value;
    machine.nvlink_domain.reset();
  }
  return other;
}

resolve::Resolved resolved(double instances, const Settings& more, const Catalog& of) {
  Settings settings = {{"/cluster/instance", gb200},
                       {"/cluster/instances", fmt::format("{:g}", instances)},
                       {"/cluster/price", "42 USD/h"},
                       {"/job/step/cv", "0"}};
  settings.insert(settings.end(), more.begin(), more.end());
  return resolve::resolve(scenario_with(settings), of);
}

}  // namespace

TEST_CASE("NVLink domain: its instances exchange what one machine with all GPUs would") {
  for (const Settings& how :
       {Settings{{"/job/parallelism", "ddp"}}, Settings{{"/job/parallelism", "fsdp"}},
        Settings{{"/job/parallelism", "zero2"}}, Settings{{"/job/allreduce/algorithm", "ring"}},
        Settings{{"/job/allreduce/algorithm", "hierarchical"}}}) {
    Settings job = how;
    job.emplace_back("/job/step/fixed", "200 ms");
    job.emplace_back("/job/allreduce/parameters", "7e9");
    for (const double instances : {2.0, 5.0, 18.0, 36.0, 72.0}) {
      // As many in each domain as fit into 72 GPUs.
      const double domains = std::ceil(instances / 18.0);
      const double of_domain = instances / domains;
      const Catalog large = with_large_machine(4.0 * of_domain);
      const auto measured_on = [&](double gpus) {
        Settings settings = job;
        settings.emplace_back("/job/step/gpus", fmt::format("{:g}", gpus));
        return settings;
      };
      const auto small = resolved(instances, measured_on(4.0), catalog());
      const auto alike = resolved(domains, measured_on(4.0 * of_domain), large);
      INFO(instances << " instances, " << how[0].second);
      REQUIRE(small.communication);
      REQUIRE(alike.communication);
      CHECK(small.communication->total.base() ==
            Approx(alike.communication->total.base()).epsilon(1e-12));
      CHECK(small.communication->exposed.base() ==
            Approx(alike.communication->exposed.base()).epsilon(1e-12));
      // Each instance has its part of what leaves the domain.
      CHECK(of_domain * small.inputs.network_allreduce.base() ==
            Approx(alike.inputs.network_allreduce.base()).epsilon(1e-12));
      CHECK((small.inputs.network_allreduce.base() == 0.0) == (domains == 1.0));
    }
  }
}

TEST_CASE("NVLink domain: one instance more than domains hold evenly is no cliff") {
  const Settings job = {{"/job/step/fixed", "200 ms"},
                        {"/job/allreduce/parameters", "7e9"},
                        {"/job/parallelism", "ddp"}};
  const auto exchange = [&](double instances) {
    return resolved(instances, job, catalog()).communication->total;
  };
  for (double instances = 2.0; instances <= 18.0; ++instances) {
    CHECK(exchange(instances) <= exchange(18.0) * 1.001);
  }
  for (const double uneven : {19.0, 23.0, 31.0, 35.0}) {
    INFO(uneven);
    CHECK(exchange(uneven) > exchange(18.0));
    CHECK(exchange(uneven) < exchange(36.0) * 1.1);
  }
}

TEST_CASE("NVLink domain: it holds so many instances, however many of their GPUs are used") {
  for (const char* used : {"1", "2", "4"}) {
    const Settings job = {{"/cluster/gpus_per_instance", used},
                          {"/job/step/fixed", "200 ms"},
                          {"/job/allreduce/parameters", "7e9"}};
    INFO(used);
    CHECK(resolved(18.0, job, catalog()).inputs.network_allreduce == Bytes{});
    CHECK(resolved(36.0, job, catalog()).inputs.network_allreduce > Bytes{});
  }
}

TEST_CASE("NVLink domain: without it, the network takes longer") {
  Catalog apart = catalog();
  for (Machine& machine : apart.machines) {
    if (machine.name == gb200) machine.nvlink_domain.reset();
  }
  const Settings job = {{"/job/step/fixed", "200 ms"},
                        {"/job/allreduce/parameters", "7e9"},
                        {"/job/parallelism", "ddp"}};
  for (const double instances : {2.0, 18.0, 36.0}) {
    const auto joined = resolved(instances, job, catalog());
    const auto alone = resolved(instances, job, apart);
    INFO(instances << " instances");
    CHECK(joined.communication->total < alone.communication->total);
    CHECK(joined.inputs.network_allreduce < alone.inputs.network_allreduce);
  }
}

TEST_CASE("NVLink domain: a tensor group that reaches over its instances needs no network") {
  const Settings tensor = {{"/job/step/model_parameters", "7e9"},
                           {"/job/step/tokens_per_sample", "4096"},
                           {"/job/parallel/tensor", "8"},
                           {"/job/parallel/layers", "32"},
                           {"/job/parallel/hidden_size", "4096"}};
  const auto joined = resolved(18.0, tensor, catalog());
  REQUIRE(joined.layout);
  REQUIRE_FALSE(joined.layout->groups.empty());
  for (const GroupExchange& group : joined.layout->groups) {
    INFO(group.group);
    CHECK(group.over_network == Bytes{});
    CHECK(group.time > Duration{});
  }
  CHECK(joined.layout->groups.front().instances == 2.0);
  CHECK(joined.inputs.network_allreduce == Bytes{});
}
