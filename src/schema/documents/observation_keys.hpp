#pragma once
// The names in the lines of an observation. Internal to observation*.cpp.
#include <string_view>

namespace feedrate::schema::observation_keys {

inline constexpr double newest_version = 1.0;

// Of SageMaker Debugger, which all lines have.
inline constexpr std::string_view type = "Type";
inline constexpr std::string_view name = "Name";
inline constexpr std::string_view dimension = "Dimension";
inline constexpr std::string_view value = "Value";
inline constexpr std::string_view node = "NodeId";
inline constexpr std::string_view timestamp = "Timestamp";

// Of a sample.
inline constexpr std::string_view cumulative = "Cumulative";
inline constexpr std::string_view late = "Late";
inline constexpr std::string_view epoch = "Epoch";
inline constexpr std::string_view step = "Step";
inline constexpr std::string_view steps = "Steps";
inline constexpr std::string_view rank = "Rank";  ///< of a mark

// Of the header.
inline constexpr std::string_view source = "Source";
inline constexpr std::string_view program = "Program";
inline constexpr std::string_view clock = "Clock";
inline constexpr std::string_view clock_utc = "UTC";
inline constexpr std::string_view clock_relative = "relative";
inline constexpr std::string_view interval = "Interval";
inline constexpr std::string_view boot_time = "BootTime";
inline constexpr std::string_view command = "Command";
inline constexpr std::string_view pid = "PID";
inline constexpr std::string_view instance = "Instance";
inline constexpr std::string_view cpus = "CPUs";
inline constexpr std::string_view cores = "Cores";
inline constexpr std::string_view memory = "MemoryBytes";
inline constexpr std::string_view gpus = "GPUs";
inline constexpr std::string_view instances = "Instances";
inline constexpr std::string_view ranks = "Ranks";

// Types that are no samples'.
inline constexpr std::string_view type_header = "feedrate";
inline constexpr std::string_view type_mark = "mark";
inline constexpr std::string_view type_remark = "remark";
inline constexpr std::string_view edge_begin = "begin";
inline constexpr std::string_view edge_end = "end";

/// A key and what it says, for the manual and the JSON Schema.
struct KeyRow {
  std::string_view name;
  std::string_view json_type;
  std::string_view meaning;
};
inline constexpr KeyRow common_keys[] = {
    {type, "string", "what the line tells of: a metric's type below, feedrate, mark or remark"},
    {name, "string", "which CPU, GPU, disk, …; or the metric's name, as below"},
    {dimension, "string", "the metric"},
    {value, "number", "in the metric's unit; of a mark: its number"},
    {node, "string", "the machine"},
    {timestamp, "number", "seconds since 1970-01-01 UTC, or since the start (Clock)"},
};
inline constexpr KeyRow sample_keys[] = {
    {cumulative, "boolean",
     "true: a count since some start; the difference of two samples gives the rate"},
    {late, "number", "seconds after the sample was due, if more than 0.02"},
    {epoch, "number", "number of the epoch that a step belongs to"},
    {step, "number", "number of a step; if Steps are averaged, of the last"},
    {steps, "number", "number of steps over which the value is the mean"},
    {rank, "string", "rank that a mark belongs to, where several GPUs train"},
};
inline constexpr KeyRow header_keys[] = {
    {source, "string", "observe, simulation, or the format that was imported"},
    {program, "string", "program that wrote the file"},
    {clock, "string", "UTC, or relative: seconds since the start"},
    {interval, "number", "seconds from one sample to the next"},
    {boot_time, "number", "when the machine started, on the same clock"},
    {command, "string", "what was observed; absent: the machine as a whole"},
    {pid, "number", "its first process"},
    {instance, "string", "what the machine is rented as"},
    {cpus, "number", "hardware threads"},
    {cores, "number", "cores that the CPUs belong to, as the system shows them"},
    {memory, "number", "memory of the machine"},
    {gpus, "number", "GPUs of the machine"},
    {instances, "number", "machines as this one that train together, if it is more than one"},
    {ranks, "number", "ranks of the machine whose processes the samples are of, if not of all"},
};

}  // namespace feedrate::schema::observation_keys
