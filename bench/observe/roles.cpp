#include "bench/observe/roles.hpp"

#include <algorithm>
#include <vector>

namespace feedrate::bench::observe {
namespace {

// PyTorch: torch/utils/data/_utils/worker.py, pin_memory.py and torch/__init__.py of 2.6.
constexpr std::string_view worker_name = "pt_data_worker";
constexpr std::string_view pin_name = "pt_data_pin";
constexpr std::string_view trainer_name = "pt_main_thread";

std::string_view first_of(std::string_view arguments) {
  return arguments.substr(0, arguments.find('\0'));
}

bool is_python(const ProcessFacts& process) {
  const std::string_view program = first_of(process.arguments);
  const std::size_t slash = program.rfind('/');
  return program.substr(slash == std::string_view::npos ? 0 : slash + 1).starts_with("python");
}

bool says(const ProcessFacts& process, std::string_view word) {
  return process.arguments.find(word) != std::string::npos;
}

/// multiprocessing's spawn and forkserver name the function that a process starts with.
bool was_spawned(const ProcessFacts& process) {
  return is_python(process) && says(process, "multiprocessing.") &&
         (says(process, "spawn_main") || says(process, "forkserver"));
}

}  // namespace

bool is_pinning_thread(std::string_view name) {
  return name == pin_name;
}

bool is_training_process(std::string_view name) {
  return name == trainer_name;
}

std::map<std::int64_t, ProcessRole> roles_of(std::span<const ProcessFacts> facts) {
  std::map<std::int64_t, const ProcessFacts*> by_id;
  std::map<std::int64_t, std::vector<std::int64_t>> children;
  for (const ProcessFacts& process : facts) by_id[process.id] = &process;
  for (const ProcessFacts& process : facts) children[process.parent].push_back(process.id);
  std::map<std::int64_t, ProcessRole> roles;
  for (const ProcessFacts& process : facts) {
    ProcessRole& role = roles[process.id];
    role = ProcessRole::other;
    if (process.name == trainer_name) role = ProcessRole::trainer;
    if (process.name == worker_name) role = ProcessRole::worker;
    const auto parent = by_id.find(process.parent);
    if (role != ProcessRole::other || parent == by_id.end()) continue;
    const bool forked = is_python(process) && process.arguments == parent->second->arguments;
    if (forked || was_spawned(process)) role = ProcessRole::worker;
  }
  bool trains = false;
  for (const ProcessFacts& process : facts) {
    if (roles[process.id] != ProcessRole::worker) continue;
    // Of a worker's own children the worker is the parent, which does not train.
    const auto parent = roles.find(process.parent);
    if (parent != roles.end() && parent->second == ProcessRole::other) {
      parent->second = ProcessRole::trainer;
    }
  }
  for (const auto& [id, role] : roles) trains = trains || role == ProcessRole::trainer;
  if (trains) return roles;
  for (const ProcessFacts& process : facts) {
    if (by_id.contains(process.parent)) continue;
    std::int64_t last = process.id;
    while (children[last].size() == 1) last = children[last].front();
    roles[last] = ProcessRole::trainer;
  }
  return roles;
}

}  // namespace feedrate::bench::observe
