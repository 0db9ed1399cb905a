#pragma once
// The parts of a run's report, for reports that put more around them.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/figures.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// "Caltech-256 · 5 × ml.p3.16xlarge · 40 GPUs": the scenario and what it runs on.
std::string run_title(std::string_view name, const Result& r);

/// What a run found, in two clauses without a full stop.
struct Finding {
  std::optional<Stage> stage;  ///< empty: nothing pays when made twice as fast
  Tone tone = Tone::plain;     ///< good: the GPUs are fed
  std::string claim;           ///< "decode is the bottleneck: the GPUs wait 64 % of the job's time"
  std::string what_if;  ///< "preprocessing on the CPU twice as fast would finish the job …"
};
/// Names the `most_waits` longest waits of a job whose GPUs set the pace but wait.
Finding finding(const Result& r, std::size_t most_waits);

/// "17 min 40 s to 18 min 3 s": 90 % of the draws of a figure; "" where that is one text, or
/// nothing was drawn.
std::string drawn_range(const Result& r, FigureId id);
/// Whether so many draws have one beyond the 5 % end of their band.
bool has_shares(double draws);
/// "in 90 % of draws"; "in 2 draws" where those are too few for a share.
std::string in_draws(double draws);
/// "in 90 % of 100 draws"; likewise "in 2 draws".
std::string in_counted_draws(double draws);
/// in_draws of the draws of a result, with a blank in front.
std::string of_draws_words(const Result& r);

/// What a stage does, for someone who has not read the model: "preprocessing on the CPU".
std::string_view explained(Stage stage);

/// How the result was reached, in a sentence.
std::string effort_words(const Effort& effort);
/// The job by its events, beside the mean.
std::string by_events_words(const ByEvents& by_events);

/// Whether the stage has a place on this job's path.
bool on_path(const StageStats& stats);

/// The stage that gains most when made twice as fast, where that is worth naming.
bool is_bottleneck(const Result& result, Stage stage);

/// What the efficiency beside it is of, and that of the whole job, where that is known: "of the
/// steps, 28 % of the whole job".
std::string efficiency_remark(const Result& result);

/// Of which time the GPUs' busy share is: "of the time after start-up and staging"; "" where that
/// is the whole job's.
std::string after_start_words(const Result& r);

/// What the busy share of the whole job (gpu_busy_of_total) is of, and what it is after start-up
/// and staging, where that is another time.
std::string busy_remark(const Result& r);

/// The remarks by what they ask for, each list in its own order; lists without any left out.
std::vector<List> remark_lists(const Result& r);

/// "46 % sooner" where the stage made twice as fast shortens the job, else "-".
Cell gain_cell(const Bottleneck& bottleneck, Stage stage);

Table stage_table(const Result& result);
Table time_table(const Result& result);

}  // namespace feedrate::report
