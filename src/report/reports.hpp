#pragma once
// The reports of the sub-commands. They choose, round and name; every number is in the argument.
// `name` is the scenario's. CSV keeps every digit.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "catalog/catalog.hpp"
#include "catalog/filter.hpp"
#include "model/advice.hpp"
#include "model/case_result.hpp"
#include "model/drift.hpp"
#include "model/optimum.hpp"
#include "model/search.hpp"
#include "model/sweep.hpp"
#include "model/vendor_figure.hpp"
#include "report/blocks.hpp"

namespace feedrate {

struct Diagnosis;
struct FitLine;
struct MeasurementSet;
struct ObservedJob;
struct Scaling;
struct Showback;
struct UnknownsFit;

namespace study {

struct Bars;
struct ObservedComparison;
struct ObservedNodes;
struct ObservedScenario;

}  // namespace study
}  // namespace feedrate

namespace feedrate::report {

/// What `make` makes with its amounts in a currency and a line that says so; in dollars without.
/// Unit prices stay as their sources give them.
Report shown_in(const std::optional<Currency>& currency, const std::function<Report()>& make);

/// `run`: one sentence to act on, stages, times, bill, what is only assumed, remarks.
Report run_report(const NamedResult& named);

/// `run` at a glance: what is the bottleneck, time and cost with what they are drawn between, what
/// to change, how sure that is, stages. The rest is counted.
Report run_brief(const NamedResult& named);

/// `sweep`: one row per point with the fastest, the cheapest and the Pareto set marked; of more
/// than sixty points only the marked ones.
Report sweep_report(const Sweep& sweep, const std::string& name);

/// `optimize`: the best point and what comes next, the flags that reproduce it, what bounds it, how
/// sure the choice is, the Pareto front; or why there is none.
Report optimum_report(const Optimum& optimum, const std::string& name);
/// One row per point that stands out, its role in front.
std::string optimum_csv(const Optimum& optimum);
/// What CSV has no place for.
std::vector<std::string> optimum_remarks(const Optimum& optimum);

/// `scale`, what more instances bring, and where to stop: a table over instances for each machine,
/// and sentences that answer: where the next instance costs more than it saves, how many a deadline
/// needs, what all of them share.
Report scale_report(const Scaling& scaling, const std::string& name);
/// `scale` at a glance: the number that is recommended, with what its time and cost are drawn
/// between, and the rows that stand out among powers of two.
Report scale_brief(const Scaling& scaling, const std::string& name);
/// One row per number of instances.
std::string scale_csv(const Scaling& scaling);
/// What CSV has no place for: the answers, in sentences.
std::vector<std::string> scale_remarks(const Scaling& scaling);

/// `advise`: the first remedy in a sentence, the ladder, the remedies with the settings that make
/// them, what does not help, and what must wait.
Report advise_report(const Advice& advice, const std::string& name);
/// `advise` at a glance: that sentence, the first remedies, what they make of time and cost, how
/// the first is applied, what must wait. The rest is counted.
Report advise_brief(const Advice& advice, const std::string& name);
/// `advise --list`: every remedy, when it applies, and the evidence for and against it.
Report remedies_report(std::span<const RemedyWords> remedies);
/// All remedies that were simulated as one table; for CSV.
Table advice_table(const Advice& advice);
/// Title of the table of what is advised now among advice_blocks().
inline constexpr const char* remedies_title = "Remedies";
/// Title of the list of settings among advice_blocks().
inline constexpr const char* settings_title =
    "How to apply them (--apply NUMBER -o FILE writes the changed scenario)";
/// The ladder and the remedies as tables, for a page that has its own headline.
std::vector<Block> advice_blocks(const Advice& advice);

/// Searches (`run --find` and `feeds`) and what they were asked of.
struct Searched {
  std::string name;  ///< the scenario's
  std::vector<SearchAnswer> answers;
  /// GPUs fed, where that is the question: answers tell of GPUs and instances, and what was held
  /// fixed stands below.
  bool feeds = false;
  std::vector<std::string> remarks{};
};

/// One sentence per answer: what was found, what stands in the way of more, where that contradicts
/// itself; one row per answer; remarks.
Report search_report(const Searched& searched);
/// One answer as a sentence.
std::string answer_sentence(const SearchAnswer& answer, bool feeds);
/// One row per answer.
std::string searches_csv(const Searched& searched);

/// `compare`: one column per scenario, differences signed against the first. Those of one name are
/// called by their files. Precondition: at least one.
Report compare_report(std::span<const NamedResult> results,
                      const std::optional<Decision>& decision = {});

/// `showback`, who pays for what: what all jobs cost in a month and how much of that pays for GPUs
/// that wait; a row a group, a row a job, and what a unit of work costs.
Report showback_report(const Showback& showback);
/// A row a job, then the groups and their sum.
std::string showback_csv(const Showback& showback);

/// `diagnose`: what it answers, in words and tables.
Report diagnose_report(const Diagnosis& diagnosis);
/// The same without the rules that do not fit and the thresholds: they are counted, and the
/// readings named that would tell more.
Report diagnose_brief(const Diagnosis& diagnosis);
/// Which rules fit, and what they name as the cause: one sentence.
std::string verdict_of(const Diagnosis& diagnosis);
/// A row a rule: "rule", "source", "cause" (empty: none), "verdict", "because", and of what a
/// simulation predicts "predicted" (the verdict; empty without one).
std::string diagnose_csv(const Diagnosis& diagnosis);

/// `cases`: how wrong all predictions are, which `all` says; then for each scenario its source, its
/// expectation, what was fitted, the same of its own cases, and one row per case with predicted
/// beside measured.
Report cases_report(std::span<const ScenarioCases> scenarios, const CaseSummary& all);
/// All cases as one table; for CSV.
Table cases_table(std::span<const ScenarioCases> scenarios);

/// `validate`: predicted beside measured on one host, and how wrong we are.
Report validate_report(const ScenarioCases& of, const std::string& profile,
                       const study::Bars& bars);

/// `fit`: unknowns, how sure they are, and how well the cases are met. `written`: the file that
/// holds the fitted scenario; empty: none was asked for, and the settings that make it are listed.
Report fit_report(const UnknownsFit& fit, const std::string& written);

/// `observe fit`: what was observed of a job, the scenario of it, and what could not be seen.
/// `written`: the scenario's file; "" where it goes elsewhere. `comparison` may be null, and
/// `nodes` where one was observed; `job` is then the one at whose pace they go.
Report observe_fit_report(const ObservedJob& job, const study::ObservedScenario& observed,
                          const study::ObservedComparison* comparison, const std::string& written,
                          const study::ObservedNodes* nodes = nullptr);

/// `init --list`: one row per preset.
Report presets_report(std::span<const std::pair<std::string, std::string>> presets);

/// A number of a new scenario that the user's own should replace.
struct ToReplace {
  std::string key;
  std::string value;
  std::string low, high;
  std::string origin;                       ///< "published", "assumed"
  std::optional<Duration> at_low, at_high;  ///< empty: cannot be simulated
  double share = 0.0;                       ///< by which it changes the whole job's time
};

/// What to replace first: one row per number, those that change the job most first. `file`: where
/// the scenario was written; "" for standard output.
Report to_replace_report(std::span<const ToReplace> numbers, const std::string& file);
/// The same as a sentence, for the scenario itself: those that change the job by 1 % or more.
std::string to_replace_sentence(std::span<const ToReplace> numbers);

/// A probe as `calibrate --list` tells of it.
struct ProbeState {
  std::string name;
  std::string measures;
  std::string unavailable;  ///< why it cannot run; "" when it can
};

Report probes_report(std::span<const ProbeState> probes);

struct Calibration {
  std::string name;               ///< of the host
  std::string profile_file;       ///< "" when none is written
  std::string measurements_file;  ///< the same
  bool interrupted = false;
  std::vector<Drift> drifts;
  std::vector<VendorFigure> figures{};
  std::vector<HostBeside> hosts{};  ///< where several were joined
};

/// `calibrate`: what was measured, what the fits say, what to doubt, what to type next.
Report calibrate_report(const MeasurementSet& set, std::span<const FitLine> lines,
                        const Calibration& calibration);

/// `catalog list`: one row per machine and region, one unit per column, prices of each purchase
/// beside each other; below it what the filter could not tell.
Report catalog_report(const Catalog& catalog, const Chosen& chosen);

/// `catalog show`: what is known of one machine and its offers, each with source and date.
Report machine_report(const Catalog& catalog, const Machine& machine);

}  // namespace feedrate::report
