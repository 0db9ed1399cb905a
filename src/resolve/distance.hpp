#pragma once
// How far what holds the data is from the machines that read it. Internal to resolve.
#include <optional>
#include <string>
#include <string_view>

#include "catalog/regions.hpp"
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// The regions of data and job, where they are two of one cloud.
struct Distance {
  std::string from;  ///< that of the data
  std::string to;
  bool continents = false;  ///< whether they lie on two
};
std::optional<Distance> distance_to_data(const Context& context);

/// Where checkpoints go of machines in `job` ("": not known), whose data lies in `data`.
std::string region_of_checkpoints(const Context& context, const std::string& job,
                                  const std::string& data);

/// Whether checkpoints go to another store, or to one in another region, than the data is in.
bool checkpoints_elsewhere(const Context& context);

/// What a request takes beside what it takes within a region, where the data lies in another one,
/// or in another cloud than the machines that read it.
std::optional<Assumption> way_to_data(const Context& context);

/// Of what instances read, the share that a file system in another zone than theirs sends; 0 where
/// the data lies in all zones of its region, or on the instances.
double share_from_other_zones(const Context& context);

}  // namespace feedrate::resolve
