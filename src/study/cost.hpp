#pragma once
// The bill of a job: what was used, multiplied by its price.
#include "base/units.hpp"
#include "model/bill.hpp"

namespace feedrate::study {

/// Time that is billed for one start of one instance that is busy for `busy`: `startup` included
/// where the rule bills it, at least the minimum, rounded up to the granularity.
Duration billed_time(const BillingRule& rule, Duration startup, Duration busy);

/// Price of `amount` through ascending tiers; InputError where `amount` passes the last known tier.
Money transfer_cost(const TransferUse& use);

/// The bill. InputError for negative times or amounts, which no simulation produces, and for
/// unknown prices. With `named` false the lines have no text and no source of their price, because
/// copying those is most of the work.
Bill bill_of(const BillInput& input, bool named = true);

}  // namespace feedrate::study
