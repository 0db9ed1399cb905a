#pragma once
// A job with its uncertain inputs drawn once.
#include <cstdint>
#include <optional>

#include "base/errors.hpp"
#include "catalog/catalog.hpp"
#include "model/bill.hpp"
#include "model/choice.hpp"
#include "model/class_errors.hpp"
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
  std::optional<Problem> unheld = {};  ///< resolve::Resolved::unheld
};

/// What is compared of a job that may be chosen among others. InputError where it never ends, or no
/// GPU holds its weights.
Outlay outlay_of(const DrawnJob& job);

/// How the model's own error is drawn.
enum class ModelError : std::uint8_t {
  none,      ///< left out: what the job is compared with has the same
  whole,     ///< of one job, or of many as alike as the values that a search tries
  by_point,  ///< jobs that are compared share a study's part of it; each has one of its own
};

/// Where a job lies within its own variability, beside that of its inputs.
struct Own {
  double wobble = 0.0;                       ///< standard normal deviate of its epochs' time
  std::optional<std::uint64_t> course = {};  ///< which course of interruptions; empty: their mean
  double stretch = 1.0;  ///< of the epochs: what the events of this job take over their mean
  ModelError model_error = ModelError::whole;
  const ClassErrors* class_errors = nullptr;  ///< null: those that were learned

  /// Of one of several jobs that are compared with each other.
  [[nodiscard]] Own among_others() const {
    Own own = *this;
    own.model_error = ModelError::by_point;
    return own;
  }
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
