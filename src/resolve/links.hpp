#pragma once
// What GPUs are connected by, each figure from the first of: the scenario, what a host measured, a
// share of a published line rate. Internal to resolve.
#include <optional>
#include <string>
#include <string_view>

#include "collective/nccl.hpp"
#include "collective/tuned.hpp"
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// Bus bandwidth among the GPUs of an instance; `key` is that of `of_scenario`. A line rate is what
/// it cannot exceed, and hardly what it is.
Bandwidth bus_inside(Context& context, std::string_view key,
                     const std::optional<Bandwidth>& of_scenario, const std::string& what);

/// The same between instances.
Bandwidth bus_between(Context& context, const AllReduce& given, const std::string& what);

/// All of it, as NCCL reckons with it.
collective::Fabric fabric(Context& context, const AllReduce& given);

/// NCCL's own table of the host profile, where it is of as many GPUs and neither the scenario nor
/// the host has a bandwidth that was measured.
std::optional<collective::Tuned> tuned_by_host(Context& context, const AllReduce& given);

}  // namespace feedrate::resolve
