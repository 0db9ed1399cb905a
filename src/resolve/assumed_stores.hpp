#pragma once
// What is assumed of the credits that volumes and file systems have saved up, and of the way to
// what holds the data: a part of the list in assumptions.hpp.
#include "resolve/assumption.hpp"

namespace feedrate::resolve::assumed {

inline constexpr Assumption gp2_credit = {
    "gp2 burst credit",
    0.75,
    0.05,
    1.0,
    "operations of a new volume, less what writing the data to it took",
    "nearly none left, to all of it (engineering judgement)",
    ""};
/// Of the bytes that a volume of hard disks saves up: as many as it holds.
inline constexpr Assumption hdd_credit = {
    "st1 or sc1 burst credit",
    0.75,
    0.05,
    1.0,
    "bytes that a new volume has saved up, less what writing the data to it took",
    "nearly none left, to all of it (engineering judgement)",
    ""};
inline constexpr Assumption efs_credit = {
    "EFS burst credit",
    0.97,
    0.3,
    1.0,
    "of a new file system; reading the data once takes little of its 2.1 TiB",
    "most of it spent by writing the data and by other jobs, to all of it (engineering judgement)",
    ""};
inline constexpr Assumption zone_latency = {
    "one way to another zone of the region",
    0.0004,
    0.000125,
    0.0017,
    "half of pings of 0.8 ms between zones of eu-west-1 (2022)",
    "half of 0.25 ms to half of 3.4 ms: the nearest and the farthest zones in a map of "
    "pings (engineering judgement)",
    ""};
/// What a request to another region takes beside what it takes within its own.
inline constexpr Assumption region_latency = {
    "round trip to another region of a continent",
    0.045,
    0.010,
    0.080,
    "light in fibre and some routers between two regions of a continent",
    "12 ms from Virginia to Ohio, to 80 ms from coast to coast (engineering judgement)",
    ""};
inline constexpr Assumption continent_latency = {
    "round trip to another continent",
    0.150,
    0.065,
    0.320,
    "light in fibre and some routers between two continents",
    "65 ms across the Atlantic, to 320 ms around half the world (engineering judgement)",
    ""};
/// Between two clouds that are not known to lie on two continents.
inline constexpr Assumption cloud_latency = {"round trip to another cloud",
                                             0.045,
                                             0.002,
                                             0.080,
                                             "as between two regions of a continent: nothing "
                                             "places one cloud's data near another's machines",
                                             "2 ms where both clouds have data centres in one city "
                                             "(Ashburn, Frankfurt), to 80 ms from coast "
                                             "to coast (engineering judgement)",
                                             ""};
/// Between clouds no less than between regions of one: the way is as long, and leaves the
/// provider's own network.
inline constexpr Assumption region_connection_share = {
    "rate of a connection to another region or cloud",
    0.5,
    0.15,
    1.0,
    "half of what a connection within the region has: windows last for a longer round trip",
    "windows of a few MB on long round trips, to none that limits (engineering judgement)",
    ""};

}  // namespace feedrate::resolve::assumed
