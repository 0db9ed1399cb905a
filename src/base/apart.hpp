#pragma once
// Work in a process of its own, so that it can be given up whatever it does: a question of a
// stranger may take as long as it likes, or all memory, and the process that asks goes on.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/units.hpp"

namespace feedrate {

inline constexpr std::uint64_t most_memory_apart = std::uint64_t{4} << 30U;  ///< bytes

/// What `make` returns, made by a copy of this process, which is killed where it takes longer than
/// `most_time`, returns more than `most_bytes`, or outlives this one, and on Linux has no more than
/// `most_memory_apart`. HostError then, and where it ends by itself without an answer. What `make`
/// changes is lost with the copy. Precondition: this process has one thread.
std::string made_apart(const std::function<std::string()>& make, Duration most_time,
                       std::size_t most_bytes);

}  // namespace feedrate
