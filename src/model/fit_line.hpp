#pragma once
// One line of what a fit found, for the reader who has to decide whether to trust it.
#include <cstddef>
#include <string>
#include <vector>

namespace feedrate {

struct FitLine {
  std::string probe;                  ///< "disk"
  std::string what;                   ///< "latency of one read"
  std::string value;                  ///< "85 us"; of a curve from least to most users
  double relative_error = 0.0;        ///< standard error over value; 0 when one sample cannot tell
  std::size_t points = 0;             ///< settings or samples that the value stands on
  std::vector<std::string> warnings;  ///< why not to trust it; "residuals have a shape"
  bool in_profile = true;             ///< false: shown only, the warnings say why
  double number = 0.0;                ///< the value in SI base units; 0 of a curve
  /// Which of a vendor's figures stands beside it: "memory_bandwidth", a precision, "pcie",
  /// "nvlink", "network"; "none" where nobody publishes one; "" where it is compared with nothing.
  std::string vendor{};
  std::string meanwhile{};  ///< what the GPU said of itself: "1.75 GHz, 698 W, power limit"
  bool operator==(const FitLine&) const = default;
};

}  // namespace feedrate
