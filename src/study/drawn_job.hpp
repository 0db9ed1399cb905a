#pragma once
// One job of all that the uncertain inputs allow.
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
  Duration mean;  ///< of the whole job, before its own variability
  Bill bill;
};

/// The mean of the job whose uncertain inputs lie where `draw` has them. `wobble`: where in its own
/// variability the job lies, as a standard normal deviate.
DrawnJob drawn_job(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                   const resolve::Draw& draw, double wobble = 0.0);

/// What one of banded_figures is in the job. Precondition: it is one of them.
double figure_of(const DrawnJob& job, FigureId id);

}  // namespace feedrate::study
