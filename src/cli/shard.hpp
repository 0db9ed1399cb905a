#pragma once
// `sweep --shard`: which share of a sweep is this machine's.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/sweep_share.hpp"

namespace feedrate::cli {

/// The value of a variable of the environment; empty where it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment environment();

/// "3/8"; "auto": from the array job of Slurm, AWS Batch or Kubernetes that this process is a task
/// of; "auto/8": its index alone is taken from there, counted from 0, and must be below 8.
/// InputError, naming --shard, for anything else, for 0/8 and 9/8, for "auto" outside of an array
/// job, and for an array from which the shares do not follow.
SweepShare parse_shard(std::string_view text, const Environment& get);

/// "3/8".
std::string shard_text(const SweepShare& share);

}  // namespace feedrate::cli
