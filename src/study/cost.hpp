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

/// The bill. Every line of `lines` names its quantity, unit price and the price's origin.
/// InputError for negative times or amounts, which no simulation produces, and unknown prices.
/// Without `texts` lines have their part and amount only: most of the work is writing them.
Bill bill_of(const BillInput& input, bool texts = true);

}  // namespace feedrate::study
