#include "pipeline/shared_limits.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "pipeline/loading.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/simulate.hpp"

namespace feedrate::pipeline {
namespace {

bool shares(const Read& read) {
  return read.shared_by_all > Bandwidth{} ||
         std::any_of(read.limits.begin(), read.limits.end(),
                     [](const RateLimit& limit) { return limit.shared; });
}

bool shares(const std::optional<Read>& read) {
  return read && shares(*read);
}

/// Whether credit that ends changes what all share.
bool bursts(const std::optional<Read>& read) {
  return read && std::any_of(read->limits.begin(), read->limits.end(), [](const RateLimit& limit) {
           return limit.shared && limit.burst_rate > 0.0;
         });
}

void lift(Read& read) {
  if (read.shared_by_all > Bandwidth{}) read.rate = read.unshared;
  std::erase_if(read.limits, [](const RateLimit& limit) { return limit.shared; });
}

void give_whole(Read& read, double instances) {
  if (read.shared_by_all > Bandwidth{}) {
    read.rate = capped(read.unshared, read.shared_by_all);
  }
  for (RateLimit& limit : read.limits) {
    if (!limit.shared) continue;
    limit.rate *= instances;
    limit.burst_rate *= instances;
    limit.credit *= instances;
  }
}

/// The first end of a limit's credit while training; nothing: it lasts.
using FirstEnds = std::map<std::string, Duration>;

FirstEnds first_ends(const Inputs& inputs) {
  if (!(inputs.staging && bursts(inputs.staging->read)) && !bursts(inputs.first_source) &&
      !bursts(inputs.source)) {
    return {};
  }
  SimulationOptions options;
  options.details = false;
  FirstEnds ends;
  for (const CreditEnd& end : simulate(inputs, options).ends) ends.emplace(end.limit, end.after);
  return ends;
}

/// Where one instance reads `often` of the samples (or objects) that it has, `pace` of them a
/// second.
void add(std::vector<SharedDemand>& demands, const Inputs& inputs, const Read& read, SharedIn when,
         double pace, double bytes_each, const FirstEnds& ends, Duration until) {
  // Copying the dataset is the same for all; reading is shared as the ranks are.
  const double instances = when == SharedIn::staging ? inputs.instances : inputs.instances_alike();
  if (!(pace > 0.0)) return;
  for (const RateLimit& limit : read.limits) {
    if (!limit.shared || limit.each <= 0.0) continue;
    if (limit.burst_rate <= 0.0) {
      demands.push_back(
          {limit.name, limit.of_requests, when, limit.rate * instances, limit.each * pace});
      continue;
    }
    // What holds back is the burst rate where credit lasts through all of it.
    const auto end = ends.find(limit.name);
    const bool lasts = end == ends.end() || end->second >= until;
    demands.push_back({lasts ? "burst rate" : "rate without burst credits", limit.of_requests, when,
                       (lasts ? limit.burst_rate : limit.rate) * instances, limit.each * pace});
  }
  if (read.shared_by_all > Bandwidth{}) {
    demands.push_back(
        {"source bandwidth", false, when, read.shared_by_all.base(), bytes_each * pace});
  }
}

}  // namespace

Inputs without_shared_limits(const Inputs& inputs) {
  Inputs lifted = inputs;
  if (lifted.staging) lift(lifted.staging->read);
  if (lifted.first_source) lift(*lifted.first_source);
  if (lifted.source) lift(*lifted.source);
  if (lifted.unequal) {
    for (UnequalInstances::Kind& kind : lifted.unequal->others) {
      kind.inputs = std::make_shared<const Inputs>(without_shared_limits(*kind.inputs));
    }
  }
  return lifted;
}

bool shares_limits(const Inputs& inputs) {
  return (inputs.staging && shares(inputs.staging->read)) || shares(inputs.first_source) ||
         shares(inputs.source);
}

Inputs with_whole_limits(const Inputs& inputs) {
  Inputs whole = inputs;
  if (whole.staging) give_whole(whole.staging->read, inputs.instances);
  if (whole.first_source) give_whole(*whole.first_source, inputs.instances);
  if (whole.source) give_whole(*whole.source, inputs.instances);
  return whole;
}

std::vector<SharedDemand> shared_demands(const Inputs& inputs) {
  const bool staged = inputs.staging && shares(inputs.staging->read);
  const bool read = shares(inputs.first_source) || shares(inputs.source);
  std::vector<SharedDemand> demands;
  // Remote workers read for all instances together.
  if (inputs.remote || (!staged && !read)) return demands;
  const Inputs lifted = without_shared_limits(inputs);
  const FirstEnds ends = first_ends(inputs);
  if (staged) {
    Credits credits;
    const Duration time = mean_staging(lifted, credits).time;
    const double pace = time > Duration{} ? inputs.staging->objects / time.base() : 0.0;
    add(demands, inputs, inputs.staging->read, SharedIn::staging, pace,
        inputs.staging->object_size.base(), ends, Duration{});
  }
  if (!read) return demands;
  SimulationOptions options;
  options.details = false;
  const Outcome outcome = simulate(lifted, options);
  const auto of_epoch = [&](const std::optional<Read>& source, EpochKind kind, double epoch,
                            SharedIn when, Duration wall, Duration until) {
    if (!shares(source) || !(wall > Duration{}) || source->bytes.base() <= 0.0) return;
    const double fetched =
        bytes_fetched(inputs, kind, misses_in(inputs, epoch)) / source->bytes.base();
    add(demands, inputs, *source, when, fetched * samples_of_instance(inputs) / wall.base(),
        source->bytes.base(), ends, until);
  };
  of_epoch(inputs.first_source, EpochKind::first, 1.0, SharedIn::first_epoch, outcome.first.wall,
           outcome.first.wall);
  if (const double epochs = epochs_begun(inputs); epochs > 1.0) {
    of_epoch(inputs.source, EpochKind::later, epochs, SharedIn::later_epochs, outcome.later.wall,
             seconds(std::numeric_limits<double>::infinity()));
  }
  return demands;
}

}  // namespace feedrate::pipeline
