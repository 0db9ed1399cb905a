#include "study/attribution.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "model/figures.hpp"
#include "resolve/resolve.hpp"
#include "study/billing.hpp"
#include "study/by_events.hpp"
#include "study/cost.hpp"

namespace feedrate::study {
namespace {

/// The amounts that run() would give, without its search for the bottleneck.
std::optional<Amounts> simulated(const Substitution& step, const RunOptions& options) {
  if (!step.scenario) return std::nullopt;
  try {
    const resolve::Resolved resolved = resolve::resolve(*step.scenario, *step.catalog, step.host);
    const pipeline::Outcome outcome = simulate_stated(resolved.inputs, options).outcome;
    std::vector<std::string> remarks;
    const Bill bill = bill_of(bill_input(resolved.terms, resolved.inputs, outcome, remarks));
    const Duration training = outcome.total.wall - outcome.startup - outcome.staging;
    return Amounts{outcome.total.wall, bill.money, bill.total, outcome.total.busy / training};
  } catch (const InputError&) {
    return std::nullopt;  // a mixture of two jobs need not make sense
  }
}

/// Whether two amounts are equal but for the last digits of sums, which compilers may order
/// differently.
bool same(double a, double b) {
  return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

bool same(const Amounts& a, const Amounts& b) {
  return same(a.time.base(), b.time.base()) && same(a.money.base(), b.money.base()) &&
         same(a.total.base(), b.total.base()) && same(a.gpu_busy, b.gpu_busy);
}

}  // namespace

Amounts amounts_of(const Result& result) {
  return {result.times.total, result.bill.money, result.bill.total, result.gpu_busy};
}

Amounts amounts_of(const Figures& figures) {
  const auto kept = [&](FigureId id) { return figures.find(name_of(id)).value_or(0.0); };
  return {seconds(kept(FigureId::total_time)), usd(kept(FigureId::money)),
          usd(kept(FigureId::total_cost)), kept(FigureId::gpu_busy)};
}

std::vector<Part> attribute(const Amounts& before, std::span<const Substitution> steps,
                            const Amounts& now, const RunOptions& options) {
  std::vector<Part> parts;
  Part part{{}, before, before};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    part.groups.push_back(steps[i].group);
    const auto reached = i + 1 == steps.size() ? std::optional(now) : simulated(steps[i], options);
    if (!reached) continue;
    part.to = *reached;
    if (!same(part.from, part.to)) parts.push_back(part);
    part = {{}, *reached, *reached};
  }
  // The simulator's part is computed first, because the program that made the baseline is not at
  // hand, and listed last.
  if (!parts.empty() && parts.front().groups.front() == InputGroup::simulator) {
    std::rotate(parts.begin(), parts.begin() + 1, parts.end());
    std::vector<InputGroup>& groups = parts.back().groups;
    std::rotate(groups.begin(), groups.begin() + 1, groups.end());
  }
  return parts;
}

}  // namespace feedrate::study
