#pragma once
// What to change: a ladder of simpler jobs that says where the trouble begins, and remedies, each
// simulated.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "model/choice.hpp"
#include "model/constraints.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"

namespace feedrate {

/// From the simplest job to the whole one; the last is no job but what is left once all are fed.
enum class Rung : std::uint8_t { one_gpu_in_memory, one_gpu, one_instance, cluster, fed };
inline constexpr std::array<std::string_view, 5> rung_words = {"one_gpu_in_memory", "one_gpu",
                                                               "one_instance", "cluster", "fed"};
static_assert(names_all(rung_words, Rung::fed));
constexpr std::string_view name_of(Rung rung) {
  return rung_words[static_cast<std::size_t>(rung)];
}

/// What a change takes, from the least to the most.
enum class RemedyKind : std::uint8_t { setting, code, data, infrastructure };
inline constexpr std::array<std::string_view, 4> remedy_kind_words = {"setting", "code", "data",
                                                                      "infrastructure"};
static_assert(names_all(remedy_kind_words, RemedyKind::infrastructure));
constexpr std::string_view name_of(RemedyKind kind) {
  return remedy_kind_words[static_cast<std::size_t>(kind)];
}

/// What became of a remedy.
enum class RemedyStanding : std::uint8_t {
  advised,        ///< it pays, and its rung is worked on
  later,          ///< it pays, but an earlier rung comes first
  no_help,        ///< it saves less than least_saving, and less than worth_changing of the time
  costs_more,     ///< in all
  takes_longer,   ///< it saves, but the job takes longer than anything given allows for
  impossible,     ///< no plan, no price, or not together with the rest of the scenario
  not_simulated,  ///< something has to be given first
};
inline constexpr std::array<std::string_view, 7> remedy_standing_words = {
    "advised", "later", "no_help", "costs_more", "takes_longer", "impossible", "not_simulated"};
static_assert(names_all(remedy_standing_words, RemedyStanding::not_simulated));
constexpr std::string_view name_of(RemedyStanding standing) {
  return remedy_standing_words[static_cast<std::size_t>(standing)];
}

/// Below this share of what the job costs (of its time, where nothing has a price) a remedy does
/// not help.
inline constexpr double least_saving = 0.001;
/// Below this share nothing is to be changed first: jobs that differ by less are told apart by
/// nothing that is known of them. Together with another remedy it may save far more.
inline constexpr double worth_changing = 0.01;

/// What the whole job comes to.
struct JobFigures {
  Duration time;
  Money money;            ///< of the bill
  Money total;            ///< with the value of the hours
  double gpu_busy = 0.0;  ///< of the whole job's time without its start-up, 0…1
  std::optional<Throughput> throughput;
  std::optional<Stage> bottleneck;  ///< empty: none
  bool held = true;                 ///< the weights, by the GPUs, as far as anybody knows
};

/// Whether a job can run, and keeps within limits.
inline bool meets(const Constraints& limits, const JobFigures& job) {
  return job.held && limits.met(job.time, job.money);
}
/// Whether `job` does, and the one that it was before does not.
inline bool rescues(const Constraints& limits, const JobFigures& before, const JobFigures& job) {
  return !meets(limits, before) && meets(limits, job);
}

/// A rung of the ladder: the scenario with `set`, simulated.
struct RungResult {
  Rung rung = Rung::one_gpu;
  std::vector<std::pair<std::string, std::string>> set;  ///< KEY, VALUE
  std::optional<JobFigures> figures;  ///< empty where the scenario has no such rung
  std::string why_not;                ///< then: why
  /// Of several instances: S(N), and the S(N) from which on they cost no more than one.
  std::optional<double> efficiency, break_even;
  double share = 0.0;  ///< what is held against the target, 0…1
  bool met = true;
};

/// Whether GPUs have work worth the name even where nothing keeps them from it: a measurement of a
/// loader alone has next to none, so its rungs are held each against the one before.
inline bool trains(const std::vector<RungResult>& ladder, const JobFigures& whole) {
  const bool easier = !ladder.empty() && ladder.front().figures;
  return (easier ? *ladder.front().figures : whole).gpu_busy >= 0.01;
}

/// A remedy, as far as it does not depend on the scenario.
struct RemedyWords {
  std::string_view name;   ///< "num_workers"
  std::string_view title;  ///< "more workers"
  RemedyKind kind = RemedyKind::setting;
  double effort_hours = 0.1;     ///< of one engineer; what savings are divided by to rank them
  Rung from = Rung::one_gpu;     ///< the first rung that it may help
  std::string_view when;         ///< it applies when …
  std::string_view helps;        ///< evidence for it, with its source
  std::string_view limits;       ///< what speaks against it, or bounds it, with its source
  bool alters_training = false;  ///< what is learned may differ
  /// It makes the bill smaller, and GPUs no busier: it waits for no rung, and none is chosen for
  /// it.
  bool of_bill_alone = false;
};

/// A remedy, simulated.
struct Remedied {
  RemedyWords what;
  RemedyStanding standing = RemedyStanding::no_help;
  std::size_t number = 0;                                ///< of the list to choose from; 0: none
  std::vector<std::pair<std::string, std::string>> set;  ///< KEY, VALUE: --set of each makes it
  std::string change;                                    ///< "num_workers = 3"
  /// How many times as long the job may take by it, where no limit allows for more.
  double longest = std::numeric_limits<double>::infinity();
  std::optional<JobFigures> after;  ///< as `run` states it where `confirmed`
  Money one_off;                    ///< what it costs once, beside the jobs
  std::string one_off_words{};      ///< of what that is made
  Money saved;                      ///< over all jobs, less what it costs once
  Duration sooner;                  ///< of one job
  /// Share of the draws of all that is uncertain in which it saves; empty where nothing was drawn.
  std::optional<double> pays;
  /// Of those advised first, and of all where the job as it is is stated by its events; empty: no
  /// events.
  std::optional<Confirmed> confirmed{};
  std::string reason{};                ///< why it is impossible, or what to give
  std::vector<std::string> caveats{};  ///< that the changed job has and the job as it is has not
};

/// The best of the advised remedies in one job.
struct Together {
  std::vector<std::size_t> numbers;  ///< of those taken
  std::vector<std::pair<std::string, std::string>> set;
  JobFigures after;
  Money one_off;
  Money saved;
  Duration sooner;
  std::optional<double> pays;
  std::optional<Confirmed> confirmed{};  ///< empty: no events
};

/// More of what is not fed yet, which costs more than the first remedy.
struct TooEarly {
  std::string change;  ///< "2 instances"
  std::vector<std::pair<std::string, std::string>> set;
  JobFigures after;
  bool rented = true;  ///< by the hour; false: machines of one's own
};

struct Advice {
  JobFigures before;
  std::optional<Confirmed> confirmed;  ///< the job as it is; empty: no events were simulated
  std::vector<std::string> caveats;    ///< of the job as it is
  double target = 0.9;                 ///< share of the time that GPUs are to be busy
  double jobs = 1.0;                   ///< over which savings are counted
  Constraints constraints;
  bool billed = true;  ///< whether its hours have a price
  bool priced = true;  ///< savings are of cost; else of time, of what has no price or is too short
  std::vector<RungResult> ladder;
  Rung starts_on = Rung::fed;  ///< the first rung below the target
  /// The rung whose remedies are advised: that one, or the next below the target on which something
  /// saves what no remedy before it comes near to; or `fed`, where every rung is barely missed.
  Rung works_on = Rung::fed;
  std::vector<Remedied> remedies;  ///< the advised ones first, in the order of their numbers
  std::optional<Together> together;
  std::optional<TooEarly> too_early;
  /// Bytes of data below which a trial stays in the page cache and does not show the disk.
  std::optional<Bytes> hides_disk;
};

}  // namespace feedrate
