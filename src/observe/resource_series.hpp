#pragma once
// What an observation's samples say of CPUs, disks, links, GPUs and processes: a series for each
// kind of them, and its mean in the time of the steps that count.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/observation.hpp"
#include "model/observed_job.hpp"
#include "observe/step_runs.hpp"

namespace feedrate::observe {

class ResourceSeries {
 public:
  /// `usual`: s between samples; 0 where it is not known.
  void add(const Sample& sample, double usual);

  /// Of those of a kind ("cpu", "disk read", "worker cpu") their mean at a time, or their sum, as
  /// a mean over the time of the runs; over the whole where there are none, or no sample lies in
  /// them. Of disks, limits and links each is a kind besides: "disk:sda/node-1".
  [[nodiscard]] std::optional<ObservedNumber> mean(const std::string& kind,
                                                   const std::vector<Run>& runs) const;
  [[nodiscard]] std::optional<ObservedNumber> sum(const std::string& kind,
                                                  const std::vector<Run>& runs) const;
  /// In any interval of that time.
  [[nodiscard]] double highest(const std::string& kind, const std::vector<Run>& runs) const;
  /// Of that time, what lies in intervals of at least `bound`.
  [[nodiscard]] double share_above(const std::string& kind, const std::vector<Run>& runs,
                                   double bound) const;
  /// The disk or link whose mean is the highest: "sda/node-1" of "disk" or "disk read"; "" where
  /// there is none.
  [[nodiscard]] std::string busiest(const std::string& kind, const std::vector<Run>& runs) const;

 private:
  struct Point {
    double at = 0.0;
    double length = 0.0;
    double sum = 0.0;
    double count = 0.0;
  };
  /// By time.
  using Points = std::map<double, Point>;

  /// Values in that time, each with how much of it they are of.
  struct Weighted {
    double value = 0.0, weight = 0.0;
  };
  [[nodiscard]] std::vector<Weighted> in(const std::string& kind, const std::vector<Run>& runs,
                                         bool sum) const;
  static std::optional<ObservedNumber> mean_of(const std::vector<Weighted>& all);

  std::map<std::string, Points> points_;    ///< by kind
  std::map<std::string, double> last_;      ///< time of the last sample of each series
  std::map<std::string, double> counters_;  ///< of cumulative series, the last value
};

}  // namespace feedrate::observe
