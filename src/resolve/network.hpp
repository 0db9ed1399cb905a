#pragma once
// What the NIC of an instance carries, whatever passes it.
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// What a NIC carries: its baseline forever, more while its credits last.
struct Network {
  std::optional<Bandwidth> most;
  std::optional<RateLimit> limit;  ///< where `most` does not last
};

Network network_of(Context& context, const Machine* machine, const std::optional<Bandwidth>& given,
                   Stage stage);

/// What of a line one host's transfers reach.
double line_share(Context& context);

}  // namespace feedrate::resolve
