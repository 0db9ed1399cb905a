#pragma once
// Means of what was observed one after the other, and how sure they are.
#include <vector>

#include "model/observed_job.hpp"

namespace feedrate::observe {

struct Moments {
  double mean = 0.0;
  double sd = 0.0;
  double count = 0.0;
};

/// Zeros where there is nothing; no deviation of one.
Moments moments_of(const std::vector<double>& values);

/// Standard error of the mean over it, of a series whose neighbours depend on each other: by the
/// means of ten stretches, which do less. 0 where it is not known.
double error_of_mean(const std::vector<double>& values);
/// Of values that count as often as their weights say. Precondition: as many, above 0.
double error_of_mean(const std::vector<double>& values, const std::vector<double>& weights);

/// Their mean with its error; `what` they are: "steps".
ObservedNumber number_of(const std::vector<double>& values, const char* what);

}  // namespace feedrate::observe
