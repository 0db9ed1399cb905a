// What a scenario buys and nobody sells: it is billed as it is written, and told of.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/lookup.hpp"
#include "resolve/terms_beside.hpp"

namespace feedrate::resolve {
namespace {

std::string_view seller_title(std::string_view service) {
  return service == "ec2" ? "EC2" : service == "sagemaker" ? "SageMaker" : cloud_title(service);
}

/// Who sells it, as a list; "" where that service does.
std::string_view sellers_instead(Purchase purchase, std::string_view service) {
  const bool ec2 = service == "ec2", sagemaker = service == "sagemaker";
  if (purchase == Purchase::training_plan && !sagemaker) return "SageMaker";
  if (purchase == Purchase::capacity_block && !ec2) return "EC2";
  if (purchase == Purchase::savings_plan && !ec2 && !sagemaker && service != "azure") {
    return "AWS and Azure";
  }
  return "";
}

double in_mib(Bandwidth bandwidth) {
  return bandwidth / (bytes(1048576.0) / seconds(1.0));
}

std::string hours_words(Duration time) {
  return fmt::format("{:.6g} h", time / hours(1.0));
}

/// A volume's size and what is provisioned beside it, as they are typed in.
void say_unsold_volume(Context& context) {
  const auto& disk = context.out.disk;
  if (!disk || disk->kind != DiskKind::ebs) return;
  const EbsVolume* sold = find_ebs_volume(context.catalog, disk->volume_type);
  if (sold == nullptr) return;
  const auto say = [&](const char* key, const std::string& what) {
    context.remark(RemarkKind::check,
                   fmt::format("{}: EBS sells {} {}; time and bill are as if it sold what is "
                               "stated",
                               key, disk->volume_type, what));
  };
  const Disk& given = context.scenario.disk;
  if (given.size && sold->smallest && *given.size < sold->smallest->value) {
    say("/disk/size", fmt::format("from {:g} GiB on", sold->smallest->value / gibibytes(1.0)));
  }
  if (given.iops && disk->size) {
    const double iops = *given.iops * seconds(1.0);
    const double included = sold->baseline_iops ? sold->baseline_iops->value * seconds(1.0) : 0.0;
    const double most = sold->max_iops ? sold->max_iops->value * seconds(1.0) : iops;
    const double of_size =
        sold->iops_per_gib ? sold->iops_per_gib->value * (*disk->size / gibibytes(1.0)) : most;
    if (iops > std::max(included, std::min(most, of_size))) {
      say("/disk/iops",
          most <= of_size ? fmt::format("with up to {:g} IOPS", most)
                          : fmt::format("with up to {:g} IOPS per GiB", sold->iops_per_gib->value));
    }
  }
  if (given.bandwidth && sold->max_bandwidth && *given.bandwidth > sold->max_bandwidth->value) {
    say("/disk/bandwidth",
        fmt::format("with up to {:g} MiB/s", in_mib(sold->max_bandwidth->value)));
  } else if (given.bandwidth && disk->iops && sold->bandwidth_per_iops &&
             *given.bandwidth > sold->bandwidth_per_iops->value * *disk->iops) {
    say("/disk/bandwidth", fmt::format("with up to {:g} MiB/s for {:g} IOPS (set /disk/iops)",
                                       in_mib(sold->bandwidth_per_iops->value * *disk->iops),
                                       *disk->iops * seconds(1.0)));
  }
}

}  // namespace

void say_unsold(Context& context) {
  if (!context.texts) return;
  say_unsold_volume(context);
  const Cluster& cluster = context.scenario.cluster;
  const std::string service =
      cluster.instance ? service_of(context.catalog, *cluster.instance) : std::string();
  if (service.empty()) return;
  if (const std::string_view sellers = sellers_instead(cluster.purchase, service);
      !sellers.empty()) {
    context.remark(
        RemarkKind::check,
        fmt::format("/cluster/purchase: a {} is sold by {}, and {} is rented from {}: "
                    "the bill is as if it were sold there",
                    word_of(cluster.purchase), sellers, *cluster.instance, seller_title(service)));
  }
  const auto& most = context.catalog.limits.savings_plan_max;
  if (cluster.purchase == Purchase::savings_plan && cluster.savings && most &&
      *cluster.savings > most->value) {
    context.remark(RemarkKind::check,
                   fmt::format("/cluster/savings: {:g} % is more than any savings plan that is "
                               "published takes off ({:g} %)",
                               100.0 * *cluster.savings, 100.0 * most->value));
  }
  const Duration booked = context.out.inputs.booked;
  if (cluster.purchase != Purchase::capacity_block || service != "ec2" || booked <= Duration{}) {
    return;
  }
  const std::optional<Duration> sold = block_as_sold(booked);
  if (sold && *sold <= booked) return;
  const std::string instead =
      sold ? fmt::format("the next one is {}, and the bill is as if {} were sold",
                         hours_words(*sold), hours_words(booked))
           : std::string("none is longer");
  context.out.caveats.push_back(
      fmt::format("No capacity block of {} is sold, but whole days up to 14 and whole weeks up to "
                  "182 days (EC2 user guide, 2025): {}.",
                  hours_words(booked), instead));
}

}  // namespace feedrate::resolve
