#include "study/observed_nodes.hpp"

#include <algorithm>
#include <utility>

#include "base/statistics.hpp"
#include "words/observed.hpp"

namespace feedrate::study {
namespace {

using Figure = std::optional<ObservedNumber> ObservedJob::*;

/// A node's figure, and the middle of the other nodes' where all of them tell it.
struct Beside {
  double own = 0.0;
  double others = 0.0;
};

template <class Of>
std::optional<Beside> beside(const ObservedNodes& all, std::size_t node, const Of& of) {
  const auto own = of(all.nodes[node].job);
  std::vector<double> others;
  for (std::size_t i = 0; i < all.nodes.size(); ++i) {
    if (i == node) continue;
    const std::optional<double> one = of(all.nodes[i].job);
    if (one) others.push_back(*one);
  }
  if (!own || others.size() + 1 < all.nodes.size()) return std::nullopt;
  return Beside{*own, median(others)};
}

auto figure(Figure member) {
  return [member](const ObservedJob& job) -> std::optional<double> {
    const auto& number = job.*member;
    return number ? std::optional(number->value) : std::nullopt;
  };
}

std::optional<double> disk_busy(const ObservedJob& job) {
  if (!job.disk || !job.disk->busy) return std::nullopt;
  return job.disk->busy->value;
}

/// What a worker of the node spends on a sample, s: it is always at one, where the node waits.
double worker_time(const ObservedJob& job) {
  return std::max(1.0, job.workers) * job.gpus / job.throughput.value;
}

/// Why a node's batches come late: each with how much of a worker's time at a sample it explains.
std::vector<std::string> causes_of(const ObservedNodes& all, std::size_t node) {
  constexpr double more = 1.1;  // times the others'
  const ObservedJob& job = all.nodes[node].job;
  const double each = worker_time(job);
  std::vector<std::pair<double, std::string>> found;
  double known = 0.0;
  const auto cpu = beside(all, node, figure(&ObservedJob::worker_cpu));
  if (cpu) {
    known += cpu->own;
    if (cpu->own > more * cpu->others) {
      found.emplace_back(cpu->own - cpu->others,
                         words::node_needs_cpu(seconds(cpu->own), seconds(cpu->others)));
    }
  }
  const auto queue = beside(all, node, figure(&ObservedJob::worker_cpu_wait));
  if (queue) {
    known += queue->own;
    if (queue->own > queue->others + 0.05 * each) {
      found.emplace_back(queue->own - queue->others,
                         words::node_lacks_cpu(seconds(queue->own), seconds(queue->others),
                                               job.others.value_or(0.0)));
    }
  }
  const double reading = std::max(0.0, each - known);
  const auto from_device = beside(all, node, figure(&ObservedJob::device_bytes));
  const bool cold = from_device && from_device->own > 1e3 &&
                    from_device->own > 1.5 * from_device->others && reading > 0.1 * each;
  if (cold) {
    found.emplace_back(reading,
                       words::node_is_cold(bytes(from_device->own), bytes(from_device->others)));
  }
  const auto busy = beside(all, node, disk_busy);
  if (busy && busy->own > 0.5 && busy->own > 1.2 * busy->others) {
    found.emplace_back(reading * busy->own, words::node_has_busy_disk(busy->own, busy->others));
  }
  if (!cold && cpu && reading > 0.3 * each) {
    found.emplace_back(0.5 * reading, words::node_waits_for_reads(seconds(rounded(reading, 3))));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> causes;
  for (auto& [share, text] : found) causes.push_back(std::move(text));
  return causes;
}

/// The node whose figure is furthest to one side of the others', and by how much of the next one's.
struct Extreme {
  std::size_t node = 0;
  double own = 0.0;
  double next = 0.0;
};

std::optional<Extreme> extreme(const ObservedNodes& all, Figure member, bool largest) {
  std::vector<std::pair<double, std::size_t>> values;
  for (std::size_t i = 0; i < all.nodes.size(); ++i) {
    const auto& number = all.nodes[i].job.*member;
    if (!number) return std::nullopt;
    values.emplace_back(largest ? -number->value : number->value, i);
  }
  std::sort(values.begin(), values.end());
  return Extreme{values[0].second, std::abs(values[0].first), std::abs(values[1].first)};
}

void judge_by_waits(ObservedNodes& all, const Extreme& last) {
  all.pace = last.node;
  const double late = last.own - last.next;
  if (late <= waits_for_loader * all.nodes[last.node].job.interval.value) return;
  all.straggler = last.node;
  all.late = seconds(late);
  all.causes = causes_of(all, last.node);
}

void judge_by_gpus(ObservedNodes& all) {
  if (const auto first = extreme(all, &ObservedJob::exposed_collective, false)) {
    const double late = first->next - first->own;
    if (late > waits_for_loader * all.nodes[first->node].job.interval.value) {
      all.straggler = all.pace = first->node;
      all.late = seconds(late);
    }
  }
  const auto slowest = extreme(all, &ObservedJob::gpu_clock, false);
  constexpr double lower = 0.95;
  if (!slowest || slowest->own >= lower * slowest->next) return;
  if (all.straggler && *all.straggler != slowest->node) return;
  all.straggler = all.pace = slowest->node;
  all.causes.push_back(
      words::node_has_slow_gpus(Frequency::of(slowest->own), Frequency::of(slowest->next)));
}

}  // namespace

double ObservedNodes::throughput() const {
  return static_cast<double>(nodes.size()) * nodes[pace].job.throughput.value;
}

ObservedNodes judge_nodes(std::vector<ObservedNode> nodes) {
  ObservedNodes all;
  all.nodes = std::move(nodes);
  const auto last = extreme(all, &ObservedJob::wait, true);
  if (last) judge_by_waits(all, *last);
  if (!all.straggler) judge_by_gpus(all);
  return all;
}

std::string verdict_on(const ObservedNodes& all) {
  const bool told = std::all_of(all.nodes.begin(), all.nodes.end(),
                                [](const ObservedNode& node) { return node.job.wait.has_value(); });
  if (!all.straggler) return words::no_straggler(all.nodes.size(), told);
  const ObservedNode& node = all.nodes[*all.straggler];
  std::string rank;
  double longest = 0.0;
  double others = 0.0;
  for (const auto& [name, wait] : node.job.rank_waits) {
    if (wait > longest) {
      others = std::max(others, longest);
      longest = wait;
      rank = name;
    } else {
      others = std::max(others, wait);
    }
  }
  if (longest - others <= waits_for_loader * node.job.interval.value) rank.clear();
  return words::straggler(node.name, rank, all.late, node.job.interval.value, all.causes);
}

ObservedScenario observed_scenario(const ObservedNodes& all) {
  ObservedJob job = all.nodes[all.pace].job;
  job.instances = std::max(job.instances, static_cast<double>(all.nodes.size()));
  ObservedScenario made = observed_scenario(job);
  made.scenario.about.expectation = verdict_on(all) + " " + made.scenario.about.expectation;
  return made;
}

}  // namespace feedrate::study
