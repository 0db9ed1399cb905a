#pragma once
// Unknowns as coordinates in which a step of 1 is a large one: logarithms of what changes by
// factors, all else as it is.
#include <algorithm>
#include <cmath>

#include "fit/unknowns.hpp"

namespace feedrate::fit {

/// Relative: what two simulations of the same job may differ by and still mean the same.
inline constexpr double same_prediction = 0.001;

inline double coordinate_of(const Unknown& unknown, double value) {
  const double inside = std::clamp(value, unknown.low, unknown.high);
  return unknown.by_factors ? std::log(inside) : inside;
}

inline double value_at(const Unknown& unknown, double coordinate) {
  const double value = unknown.by_factors ? std::exp(coordinate) : coordinate;
  return std::clamp(value, unknown.low, unknown.high);
}

inline std::vector<double> values_at(std::span<const Unknown> unknowns,
                                     std::span<const double> coordinates) {
  std::vector<double> values;
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    values.push_back(value_at(unknowns[k], coordinates[k]));
  }
  return values;
}

inline Box box_of(std::span<const Unknown> unknowns) {
  Box box;
  for (const Unknown& unknown : unknowns) {
    box.low.push_back(coordinate_of(unknown, unknown.low));
    box.high.push_back(coordinate_of(unknown, unknown.high));
  }
  return box;
}

/// How far a prediction is off; as Measured::difference says. Below a tenth of what was measured
/// the logarithm goes on as its tangent, for predictions may be 0.
inline double misfit(const Measured& measured, double predicted) {
  if (measured.difference) return predicted - measured.value;
  constexpr double tangent_below = 0.1;
  const double ratio = predicted / measured.value;
  if (ratio >= tangent_below) return std::log(ratio);
  return std::log(tangent_below) + ratio / tangent_below - 1.0;
}

inline double error_of(const Measured& measured) {
  const double unstated =
      measured.difference ? assumed_error * std::max(1.0, std::abs(measured.value)) : assumed_error;
  return measured.error.value_or(unstated);
}

}  // namespace feedrate::fit
