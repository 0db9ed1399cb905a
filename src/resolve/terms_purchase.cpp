// What a scenario buys and nobody sells: it is billed as it is written, and told of.
#include <fmt/format.h>

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

std::string hours_words(Duration time) {
  return fmt::format("{:.6g} h", time / hours(1.0));
}

}  // namespace

void say_unsold(Context& context) {
  if (!context.texts) return;
  const Cluster& cluster = context.scenario.cluster;
  const std::string service =
      cluster.instance ? service_of(context.catalog, *cluster.instance) : std::string();
  if (service.empty()) return;
  if (const std::string_view sellers = sellers_instead(cluster.purchase, service);
      !sellers.empty()) {
    context.remark(RemarkKind::check,
                   fmt::format("/cluster/purchase: a {} is sold by {}, and {} is rented from {}: "
                               "the bill is as if it were sold there",
                               purchase_words[static_cast<std::size_t>(cluster.purchase)], sellers,
                               *cluster.instance, seller_title(service)));
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
