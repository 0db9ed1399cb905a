#include "study/replicate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/statistics.hpp"
#include "study/bottleneck.hpp"
#include "study/drawn_job.hpp"

namespace feedrate::study {
namespace {

template <std::size_t n>
std::array<double, n> quantiles(const std::vector<double>& sorted,
                                const std::array<double, n>& shares) {
  std::array<double, n> found{};
  for (std::size_t i = 0; i < n; ++i) found[i] = quantile_of_draws(sorted, shares[i]);
  return found;
}

using Names = std::set<std::string, std::less<>>;

/// Inputs that are drawn from the range of an assumption.
Names guesses_of(const Scenario& scenario, const Catalog& catalog, const HostProfile* host) {
  Names names;
  for (const InputUsed& input : resolve::resolve(scenario, catalog, host).used) {
    if (input.from.origin == Origin::assumed && !input.low.empty()) names.insert(input.key);
  }
  return names;
}

Own own_of(const RunOptions& options, std::uint64_t stream) {
  Own own = Own::of(options.seed, stream);
  own.model_error = options.guesses ? ModelError::whole : ModelError::none;
  own.class_errors = options.class_errors;
  own.stretch = options.stretch;
  return own;
}

/// `middle` says of which inputs none is drawn.
Bands bands_of(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
               const RunOptions& options, const std::function<bool(std::string_view)>& middle,
               const std::function<Own(std::uint64_t)>& own) {
  Bands bands;
  std::array<std::vector<double>, banded_figures.size()> values, never;
  pipeline::SimulationOptions mean_only;
  mean_only.details = false;
  bands.replications = each_replication(options, [&](std::uint64_t stream) {
    const resolve::Draw draw = [&](std::string_view key) {
      return middle(key) ? 0.5 : uniform_of(options.seed, stream, key);
    };
    const DrawnJob job = drawn_job(scenario, catalog, host, draw, own(stream));
    const bool endless = never_ends(job.outcome);
    if (endless) bands.never_ends += 1.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      (endless ? never : values)[i].push_back(figure_of(job, banded_figures[i]));
    }
    if (!options.bottlenecks) return;
    // Also where the mean has one candidate: what is drawn may have another, or none.
    // Of an interrupted job the mean of its courses, not the one that was played.
    const bool played = job.inputs.interruptions || job.inputs.booked > Duration{};
    const Bottleneck found =
        find_bottleneck(job.inputs, played ? pipeline::simulate(job.inputs, mean_only).total.wall
                                           : job.before_wobble);
    if (found.stage) bands.bottleneck_probability[*found.stage] += 1.0;
  });
  // Counted first: shares that are added up would make more than 1.
  for (const Stage stage : all_stages()) {
    bands.bottleneck_probability[stage] /= bands.replications;
  }
  bands.never_ends /= bands.replications;
  if (values.front().empty()) values = std::move(never);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::sort(values[i].begin(), values[i].end());
    bands.*figure(banded_figures[i]).band = quantiles(values[i], Band{0.05, 0.5, 0.95});
    bands.inner[i] = quantiles(values[i], InnerBand{0.1, 0.25, 0.75, 0.9});
  }
  return bands;
}

}  // namespace

Bands replicate(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                const RunOptions& options) {
  const Names kept = options.guesses ? Names{} : guesses_of(scenario, catalog, host);
  return bands_of(
      scenario, catalog, host, options, [&](std::string_view key) { return kept.contains(key); },
      [&](std::uint64_t stream) { return own_of(options, stream); });
}

Bands replicate_inputs(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                       const RunOptions& options, const Names& drawn) {
  Own own;
  own.model_error = ModelError::none;
  return bands_of(
      scenario, catalog, host, options, [&](std::string_view key) { return !drawn.contains(key); },
      [&](std::uint64_t) { return own; });
}

double share_in_time(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                     const RunOptions& options, Duration deadline) {
  const Names kept = options.guesses ? Names{} : guesses_of(scenario, catalog, host);
  int met = 0;
  const int drawn = each_replication(options, [&](std::uint64_t stream) {
    const resolve::Draw draw = [&](std::string_view key) {
      return kept.contains(key) ? 0.5 : uniform_of(options.seed, stream, key);
    };
    const DrawnJob job = drawn_job(scenario, catalog, host, draw, own_of(options, stream));
    if (!never_ends(job.outcome) && job.outcome.total.wall <= deadline) ++met;
  });
  return static_cast<double>(met) / drawn;
}

int each_replication(const RunOptions& options, const std::function<void(std::uint64_t)>& draw) {
  int done = 0;
  while (done < options.replications) {
    draw(static_cast<std::uint64_t>(++done));
    if (options.progress) options.progress(Phase::replications, done, options.replications);
    if (options.enough && options.enough()) break;
  }
  return done;
}

}  // namespace feedrate::study
