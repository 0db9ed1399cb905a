#pragma once
// The bill of a job: what was used, times what it costs.
#include "base/units.hpp"
#include "model/bill.hpp"

namespace feedrate::study {

/// Time that is billed for one start of one instance: start-up only where the rule bills it, at
/// least the minimum, rounded up to the granularity.
Duration billed_time(const BillingRule& rule, Duration startup, Duration busy);

/// Price of `amount` through ascending tiers; InputError where `amount` passes the last known tier.
Money transfer_cost(const TransferUse& use);

/// The bill. InputError for negative times or amounts, which no simulation produces, and unknown
/// prices. Unless `named`, lines do not say what they are of, nor where the price is from: most of
/// the work is copying that.
Bill bill_of(const BillInput& input, bool named = true);

}  // namespace feedrate::study
