#pragma once
// Eigen counts with signed numbers.
#include <Eigen/Core>
#include <cstddef>

namespace feedrate::fit {

inline Eigen::Index index(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

}  // namespace feedrate::fit
