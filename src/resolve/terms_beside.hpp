#pragma once
// Terms of what is paid beside machines and reading: checkpoints, gateways, discounts. Internal to
// resolve.
#include <optional>
#include <string>
#include <string_view>

#include "resolve/context.hpp"

namespace feedrate::resolve {

/// Where prices are of: the instances', AWS's for them, the data's.
struct TermRegions {
  std::string job, aws, data;
};

/// "GCP" for "gcp", and what own_machines are called; others have no other name than that of the
/// catalogue.
std::string_view cloud_title(std::string_view cloud);

/// Something that has no price, and is missing from the bill: told of as a remark to check, or
/// beside the headline, where it makes the job look cheaper by much.
void remark_unpriced(Context& context, std::string text);
void warn_unpriced(Context& context, std::string text);

/// What bytes cost that go from one region of AWS to another; a remark where no price is known.
/// `what`: " of checkpoints", or nothing.
void send_between_regions(Context& context, const std::string& from, const std::string& to,
                          std::string_view what, TransferTerms::Of counts);

/// The price of the cluster's instances as they are bought: beside a spot price the one on demand
/// has a key of its own.
std::optional<HourlyPrice> stated_price(const Scenario& scenario);

/// Writing checkpoints to where the scenario has them go, what crosses regions and clouds for that,
/// and keeping them.
void add_checkpoint_terms(Context& context, const TermRegions& regions);

/// A NAT gateway between the job and its store: by the hour and the byte.
void add_nat_terms(Context& context, const TermRegions& regions);

/// What crosses from one zone of the region to another, both ways: reads and gradients.
void add_zone_terms(Context& context, const TermRegions& regions);

/// The disk of every instance, as it was simulated: an EBS volume where its size is given. It lives
/// as long as its instance is billed; where it is itself the source of the data, as long as that is
/// held.
void add_volume_terms(Context& context, const LocalDisk& disk, const TermRegions& regions);

/// A snapshot of the data, from which the instances' volumes are made.
void add_snapshot_terms(Context& context, const TermRegions& regions);

/// What the account may send to the internet for nothing.
void take_free_transfer(Context& context);

/// Takes what the scenario's contract has off the catalogue's prices; those that are given stay.
void take_discounts(Context& context);

/// A way of buying that the cluster's service does not have, and a block of a length that is not
/// sold: with what would be paid.
void say_unsold(Context& context);

/// What no rule bills to the job, and a user may have to reckon with.
void say_beside(Context& context);

}  // namespace feedrate::resolve
