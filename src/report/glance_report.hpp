#pragma once
// An observation at a glance: a few lines to draw over, or one line per interval.
#include <optional>
#include <string>
#include <vector>

#include "model/rules.hpp"
#include "observe/glance.hpp"
#include "report/render.hpp"

namespace feedrate::report {

/// What is beside the figures.
struct GlanceWords {
  std::string job;                    ///< the command, or what is observed
  std::vector<Cause> causes;          ///< the answer, else those of the rules, each once
  std::optional<HourlyPrice> wasted;  ///< while GPUs wait
  std::optional<HourlyPrice> price;   ///< of the machine
  std::string instance;               ///< whose price it is
};

/// Lines of at most `columns`, without their ends.
std::vector<std::string> glance_lines(const observe::Glance& glance, const GlanceWords& words,
                                      const Style& style, std::size_t columns);
/// All of it in one.
std::string glance_line(const observe::Glance& glance, const GlanceWords& words,
                        const Style& style);

}  // namespace feedrate::report
