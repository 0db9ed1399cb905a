#pragma once
// What an observed command prints: handed on as it comes, and kept line by line with the time at
// which each came, in the form that formats/recordings/import_observations.hpp reads.
#include <chrono>
#include <string>
#include <string_view>

#include "base/child_process.hpp"
#include "base/open_file.hpp"
#include "base/units.hpp"

namespace feedrate::cli {

class KeptOutput {
 public:
  /// HostError where there are no pipes.
  KeptOutput();

  /// What the command gets in place of our standard output and error.
  [[nodiscard]] ChildFiles files() const {
    return {-1, output_.theirs.get(), errors_.theirs.get()};
  }
  /// Call it once the command was started: its own ends are its alone from then on.
  void started();

  /// Waits no longer than `patience` for output, and hands it on.
  void forward(Duration patience);

  /// Lines of "2026-11-22T10:21:46.250Z what it printed", in the order in which they came; those
  /// that a carriage return ends, as of progress bars, are lines too.
  [[nodiscard]] const std::string& lines() const { return lines_; }
  /// Whether the command printed more than is kept.
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  struct Pipe {
    OpenFile ours;
    OpenFile theirs;
    std::string line;  ///< begun, and not ended yet
  };
  static Pipe made();
  void read(Pipe& pipe, bool is_output);
  void keep(Pipe& pipe, std::string_view part);
  void end_line(Pipe& pipe);

  Pipe output_;
  Pipe errors_;
  std::string lines_;
  bool cut_ = false;
};

}  // namespace feedrate::cli
