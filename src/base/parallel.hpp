#pragma once
// Independent pieces of work on all cores: the one such loop. Threads that are measured, or that
// outlive what they were made for, are no loops and stay with the probes (bench/team.hpp,
// streams.hpp, watched.hpp, native_loader.cpp).
#include <cstddef>
#include <functional>

namespace feedrate {

/// Threads for `jobs` (0: one a hardware thread) and `count` pieces of work; at least 1.
std::size_t threads_for(int jobs, std::size_t count);

/// Calls work(i) once for each i < count, from several threads at a time and in no certain order. A
/// piece that throws ends the rest early; the exception of the least i that threw is thrown on.
void for_each_index(std::size_t count, int jobs, const std::function<void(std::size_t)>& work);

/// Calls `loop` in this thread and in as many more as `threads` says, or as can be had: there is
/// none in WebAssembly, and this one then does everything. Returns when all calls have.
void in_threads(std::size_t threads, const std::function<void()>& loop);

}  // namespace feedrate
