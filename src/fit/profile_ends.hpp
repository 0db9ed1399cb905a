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

/// Where the sum of squares is by `rise` more than at `best`, to a hundredth of the way. Beyond a
/// rise, values further on are tried too, evenly spaced: where another valley is as good, the
/// interval goes to its far end.
ProfileEnds profile_ends(const Residuals& residuals, const Box& box, const Minimum& best,
                         std::size_t coordinate, double rise);

/// Whether the interval that slopes at `best` give, `width` to either side, is the profile's: at
/// its ends a fit is about by `rise` worse, and nowhere beyond is it as good.
bool is_straight(const Residuals& residuals, const Box& box, const Minimum& best,
                 std::size_t coordinate, double rise, double width);

}  // namespace feedrate::fit
