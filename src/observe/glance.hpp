#pragma once
// An observation at a glance while it is made: the last interval, and what the rules of thumb have
// to judge by.
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/observation.hpp"
#include "model/readings.hpp"

namespace feedrate::observe {

/// A kind of processes, together.
struct RoleGlance {
  ProcessRole role{};
  int processes = 0;
  double cpu = 0.0;  ///< CPUs that they keep busy
};

/// The last interval; what was not seen is empty.
struct Glance {
  Duration at;        ///< since the observation's start
  Readings readings;  ///< shares of the interval
  Readings recent;    ///< means over the last `window`, for the rules
  Duration window;
  std::optional<Bandwidth> disk_read, network_receive, device_read, cached_read;
  std::string busiest_disk, busiest_link;  ///< "sda limit": a control group's, on what it reads
  std::vector<RoleGlance> roles;           ///< that have processes, in their order
  double throttled = 0.0;                  ///< share of the periods in which a quota ended
  std::optional<Duration> late;
};

class GlanceMaker {
 public:
  explicit GlanceMaker(Duration started, Duration window = seconds(30.0))
      : started_(started), window_(window) {}

  /// The samples of one look, none of them cumulative. Precondition: not empty.
  Glance add(std::span<const Sample> look);

 private:
  Duration started_, window_;
  struct Look {
    Duration at;
    Readings readings;
  };
  std::deque<Look> looks_;
};

/// Money an hour that a machine of this price costs while its GPUs wait; nothing where no GPU was
/// seen.
std::optional<HourlyPrice> wasted(const Glance& glance, HourlyPrice price);

}  // namespace feedrate::observe
