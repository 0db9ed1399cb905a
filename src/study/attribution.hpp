#pragma once
// Why a figure changed: the new inputs replace the old ones one group at a time.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "model/verdict.hpp"
#include "study/run.hpp"

namespace feedrate::study {

/// The job after the new inputs of one more group have replaced the old ones. Without a scenario,
/// this mixture of inputs cannot run. The pointers are valid during the call.
struct Substitution {
  InputGroup group = InputGroup::simulator;
  std::optional<Scenario> scenario;
  const Catalog* catalog = nullptr;
  const HostProfile* host = nullptr;
};

/// The amounts of a result, or of the figures in a baseline.
Amounts amounts_of(const Result& result);
Amounts amounts_of(const Figures& figures);

/// The difference from `before` to `now`, split by group of inputs. `steps` starts with the
/// simulator alone, which has all old inputs, and ends with all new ones. Each part starts where
/// the one before ended, so that the parts add up to the whole difference. A mixture that cannot
/// run shares its part with the next group. Parts that change nothing are left out; the part of the
/// simulator comes last.
std::vector<Part> attribute(const Amounts& before, std::span<const Substitution> steps,
                            const Amounts& now, const RunOptions& options);

}  // namespace feedrate::study
