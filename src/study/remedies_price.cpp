// Remedies in how and where the same machines are paid for.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "catalog/listing.hpp"
#include "catalog/lookup.hpp"
#include "study/by_events.hpp"
#include "study/cost.hpp"
#include "study/remedy.hpp"
#include "study/replicate.hpp"
#include "words/remedies.hpp"

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

/// Whether the data goes where the job goes: it is not said where it lies, and lies in the job's
/// cloud, or on its disks.
bool data_goes_along(const Situation& s) {
  if (s.scenario.source.region || s.scenario.job.duration_on_one_instance) return false;
  const StoreTraits& store = traits(s.scenario.source.service);
  return store.cloud.empty() ? store.form != StoreForm::objects
                             : store.cloud == s.resolved.machine->cloud;
}

/// The data once over the way to another region, and into a bucket there if it lies in one.
void take_data_along(const Situation& s, const std::string& region, Change& change) {
  const Bytes data = s.resolved.terms.dataset;
  if (!data_goes_along(s) || data <= Bytes{}) return;
  change.words = words::region_with_data(region, data);
  add_one_off(change, kept_bucket(s), words::kept_bucket(s.jobs));
  if (!s.on_aws()) {
    change.words += words::way_without_price;
    return;
  }
  const auto way = find_transfer_between(s.catalog, region_of_job(s), region);
  Money cost = way ? transfer_cost({{}, data, *way}) : Money{};
  if (s.scenario.source.service.family() == Service::s3) {
    cost += written_to_s3(s, region);
    bill_copy(s, change);
  }
  if (s.scenario.source.service.family() == Service::efs) cost += written_to_efs(s, region);
  add_one_off(change, cost, words::copied_there(region));
}

