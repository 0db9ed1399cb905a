#pragma once
// What a job must keep within, whoever chooses among many.
#include <optional>

#include "base/units.hpp"

namespace feedrate {

struct Constraints {
  std::optional<Duration> deadline;  ///< of the whole job's time
  std::optional<Money> budget;       ///< of what the invoice says: without the value of the hours

  [[nodiscard]] bool any() const { return deadline || budget; }
  [[nodiscard]] bool in_time(Duration time) const { return !deadline || time <= *deadline; }
  [[nodiscard]] bool in_budget(Money money) const { return !budget || money <= *budget; }
  [[nodiscard]] bool met(Duration time, Money money) const {
    return in_time(time) && in_budget(money);
  }
};

}  // namespace feedrate
