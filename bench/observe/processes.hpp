#pragma once
// The processes of a job: the one that was named and all that it started.
#include <map>
#include <memory>
#include <optional>

#include "bench/observe/kernel_file.hpp"
#include "bench/observe/roles.hpp"
#include "bench/observe/roots.hpp"
#include "bench/observe/source.hpp"

namespace feedrate::bench::observe {

/// Their CPU time, reads, faults and memory, each process by itself; a pinning thread of PyTorch
/// beside its process, whose part it is.
class Processes : public Source {
 public:
  /// Without a number: whatever trains with a PyTorch that says so, as soon as it does.
  Processes(const Roots& roots, std::optional<std::int64_t> root);

  void look(Look& look) override;
  /// The process that was named has ended; its last samples were taken.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  struct Counts {
    std::uint64_t cpu = 0, faults = 0, read = 0, from_device = 0;
    std::optional<std::uint64_t> waited{};  ///< ns for a CPU, of its first thread
  };
  struct Thread {
    KernelFile stat;
    std::uint64_t cpu = 0;
  };
  struct Process {
    KernelFile stat, io, queued, call;
    ProcessRole role = ProcessRole::other;
    std::optional<Counts> before;
    std::map<std::int64_t, Thread> pins;
    bool reads_seen = true;
  };

  void find();
  void find_pins(std::int64_t id, Process& process) const;
  bool one(Look& look, std::int64_t id, Process& process) const;
  [[nodiscard]] std::vector<std::int64_t> children_of(std::int64_t id) const;
  [[nodiscard]] std::vector<std::int64_t> training_processes() const;
  [[nodiscard]] std::string path_of(std::int64_t id) const;

  Roots roots_;
  std::optional<std::int64_t> root_;
  std::map<std::int64_t, Process> processes_;
  Duration look_before_;  ///< when, since boot
  Duration next_find_;    ///< since boot
  bool ended_ = false;
};

}  // namespace feedrate::bench::observe