/// Those where the instance costs less, the cheapest few of them; the one that has the data is a
/// remedy of its own. What a region's storage and requests cost decides no choice of one.
std::vector<Change> other_regions(const Situation& s) {
  constexpr std::size_t most = 4;
  const HourlyPrice now = s.resolved.terms.compute.price.value;
  std::vector<std::pair<HourlyPrice, std::string>> cheaper;
  for (const std::string& region : regions_of(s.catalog)) {
    if (region == s.scenario.cluster.region || region == s.scenario.source.region) continue;
    const auto offer = find_offer(
        s.catalog, {s.service, s.resolved.machine->name, region, s.scenario.cluster.purchase, {}});
    if (!offer || offer->region != region) continue;
    if (offer->price.value >= now) continue;
    cheaper.emplace_back(offer->price.value, region);
  }
  std::stable_sort(cheaper.begin(), cheaper.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (cheaper.size() > most) cheaper.resize(most);
  std::vector<Change> list;
  for (const auto& [price, region] : cheaper) {
    Change change{{{"region", region}}, words::assigned("region", region)};
    take_data_along(s, region, change);
    list.push_back(std::move(change));
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

/// Whether the interval of checkpoints is no longer than what is best on spot.
bool often_enough_for_spot(const Situation& s) {
  const Duration now = s.between_checkpoints();
  if (now <= Duration{}) return false;
  Scenario bought = s.scenario;
  bought.cluster.purchase = Purchase::spot;
  bought.job.checkpoint->interval.reset();
  bought.job.checkpoint->every_steps.reset();
  bought.job.checkpoint->every_epochs.reset();
  RunOptions options;
  options.list_inputs = false;
  options.gains = Gains::none;
  try {
    const auto found = run(bought, s.catalog, s.host, options).interruptions;
    return found && found->best && now <= *found->best;
  } catch (const InputError&) {
    return false;
  }
}

/// With the interruptions that are published or assumed. They ask for more checkpoints, never for
/// fewer: what fewer save is no merit of spot.
std::vector<Change> on_spot(const Situation& s) {
  if (!s.scenario.job.checkpoint || s.inputs().checkpoint_time <= Duration{}) return {};
  Change change{{{"purchase", "spot"}}, "spot, interrupted as published"};
  if (!often_enough_for_spot(s)) {
    for (auto& setting : checkpoints_at(s, "null")) change.set.push_back(std::move(setting));
    change.words += ", with the best time between checkpoints";
  }
  return {change};
}

/// A price that is stated is the block's.
std::vector<Change> not_booked(const Situation& s) {
  Change change{{{"purchase", "on_demand"}, {"/cluster/booked", "null"}},
                words::assigned("purchase", "on_demand")};
  if (s.scenario.cluster.price) {
    change.set.emplace_back("/cluster/price", "null");
    change.words += words::price_of_catalogue;
  }
  return {change};
}

std::string spot_lacking(const Situation& s) {
  if (!spot_offer(s)) return "no spot price is known for " + *s.scenario.cluster.instance;
  if (!s.scenario.job.checkpoint || s.inputs().checkpoint_time <= Duration{}) {
    return "give /job/checkpoint (interval, size, bandwidth): an interruption loses what came "
           "after the last one";
  }
  return "";
}

/// One that holds the job in all but a twentieth of its draws, as `run` states them, be it longer
/// or shorter than what is booked; and, where checkpoints carry the job from one to the next,
/// several shorter ones: what is left of the last is less.
std::vector<Change> block_lengths(const Situation& s) {
  constexpr int draws = 200;
  constexpr double left_out = 0.05;
  RunOptions options;
  options.events = true;
  options.gains = Gains::none;
  options.list_inputs = false;
  study::Stated stated;
  run(s.scenario, s.catalog, s.host, options, &stated);
  options.stretch = stated.stretch();
  options.replications = draws;
  options.bottlenecks = false;
  Scenario booked = s.scenario;
  const auto drawn = [&](std::optional<Duration> block) {
    booked.cluster.booked = block;
    return replicate(booked, s.catalog, s.host, options);
  };
  const auto setting = [](Duration block) {
    return Setting{{"/cluster/booked", whole_text(block / hours(1.0)) + " h"}};
  };
  const Duration now = *s.scenario.cluster.booked;
  const Bands bands = drawn(now);
  if (bands.never_ends > left_out) return {};
  Duration longest = seconds(bands.total_s[2]);
  const bool several = s.result.interruptions && s.result.interruptions->blocks.value_or(1.0) > 1.0;
  std::vector<Change> list;
  // A job without checkpoints may take longer in a shorter block, or never end; one that needed
  // several is sooner done in one.
  for (auto block = block_as_sold(longest); block && (several || *block < now);
       block = block_as_sold(*block + hours(1.0))) {
    const Bands within = drawn(block);
    if (within.never_ends > left_out) continue;
    if (several) longest = seconds(within.total_s[2]);
    const auto enough = block_as_sold(longest);
    if (enough && *enough < *block && drawn(enough).never_ends <= left_out) block = enough;
    if (*block != now) list.push_back({setting(*block), words::block_that_holds(*block, longest)});
    break;
  }
  if (!s.inputs().fixed_checkpoints()) return list;
  constexpr double most = 7.0;
  std::optional<Duration> before;
  for (double n = 2.0; n <= most; n += 1.0) {
    const auto block = block_as_sold(longest / n);
    if (!block || block == before || *block == now) continue;
    before = block;
    if (!list.empty() && list.front().set == setting(*block)) continue;
    list.push_back({setting(*block), words::blocks_of(*block)});
  }
  return list;
}

const Remedy price_list[] = {
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
       return std::vector<Change>{
           {{{"purchase", "savings_plan"}}, words::savings(*s.scenario.cluster.savings)}};
     },
     [](const Situation& s) {
       return s.scenario.cluster.savings
                  ? std::string()
                  : std::string("give /cluster/savings, the share that your plan takes off");
     }},
    {{"spot", "spot instances", RemedyKind::infrastructure, 8.0, Rung::fed,
      "instances are paid on demand",
      "up to 90 % off (SageMaker guide, 2023), less what interruptions cost on average",
      "the published interruption rates are of the last month; a single job may cost more"},
     [](const Situation& s) { return on_demand(s); },
     on_spot,
     spot_lacking},
    {{"on_demand", "instances on demand", RemedyKind::setting, 0.1, Rung::one_gpu_in_memory,
      "instances are bought on spot and interrupted",
      "nothing is lost to interruptions, and nobody waits for capacity",
      "an hour costs several times as much"},
     [](const Situation& s) {
       return priced(s) && s.scenario.cluster.purchase == Purchase::spot &&
              s.inputs().interruptions;
     },
     [](const Situation&) {
       return std::vector<Change>{
           {{{"purchase", "on_demand"}}, words::assigned("purchase", "on_demand")}};
     }},
    {{"kept_warm", "instances given back after the job", RemedyKind::setting, 0.1, paid_for_nothing,
      "instances are kept for a next job for longer than the job takes",
      "a warm pool is paid as the job is for as long as it is kept (SageMaker guide, 2023)",
      "a next job waits until its instances have started", same_training, bill_alone},
     [](const Situation& s) {
       return s.result.bill.compute > Money{} && s.resolved.terms.kept_warm > s.result.times.total;
     },
     [](const Situation&) {
       return std::vector<Change>{{{{"/cluster/kept_warm", "null"}}, "no cluster.kept_warm"}};
     }},
    {{"one_zone", "everything in one availability zone", RemedyKind::infrastructure, 2.0,
      paid_for_nothing, "bytes cross from one availability zone to another",
      "a GB from one zone to another is paid by who sends it and by who receives it (EC2's price "
      "list), and takes longer than within one",
      "one zone may not have as many instances free; spot instances of one are interrupted "
      "together",
      same_training, bill_alone},
     [](const Situation& s) {
       return s.scenario.cluster.zones_used() > 1.0 || s.scenario.source.other_zone.value_or(false);
     },
     [](const Situation& s) {
       Change change;
       if (s.scenario.cluster.zones_used() > 1.0) {
         change = {{{"/cluster/zones", "1"}}, words::assigned("cluster.zones", "1")};
       }
       if (s.scenario.source.other_zone.value_or(false)) {
         change.set.emplace_back("/source/other_zone", "false");
         change.words +=
             (change.words.empty() ? "" : ", ") + words::assigned("source.other_zone", "false");
       }
       return std::vector<Change>{change};
     }},
    {{"gateway_endpoint", "a gateway endpoint for S3 instead of a NAT gateway",
      RemedyKind::infrastructure, 1.0, paid_for_nothing, "S3 is read through a NAT gateway",
      "a gateway endpoint in the route table has no charge by the hour or the byte",
      "it serves S3 and DynamoDB in the job's own region only", same_training, bill_alone},
     [](const Situation& s) {
       return s.scenario.source.nat_gateway.value_or(false) && s.on_aws() &&
              s.scenario.source.service.family() == Service::s3 &&
              !s.resolved.terms.from_another_region;
     },
     [](const Situation&) {
       return std::vector<Change>{
           {{{"/source/nat_gateway", "false"}}, words::assigned("source.nat_gateway", "false")}};
     }},
    {{"block_length", "a block that fits the job", RemedyKind::setting, 0.5, paid_for_nothing,
      "a capacity block or training plan is not used up",
      "a block is paid whole; it is sold by the day up to 14 days, and by the week up to 182 (EC2 "
      "user guide, Capacity Blocks for ML, 2025)",
      "a job that overruns pays for another block; one that is paid for already is not given back, "
      "and several have to be free one after the other",
      same_training, bill_alone},
     [](const Situation& s) {
       return is_booked(s.scenario.cluster.purchase) && s.result.bill.unused > Money{};
     },
     block_lengths},
    {{"not_booked", "instances on demand in place of a block", RemedyKind::setting, 0.5,
      paid_for_nothing, "instances are booked as a capacity block or training plan",
      "on demand, what is paid for ends with the job (EC2 and SageMaker pricing)",
      "as many instances have to be free when the job starts, which a block is there to ensure; "
      "one that is paid for already is not given back",
      same_training, bill_alone},
     [](const Situation& s) { return priced(s) && is_booked(s.scenario.cluster.purchase); },
     not_booked},
    {{"mixed_fleet", "a fleet of spot and on-demand instances", RemedyKind::infrastructure, 4.0,
      Rung::fed, "several spot instances are interrupted",
      "instances that are bought on demand are not taken away: the whole job is interrupted less "
      "often",
      "the on-demand instances are paid while the others wait for capacity"},
     [](const Situation& s) {
       return priced(s) && s.scenario.cluster.purchase == Purchase::spot && !own_price(s) &&
              s.scenario.cluster.on_demand_beside_spot() <= 0.0 &&
              s.scenario.cluster.instances >= 2.0;
     },
     [](const Situation& s) {
       const double half = std::floor(s.scenario.cluster.instances / 2.0);
       return std::vector<Change>{{{{"/cluster/spot/on_demand_instances", whole_text(half)}},
                                   words::on_demand_of(half, s.scenario.cluster.instances)}};
     }},
    {{"capacity_block", "a capacity block or training plan", RemedyKind::infrastructure, 4.0,
      Rung::fed, "eight GPUs or more of AWS are paid on demand",
      "reserved for a number of days at a price of its own (EC2 Capacity Blocks, SageMaker "
      "training "
      "plans)",
      "paid in full and in advance: finishing early wastes what is left, and overrunning means a "
      "restart"},
     [](const Situation& s) {
       return on_demand(s) && s.on_aws() && s.inputs().cluster_ranks() >= 8.0;
     },
     nullptr,
     [](const Situation&) {
       return std::string("give /cluster/price, the block's price for an instance and hour");
     }},
};

}  // namespace

std::span<const Remedy> price_remedies() {
  return price_list;
}

}  // namespace feedrate::study
