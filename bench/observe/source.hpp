#pragma once
// Something that is looked at once an interval.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "model/observation.hpp"

namespace feedrate::bench::observe {

/// What a look at everything adds to. Samples come without their node and lateness.
struct Look {
  Duration at;      ///< of this look
  Duration length;  ///< since the look before; 0 s: this is the first, which tells no mean
  std::vector<Sample> samples;
  std::vector<std::string> remarks;  ///< what cannot be seen; each is said once in the end

  [[nodiscard]] bool first() const { return length.base() <= 0.0; }
  void add(MetricId id, std::string name, double value) {
    // Digits that mean nothing would be a third of the file.
    const bool fine =
        metric(id).unit == MetricUnit::percent || metric(id).unit == MetricUnit::watts;
    const double rounded = fine ? std::round(value * 1e3) / 1e3 : std::round(value);
    samples.push_back({.at = at, .metric = id, .name = std::move(name), .value = rounded});
  }
  /// A counter's growth as a rate.
  void rate(MetricId id, std::string name, double growth) {
    add(id, std::move(name), growth / length.base());
  }
  /// Time as a percentage of the interval, never over 100: counters tick when they like.
  void share(MetricId id, std::string name, Duration busy) {
    add(id, std::move(name), std::min(100.0, 100.0 * (busy / length)));
  }
};

class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  virtual void look(Look& look) = 0;
};

}  // namespace feedrate::bench::observe
