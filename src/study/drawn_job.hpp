#pragma once
// A job with its uncertain inputs drawn once.
#include <cstdint>
#include <optional>

#include "catalog/catalog.hpp"
#include "model/bill.hpp"
#include "model/figures.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"

namespace feedrate::study {

struct DrawnJob {
  pipeline::Inputs inputs;
  pipeline::Outcome outcome;
  Duration before_wobble;  ///< the job's time, interruptions included; of no use where a course is
                           ///< played
  Bill bill;
};

/// Where a job lies within its own variability, beside that of its inputs.
struct Own {
  double wobble = 0.0;                       ///< standard normal deviate of its epochs' time
  std::optional<std::uint64_t> course = {};  ///< which course of interruptions; empty: their mean

  /// The place of draw number `stream` of `seed`.
  static Own of(std::uint64_t seed, std::uint64_t stream);
};

/// The job whose uncertain inputs lie where `draw` has them: in the mean, or at the place `own`
/// within its own variability.
DrawnJob drawn_job(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                   const resolve::Draw& draw, const Own& own = {});

/// Whether interruptions, or blocks that are too short, keep the job from ever ending: its time is
/// of no use then.
bool never_ends(const pipeline::Outcome& outcome);

/// The value of a figure in the job. Precondition: it is one of banded_figures.
double figure_of(const DrawnJob& job, FigureId id);

}  // namespace feedrate::study
