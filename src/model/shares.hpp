#pragma once
// The shares that samples tell: of the machine's many CPUs, GPUs, disks and links one number each.
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/observation.hpp"
#include "model/readings.hpp"

namespace feedrate {

/// Shares 0…1 by reading ("gpu", "io-wait"), in the order of time.
using Shares = std::map<std::string, std::vector<double>>;

/// Collects samples of any order.
class ShareFold {
 public:
  void add(const Sample& sample);
  /// How many CPUs there are, where one sample tells of all of them, and how many ranks the job has
  /// for each whose processes are seen.
  void add(const ObservationHeader& header);

  /// What was seen in some of the time.
  [[nodiscard]] ShareFold within(const std::function<bool(Duration)>& time) const;

  /// Of several CPUs or GPUs the mean of each moment, of several disks, their limits and links the
  /// busiest. CPU time that a hypervisor takes (steal) counts as busy. What the job's own processes
  /// use of the CPUs is "own-cpu", where a trainer was seen among them, and each CPU has samples of
  /// its own or a header says how many one sample is of.
  [[nodiscard]] Shares shares() const;
  /// Debugger's totals of which no share is known: "i/o", "network".
  [[nodiscard]] std::vector<std::string_view> not_shares() const;

 private:
  struct Moment {
    double sum = 0.0;
    double count = 0.0;
    double most = 0.0;
    [[nodiscard]] double mean() const { return sum / count; }
  };
  void add_stolen(std::vector<double>& busy, const std::map<double, Moment>& at) const;

  std::map<std::string_view, std::map<double, Moment>> moments_;  ///< by reading and time
  std::map<std::string_view, std::string_view> totals_;           ///< type → reading
  std::map<double, double> own_cpus_;                             ///< by time
  bool trainer_ = false;
  bool each_cpu_ = true;
  std::optional<double> cpus_;  ///< that a sample is of where not each has its own
  double ranks_of_one_ = 1.0;
};

/// Sets the readings that the shares tell: their means, and the quantiles that rules ask for.
void add_shares(Readings& readings, const Shares& shares);

}  // namespace feedrate
