#pragma once
// A price by tiers, and what an amount costs through them.
#include <algorithm>
#include <optional>
#include <vector>

#include "model/provenance.hpp"

namespace feedrate {

/// The price of each unit from the previous tier's end up to `up_to`; without: of all that follow.
template <class Amount, class Price>
struct Tier {
  std::optional<Amount> up_to;
  Value<Price> price;
  bool operator==(const Tier&) const = default;
};

/// Ascending, and counted from zero. Above a last tier with an end no price is known.
template <class Amount, class Price>
using Tiers = std::vector<Tier<Amount, Price>>;

/// Ends the last tier at `from`, where another price begins that is known.
template <class Amount, class Price>
void begin_tier(Tiers<Amount, Price>& tiers, Amount from,
                const std::optional<Value<Price>>& price) {
  if (!price) return;
  if (!tiers.empty()) tiers.back().up_to = from;
  tiers.push_back({std::nullopt, *price});
}

template <class Amount, class Price>
struct CostByTiers {
  decltype(Amount{} * Price{}) cost{};
  Price price{};         ///< of a unit: the mean of those that are paid
  bool several = false;  ///< more than one tier is paid
  bool assumed = false;  ///< the price of one of them is
};

/// What `amount` costs beyond the part of it that is free; nothing where no price of all of it is
/// known.
template <class Amount, class Price>
std::optional<CostByTiers<Amount, Price>> through_tiers(const Tiers<Amount, Price>& tiers,
                                                        Amount amount, Amount free = {}) {
  if (tiers.empty()) return std::nullopt;
  CostByTiers<Amount, Price> out;
  out.price = tiers.front().price.value;
  bool paid = false;
  Amount begin = free;
  for (const Tier<Amount, Price>& tier : tiers) {
    const Amount end = tier.up_to ? std::min(*tier.up_to, amount) : amount;
    if (end <= begin) continue;
    out.cost += (end - begin) * tier.price.value;
    out.several = paid;
    out.price = paid ? out.cost / (end - free) : tier.price.value;
    out.assumed = out.assumed || tier.price.from.origin == Origin::assumed;
    begin = end;
    paid = true;
  }
  if (begin < amount) return std::nullopt;
  return out;
}

}  // namespace feedrate
