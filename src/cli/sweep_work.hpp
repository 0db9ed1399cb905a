#pragma once
// What a sweep is, whether one process does all of it or several a share each; and how what came
// out is delivered.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/spool.hpp"
#include "cli/constraint_flags.hpp"
#include "cli/options.hpp"
#include "cli/sweep_inputs.hpp"
#include "model/constraints.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/run.hpp"
#include "study/sweep_stream.hpp"

namespace feedrate::cli {

/// As the command line asks for it.
struct SweepQuestion {
  std::string scenario;
  std::vector<std::string> vary;
  std::string instances;  ///< a filter; empty: those of the scenario and of --vary
  ConstraintOptions constraints;
  SimulationOptions simulation;
  bool rows = false;  ///< of CSV, each forgotten once it is written
};

/// Ready to be simulated.
struct PreparedSweep {
  SweepQuestion question;
  schema::Document document;
  SweepPoints points;
  Constraints constraints;
  World world;

  /// What a point is simulated with. `look`, if any, is called now and then meanwhile, from the
  /// point's thread; what it throws gives the point up.
  [[nodiscard]] study::RunOptions options(const std::function<void()>& look = {}) const;
};

/// InputError for what cannot be read, and for more points than results can be kept of.
PreparedSweep prepared_sweep(const SweepQuestion& question, const std::string& format);
/// The same of a scenario and a host profile that are read already.
PreparedSweep prepared_sweep(const SweepQuestion& question, schema::Document document,
                             std::optional<HostProfile> host);

/// The points of a sweep that is simulated as its rows are written; `look` as for options().
study::SweepStream row_stream(const PreparedSweep& sweep, const std::function<void()>& look = {});

/// What is written of whole results, with what follows from them together. `inputs`: files that
/// --output must not overwrite. The exit status: verdict_against where there are a deadline or a
/// budget that no point meets, else fine; so that a sweep answers as scale and optimize do.
int deliver_results(const PreparedSweep& sweep,
                    const std::function<Sweep(std::span<const study::SweepInput>)>& results,
                    const OutputOptions& output, std::span<const std::string> inputs);

/// What is written of rows: `write_rows` appends them behind the header; the marks of the few that
/// stand out are set when all are known. The exit status is that of deliver_results.
int deliver_rows(const PreparedSweep& sweep, const OutputOptions& output,
                 std::span<const std::string> inputs,
                 const std::function<study::StreamedSweep(Spool&)>& write_rows);

}  // namespace feedrate::cli
