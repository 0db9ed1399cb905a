#pragma once
// The links between GPUs. Each figure is taken from the first of: the scenario, the host profile, a
// share of a published line rate. Internal to resolve.
#include <optional>
#include <string>
#include <string_view>

#include "collective/nccl.hpp"
#include "collective/tuned.hpp"
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// Bus bandwidth among `gpus` of an instance, which `busbw` sets where they are one ring, else
/// `busbw_inside`. A published line rate only bounds it, so a share of that is assumed: of PCIe one
/// that falls with the GPUs, which meet in switches, sockets and the memory of the host.
Bandwidth bus_inside(Context& context, const AllReduce& given, bool one_ring, double gpus,
                     const std::string& what);

/// By what instances reach each other: as given, else by the machine and its line.
NetworkFabric network_fabric(Context& context, const AllReduce& given);

/// Bus bandwidth between instances.
Bandwidth bus_between(Context& context, const AllReduce& given, const std::string& what);

/// Instances whose GPUs NVLink connects, in the mean of as few domains as hold them: up to 18 of an
/// NVL72, 9.5 of 19 instances; else 1.
double instances_of_domain(const Context& context);

/// Bus bandwidth between instances, or between domains, whose instances' lines add up.
Bandwidth bus_between_domains(Context& context, const AllReduce& given, const std::string& what);

/// All links as NCCL's cost model describes them.
collective::Fabric fabric(Context& context, const AllReduce& given);

/// NCCL's own tuning table from the host profile, where it is for the same number of GPUs and
/// neither the scenario nor the host profile has a measured bandwidth.
std::optional<collective::Tuned> tuned_by_host(Context& context, const AllReduce& given);

}  // namespace feedrate::resolve
