#pragma once
// Steps of advise. Internal to study/advise*.cpp.
#include <functional>
#include <optional>
#include <vector>

#include "model/advice.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// How much worse than the best a lesser change may be and still be taken.
inline constexpr double nearly = 0.01;

/// What changed jobs save against the one as it is.
struct Savings {
  JobFigures before;
  bool priced = true;  ///< else savings are of time
  double jobs = 1.0;
  Constraints constraints;

  [[nodiscard]] bool meets(const JobFigures& job) const {
    return constraints.met(job.time, job.money);
  }
  /// What all jobs come to: dollars, or seconds where nothing has a price.
  [[nodiscard]] double cost(const JobFigures& job, Money one_off) const {
    return priced ? (jobs * job.total + one_off).base() : jobs * job.time.base();
  }
  [[nodiscard]] double cost_before() const { return cost(before, Money{}); }
  /// Of a remedy that was simulated.
  [[nodiscard]] double of(const Remedied& row) const {
    return cost_before() - cost(*row.after, row.one_off);
  }
};

/// Advised ones first, then by standing, and numbered; within a standing the largest saving first,
/// but kinds take turns by what their first saves for its effort. What meets limits that the job
/// misses comes before all others.
std::vector<Remedied> ranked(const std::vector<Remedied>& rows, const Savings& savings);

/// Up to three of `rows` in one job: of what goes with those taken, the first that saves nearly the
/// most beside them, as long as that still pays. What meets the deadline and the budget comes
/// first. Empty where no two go together; `pays` is the caller's. `simulate` is called from several
/// threads, and throws InputError where there is no such job.
std::optional<Together> best_together(const std::vector<const Remedied*>& rows,
                                      const Savings& savings,
                                      const std::function<JobFigures(const Setting&)>& simulate);

}  // namespace feedrate::study
