#pragma once
// What the NIC of an instance carries, whatever passes it.
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// What a NIC carries: its baseline forever, more while its credits last.
struct Network {
  std::optional<Bandwidth> most;
  std::optional<RateLimit> limit;  ///< where `most` does not last
};

/// Of the training instance, whose network may be given.
Network network_of(Context& context);

/// Of a helper, whose NIC is as the `trainer`'s where nobody says how fast it is.
Network network_of_helper(Context& context, const Machine& helper, const Network& trainer);

/// What of a line one host's transfers reach.
double line_share(Context& context);

}  // namespace feedrate::resolve
