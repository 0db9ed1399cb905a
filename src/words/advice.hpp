#pragma once
// Why a job has no such rung of the ladder.
#include <string>
#include <string_view>

#include "model/stage.hpp"

namespace feedrate::words {

inline constexpr std::string_view given_whole = "the job is given as a whole, without its samples";
inline constexpr std::string_view one_gpu_each = "an instance has one GPU";
inline constexpr std::string_view one_instance_alone = "the job has one instance";

/// With workers beyond what the instance's CPUs would be given.
inline std::string bottleneck_then(Stage stage) {
  return "These are more than twice the CPUs, as workers that mostly wait may be; " +
         std::string(name_of(stage)) + " is the bottleneck then.";
}

}  // namespace feedrate::words
