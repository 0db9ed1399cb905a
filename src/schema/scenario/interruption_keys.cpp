// Keys of what interrupts a job: "cluster/failures" and "cluster/spot".
#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {

template <>
inline constexpr bool is_record<Failures> = true;
template <>
inline constexpr bool is_record<SpotFallback> = true;
template <>
inline constexpr bool is_record<Spot> = true;

template <>
const std::vector<Entry<Failures>>& entries<Failures>() {
  static const std::vector<Entry<Failures>> list = {
      entry<&Failures::per_1000_node_days>("per_1000_node_days",
                                           {.manual = "failures per day among 1,000 instances",
                                            .fallback = "3.8",
                                            .limits = between(0, 1e6)}),
      entry<&Failures::mttf>("mttf", {.manual = "instead: mean time to failure of one instance",
                                      .limits = above(0, 2.628e10),
                                      .example = "263 days"}),
  };
  return list;
}

template <>
const std::vector<Entry<SpotFallback>>& entries<SpotFallback>() {
  static const std::vector<Entry<SpotFallback>> list = {
      entry<&SpotFallback::after_interruptions>(
          "after_interruptions", {"after this number of interruptions", "", whole(1, 1e4)}),
      entry<&SpotFallback::after_wait>("after_wait",
                                       {.manual = "after waiting this long for capacity",
                                        .limits = above(0, 3.6e7),
                                        .example = "1 h"}),
  };
  return list;
}

template <>
const std::vector<Entry<Spot>>& entries<Spot>() {
  static const std::vector<Entry<Spot>> list = {
      entry<&Spot::interruption_share_per_month>(
          "interruption_share_per_month",
          {.manual = "share of instances interrupted per month, as AWS's Spot Advisor states it",
           .fallback = "the catalogue's, else 10 %",
           .limits = between(0, 0.999),
           .percent = true}),
      entry<&Spot::rate>("rate",
                         {.manual = "instead: interruptions of one instance per time, \"0.15 /h\"",
                          .limits = between(0, 0.25),
                          .hint = {"a rate", "0.15 /h"}}),
      entry<&Spot::notice>("notice", {.manual = "warning before an interruption, which the "
                                                "training program uses for a last checkpoint",
                                      .fallback = "0 s: no last checkpoint",
                                      .limits = between(0, 3.6e6),
                                      .example = "2 min"}),
      entry<&Spot::wait_for_capacity>(
          "wait_for_capacity",
          {.manual = "mean wait for a new instance, while the others are billed "
                     "(SageMaker: none is)",
           .fallback = "40 min",
           .limits = between(0, 3.6e7),
           .example = "40 min"}),
      entry<&Spot::fallback>("fallback", {"when on-demand instances take over the job", "never"}),
      entry<&Spot::on_demand_instances>(
          "on_demand_instances", {"of the cluster's instances, those bought on demand, which are "
                                  "not interrupted",
                                  "0", whole(0, 1e5)}),
      entry<&Spot::on_demand_price>("on_demand_price", {"of one instance", "the catalogue's"}),
  };
  return list;
}

}  // namespace feedrate::schema
