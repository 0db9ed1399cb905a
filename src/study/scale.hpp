#pragma once
// How far it pays to add instances to a job.
#include <cstdint>
#include <functional>
#include <optional>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/scale.hpp"
#include "study/setting.hpp"
#include "study/sweep.hpp"

namespace feedrate::study {

inline constexpr long most_instances = 100'000;

/// Steps that train on as many samples as `steps` where each is of `then` for every `now`: of
/// instances, or of a batch.
double steps_of_as_many(double steps, double now, double then);

struct ScaleOptions {
  long to = 1024;  ///< at most most_instances
  BatchKept kept = BatchKept::per_gpu;
  std::optional<Duration> deadline;
  int jobs = 0;   ///< numbers of instances simulated at a time; 0: one per hardware thread
  int draws = 0;  ///< draws of the uncertain inputs for the bands of each row; 0: no bands
  std::uint64_t seed = 1;
  /// Rows are runs with their events, and the numbers between them the mean, brought to these.
  bool events = false;
};

/// The setting with which a job runs on `instances` and trains on as many samples as before: the
/// number itself, the batch of a GPU where the global batch is kept, and the number of steps of a
/// job that states one.
Setting instances_setting(const Scenario& job, double instances, BatchKept kept);

/// A GPU's share of the global batch of `job` on so many instances. What accumulates gradients has
/// fewer batches an optimiser step before it has smaller ones.
struct GpuShare {
  double samples = 0.0;  ///< of an optimiser step; need not be whole
  double batch = 1.0;
  double accumulation = 1.0;

  /// By what the batches differ from the share, relative.
  [[nodiscard]] double off() const;
};
GpuShare gpu_share(const Scenario& job, double instances);

/// 1, 2, 3, 4, 6, 8, 12, 16 …: powers of two and what lies half-way between them, up to `to`.
std::vector<double> scale_ladder(double to);

/// The job of `make`(`set`) on 1 to `options.to` instances, every whole number of them, so that no
/// answer depends on which rows are shown; nothing is taken to be monotone. InputError where no
/// number can be simulated, or where a batch is to be kept that the scenario does not have.
ScaleCurve scale_curve(const Setting& set, const MakeScenario& make, const Catalog& catalog,
                       const HostProfile* host, const ScaleOptions& options,
                       const SweepProgress& progress = {});

/// Several curves side by side: which is best, and the remarks on all of them.
Scaling scaling_of(std::vector<ScaleCurve> curves, const Scenario& job,
                   const ScaleOptions& options);

/// Simulates what is recommended by its events, beside the next best rows of all curves, and lets
/// them choose. Late whatever is rented, nothing is.
void confirm(Scaling& scaling, const MakeScenario& make, const Catalog& catalog,
             const HostProfile* host, const ScaleOptions& options);

}  // namespace feedrate::study
