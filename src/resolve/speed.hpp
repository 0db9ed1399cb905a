#pragma once
// Numbers that were measured on one machine, on another: how much faster that one is.
#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/stage.hpp"

namespace feedrate::resolve {

struct Context;

/// A processor as far as one of its threads can be compared. Equal models are equally fast; a
/// processor without a model is known by its machine's name.
struct Processor {
  std::string name;
  std::optional<double> thread;  ///< CoreMark iterations/s of one thread, its sibling idle
};

/// Of an instance of the catalogue; empty where it is not there.
std::optional<Processor> processor_of(const Catalog& catalog, std::string_view instance);
/// Of the machine that a profile is of: its instance's, else the processor that it names.
std::optional<Processor> processor_of(const Catalog& catalog, const HostProfile& host);

/// How many times as fast a thread of `to` is as one of `from`: CPU times are divided by it. 1
/// where they are one model; else an assumption, drawn and listed by the names of both: the ratio
/// of what CoreMark gives a core, which already has both of its threads busy, or 1 where that is
/// not known.
double thread_speed(Context& context, Stage stage, const Processor& from, const Processor& to);

/// The same of the instance that is asked for, relative to where the scenario's CPU times were
/// measured (MeasuredOn::cpu_times, loader_times), and to the machine of the host profile.
double given_thread_speed(Context& context);
double given_loader_speed(Context& context);
double measured_thread_speed(Context& context);
/// The same of the auxiliary instances.
double given_remote_speed(Context& context, std::string_view instance);
double measured_remote_speed(Context& context, std::string_view instance);

/// How many times as fast the GPU of the instance that is asked for is as the one that the
/// scenario's GPU times were measured on (MeasuredOn::gpu_times), or that the profile is of: steps
/// are divided by it. A problem of the context, and 1, where nothing compares the two.
double given_gpu_speed(Context& context);
double measured_gpu_speed(Context& context);
/// How many times as fast a whole job is on the instance that is asked for as on the one that its
/// duration was measured on: the GPUs' speed, times their number to a power below 1, for what keeps
/// them busy does not grow with them.
double given_job_speed(Context& context);
/// The same of one GPU relative to a GPU by name; empty, without a problem, where nothing compares
/// the two.
std::optional<double> gpu_speed(Context& context, const std::string& from, std::string* why_not);
/// The GPU of the instance that is asked for; empty where none is named, or it is not known.
std::string gpu_here(const Context& context);

}  // namespace feedrate::resolve
