#pragma once
// What was measured beside what the vendor of the part says it can do.
#include <string>

namespace feedrate {

struct VendorFigure {
  std::string probe;      ///< "gpu"
  std::string what;       ///< "matmul in bf16", as the line of the fit has it
  std::string measured;   ///< "700 TFLOP/s"
  std::string of;         ///< "H100-SXM5-80GB, dense bf16"; why there is none where there is none
  std::string figure;     ///< "989 TFLOP/s"; "" where none is known
  double ratio = 0.0;     ///< measured over the figure; 0 where none is known
  std::string meanwhile;  ///< what the GPU said of itself: "1.75 GHz, 698 W, power limit"
  bool operator==(const VendorFigure&) const = default;
};

}  // namespace feedrate
