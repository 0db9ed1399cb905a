#pragma once
// What is going on, for whoever is waiting: one line that is drawn over on a terminal.
#include <string>

namespace feedrate::cli {

/// On standard error; nothing where that is no terminal. Wiped when done.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Cut to the width of the terminal.
  void show(const std::string& text);
  void wipe();

 private:
  bool wanted_;
  bool drawn_ = false;
};

}  // namespace feedrate::cli
