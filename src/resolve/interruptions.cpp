// What interrupts a job, and the checkpoints that it goes back to.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/number_text.hpp"
#include "base/portable_math.hpp"
#include "catalog/lookup.hpp"
#include "pipeline/shared_limits.hpp"
#include "resolve/context.hpp"
#include "resolve/distance.hpp"
#include "resolve/parallel.hpp"
#include "resolve/services.hpp"

namespace feedrate::resolve {
namespace {

/// "5-10%" or ">20%" of the spot advisor, as shares; above the last bucket up to one and a half
/// times it.
std::optional<std::pair<double, double>> bucket(std::string_view text) {
  const std::size_t first = text.find_first_of("0123456789");
  if (first == std::string_view::npos) return std::nullopt;
  const auto one = leading_number(text.substr(first));
  if (!one) return std::nullopt;
  const double number = one->value / 100.0;
  const std::size_t dash = text.find('-', first);
  const auto two =
      dash == std::string_view::npos ? std::nullopt : leading_number(text.substr(dash + 1));
  if (two) return std::pair(number, two->value / 100.0);
  return text.front() == '<' ? std::pair(0.0, number) : std::pair(number, 1.5 * number);
}

/// Published for the instance: in its region, else in another one, which is said.
std::optional<std::pair<double, double>> published_bucket(Context& context) {
  if (context.machine() == nullptr) return std::nullopt;
  const std::string region(context.scenario.cluster.region.value_or(std::string(default_region)));
  const Offer* found = nullptr;
  for (const Offer& offer : context.catalog.offers) {
    if (offer.purchase != Purchase::spot || offer.instance != context.machine()->name ||
        !bucket(offer.interruption)) {
      continue;
    }
    if (found == nullptr || offer.region == region) found = &offer;
    if (offer.region == region) break;
  }
  if (found == nullptr) return std::nullopt;
  if (found->region != region && context.texts) {
    context.remark(
        RemarkKind::measure,
        fmt::format("how often spot instances are interrupted is published for {} in {}, not in {}",
                    found->instance, found->region, region));
  }
  return bucket(found->interruption);
}

/// Where checkpoints go: where the data comes from. Empty where nothing says how fast that is.
struct CheckpointStore {
  Bandwidth rate;                ///< of one instance that writes while the others do not
  std::optional<Stage> read_as;  ///< the stage of its reads, where training reads it meanwhile
  Bandwidth of_all;              ///< of all instances together, where they share it
};

/// What EFS counts of a byte that is read, and so what it takes of those written where it lets
/// through what is paid for or earned.
double counted_of_read(Context& context) {
  const Source& source = context.scenario.source;
  if (source.service.family() != Service::efs || source.bandwidth) return 1.0;
  if (planned_efs(context).mode == "elastic") return 1.0;
  const auto& metered = context.catalog.efs.read_metering;
  return metered ? metered->value : 1.0;
}

/// `counted`: of the rate of reads that all instances share. `bursts`: while credit lasts.
std::optional<CheckpointStore> storage(const Inputs& all, double counted, bool bursts = false) {
  const Inputs inputs = pipeline::with_whole_limits(all);
  const auto of = [&](const RateLimit& limit) {
    return bursts ? std::max(limit.rate, limit.burst_rate) : limit.rate;
  };
  const auto rate_of = [&](const Read& read) {
    if (read.rate.empty()) return Bandwidth{};
    const Curve<Bandwidth> reached = read.through_nic();
    Bandwidth rate = read.connections > 0.0 ? reached.total(read.connections) : reached.maximum();
    for (const RateLimit& limit : read.limits) {
      if (!limit.of_requests && limit.rate > 0.0) {
        rate = std::min(rate, Bandwidth::of(of(limit) * (limit.shared ? counted : 1.0)));
      }
    }
    return rate;
  };
  const Read* read = nullptr;
  CheckpointStore place;
  if (inputs.source) {
    read = &*inputs.source;
    place.read_as = Stage::download;
  } else if (inputs.first_source) {
    read = &*inputs.first_source;
  } else if (inputs.staging) {
    read = &inputs.staging->read;
  } else if (inputs.disk) {
    read = &*inputs.disk;
    place.read_as = Stage::disk;
  }
  if (read == nullptr) return std::nullopt;
  place.rate = rate_of(*read);
  place.of_all = read->shared_by_all;
  for (const RateLimit& limit : read->limits) {
    if (limit.of_requests || !limit.shared || limit.rate <= 0.0) continue;
    const Bandwidth whole = Bandwidth::of(of(limit) * counted);
    place.of_all = place.of_all > Bandwidth{} ? std::min(place.of_all, whole) : whole;
  }
  if (place.rate <= Bandwidth{}) return std::nullopt;
  return place;
}

/// As given, else from the model's parameters.
Bytes checkpoint_size(Context& context, const Checkpoint& given) {
  const auto parameters = parameters_of(context.scenario.job);
  if (!given.size && parameters) {
    const Assumption& each =
        context.layout ? assumed::checkpoint_of_parameter : assumed::checkpoint_of_whole_model;
    return context.assume<Bytes>(Stage::checkpoint, each, bytes(each.value * *parameters));
  }
  return context.need<Bytes>(
      Stage::checkpoint, "/job/checkpoint/size", given.size, {}, {},
      "the bytes of one checkpoint, which also follow from /job/step/model_parameters");
}

Bandwidth taken_of(const CheckpointStore& place, double writers, double share) {
  const Bandwidth all = writers * place.rate * share;
  return place.of_all > Bandwidth{} ? std::min(all, place.of_all * share) : all;
}

/// Of a model or an optimizer that is spread over GPUs, each instance writes the parts that its
/// GPUs hold, at once.
Bandwidth written_together(Context& context, const CheckpointStore& place, double share) {
  const double writers = instances_with_parts(context);
  if (context.texts && writers > 1.0) {
    context.remark(
        RemarkKind::know,
        fmt::format("{:g} instances write a checkpoint at once, each its parts", writers));
  }
  return taken_of(place, writers, share);
}

/// Of an EFS file system that bursts, whose credit counts a byte written as so many read.
std::optional<pipeline::CheckpointBurst> burst_of(Context& context, const CheckpointStore& place,
                                                  Bytes size) {
  const Inputs& inputs = context.out.inputs;
  const Inputs whole = pipeline::with_whole_limits(inputs);
  const Read* const read = whole.source    ? &*whole.source
                           : whole.staging ? &whole.staging->read
                                           : nullptr;
  if (read == nullptr || place.read_as == Stage::disk) return std::nullopt;
  const auto limit = std::find_if(
      read->limits.begin(), read->limits.end(),
      [](const RateLimit& one) { return one.shared && !one.of_requests && one.bursts(); });
  if (limit == read->limits.end()) return std::nullopt;
  const double counted = counted_of_read(context);
  const auto quick = storage(inputs, counted, true);
  const double writers = instances_with_parts(context);
  const double quicker = taken_of(*quick, writers, 1.0) / taken_of(place, writers, 1.0);
  return pipeline::CheckpointBurst{inputs.checkpoint_time / quicker, size.base() / counted,
                                   limit->credit, limit->rate};
}

/// What S3 takes at least for the requests that write a checkpoint under one prefix.
Duration written_by_requests(Context& context) {
  const Source& source = context.scenario.source;
  const auto& limit = context.catalog.s3.puts_per_prefix;
  const bool express = source.storage_class_or("") == s3_express;
  if (source.service.family() != Service::s3 || express || !limit) return {};
  return requests_of_checkpoint(context, parts_of_s3) / limit->value;
}

void checkpoints(Context& context) {
  const auto& given = context.scenario.job.checkpoint;
  if (!given) return;
  const bool fixed = given->interval || given->every_steps || given->every_epochs;
  const bool written = fixed || given->size || given->bandwidth || given->background || given->to ||
                       given->region || given->kept || given->held;
  // A restart alone is how a job without any starts again; nothing at all asks for every default.
  if (!written && given->restart) return;
  Inputs& inputs = context.out.inputs;
  constexpr Stage stage = Stage::checkpoint;
  if (given->interval) {
    inputs.checkpoint_interval =
        context.use(stage, "/job/checkpoint/interval", Value<Duration>::given(*given->interval));
  } else if (given->every_steps) {
    inputs.checkpoint_steps = context.use(stage, "/job/checkpoint/every_steps",
                                          Value<double>::given(*given->every_steps));
  } else if (given->every_epochs) {
    inputs.checkpoint_epochs = context.use(stage, "/job/checkpoint/every_epochs",
                                           Value<double>::given(*given->every_epochs));
  } else if (!context.scenario.cluster.interrupted() &&
             !is_booked(context.scenario.cluster.purchase)) {
    // A sweep over ways of buying has points that nothing interrupts.
    if (context.texts) {
      context.remark(RemarkKind::check,
                     "no checkpoints are written: /job/checkpoint/interval is not given, and "
                     "nothing interrupts the job (/cluster/failures, spot, a block's end)");
    }
    if (!given->size && !parameters_of(context.scenario.job)) return;
  } else {
    inputs.best_interval = true;
    if (context.texts) {
      context.remark(
          RemarkKind::know,
          "/job/checkpoint/interval is not given: the one that takes the job least time is taken");
    }
  }
  const Bytes size = checkpoint_size(context, *given);
  context.checkpoint = given->size.value_or(size);
  const bool elsewhere = checkpoints_elsewhere(context);
  const auto place =
      given->bandwidth || elsewhere ? std::nullopt : storage(inputs, counted_of_read(context));
  Bandwidth rate;
  if (place) {
    rate = context.assume(stage, assumed::checkpoint_share,
                          written_together(context, *place, assumed::checkpoint_share.value));
    inputs.checkpoint_beside = place->read_as;
  } else {
    rate = context.need<Bandwidth>(
        stage, "/job/checkpoint/bandwidth", given->bandwidth, {}, {},
        elsewhere ? "how fast the store of /job/checkpoint takes it, such as \"1 GB/s\""
                  : "how fast it is written, such as \"1 GB/s\"");
  }
  inputs.checkpoint_time = size / rate;
  if (place) inputs.checkpoint_burst = burst_of(context, *place, size);
  if (context.texts && inputs.checkpoint_burst) {
    context.remark(RemarkKind::know,
                   fmt::format("a checkpoint takes {} while the file system has credit that reads "
                               "leave, and {} when it has none",
                               short_text_of(inputs.checkpoint_burst->time),
                               short_text_of(inputs.checkpoint_time)));
  }
  if (const Duration least = place ? written_by_requests(context) : Duration{};
      least > inputs.checkpoint_time) {
    if (context.texts) {
      context.remark(
          RemarkKind::know,
          fmt::format(
              "the requests that write a checkpoint take {}: S3 takes {:g} of them a second "
              "under a prefix; /job/checkpoint/bandwidth says what yours takes",
              short_text_of(least), context.catalog.s3.puts_per_prefix->value * seconds(1.0)));
    }
    inputs.checkpoint_time = least;
  }
  inputs.checkpoint_background = given->background.value_or(false);
}

/// From an interruption to going on, but for start-up, staging and cold caches.
Duration restart_of(Context& context) {
  const auto& given = context.scenario.job.checkpoint;
  constexpr std::string_view key = assumed::restart.key;
  if (given && given->restart) {
    return context.use(Stage::interruption, key, Value<Duration>::given(*given->restart));
  }
  return context.assume<Duration>(Stage::interruption, assumed::restart) +
         context.out.inputs.single_checkpoint();
}

/// Failures of one instance per time; of unequal ones the mean.
Frequency failure_rate(Context& context, const Failures& given) {
  constexpr Stage stage = Stage::interruption;
  if (given.mttf) {
    return 1.0 / context.use(stage, "/cluster/failures/mttf", Value<Duration>::given(*given.mttf));
  }
  constexpr double many = 32.0;
  if (context.texts && context.out.inputs.cluster_instances() >= many) {
    context.remark(
        RemarkKind::measure,
        "failures are taken to grow with the instances: on Meta's research clusters 1,024 GPUs ran "
        "7.9 h between two where that says 28.9 h (arXiv 2410.21680); /cluster/failures/mttf sets "
        "what was measured");
  }
  const std::vector<double>& unequal = context.scenario.cluster.unequal_gpus;
  const double per_1000 = context.find_or<double>(
      stage, given.per_1000_node_days, {},
      unequal.empty() ? assumed::failures_of(context.out.inputs.cluster_ranks())
                      : assumed::failures_of(unequal));
  return per_1000 / 1000.0 / hours(24.0);
}

/// Spot interruptions of one instance per time. If a share p of instances is interrupted within a
/// month of 730 hours, a constant hazard is −ln(1 − p) per month.
Frequency spot_rate(Context& context, const Spot& given) {
  constexpr Stage stage = Stage::interruption;
  if (given.rate) {
    return context.use(stage, "/cluster/spot/rate", Value<Frequency>::given(*given.rate));
  }
  double share = 0.0;
  constexpr std::string_view key = assumed::spot_share.key;
  const auto published = published_bucket(context);
  if (given.interruption_share_per_month) {
    share = context.use(stage, key, Value<double>::given(*given.interruption_share_per_month));
  } else if (published) {
    const auto [low, high] = *published;
    const Assumption middle = {key,
                               0.5 * (low + high),
                               low,
                               high,
                               "middle of the share that AWS's spot advisor published",
                               "its bucket",
                               ""};
    share = context.assume<double>(stage, middle);
  } else {
    share = context.assume<double>(stage, assumed::spot_share);
  }
  if (context.texts) {
    context.remark(
        RemarkKind::know,
        fmt::format(
            "spot interruptions are taken to come at a constant rate: {} % of instances in a month "
            "are one every {} days of an instance",
            three_digits(100.0 * share),
            three_digits(months(1.0) / -portable::log1p(-share) / hours(24.0))));
  }
  return -portable::log1p(-share) / months(1.0);
}

/// "ec2", "sagemaker", "gcp", "azure" …; "" where no machine says so.
std::string cloud_of(const Context& context) {
  const auto& name = context.scenario.cluster.instance;
  return name ? service_of(context.catalog, *name) : std::string();
}

/// How long ahead a provider announces that it takes a spot instance back.
struct SpotNotice {
  std::string_view who, text;
  Duration ahead;
};
std::optional<SpotNotice> announced_by(std::string_view service) {
  // EC2 user guide, "Spot Instance interruption notices"; Compute Engine and Azure documentation of
  // Spot VMs (2025). SageMaker stops the job, and the container has its own grace period.
  if (service == "ec2") return SpotNotice{"AWS", "two minutes", minutes(2.0)};
  if (service == "gcp") return SpotNotice{"Google Cloud", "30 seconds", seconds(30.0)};
  if (service == "azure") return SpotNotice{"Azure", "30 seconds", seconds(30.0)};
  return std::nullopt;
}

void spot(Context& context, const Spot& given, reliability::InterruptedJob& job) {
  constexpr Stage stage = Stage::interruption;
  const Inputs& inputs = context.out.inputs;
  const Frequency failures = job.sudden;
  if (given.on_demand_instances && cloud_of(context) == "sagemaker") {
    context.problem("/cluster/spot/on_demand_instances",
                    "expected none: a training job of SageMaker is on spot instances as a whole");
    return;
  }
  const double taken =
      inputs.cluster_instances() - context.scenario.cluster.on_demand_beside_spot();
  if (taken < 1.0) {
    context.problem("/cluster/spot/on_demand_instances",
                    fmt::format("expected fewer than the cluster's {:g} instances, got {:g}; a "
                                "cluster without spot instances has \"purchase\": \"on_demand\"",
                                inputs.cluster_instances(), *given.on_demand_instances));
    return;
  }
  const Frequency rate = spot_rate(context, given) * taken;
  const bool writes = inputs.checkpoint_time > Duration{};
  Duration notice;
  if (given.notice) {
    notice = context.use(stage, "/cluster/spot/notice", Value<Duration>::given(*given.notice));
  }
  const bool fits = writes && inputs.single_checkpoint() <= notice;
  (fits ? job.announced : job.sudden) += rate;
  if (context.texts && given.notice && *given.notice > Duration{} && !fits) {
    context.remark(
        RemarkKind::check,
        writes
            ? fmt::format("/cluster/spot/notice is too short for a last checkpoint, which takes {}",
                          short_text_of(inputs.single_checkpoint()))
            : std::string("/cluster/spot/notice is of no use without /job/checkpoint/size: there "
                          "is nothing to save"));
  }
  if (context.texts && notice * job.rate() > 1.0 && fits) {
    context.remark(
        RemarkKind::check,
        fmt::format("/cluster/spot/notice is longer than the {} between two interruptions of the "
                    "cluster: the last checkpoint of each of them is counted anyway",
                    short_text_of(1.0 / job.rate())));
  }
  const auto announces = announced_by(cloud_of(context));
  if (context.texts && announces && !given.notice && writes &&
      inputs.single_checkpoint() <= announces->ahead) {
    context.remark(
        RemarkKind::check,
        fmt::format("a last checkpoint would fit into the {} in which {} announces a spot "
                    "interruption; where the training program writes one, set /cluster/spot/notice",
                    announces->text, announces->who));
  }
  job.wait =
      context.find_or<Duration>(stage, given.wait_for_capacity, {}, assumed::wait_for_capacity);
  if (given.fallback) {
    job.fallback = reliability::Fallback{given.fallback->after_interruptions,
                                         given.fallback->after_wait, failures};
  }
}

}  // namespace

void resolve_interruptions(Context& context) {
  const Cluster& cluster = context.scenario.cluster;
  checkpoints(context);
  Inputs& inputs = context.out.inputs;
  if (is_booked(cluster.purchase)) {
    inputs.booked = context.need<Duration>(Stage::interruption, "/cluster/booked", cluster.booked,
                                           {}, {}, "the hours that are booked, such as \"24 h\"");
  }
  if (!context.scenario.cluster.interrupted() && inputs.booked <= Duration{}) return;
  reliability::InterruptedJob job;
  job.restart = restart_of(context);
  // A job of SageMaker starts again as a whole, on other instances.
  inputs.restarts_all = cloud_of(context) == "sagemaker";
  if (cluster.failures)
    job.sudden = failure_rate(context, *cluster.failures) * inputs.cluster_instances();
  if (const auto taken = cluster.interrupted_spot()) spot(context, *taken, job);
  inputs.interruptions = std::move(job);
}

}  // namespace feedrate::resolve
