#pragma once
// Who pays for what: the jobs of several teams with what a run of each costs, what a month of them
// does, and what of that is paid for GPUs that wait.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "model/stage.hpp"

namespace feedrate {

/// Electricity of GPUs and what its generation emits, of one run: between what is likely.
struct Footprint {
  double least_kwh = 0.0;
  double most_kwh = 0.0;
  double grams_per_kwh = 0.0;  ///< of the region's grid
  std::string grid{};          ///< "us-east-1"
  bool operator==(const Footprint&) const = default;
};

/// A job, or all jobs that share a tag.
struct ChargedJobs {
  std::string name;  ///< the scenario's, or the tag's value
  std::string file{};
  std::string tag{};  ///< of a job: the value of the tag that jobs are grouped by; may be empty
  std::optional<Stage> bottleneck{};
  double jobs = 1.0;
  double runs_per_month = 1.0;
  std::optional<Duration> run_time{};  ///< of one run; empty for several jobs
  std::optional<Money> run{};          ///< likewise: what one run's invoice says
  std::optional<Money> per_epoch{}, per_million_samples{}, per_billion_tokens{};
  Money prepared;  ///< once, before the first run
  Money month;     ///< all runs of a month, and their part of what was prepared
  Money waiting;   ///< part of `month`: for GPUs that wait, or that nobody uses
  std::optional<double> least_kg{}, most_kg{};  ///< CO2 equivalents of a month; empty: not known
};

/// A savings plan that the jobs share. It is paid hour by hour, used or not: what an hour leaves
/// over is lost, and what an hour needs beyond it is paid on demand.
struct Commitment {
  Money month;      ///< committed
  Money wanted;     ///< by jobs whose purchase is a savings plan, for instances, at its prices
  Money used;       ///< of `wanted`, at most: where no two jobs run at a time
  Money on_demand;  ///< what the rest of `wanted` costs on demand
  Money jobs;       ///< the month of all jobs, by their bills
  Duration hours;   ///< for which those jobs hold instances, one job after the other
  [[nodiscard]] Money unused() const { return month - used; }
  [[nodiscard]] Money beyond() const { return wanted - used; }
  /// Some jobs must run at a time: `used` is more than what they then use, unless they share each
  /// hour as well as can be.
  [[nodiscard]] bool crowded() const { return hours > (1.0 + 1e-9) * months(1); }
  [[nodiscard]] Money all() const { return jobs - wanted + month + on_demand; }
};

struct Showback {
  std::string by;  ///< tag that jobs are grouped by: "team"
  std::optional<Commitment> commitment{};
  std::vector<ChargedJobs> jobs;
  std::vector<ChargedJobs> groups;  ///< by that tag, the dearest first
  ChargedJobs all;
  std::vector<std::string> remarks;
};

}  // namespace feedrate
