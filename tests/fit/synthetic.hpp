#pragma once
// Measurements with known parameters, and with the noise and the outliers of a real host.
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "model/measurement.hpp"

namespace feedrate::test {

class Synthetic {
 public:
  /// Every sample is multiplied by 1 ± `noise`; one in `outlier_each` is five times as long.
  explicit Synthetic(double noise = 0.0, int outlier_each = 0, std::uint64_t seed = 1)
      : random_(seed, 0), noise_(noise), outlier_each_(outlier_each) {
    set.date = "2026-05-01T12:00:00Z";
    set.host.hostname = "synthetic";
  }

  /// Samples of `time` seconds for `work` units.
  Measurement& add(const char* probe, const char* quantity, const char* unit, double work,
                   std::map<std::string, double> at, double time,
                   std::map<std::string, std::string> how = {}, int samples = 20) {
    Measurement m{probe, quantity, unit, work, std::move(at), std::move(how), {}, {}, ""};
    for (int i = 0; i < samples; ++i) {
      const bool outlier = outlier_each_ > 0 && ++count_ % outlier_each_ == 0;
      const double factor = std::exp(noise_ * random_.normal()) * (outlier ? 5.0 : 1.0);
      m.times.push_back(seconds(time * factor));
    }
    return set.measurements.emplace_back(std::move(m));
  }

  MeasurementSet set;

 private:
  Random random_;
  double noise_;
  int outlier_each_;
  int count_ = 0;
};

}  // namespace feedrate::test
