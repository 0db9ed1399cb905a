#pragma once
// Why a figure changed: the new inputs taken over one group at a time.
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

/// The job after one more group of inputs has been taken over. Without a scenario: the mixture is
/// none that can run. The pointers live as long as the call.
struct Substitution {
  InputGroup group = InputGroup::simulator;
  std::optional<Scenario> scenario;
  const Catalog* catalog = nullptr;
  const HostProfile* host = nullptr;
};

/// The four amounts of a result, and of figures that were kept.
Amounts amounts_of(const Result& result);
Amounts amounts_of(const Figures& figures);

/// The difference from `before` to `now`, split. `steps` starts with the simulator's: the old
/// inputs as they were; it ends with all new inputs. Each part starts where the one before ended,
/// so that the parts add up to the whole difference. A mixture that cannot run shares its part with
/// the next group. Parts that change nothing are left out; the simulator's comes last.
std::vector<Part> attribute(const Amounts& before, std::span<const Substitution> steps,
                            const Amounts& now, const RunOptions& options);

}  // namespace feedrate::study
