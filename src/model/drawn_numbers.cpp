#include "model/drawn_numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace feedrate {
namespace {

/// What a number is held to.
struct DrawnRange {
  double least = 0.0;
  double most = std::numeric_limits<double>::infinity();
  bool whole = false;

  [[nodiscard]] double held(double base) const {
    return std::clamp(whole ? std::round(base) : base, least, most);
  }
};
constexpr DrawnRange any_number{};
constexpr DrawnRange a_share{0.0, 1.0};
/// Off a price, which no draw makes free.
constexpr DrawnRange a_discount{0.0, 0.99};
constexpr DrawnRange a_count{1.0, std::numeric_limits<double>::infinity(), true};
constexpr DrawnRange a_ratio{1.0};

template <class T>
T* if_given(T& value) {
  return &value;
}
template <class T>
T* if_given(std::optional<T>& value) {
  return value ? &*value : nullptr;
}
template <class T>
const T* if_given(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

/// The item of a list, or of a map, that the part of the pointer at the row's '*' names.
template <class List>
auto named_item(List& list, std::string_view item) -> decltype(&list.front()) {
  const auto place = place_in_list(item);
  return place && *place < list.size() ? &list[*place] : nullptr;
}
template <class Map>
auto named_item(Map& map, std::string_view item) -> decltype(&map.begin()->second) {
  const auto found = map.find(std::string(item));
  return found == map.end() ? nullptr : &found->second;
}

/// At what the members lead to, one after the other; null: it is not given.
template <auto first, auto... rest, class T>
auto* number_at(T& in, std::string_view item) {
  auto* const found = if_given(in.*first);
  if constexpr (sizeof...(rest) == 0) {
    return found;
  } else if constexpr (requires { named_item(*found, item); }) {
    auto* const one = found ? named_item(*found, item) : nullptr;
    return one ? number_at<rest...>(*one, item) : decltype(number_at<rest...>(*one, item)){nullptr};
  } else {
    return found ? number_at<rest...>(*found, item)
                 : decltype(number_at<rest...>(*found, item)){nullptr};
  }
}

void multiply(double& number, double factor, const DrawnRange& range, std::string_view) {
  number = range.held(number * factor);
}
template <int T, int B, int M, int S>
void multiply(Quantity<T, B, M, S>& number, double factor, const DrawnRange& range,
              std::string_view) {
  number = Quantity<T, B, M, S>::of(range.held(number.base() * factor));
}
void multiply(std::vector<std::pair<double, Duration>>& points, double factor,
              const DrawnRange& range, std::string_view item) {
  for (auto& [n, time] : points) multiply(time, factor, range, item);
}
void multiply(std::map<std::string, HourlyPrice>& prices, double factor, const DrawnRange& range,
              std::string_view item) {
  if (HourlyPrice* const one = named_item(prices, item)) multiply(*one, factor, range, item);
}

using DrawnNumber = std::optional<StatedNumber>;

DrawnNumber stated(double number, std::string_view) {
  return StatedNumber{number, {}};
}
template <int T, int B, int M, int S>
DrawnNumber stated(const Quantity<T, B, M, S>& number, std::string_view) {
  return StatedNumber{number.base(), {T, B, M, S}};
}
DrawnNumber stated(const std::vector<std::pair<double, Duration>>& points, std::string_view item) {
  return points.empty() ? std::nullopt : stated(points.back().second, item);
}
DrawnNumber stated(const std::map<std::string, HourlyPrice>& prices, std::string_view item) {
  const HourlyPrice* const one = named_item(prices, item);
  return one ? stated(*one, item) : std::nullopt;
}

struct DrawnRow {
  std::string_view pointer;  ///< with '*' for the place or the name of an item
  DrawnNumber (*stated)(const Scenario&, std::string_view item);
  void (*multiply)(Scenario&, std::string_view item, double factor, const DrawnRange&);
  DrawnRange range{};
};

template <auto... members>
constexpr DrawnRow drawn_row(std::string_view pointer, const DrawnRange& range = any_number) {
  return {pointer,
          [](const Scenario& scenario, std::string_view item) {
            const auto* const number = number_at<members...>(scenario, item);
            return number ? stated(*number, item) : std::nullopt;
          },
          [](Scenario& scenario, std::string_view item, double factor, const DrawnRange& held) {
            auto* const number = number_at<members...>(scenario, item);
            if (number) multiply(*number, factor, held, item);
          },
          range};
}

constexpr std::array drawn_rows = {
    drawn_row<&Scenario::dataset, &Dataset::samples>("/dataset/samples", a_count),
    drawn_row<&Scenario::dataset, &Dataset::bytes_per_sample>("/dataset/bytes_per_sample"),
    drawn_row<&Scenario::dataset, &Dataset::size_cv>("/dataset/size_cv", DrawnRange{0.0, 10.0}),
    drawn_row<&Scenario::dataset, &Dataset::samples_per_object>("/dataset/samples_per_object",
                                                                a_count),
    drawn_row<&Scenario::dataset, &Dataset::decoded_bytes_per_sample>(
        "/dataset/decoded_bytes_per_sample"),
    drawn_row<&Scenario::dataset, &Dataset::bytes_on_gpu_per_sample>(
        "/dataset/bytes_on_gpu_per_sample"),
    drawn_row<&Scenario::dataset, &Dataset::pixels_per_sample>("/dataset/pixels_per_sample",
                                                               a_count),
    drawn_row<&Scenario::dataset, &Dataset::row_groups, &RowGroups::rows>(
        "/dataset/row_groups/rows", a_count),
    drawn_row<&Scenario::dataset, &Dataset::row_groups, &RowGroups::read_share>(
        "/dataset/row_groups/read_share", DrawnRange{1e-6, 1.0}),
    drawn_row<&Scenario::dataset, &Dataset::tokens_per_document>("/dataset/tokens_per_document"),
    drawn_row<&Scenario::source, &Source::first_byte_latency>("/source/first_byte_latency"),
    drawn_row<&Scenario::source, &Source::bandwidth_per_connection>(
        "/source/bandwidth_per_connection"),
    drawn_row<&Scenario::source, &Source::bandwidth>("/source/bandwidth"),
    drawn_row<&Scenario::source, &Source::requests_per_second>("/source/requests_per_second"),
    drawn_row<&Scenario::source, &Source::open_latency>("/source/open_latency"),
    drawn_row<&Scenario::source, &Source::line_share>("/source/line_share", DrawnRange{0.01, 1.0}),
    drawn_row<&Scenario::source, &Source::client_cpu>("/source/client_cpu"),
    drawn_row<&Scenario::source, &Source::throughput_per_capacity>(
        "/source/throughput_per_capacity"),
    drawn_row<&Scenario::source, &Source::capacity>("/source/capacity"),
    drawn_row<&Scenario::source, &Source::provisioned_throughput>("/source/provisioned_throughput"),
    drawn_row<&Scenario::source, &Source::storage_price>("/source/storage_price"),
    drawn_row<&Scenario::source, &Source::cache>("/source/cache"),
    drawn_row<&Scenario::source, &Source::storage_held>("/source/storage_held"),
    drawn_row<&Scenario::disk, &Disk::size>("/disk/size"),
    drawn_row<&Scenario::disk, &Disk::snapshot_held>("/disk/snapshot_held"),
    drawn_row<&Scenario::disk, &Disk::bandwidth>("/disk/bandwidth"),
    drawn_row<&Scenario::disk, &Disk::iops>("/disk/iops"),
    drawn_row<&Scenario::disk, &Disk::latency>("/disk/latency"),
    drawn_row<&Scenario::disk, &Disk::open_latency>("/disk/open_latency"),
    drawn_row<&Scenario::disk, &Disk::reads_per_sample>("/disk/reads_per_sample"),
    drawn_row<&Scenario::disk, &Disk::page_cache>("/disk/page_cache"),
    drawn_row<&Scenario::loader, &Loader::worker_startup>("/loader/worker_startup"),
    drawn_row<&Scenario::loader, &Loader::collate>("/loader/collate"),
    drawn_row<&Scenario::loader, &Loader::handover>("/loader/handover"),
    drawn_row<&Scenario::loader, &Loader::handover_cv>("/loader/handover_cv", a_share),
    drawn_row<&Scenario::loader, &Loader::tensors_per_sample>("/loader/tensors_per_sample"),
    drawn_row<&Scenario::loader, &Loader::oversubscription>("/loader/oversubscription",
                                                            DrawnRange{0.0, 10.0}),
    drawn_row<&Scenario::loader, &Loader::contention>("/loader/contention", a_share),
    drawn_row<&Scenario::loader, &Loader::lock>("/loader/lock"),
    drawn_row<&Scenario::loader, &Loader::worker_memory>("/loader/worker_memory"),
    drawn_row<&Scenario::loader, &Loader::read_cv>("/loader/read_cv", DrawnRange{0.0, 10.0}),
    drawn_row<&Scenario::loader, &Loader::make_cv>("/loader/make_cv", DrawnRange{0.0, 10.0}),
    drawn_row<&Scenario::loader, &Loader::remote, &RemoteWorkers::price>("/loader/remote/price"),
    drawn_row<&Scenario::loader, &Loader::remote, &RemoteWorkers::bytes_per_sample>(
        "/loader/remote/bytes_per_sample"),
    drawn_row<&Scenario::preprocess, &Operation::cpu>("/preprocess/*/cpu"),
    drawn_row<&Scenario::preprocess, &Operation::cpu_per_byte>("/preprocess/*/cpu_per_byte"),
    drawn_row<&Scenario::preprocess, &Operation::gpu>("/preprocess/*/gpu"),
    drawn_row<&Scenario::preprocess, &Operation::output_bytes>("/preprocess/*/output_bytes"),
    drawn_row<&Scenario::cluster, &Cluster::savings>("/cluster/savings", a_discount),
    drawn_row<&Scenario::cluster, &Cluster::kept_warm>("/cluster/kept_warm"),
    drawn_row<&Scenario::cluster, &Cluster::failures, &Failures::per_1000_node_days>(
        "/cluster/failures/per_1000_node_days"),
    drawn_row<&Scenario::cluster, &Cluster::failures, &Failures::mttf>("/cluster/failures/mttf"),
    drawn_row<&Scenario::cluster, &Cluster::spot, &Spot::interruption_share_per_month>(
        "/cluster/spot/interruption_share_per_month", DrawnRange{0.0, 0.999}),
    drawn_row<&Scenario::cluster, &Cluster::spot, &Spot::rate>("/cluster/spot/rate"),
    drawn_row<&Scenario::cluster, &Cluster::spot, &Spot::notice>("/cluster/spot/notice"),
    drawn_row<&Scenario::cluster, &Cluster::spot, &Spot::wait_for_capacity>(
        "/cluster/spot/wait_for_capacity"),
    drawn_row<&Scenario::cluster, &Cluster::spot, &Spot::fallback, &SpotFallback::after_wait>(
        "/cluster/spot/fallback/after_wait"),
    drawn_row<&Scenario::cluster, &Cluster::spot, &Spot::on_demand_price>(
        "/cluster/spot/on_demand_price"),
    drawn_row<&Scenario::cluster, &Cluster::price>("/cluster/price"),
    drawn_row<&Scenario::cluster, &Cluster::prices>("/cluster/prices/*"),
    drawn_row<&Scenario::cluster, &Cluster::cpu_quota>("/cluster/cpu_quota"),
    drawn_row<&Scenario::cluster, &Cluster::other_threads>("/cluster/other_threads"),
    drawn_row<&Scenario::cluster, &Cluster::memory>("/cluster/memory"),
    drawn_row<&Scenario::cluster, &Cluster::network>("/cluster/network"),
    drawn_row<&Scenario::cluster, &Cluster::pinned_bandwidth>("/cluster/pinned_bandwidth"),
    drawn_row<&Scenario::cluster, &Cluster::pageable_bandwidth>("/cluster/pageable_bandwidth"),
    drawn_row<&Scenario::cluster, &Cluster::copy_latency>("/cluster/copy_latency"),
    drawn_row<&Scenario::cluster, &Cluster::pcie>("/cluster/pcie"),
    drawn_row<&Scenario::job, &Job::epochs>("/job/epochs", a_count),
    drawn_row<&Scenario::job, &Job::steps>("/job/steps", a_count),
    drawn_row<&Scenario::job, &Job::step, &Step::fixed>("/job/step/fixed"),
    drawn_row<&Scenario::job, &Job::step, &Step::per_sample>("/job/step/per_sample"),
    drawn_row<&Scenario::job, &Job::step, &Step::table>("/job/step/table"),
    drawn_row<&Scenario::job, &Job::step, &Step::times>("/job/step/times"),
    drawn_row<&Scenario::job, &Job::step, &Step::launch>("/job/step/launch"),
    drawn_row<&Scenario::job, &Job::step, &Step::cv>("/job/step/cv", DrawnRange{0.0, 10.0}),
    drawn_row<&Scenario::job, &Job::step, &Step::by_gpu, &GpuStep::fixed>(
        "/job/step/by_gpu/*/fixed"),
    drawn_row<&Scenario::job, &Job::step, &Step::by_gpu, &GpuStep::per_sample>(
        "/job/step/by_gpu/*/per_sample"),
    drawn_row<&Scenario::job, &Job::step, &Step::by_gpu, &GpuStep::table>(
        "/job/step/by_gpu/*/table"),
    drawn_row<&Scenario::job, &Job::step, &Step::parameters>("/job/step/model_parameters"),
    drawn_row<&Scenario::job, &Job::step, &Step::tokens_per_sample>("/job/step/tokens_per_sample",
                                                                    a_count),
    drawn_row<&Scenario::job, &Job::step, &Step::recomputed>("/job/step/recomputed", a_share),
    drawn_row<&Scenario::job, &Job::step, &Step::utilization>("/job/step/utilization",
                                                              DrawnRange{0.001, 1.0}),
    drawn_row<&Scenario::job, &Job::duration_on_one_instance>("/job/duration_on_one_instance"),
    drawn_row<&Scenario::job, &Job::efficiency>("/job/efficiency", a_share),
    drawn_row<&Scenario::job, &Job::allreduce, &AllReduce::gradient_bytes>(
        "/job/allreduce/gradient_bytes"),
    drawn_row<&Scenario::job, &Job::allreduce, &AllReduce::parameters>("/job/allreduce/parameters"),
    drawn_row<&Scenario::job, &Job::allreduce, &AllReduce::compression>(
        "/job/allreduce/compression", a_ratio),
    drawn_row<&Scenario::job, &Job::allreduce, &AllReduce::bucket>("/job/allreduce/bucket"),
    drawn_row<&Scenario::job, &Job::allreduce, &AllReduce::first_bucket>(
        "/job/allreduce/first_bucket"),
    drawn_row<&Scenario::job, &Job::allreduce, &AllReduce::blocks>("/job/allreduce/blocks",
                                                                   a_count),
    drawn_row<&Scenario::job, &Job::allreduce, &AllReduce::points>("/job/allreduce/points"),
    drawn_row<&Scenario::job, &Job::allreduce, &AllReduce::busbw>("/job/allreduce/busbw"),
    drawn_row<&Scenario::job, &Job::allreduce, &AllReduce::busbw_inside>(
        "/job/allreduce/busbw_inside"),
    drawn_row<&Scenario::job, &Job::allreduce, &AllReduce::latency>("/job/allreduce/latency"),
    drawn_row<&Scenario::job, &Job::allreduce, &AllReduce::overlap>("/job/allreduce/overlap",
                                                                    a_share),
    drawn_row<&Scenario::job, &Job::parallel, &ParallelLayout::expert_share>(
        "/job/parallel/expert_share", a_share),
    drawn_row<&Scenario::job, &Job::parallel, &ParallelLayout::overlapped>(
        "/job/parallel/overlapped", a_share),
    drawn_row<&Scenario::job, &Job::startup>("/job/startup"),
    drawn_row<&Scenario::job, &Job::checkpoint, &Checkpoint::interval>("/job/checkpoint/interval"),
    drawn_row<&Scenario::job, &Job::checkpoint, &Checkpoint::size>("/job/checkpoint/size"),
    drawn_row<&Scenario::job, &Job::checkpoint, &Checkpoint::held>("/job/checkpoint/held"),
    drawn_row<&Scenario::job, &Job::checkpoint, &Checkpoint::bandwidth>(
        "/job/checkpoint/bandwidth"),
    drawn_row<&Scenario::job, &Job::checkpoint, &Checkpoint::restart>("/job/checkpoint/restart"),
    drawn_row<&Scenario::job, &Job::value_of_hour>("/job/value_of_hour"),
    drawn_row<&Scenario::accounting, &Accounting::discounts, &Discounts::compute>(
        "/accounting/discounts/compute", a_discount),
    drawn_row<&Scenario::accounting, &Accounting::discounts, &Discounts::auxiliary>(
        "/accounting/discounts/auxiliary", a_discount),
    drawn_row<&Scenario::accounting, &Accounting::discounts, &Discounts::storage>(
        "/accounting/discounts/storage", a_discount),
    drawn_row<&Scenario::accounting, &Accounting::discounts, &Discounts::requests>(
        "/accounting/discounts/requests", a_discount),
    drawn_row<&Scenario::accounting, &Accounting::discounts, &Discounts::transfer>(
        "/accounting/discounts/transfer", a_discount),
    drawn_row<&Scenario::accounting, &Accounting::free_transfer>("/accounting/free_transfer"),
};

/// The row of a pointer, and what it has at the row's '*'.
struct DrawnPlace {
  const DrawnRow* row = nullptr;
  std::string_view item{};
};

DrawnPlace drawn_place(std::string_view pointer) {
  for (const DrawnRow& each : drawn_rows) {
    const std::size_t star = each.pointer.find('*');
    if (star == std::string_view::npos) {
      if (each.pointer == pointer) return {&each, {}};
      continue;
    }
    const std::string_view before = each.pointer.substr(0, star);
    const std::string_view after = each.pointer.substr(star + 1);
    if (pointer.size() <= before.size() + after.size() || !pointer.starts_with(before) ||
        !pointer.ends_with(after)) {
      continue;
    }
    const std::string_view item =
        pointer.substr(star, pointer.size() - before.size() - after.size());
    if (item.find('/') == std::string_view::npos) return {&each, item};
  }
  return {};
}

}  // namespace

std::optional<std::size_t> place_in_list(std::string_view token) {
  std::size_t place = 0;
  const char* const end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, place);
  const bool whole = read.ec == std::errc() && read.ptr == end;
  return whole && (token.front() != '0' || token == "0") ? std::optional(place) : std::nullopt;
}

bool may_have_error(std::string_view pointer) {
  return drawn_place(pointer).row != nullptr;
}

std::optional<StatedNumber> stated_number(const Scenario& scenario, std::string_view pointer) {
  const DrawnPlace place = drawn_place(pointer);
  return place.row != nullptr ? place.row->stated(scenario, place.item) : std::nullopt;
}

void multiply_number(Scenario& scenario, std::string_view pointer, double factor) {
  const DrawnPlace place = drawn_place(pointer);
  if (place.row != nullptr) place.row->multiply(scenario, place.item, factor, place.row->range);
}

}  // namespace feedrate
