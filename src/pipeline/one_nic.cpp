#include "pipeline/one_nic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/flow.hpp"
#include "pipeline/stations.hpp"

namespace feedrate::pipeline {
namespace {

/// A kind of customers, as if the others were not there.
struct Beside {
  double customers = 0.0;  ///< of those that load for one instance
  double rate = 0.0;       ///< samples per second that come to it
  const std::vector<SampleLimit>* limits = nullptr;
};

/// What a limit lets through of one kind of customers if it is there for them alone.
struct Through {
  const Beside* kind;
  double limit;  ///< samples per second; infinite: it does not pass here
};

/// Samples per second of all kinds together.
double in_turn(std::vector<Through> waiting) {
  double all = 0.0;
  double used = 0.0;
  for (const auto& [kind, limit] : waiting) {
    all += kind->rate;
    used += kind->rate / limit;
  }
  // Of more than is asked for, as much of each kind as it asks for of this.
  if (used <= 1.0) return used > 0.0 ? all / used : 1e300;
  double let = 0.0;
  double left = 1.0;
  std::erase_if(waiting, [&](const Through& one) {
    const bool elsewhere = std::isinf(one.limit);
    if (elsewhere) let += one.kind->rate;
    return elsewhere;
  });
  while (!waiting.empty()) {
    double round = 0.0;  // of the limit, a sample of each customer that waits
    for (const auto& [kind, limit] : waiting) round += kind->customers / limit;
    const auto content = std::find_if(waiting.begin(), waiting.end(), [&](const Through& one) {
      return one.kind->rate * round <= left * one.kind->customers;
    });
    if (content == waiting.end()) {
      for (const auto& [kind, limit] : waiting) let += left / round * kind->customers;
      break;
    }
    let += content->kind->rate;
    left -= content->kind->rate / content->limit;
    waiting.erase(content);
  }
  return let;
}

/// Whether samples of all kinds do not count alike under this limit.
bool counts_by_kind(const SampleLimit& limit) {
  return limit.own ? limit.bursts() : limit.stage == Stage::network;
}

/// The limits of the network that are of all kinds together, and those of one kind that have
/// credit. A sample of each kind may take more or less of them than one of another; each limit
/// counts samples as the kinds then make them. Those who wait are served in turn, so each customer
/// has as many samples let through as another of them, or as many as it asks for: more bandwidth is
/// never less for anybody.
std::vector<SampleLimit> limits_by_kind(const std::vector<Beside>& kinds) {
  std::vector<SampleLimit> all;
  for (const Beside& first : kinds) {
    for (const SampleLimit& limit : *first.limits) {
      if (!counts_by_kind(limit)) continue;
      const auto same = [&](const SampleLimit& other) {
        return other.own == limit.own && other.stage == limit.stage && other.name == limit.name;
      };
      if (std::any_of(all.begin(), all.end(), same)) continue;
      const auto together = [&](double SampleLimit::*rate) {
        std::vector<Through> through;
        for (const Beside& kind : kinds) {
          const auto its = std::find_if(kind.limits->begin(), kind.limits->end(), same);
          through.push_back({&kind, its == kind.limits->end()
                                        ? std::numeric_limits<double>::infinity()
                                        : (*its).*rate});
        }
        return in_turn(std::move(through));
      };
      SampleLimit joined = limit;
      joined.rate = together(&SampleLimit::rate);
      if (limit.burst_rate > 0.0) joined.burst_rate = together(&SampleLimit::burst_rate);
      // What the others make beside it is no part of what one kind's credit is for.
      if (!limit.own) joined.credit = limit.credit / limit.rate * joined.rate;
      all.push_back(std::move(joined));
    }
  }
  return all;
}

}  // namespace

/// The limits of all kinds of customers.
void Flow::join_limits(const Inputs& inputs, const Misses& misses) {
  const bool several = groups_.size() > 1;
  for (const Group& group : groups_) {
    for (const SampleLimit& limit : group.loading.limits) {
      if (limit.own && !limit.bursts()) continue;  // in Group::own_limit
      if (!several || !counts_by_kind(limit)) limits_.push_back(limit);
    }
  }
  if (!several) return;
  if (inputs.disk && !inputs.disk->rate.empty()) {
    // One disk, though each kind of customer has it in its network.
    const double work = inputs.disk->bytes.base() * misses.disk / inputs.speed[Stage::disk];
    if (work > 0.0) {
      limits_.push_back({Stage::disk, "disk", inputs.disk->rate.maximum().base() / work, 0.0, 0.0});
    }
  }
  if (unlimited({}, 0.0).rate <= 0.0) return;
  run_beside(0.0);
  std::vector<Beside> kinds;
  for (const Group& group : groups_) {
    const double rate = group.throughput(group.network.customers());
    kinds.push_back({group.loading.customers * group.loading.share,
                     std::min(group.own_limit, rate) * group.loading.share, &group.loading.limits});
  }
  for (SampleLimit& limit : limits_by_kind(kinds)) limits_.push_back(std::move(limit));
}

void pass_one_nic(const Inputs& inputs, EpochKind kind, const Misses& misses, Loading& here,
                  Loading& helpers) {
  const auto& source = source_in(inputs, kind);
  const RemotePool& pool = *inputs.remote;
  if (!source || source->rate.empty()) return;
  const double fetched = bytes_fetched(inputs, kind, misses) * here.reads_left;
  const double sent = pool.sent.base();
  if (fetched <= 0.0 || sent <= 0.0) return;
  const double speed = inputs.speed[Stage::network];
  double alone = source->rate.maximum().base() * inputs.speed[Stage::download];
  if (source->nic) alone = std::min(alone, source->nic->base() * speed);
  // What one kind has of it alone, both have.
  const double nic = std::max(pool.network.base() * pool.in_one * speed, alone);
  here.limits.push_back({Stage::network, "NIC", nic / fetched, 0.0, 0.0});
  helpers.limits.push_back({Stage::network, "NIC", nic / sent, 0.0, 0.0});
  if (!inputs.sequential_stream || !pool.network_credits) return;
  // What a stream has fetched ahead of them counts as theirs.
  Read of_nic = *source;
  std::erase_if(of_nic.limits, [](const RateLimit& limit) { return !limit.of_nic; });
  add_limits(here.limits, of_nic, Stage::download, misses.source, inputs.speed);
}

}  // namespace feedrate::pipeline
