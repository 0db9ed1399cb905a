#pragma once
// Which process of a job does what.
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "model/observation.hpp"

namespace feedrate::bench::observe {

struct ProcessFacts {
  std::int64_t id = 0;
  std::int64_t parent = 0;
  std::string name;       ///< as the kernel has it, of at most 15 characters
  std::string arguments;  ///< as /proc/PID/cmdline has them: each ends with a zero byte
};

/// PyTorch 2.6 and newer name them. Older ones: a Python process with its parent's arguments was
/// forked by it as a worker, one that multiprocessing spawned says so in its arguments, and the
/// parent of workers trains. Where nothing of that is found, the process at the end of the only
/// line of descent trains: the shell and the launcher in front of it do not. `facts` in any order.
std::map<std::int64_t, ProcessRole> roles_of(std::span<const ProcessFacts> facts);

/// Whether it is the name of PyTorch's thread that copies batches into pinned memory.
bool is_pinning_thread(std::string_view name);
/// Whether it is the name of a process that trains with PyTorch.
bool is_training_process(std::string_view name);

}  // namespace feedrate::bench::observe
