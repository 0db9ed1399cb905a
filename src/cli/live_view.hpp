#pragma once
// What is observed, at a glance: drawn over on a terminal, one line per interval elsewhere.
#include <optional>
#include <string>

#include "observe/glance.hpp"
#include "report/glance_report.hpp"

namespace feedrate::cli {

class LiveView {
 public:
  /// `to_stderr`: where a command of the user's has standard output for itself. `words`: what does
  /// not change.
  LiveView(bool to_stderr, report::GlanceWords words);

  void show(const observe::Glance& glance);

 private:
  [[nodiscard]] std::size_t columns() const;
  void write(const std::string& text) const;

  int file_;
  bool terminal_;
  report::GlanceWords words_;
  std::size_t drawn_ = 0;  ///< lines that stand there
};

}  // namespace feedrate::cli
