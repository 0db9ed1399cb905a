#pragma once
// One job of all that the uncertain inputs allow.
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
  Duration uninterrupted;  ///< of the whole job before its wobble; not where courses are played
  Bill bill;
};

/// Where in its own variability a job lies.
struct Own {
  double wobble = 0.0;                       ///< of its epochs, a standard normal deviate
  std::optional<std::uint64_t> course = {};  ///< of its interruptions: which; empty: their mean

  /// Of the draw `stream` of `seed`.
  static Own of(std::uint64_t seed, std::uint64_t stream);
};

/// The mean of the job whose uncertain inputs lie where `draw` has them, or with what is its own.
DrawnJob drawn_job(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                   const resolve::Draw& draw, const Own& own = {});

/// Whether interruptions, or blocks that are too short, keep the job from ever ending: its time is
/// of no use then.
bool never_ends(const pipeline::Outcome& outcome);

/// What one of banded_figures is in the job. Precondition: it is one of them.
double figure_of(const DrawnJob& job, FigureId id);

}  // namespace feedrate::study
