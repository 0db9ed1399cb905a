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
Bill bill_of(const BillInput& input);

/// The parallel efficiency S* at which N instances cost as much as one, the value of an hour
/// included: with price P and value w of an hour, S* = (P + w/N) / (P + w). At w = 0 it is 1: only
/// perfect scaling is free. Above S* more instances are cheaper.
/// `instances` ≥ 1, price + value > 0; NaN otherwise.
double break_even_efficiency(HourlyPrice price, HourlyPrice value_of_hour, double instances);

}  // namespace feedrate::study
