// Remedies in how and where the same machines are paid for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "catalog/listing.hpp"
#include "catalog/lookup.hpp"
#include "study/remedy.hpp"

namespace feedrate::study {
namespace {

bool priced(const Situation& s) {
  return s.result.bill.compute > Money{} && s.resolved.machine != nullptr &&
         s.scenario.cluster.instance;
}

bool own_price(const Situation& s) {
  return s.scenario.cluster.price.has_value() || s.scenario.cluster.prices.has_value();
}

bool on_demand(const Situation& s) {
  return priced(s) && s.scenario.cluster.purchase == Purchase::on_demand && !own_price(s);
}

std::vector<Change> other_regions(const Situation& s) {
  std::vector<Change> list;
  for (const Listing& listing : listings(s.catalog, regions_of(s.catalog))) {
    if (listing.machine != s.resolved.machine || listing.service != s.service) continue;
    if (listing.purchase != s.scenario.cluster.purchase || !listing.price) continue;
    if (listing.region.empty() || listing.region == s.scenario.cluster.region) continue;
    list.push_back({{{"region", listing.region}}, "region = " + listing.region});
  }
  return list;
}

std::optional<PricedOffer> spot_offer(const Situation& s) {
  OfferQuery query;
  query.service = s.service;
  query.instance = s.resolved.machine->name;
  query.region = s.scenario.cluster.region;
  query.purchase = Purchase::spot;
  const auto found = find_offer(s.catalog, query);
  if (!found) return std::nullopt;
  return *found;
}

/// Instances that are reclaimed in a month, as a share: the upper end of what is published, or the
/// lower one where it is open (">20%").
std::optional<double> reclaimed(const Situation& s) {
  for (const Offer& offer : s.catalog.offers) {
    if (offer.instance != s.resolved.machine->name || offer.interruption.empty()) continue;
    const std::string_view text = offer.interruption;
    const std::size_t dash = text.find('-');
    const auto number = leading_number(dash == std::string_view::npos
                                           ? text.substr(text.find_first_of("0123456789"))
                                           : text.substr(dash + 1));
    if (number) return number->value / 100.0;
  }
  return std::nullopt;
}

/// Young's interval (1974) for this many interruptions: λ = −ln(1 − p) a month of 730 hours.
std::optional<Duration> best_interval(const Situation& s) {
  const auto& checkpoint = s.scenario.job.checkpoint;
  const auto share = reclaimed(s);
  if (!checkpoint || s.inputs().checkpoint_time <= Duration{} || !share) return std::nullopt;
  const double per_second = -std::log1p(-*share) / hours(730.0).base() * s.inputs().instances;
  return seconds(std::sqrt(2.0 * s.inputs().checkpoint_time.base() / per_second));
}

std::vector<Change> on_spot(const Situation& s) {
  const auto interval = best_interval(s);
  if (!interval) return {};
  const std::string text = fmt::format("{:.0f} min", std::ceil(*interval / minutes(1.0)));
  return {
      {{{"purchase", "spot"}, {"/job/checkpoint/interval", text}},
       fmt::format("spot, a checkpoint every {}; what interruptions lose is not simulated", text)}};
}

std::string spot_lacking(const Situation& s) {
  if (!spot_offer(s)) return "no spot price is known for " + *s.scenario.cluster.instance;
  if (!s.scenario.job.checkpoint || s.inputs().checkpoint_time <= Duration{}) {
    return "give /job/checkpoint (interval, size, bandwidth): an interruption loses what came "
           "after the last one";
  }
  if (!reclaimed(s)) return "no share of interruptions is known for " + s.resolved.machine->name;
  return "";
}

const Remedy list[] = {
    {{"region", "another region", RemedyKind::infrastructure, 4.0, Rung::fed,
      "other regions have a price for the instance",
      "the catalogue's price of the same instance in another region",
      "the data has to be there as well: copying it between regions is billed once"},
     [](const Situation& s) { return priced(s) && !own_price(s); },
     other_regions},
    {{"savings_plan", "a savings plan", RemedyKind::infrastructure, 2.0, Rung::fed,
      "instances of AWS are paid on demand",
      "up to 64 % off for one or three years (cloudburn, 2026)",
      "the hours are paid for whether they are used or not"},
     [](const Situation& s) { return on_demand(s) && s.on_aws(); },
     [](const Situation& s) {
       if (!s.scenario.cluster.savings) return std::vector<Change>{};
       return std::vector<Change>{{{{"purchase", "savings_plan"}},
                                   fmt::format("{:g} % off", 100.0 * *s.scenario.cluster.savings)}};
     },
     [](const Situation& s) {
       return s.scenario.cluster.savings
                  ? std::string()
                  : std::string("give /cluster/savings, the share that your plan takes off");
     }},
    {{"spot", "spot instances with the best checkpoint interval", RemedyKind::infrastructure, 8.0,
      Rung::fed, "instances are paid on demand",
      "up to 90 % off (SageMaker guide, 2023); the interval of Young (1974) for the published "
      "interruptions",
      "interruptions take time that is not simulated; the published shares are of the last month"},
     [](const Situation& s) { return on_demand(s); },
     on_spot,
     spot_lacking},
    {{"capacity_block", "a capacity block or training plan", RemedyKind::infrastructure, 4.0,
      Rung::fed, "eight GPUs or more of AWS are paid on demand",
      "reserved for some days at a price of its own (EC2 Capacity Blocks, SageMaker training "
      "plans)",
      "paid whole and in advance: finishing early is waste, overrunning a restart"},
     [](const Situation& s) { return on_demand(s) && s.on_aws() && s.inputs().ranks >= 8.0; },
     nullptr,
     [](const Situation&) {
       return std::string("give /cluster/price, the block's price for an instance and hour");
     }},
};

}  // namespace

std::span<const Remedy> price_remedies() {
  return list;
}

}  // namespace feedrate::study
