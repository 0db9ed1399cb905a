#pragma once
// How much faster another machine is than the one on which a number was measured.
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

/// The processor of an instance type; empty where the catalogue does not have it.
std::optional<Processor> processor_of(const Catalog& catalog, std::string_view instance);
/// The processor of the machine that the profile describes: that of its instance type, else the one
/// that it names.
std::optional<Processor> processor_of(const Catalog& catalog, const HostProfile& host);

/// How many times as fast a thread of `to` is as one of `from`: CPU times are divided by it. 1
/// where they are one model; else an assumption, drawn and listed by the names of both: the ratio
/// of what CoreMark gives a core, which already has both of its threads busy, or 1 where that is
/// not known.
double thread_speed(Context& context, Stage stage, const Processor& from, const Processor& to);

/// thread_speed() of the scenario's instance, relative to the machine where the scenario's CPU
/// times were measured (MeasuredOn::cpu_times, loader_times), and to the machine of the host
/// profile.
double given_thread_speed(Context& context);
double given_loader_speed(Context& context);
double measured_thread_speed(Context& context);
/// thread_speed() of the auxiliary instances, relative to the same two.
double given_remote_speed(Context& context, std::string_view instance);
double measured_remote_speed(Context& context, std::string_view instance);

/// How many times as fast the GPU of the scenario's instance is as the one on which the scenario's
/// GPU times were measured (MeasuredOn::gpu_times), or as that of the host profile: step times are
/// divided by it. Where nothing compares the two, adds a problem and returns 1.
double given_gpu_speed(Context& context);
double measured_gpu_speed(Context& context);
/// How many times as fast a whole job is on the scenario's instance as on the one where its
/// duration was measured: the speed of a GPU, times the number of GPUs to a power below 1, because
/// the rest of the machine does not grow with its GPUs.
double given_job_speed(Context& context);
/// How many times as fast the GPU of the scenario's instance is as the GPU `from`. Where nothing
/// compares the two: empty, with the reason in `why_not` and no problem added.
std::optional<double> gpu_speed(Context& context, const std::string& from, std::string* why_not);
/// The name of the GPU of the scenario's instance; empty where no instance is named or its GPU is
/// not known.
std::string gpu_here(const Context& context);

}  // namespace feedrate::resolve
