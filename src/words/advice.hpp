#pragma once
// Why a job has no such rung of the ladder.
#include <string_view>

namespace feedrate::words {

inline constexpr std::string_view given_whole = "the job is given as a whole, without its samples";
inline constexpr std::string_view one_gpu_each = "an instance has one GPU";
inline constexpr std::string_view one_instance_alone = "the job has one instance";

}  // namespace feedrate::words
