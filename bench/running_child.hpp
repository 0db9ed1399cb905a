#pragma once
// A program that was started, and what it prints until it ends or is ended. Internal to
// child_process.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "bench/child_process.hpp"
#include "bench/open_file.hpp"

namespace feedrate::bench {

class RunningChild {
 public:
  /// Starts `program`, which reads from `input`; `line` gets its lines.
  RunningChild(const std::vector<std::string>& program, const OpenFile& input,
               std::function<void(const std::string&)> line);
  /// Ends it with all that it started.
  ~RunningChild();
  RunningChild(const RunningChild&) = delete;
  RunningChild& operator=(const RunningChild&) = delete;

  /// Hands on lines until `enough`, or until the program has ended or its time is over: then it is
  /// gone. Its end counts, not that of its pipes: what it left running may hold those.
  std::optional<ChildEnd> listen(const std::function<Duration()>& limit,
                                 const std::atomic<bool>& stop,
                                 const std::function<bool()>& enough);

  /// Until it has ended by itself, though not for long.
  void wait_a_moment() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace feedrate::bench
