#include "study/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "base/errors.hpp"
#include "study/cost.hpp"

namespace feedrate::study {
namespace {

/// Break-even efficiency of the first point with several instances and an hour that is worth
/// something.
std::optional<double> break_even(std::span<const SweepInput> inputs,
                                 const std::vector<SweepPoint>& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& value = inputs[i].scenario.job.value_of_hour;
    const Result& result = points[i].result;
    if (!value || result.instances <= 1.0 || result.bill.billed_time.base() <= 0.0) continue;
    const HourlyPrice price = result.bill.compute / (result.bill.billed_time * result.instances);
    return break_even_efficiency(price, *value, result.instances);
  }
  return std::nullopt;
}

}  // namespace

InputError at_point(const InputError& error, const SweepInput& input) {
  std::string where;
  for (const auto& [key, value] : input.set)
    where += (where.empty() ? "" : ", ") + key + "=" + value;
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) problem.message += " (at " + where + ")";
  return InputError(std::move(problems));
}

std::vector<std::size_t> pareto_set(std::span<const SweepPoint> points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto time = [&](std::size_t i) { return points[i].result.times.total; };
  const auto cost = [&](std::size_t i) { return points[i].result.bill.total; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return time(a) != time(b) ? time(a) < time(b) : cost(a) < cost(b);
  });
  std::vector<std::size_t> front;
  for (std::size_t i : order) {
    if (front.empty() || cost(i) < cost(front.back())) front.push_back(i);
  }
  return front;
}

Sweep sweep(std::span<const SweepInput> inputs, const Catalog& catalog, const HostProfile* host,
            const RunOptions& options, int jobs, const SweepProgress& progress) {
  Sweep sweep;
  sweep.points.resize(inputs.size());
  std::vector<std::exception_ptr> failures(inputs.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex reporting;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < inputs.size() && !failed; i = next++) {
      try {
        sweep.points[i] = {inputs[i].set, run(inputs[i].scenario, catalog, host, options)};
      } catch (...) {
        failures[i] = std::current_exception();
        failed = true;
      }
      const std::lock_guard lock(reporting);
      ++done;
      if (progress) progress(done, inputs.size());
    }
  };
  const std::size_t wanted =
      jobs > 0 ? static_cast<std::size_t>(jobs) : std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 1; t < std::min(wanted, inputs.size()); ++t) threads.emplace_back(work);
    work();
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!failures[i]) continue;
    try {
      std::rethrow_exception(failures[i]);
    } catch (const InputError& error) {
      throw at_point(error, inputs[i]);
    }
  }
  const auto by = [&](auto&& value) {
    const auto best = std::min_element(sweep.points.begin(), sweep.points.end(),
                                       [&](const SweepPoint& a, const SweepPoint& b) {
                                         return value(a.result) < value(b.result);
                                       });
    return static_cast<std::size_t>(best - sweep.points.begin());
  };
  if (inputs.empty()) return sweep;
  sweep.fastest = by([](const Result& r) { return std::pair(r.times.total, r.bill.total); });
  sweep.cheapest = by([](const Result& r) { return std::pair(r.bill.total, r.times.total); });
  sweep.pareto = pareto_set(sweep.points);
  sweep.break_even_efficiency = break_even(inputs, sweep.points);
  return sweep;
}

}  // namespace feedrate::study
