#include "resolve/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/portable_math.hpp"
#include "base/unit_text.hpp"
#include "catalog/gpu_speed.hpp"

namespace feedrate::resolve {
namespace {

Bandwidth bus(Context& context, std::string_view key, const std::optional<Bandwidth>& of_scenario,
              const std::optional<Value<Bandwidth>>& of_host, const Known<Bandwidth>& line,
              const Assumption& of_line, const std::string& what) {
  if (of_scenario || of_host || !line) {
    return context.need<Bandwidth>(Stage::allreduce, key, of_scenario, of_host, {}, what);
  }
  Assumption share = of_line;
  share.key = key;
  return context.assume(Stage::allreduce, share, of_line.value * line->value,
                        context.texts ? fmt::format("{:g} of the line rate ({}): {}", of_line.value,
                                                    of_line.why, line->from.source)
                                      : std::string());
}

/// Line rate of a GPU's NVLinks: that of the machine, or where the catalogue does not know how the
/// machine's GPUs are connected, that of the GPU model (its SXM form has NVLinks in any machine).
Known<Bandwidth> nvlink_of(const Context& context) {
  const Machine* machine = context.machine();
  if (machine == nullptr) return std::nullopt;
  if (machine->nvlink || machine->interconnect != Interconnect::unknown || machine->pcie) {
    return machine->nvlink;
  }
  const Gpu* gpu = find_gpu(context.catalog, machine->gpu_model);
  return gpu != nullptr ? gpu->nvlink : std::nullopt;
}

bool has_nvlink(const Context& context) {
  const Known<Bandwidth> nvlink = nvlink_of(context);
  return nvlink && nvlink->value.base() > 0.0;
}

/// By its chip: "GV100", "TU104", "GA100", "AD102", "GH100", "GB202".
collective::Generation generation(const Context& context) {
  using enum collective::Generation;
  const Machine* machine = context.machine();
  if (machine == nullptr) return ampere;
  for (const Gpu& gpu : context.catalog.gpus) {
    if (gpu.name != machine->gpu_model) continue;
    const std::string_view chip = gpu.chip;
    if (chip.starts_with("GB")) return blackwell;
    if (chip.starts_with("GH")) return hopper;
    if (chip.starts_with("GA") || chip.starts_with("AD")) return ampere;
    return before_ampere;
  }
  return ampere;
}

}  // namespace

Bandwidth bus_inside(Context& context, const AllReduce& given, bool one_ring, double gpus,
                     const std::string& what) {
  const std::string_view key = one_ring ? "/job/allreduce/busbw" : "/job/allreduce/busbw_inside";
  const std::optional<Bandwidth>& of_scenario = one_ring ? given.busbw : given.busbw_inside;
  const std::optional<Value<Bandwidth>> of_host = context.measured(&HostProfile::allreduce_busbw);
  if (has_nvlink(context)) {
    return bus(context, key, of_scenario, of_host, nvlink_of(context), assumed::nvlink_share, what);
  }
  const auto& of_cluster = context.scenario.cluster.pcie;
  const Known<Bandwidth> line =
      of_cluster ? Value<Bandwidth>::given(*of_cluster) : context.published(&Machine::pcie);
  if (of_scenario || of_host) {
    return bus(context, key, of_scenario, of_host, line, assumed::pcie_share, what);
  }
  if (!line) {
    return bus(context, key, of_scenario, of_host, line, assumed::pcie_share,
               what + ", or of GPUs without NVLink the line that they have (/cluster/pcie)");
  }
  const bool through_host =
      context.choose(Stage::allreduce, "/job/allreduce/transport_inside", given.transport_inside,
                     TransportInside::p2p, TransportInside::shm,
                     "GPUs of data centres reach each other's memory") == TransportInside::shm;
  const Bandwidth of_two =
      bus(context, key, of_scenario, of_host, line,
          through_host ? assumed::pcie_share_through_host : assumed::pcie_share, what);
  if (gpus <= 2.0) return of_two;
  const double power = context.assume<double>(Stage::allreduce, assumed::pcie_crowding);
  return portable::pow(2.0 / gpus, power) * of_two;
}

/// What an instance's NIC carries, over the bus bandwidth. A ring over all GPUs sends what that
/// says; trees send 2 (n - 1)/n of the bytes over n instances, where the bus bandwidth of R GPUs
/// counts 2 (R - 1)/R.
static double carried_by_nic(const Inputs& inputs, bool ring) {
  if (ring || inputs.cluster_instances() <= 1.0) return 1.0;
  const auto sent = [](double n) { return (n - 1.0) / n; };
  return sent(inputs.cluster_instances()) / sent(inputs.cluster_gpus());
}

/// A bus bandwidth for which the NIC would have to carry more than it can was measured on another
/// network than the one that is stated, such as InfiniBand beside Ethernet.
static bool has_own_network(Context& context, const AllReduce& given, Bandwidth busbw,
                            Bandwidth network) {
  const bool ring = given.algorithm.has_value();
  if (carried_by_nic(context.out.inputs, ring) * busbw <= network) return false;
  if (context.texts) {
    const auto shown = [](Bandwidth b) {
      return format_quantity(Bandwidth::of(with_digits(b.base(), 3)));
    };
    context.out.caveats.push_back(fmt::format(
        "A bus bandwidth of {} between instances is more than {} a network of {}: gradients are "
        "taken to have a network of their own.",
        shown(busbw), ring ? "a ring gets from" : "trees get from", shown(network)));
  }
  return true;
}

/// What the GPUs of the instance have beside its network; empty where another line is stated, and
/// between zones, which it does not reach.
static Known<Bandwidth> line_of_gpus(const Context& context) {
  const auto published = context.published(&Machine::gpu_network);
  const auto& given = context.scenario.cluster.network;
  if (context.scenario.cluster.zones_used() > 1.0) return std::nullopt;
  if (given && !same_number(*given, published)) return std::nullopt;
  return published;
}

static Known<Bandwidth> line_between(const Context& context) {
  if (const auto of_gpus = line_of_gpus(context)) return of_gpus;
  if (context.scenario.cluster.network) {
    return Value<Bandwidth>::given(*context.scenario.cluster.network);
  }
  return context.published(&Machine::network);
}

static NetworkFabric found_fabric(Context& context, const AllReduce& given) {
  using enum NetworkFabric;
  constexpr std::string_view key = "/job/allreduce/fabric";
  const Machine* machine = context.machine();
  const auto taken = [&](NetworkFabric fabric, NetworkFabric other, std::string_view why) {
    return context.choose(Stage::allreduce, key, given.fabric, fabric, other, why);
  };
  const auto published = [&](NetworkFabric fabric, std::string_view why) {
    if (given.fabric) return taken(*given.fabric, fabric, why);
    context.use(Stage::allreduce, key,
                Value<std::string>{std::string(name_of(fabric)),
                                   {Origin::published, std::string(why), 0.0}});
    return fabric;
  };
  if (context.scenario.cluster.zones_used() > 1.0) {
    return published(tcp, "neither EFA nor InfiniBand reaches from zone to zone");
  }
  constexpr double fast = 100e9 / 8.0;
  const Known<Bandwidth> line = line_between(context);
  const bool is_fast = line && line->value.base() >= fast;
  if (machine != nullptr && machine->fabric && line_of_gpus(context)) {
    return published(*machine->fabric, "the fabric of the instance's GPUs");
  }
  if (machine != nullptr && machine->efa) {
    if (!*machine->efa) return published(tcp, "the instance has no EFA");
    // Smaller ones have it too, and many jobs on them do not set it up.
    if (is_fast) return published(efa, "the instance has EFA, for jobs on several");
    return taken(efa, tcp, "the instance has EFA");
  }
  return is_fast ? taken(infiniband, tcp, "as most networks of 100 Gbit/s and more")
                 : taken(tcp, infiniband, "as most networks below 100 Gbit/s");
}

NetworkFabric network_fabric(Context& context, const AllReduce& given) {
  if (!context.fabric) context.fabric = found_fabric(context, given);
  return *context.fabric;
}

/// A line that NCCL's sockets fill by themselves. A faster one carries no less, and no more before
/// the share of fast lines makes it more.
constexpr Bandwidth sockets_fill = bytes_per_second(32e9 / 8.0);

/// Of an instance's line, what a port for each GPU has. GPUs that have less share ports, which some
/// of them reach through the host.
constexpr Bandwidth port_of_gpu = bytes_per_second(100e9 / 8.0);

static const Assumption& share_of(NetworkFabric fabric, Bandwidth line, double gpus) {
  if (fabric == NetworkFabric::efa) return assumed::efa_share;
  if (fabric == NetworkFabric::infiniband) {
    return line < gpus * port_of_gpu ? assumed::infiniband_share_of_few_ports
                                     : assumed::infiniband_share;
  }
  if (fabric == NetworkFabric::gpudirect_tcp) return assumed::gpudirect_share;
  const bool is_fast =
      line * assumed::tcp_share_of_fast.value > sockets_fill * assumed::tcp_share.value;
  return is_fast ? assumed::tcp_share_of_fast : assumed::tcp_share;
}

/// Whether a network card writes into the other host's memory by itself. EFA does from P5 on
/// (aws-ofi-nccl's platform table: SENDRECV before, RDMA since), Google's TCPXO not.
static bool writes_by_itself(const Context& context, NetworkFabric fabric) {
  if (fabric == NetworkFabric::efa) return generation(context) >= collective::Generation::hopper;
  return fabric != NetworkFabric::gpudirect_tcp;
}

static const Assumption& beyond_of(NetworkFabric fabric, bool writes) {
  switch (fabric) {
    case NetworkFabric::efa: return writes ? assumed::efa_beyond : assumed::efa_messages_beyond;
    case NetworkFabric::infiniband: break;
    case NetworkFabric::gpudirect_tcp:  // its messages are TCP's, without a kernel
    case NetworkFabric::tcp: return assumed::tcp_beyond;
  }
  return assumed::infiniband_beyond;
}

Bandwidth bus_between(Context& context, const AllReduce& given, const std::string& what) {
  Known<Bandwidth> line = line_between(context);
  const auto measured = context.measured(&HostProfile::allreduce_busbw_between);
  const bool assumed_share = !given.busbw && !measured && line;
  const Assumption& share = assumed_share ? share_of(network_fabric(context, given), line->value,
                                                     context.out.inputs.cluster_ranks())
                                          : assumed::infiniband_share;
  Known<Bandwidth> filled = line;
  if (filled && &share == &assumed::tcp_share && filled->value > sockets_fill) {
    filled->value = sockets_fill;
    if (context.texts) filled->from.source = "32 Gbit/s of " + filled->from.source;
  }
  const Bandwidth found = bus(context, "/job/allreduce/busbw", given.busbw, measured, filled,
                              unmeasured(share), what);  // not by a host alone
  if (const auto burst = context.published(&Machine::network_burst);
      burst && !context.scenario.cluster.network) {
    line = burst;
  }
  if (line_of_gpus(context) && !context.scenario.cluster.network) {
    context.gradients_apart = true;
  } else if (line) {
    context.gradients_apart = has_own_network(context, given, found, line->value);
  }
  return found;
}

/// As few as hold all instances; an instance each where NVLink reaches no further.
static double domains_of(const Context& context) {
  const Inputs& inputs = context.out.inputs;
  const double instances = inputs.cluster_instances();
  const Known<double> domain = context.published(&Machine::nvlink_domain);
  const Known<double> gpus = context.published(&Machine::gpus);
  const bool apart = context.scenario.cluster.zones_used() > 1.0;  // no domain is in two zones
  if (!domain || !gpus || inputs.unequal || apart) return instances;
  double most = std::clamp(std::floor(domain->value / gpus->value), 1.0, instances);
  // Groups of a layout begin with a domain: as many instances in each.
  while (context.scenario.job.parallel && std::fmod(instances, most) > 0.0) --most;
  return std::ceil(instances / most);
}

double instances_of_domain(const Context& context) {
  return context.out.inputs.cluster_instances() / domains_of(context);
}

Bandwidth bus_between_domains(Context& context, const AllReduce& given, const std::string& what) {
  const Bandwidth found = bus_between(context, given, what);
  const bool derived = !given.busbw && !context.measured(&HostProfile::allreduce_busbw_between);
  return (derived ? instances_of_domain(context) : 1.0) * found;
}

/// How many there are, of which kind: instances, or the domains that NVLink makes of several.
static collective::Fabric nodes_of(const Context& context) {
  const Inputs& inputs = context.out.inputs;
  collective::Fabric f;
  f.nodes = domains_of(context);
  f.gpus = inputs.cluster_ranks() * std::ceil(inputs.cluster_instances() / f.nodes);
  if (f.nodes * f.gpus != inputs.cluster_gpus()) f.all = inputs.cluster_gpus();
  f.generation = generation(context);
  return f;
}

std::optional<collective::Tuned> tuned_by_host(Context& context, const AllReduce& given) {
  if (context.host == nullptr || !context.host->nccl_tuning || context.layout) return std::nullopt;
  if (given.busbw || given.busbw_inside || given.latency) return std::nullopt;
  const TuningTable& table = *context.host->nccl_tuning;
  const auto sums = [](const TunedWay& way) { return way.operation == "all_reduce"; };
  if (std::none_of(table.ways.begin(), table.ways.end(), sums)) return std::nullopt;
  const Inputs& inputs = context.out.inputs;
  // What was measured comes before what NCCL reckons.
  if (context.measured(nodes_of(context).nodes > 1.0 ? &HostProfile::allreduce_busbw_between
                                                     : &HostProfile::allreduce_busbw)) {
    return std::nullopt;
  }
  const bool other_gpus = table.gpus > 0.0 && table.gpus != inputs.gpus();
  const bool other_nodes = table.nodes > 0.0 && table.nodes != inputs.instances;
  if (other_gpus || other_nodes) {
    if (context.texts) {
      context.out.caveats.push_back(fmt::format(
          "NCCL's own table in {} is of {:g} GPUs{}: for {:g} on {:g} instance{} the times are "
          "computed.",
          context.host->name, table.gpus,
          table.nodes > 0.0
              ? fmt::format(" on {:g} host{}", table.nodes, table.nodes == 1.0 ? "" : "s")
              : "",
          inputs.gpus(), inputs.instances, inputs.instances == 1.0 ? "" : "s"));
    }
    return std::nullopt;
  }
  if (table.gpus <= 0.0 && context.texts) {
    context.out.caveats.push_back(
        fmt::format("NCCL's own table in {} does not say over how many GPUs it goes, and is taken "
                    "for {:g}.",
                    context.host->name, inputs.gpus()));
  }
  std::vector<collective::Way> ways;
  for (const TunedWay& way : table.ways) {
    const auto operation = way.operation == "all_gather" ? collective::Collective::all_gather
                           : way.operation == "reduce_scatter"
                               ? collective::Collective::reduce_scatter
                               : collective::Collective::all_reduce;
    ways.push_back({operation, way.algorithm, way.protocol, way.latency, way.bandwidth});
  }
  context.use(Stage::allreduce, "NCCL's own table",
              Value<std::string>{fmt::format("{} ways", ways.size()),
                                 {Origin::measured, context.host->name, 0.0}});
  return collective::Tuned(std::move(ways), collective::plateau_of(nodes_of(context)));
}

collective::Fabric fabric(Context& context, const AllReduce& given) {
  collective::Fabric f = nodes_of(context);
  const bool several = f.nodes > 1.0;
  const auto of_group = [&](auto inside, auto between) {
    return context.measured(several ? between : inside);
  };
  f.hop = context.find<Duration>(
      Stage::allreduce, "/job/allreduce/latency", given.latency,
      of_group(&HostProfile::allreduce_latency, &HostProfile::allreduce_latency_between), {});
  if (several)
    f.between = bus_between_domains(context, given, "the bus bandwidth between instances");
  bool writes = true;
  if (several && !f.hop) {
    const NetworkFabric kind = network_fabric(context, given);
    writes = writes_by_itself(context, kind);
    f.beyond = context.assume<Duration>(Stage::allreduce, unmeasured(beyond_of(kind, writes)));
    // Of a ring's hops, as many as there are zones leave one.
    if (const double zones = context.scenario.cluster.zones_used(); zones > 1.0) {
      f.beyond +=
          zones / f.nodes * context.assume<Duration>(Stage::allreduce, assumed::zone_latency);
    }
  }
  if (!f.hop) {
    f.filling = context.assume<Duration>(Stage::allreduce,
                                         unmeasured(!several ? assumed::filling_inside
                                                    : writes ? assumed::filling_between
                                                             : assumed::filling_messages));
  }
  // What was given or measured of a ring over all instances has what is inside them in it.
  const bool whole_ring = several && given.algorithm != AllReduceAlgorithm::hierarchical &&
                          (given.busbw || context.measured(&HostProfile::allreduce_busbw_between));
  if (f.gpus > 1.0 && whole_ring && !given.busbw_inside && !context.layout) {
    // The network is taken for what limits it: trees, which need more inside, get as much there.
    f.inside = 4.0 * f.between;
  } else if (f.gpus > 1.0) {
    f.inside = bus_inside(context, given, !several && given.busbw, f.gpus,
                          "the bus bandwidth inside an instance");
  }
  // Without a machine: no PCIe link of a GPU reaches as much.
  constexpr double most_of_pcie = 64e9;
  const bool unknown_inside = whole_ring && !given.busbw_inside && !context.layout;
  const Bandwidth& among_gpus = unknown_inside ? f.between : f.inside;
  const bool nvlink = context.machine() ? has_nvlink(context) : among_gpus.base() > most_of_pcie;
  f.link = nvlink ? collective::Link::nvlink : collective::Link::pcie;
  // A bus bandwidth that was measured is that of whatever NCCL chose.
  const bool derived = !given.busbw && !given.busbw_inside &&
                       !context.measured(&HostProfile::allreduce_busbw) &&
                       !(several && context.measured(&HostProfile::allreduce_busbw_between));
  f.between_measured =
      several ? given.busbw || context.measured(&HostProfile::allreduce_busbw_between).has_value()
              : !derived;
  f.switch_sums =
      derived && context.machine() && context.machine()->interconnect == Interconnect::nvswitch;
  return f;
}

}  // namespace feedrate::resolve
