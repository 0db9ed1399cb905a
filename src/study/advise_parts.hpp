#pragma once
// Steps of advise. Internal to study/advise*.cpp.
#include <functional>
#include <optional>
#include <vector>

#include "model/advice.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// A smaller change is taken where its cost exceeds the best one's by no more than this share.
inline constexpr double nearly = 0.01;

/// What a changed job saves compared with the job as it is.
struct Savings {
  JobFigures before;
  bool priced = true;  ///< savings are of cost; if false, of time
  double jobs = 1.0;
  Constraints constraints;

  [[nodiscard]] bool meets(const JobFigures& job) const {
    return feedrate::meets(constraints, job);
  }
  [[nodiscard]] bool meets(const Remedied& row) const { return row.after && meets(*row.after); }
  /// A job that misses its limits may cost more, or take longer, once it meets them.
  [[nodiscard]] bool rescues(const JobFigures& job) const {
    return feedrate::rescues(constraints, before, job);
  }
  [[nodiscard]] bool rescues(const Remedied& row) const { return row.after && rescues(*row.after); }
  /// Whether the changed job is late where the one that takes `now` is not, or takes more than
  /// `longest` times as long, and nothing allows for that: all time up to a deadline is allowed,
  /// and without one what it takes to keep within a budget that the job as it is exceeds.
  [[nodiscard]] bool too_long(const JobFigures& job, double longest, Duration now) const {
    if (constraints.in_time(now) && !constraints.in_time(job.time)) return true;
    if (job.time <= longest * now) return false;
    return constraints.deadline ? !constraints.in_time(job.time) : !rescues(job);
  }
  /// The cost of all jobs in dollars, `one_off` included, or their time in seconds where nothing
  /// has a price.
  [[nodiscard]] double cost(const JobFigures& job, Money one_off) const {
    return priced ? (jobs * job.total + one_off).base() : jobs * job.time.base();
  }
  [[nodiscard]] double cost_before() const { return cost(before, Money{}); }
  /// The saving of a remedy. Precondition: it was simulated.
  [[nodiscard]] double of(const Remedied& row) const {
    return cost_before() - cost(*row.after, row.one_off);
  }
};

/// Which rung's remedies are advised; what belongs to later rungs is called that.
void choose_rung(Advice& advice, const Savings& savings);

/// The remedies, numbered: those that are advised first, then by standing. Within a standing
/// the largest saving for the effort stands first. Remedies that meet limits which the job misses
/// come before all others.
std::vector<Remedied> ranked(const std::vector<Remedied>& rows, const Savings& savings);

/// Of several remedies together: what the job comes to with them, and so saves.
void set_after(Together& together, const JobFigures& after, const Savings& savings);

/// Whether the events of a row tell otherwise than the mean does.
inline bool parts_from_mean(const Remedied& row) {
  return row.confirmed && row.confirmed->by_events.stated;
}

/// `rows` as the mean has them: `own` keeps those whose figures are stated by events, with those of
/// `simulate` in their place.
std::vector<const Remedied*> of_mean(const std::vector<const Remedied*>& rows,
                                     const std::function<JobFigures(const Setting&)>& simulate,
                                     std::vector<Remedied>& own);

/// A few of `rows` in one job: grown from the first and from those that are best alone, each time
/// by the first of those compatible whose additional saving is nearly the largest, as long as that
/// is worth it; and then changed as long as leaving one out or another one in its place is better.
/// Those that meet the deadline and the budget come first. Empty where no two are better than one.
/// The caller fills `pays`. `simulate` is called from several threads, and throws InputError where
/// there is no such job. It is called `most_tried` times at most.
std::optional<Together> best_together(const std::vector<const Remedied*>& rows,
                                      const Savings& savings,
                                      const std::function<JobFigures(const Setting&)>& simulate,
                                      std::size_t most_tried);

}  // namespace feedrate::study
