#include "study/replicate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "pipeline/resolve.hpp"
#include "pipeline/simulate.hpp"
#include "study/billing.hpp"
#include "study/bottleneck.hpp"
#include "study/cost.hpp"

namespace feedrate::study {
namespace {

/// Quantile by linear interpolation between order statistics (type 7 of Hyndman and Fan 1996).
double quantile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Band band(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.05), quantile(values, 0.5), quantile(values, 0.95)};
}

/// One job of all that have this mean: its epochs' time is a sum of very many batches, so it is
/// normal, and its relative deviation falls with the root of their number.
void vary(pipeline::Outcome& outcome, double deviate) {
  const double wall = outcome.trained.wall.base();
  if (outcome.variance <= 0.0 || wall <= 0.0) return;
  const double more = std::max(-1.0, deviate * std::sqrt(outcome.variance) / wall);
  // Steps and waiting vary alike: which of the two it was is not known.
  outcome.total += more * outcome.trained;
  outcome.first += more * outcome.first;
  outcome.later += more * outcome.later;
  outcome.trained += more * outcome.trained;
}

}  // namespace

Bands replicate(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                const RunOptions& options) {
  Bands bands;
  bands.replications = options.replications;
  std::vector<double> total, epoch, money, all, throughput, busy;
  for (int r = 0; r < options.replications; ++r) {
    Normal normal(options.seed, static_cast<std::uint64_t>(r) + 1U);
    // Mean 1, coefficient of variation as stated.
    const pipeline::Draw draw = [&](double relative_error) {
      const double sigma2 = std::log1p(relative_error * relative_error);
      return std::exp(std::sqrt(sigma2) * normal.draw() - sigma2 / 2.0);
    };
    const auto resolved = pipeline::resolve(scenario, catalog, host, draw, false);
    const pipeline::Inputs& inputs = resolved.inputs;
    pipeline::SimulationOptions simulation;
    simulation.details = false;
    pipeline::Outcome outcome = pipeline::simulate(inputs, simulation);
    const Bottleneck found = find_bottleneck(inputs, outcome);
    vary(outcome, normal.draw());
    std::vector<std::string> remarks;
    const Bill bill = bill_of(bill_input(scenario, catalog, resolved, outcome, remarks));
    total.push_back(outcome.total.wall.base());
    epoch.push_back(outcome.later.wall.base());
    money.push_back(bill.money.base());
    all.push_back(bill.total.base());
    throughput.push_back(outcome.samples * inputs.epochs / outcome.training().base());
    busy.push_back(outcome.total.busy / (outcome.total.wall - outcome.startup - outcome.staging));
    // Also where the mean has one candidate: what is drawn may have another, or none.
    if (found.stage) bands.bottleneck_probability[*found.stage] += 1.0;
  }
  // Counted first: shares that are added up would make more than 1.
  for (const Stage stage : all_stages()) {
    bands.bottleneck_probability[stage] /= options.replications;
  }
  bands.total_s = band(total);
  bands.epoch_s = band(epoch);
  bands.money_usd = band(money);
  bands.total_usd = band(all);
  bands.throughput = band(throughput);
  bands.gpu_busy = band(busy);
  return bands;
}

}  // namespace feedrate::study
