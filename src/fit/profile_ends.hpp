#pragma once
// How far one coordinate may go before a fit of all the others is worse: profile likelihood (Venzon
// and Moolgavkar 1988).
#include <cstddef>
#include <optional>

#include "fit/least_squares.hpp"

namespace feedrate::fit {

struct ProfileEnds {
  std::optional<double> low;  ///< empty: the fit stays as good down to the end of the box
  std::optional<double> high;
};

/// Where the sum of squares is by `rise` more than at `best`, to a hundredth of the way.
ProfileEnds profile_ends(const Residuals& residuals, const Box& box, const Minimum& best,
                         std::size_t coordinate, double rise);

}  // namespace feedrate::fit
