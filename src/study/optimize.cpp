#include "study/optimize.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "study/choice.hpp"
#include "study/optimize_parts.hpp"
#include "study/point_problems.hpp"
#include "study/sweep.hpp"
#include "words/job.hpp"

namespace feedrate::study {
namespace {

/// Points that a thread takes at a time.
constexpr std::size_t most_in_block = 64;
constexpr std::size_t most_reasons = 5;

/// Reasons in few words, with the number of points that have each and the first of them.
class Reasons {
 public:
  void add(std::size_t point, const InputError& error) {
    std::string words;
    for (const Problem& problem : error.problems()) {
      // Amounts differ from point to point: what comes before the first says what it is.
      const std::string& text = problem.brief.empty() ? problem.message : problem.brief;
      words += problem.pointer + ' ' + text.substr(0, text.find_first_of(":;(0123456789")) + '\n';
    }
    const std::lock_guard lock(mutex_);
    auto& [points, first] = reasons_.try_emplace(std::move(words), 0, point).first->second;
    ++points;
    first = std::min(first, point);
    problems_.add(point, error);
  }

  /// As PointProblems.
  void throw_if_all(const Axes& axes) const {
    problems_.throw_if_all(axes.size(),
                           [&](std::size_t point) { return setting_words(axes.at(point)); });
  }

  /// Number of points and first point of each reason, most points first.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> ordered() const {
    std::vector<std::pair<std::size_t, std::size_t>> list;
    for (const auto& [words, reason] : reasons_) list.push_back(reason);
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    return list;
  }

  [[nodiscard]] std::size_t count() const { return problems_.count(); }

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> reasons_;
  PointProblems problems_;
};

void simulate_all(Field& field, Reasons& reasons, const Catalog& catalog, const HostProfile* host,
                  const RunOptions& run, const SweepProgress& progress) {
  std::mutex reporting;
  std::size_t done = 0;
  const std::size_t block = run.events ? 1 : most_in_block;
  const std::size_t blocks = (field.size() + block - 1) / block;
  for_each_index(blocks, field.options().jobs, [&](std::size_t b) {
    const std::size_t end = std::min(field.size(), (b + 1) * block);
    for (std::size_t point = b * block; point < end; ++point) {
      const Scenario scenario = field.axes().scenario(point);
      try {
        field.set(point, outlay_of(scenario, catalog, host, run));
      } catch (const InputError& error) {
        field.set_unanswered(point);
        reasons.add(point, error);
      }
    }
    const std::lock_guard lock(reporting);
    done += end - b * block;
    if (progress) progress(done, field.size());
  });
}

std::vector<NoResult> commonest(const Reasons& reasons, const Axes& axes, const Catalog& catalog,
                                const HostProfile* host, const RunOptions& options) {
  std::vector<NoResult> list;
  for (const auto& [points, first] : reasons.ordered()) {
    if (list.size() == most_reasons) break;
    try {
      static_cast<void>(outlay_of(axes.scenario(first), catalog, host, options));
    } catch (const InputError& error) {
      list.push_back({error.problems(), axes.at(first), points});
    }
  }
  return list;
}

std::optional<Outlay> as_written(const Axes& axes, const Catalog& catalog, const HostProfile* host,
                                 const RunOptions& options) {
  try {
    return outlay_of(axes.make({}), catalog, host, options);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Without any, only time can be compared.
bool any_price(const Field& field) {
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field.answered(i) && field[i].total > Money{}) return true;
  }
  return false;
}

/// Where no point keeps the constraints: which comes nearest, and what could be had at all.
void fill_misses(Optimum& optimum, const Field& field) {
  const Constraints& constraints = field.options().constraints;
  std::optional<std::size_t> nearest, fastest, cheapest;
  const auto better = [&](std::optional<std::size_t>& best, std::size_t i, auto&& value) {
    if (!best || value(i) < value(*best)) best = i;
  };
  bool any_whole = false;
  for (std::size_t i = 0; i < field.size(); ++i) {
    any_whole = any_whole || (field.answered(i) && !field[i].unpriced);
  }
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (!field.answered(i)) continue;
    better(fastest, i, [&](std::size_t p) { return rank_of(field[p], Minimized::time); });
    const bool only_looks_cheap = any_whole && field[i].unpriced;
    // A bill that lacks a price is near no budget by it; how late it is has nothing to do with
    // that.
    if (!only_looks_cheap || !constraints.budget) {
      better(nearest, i, [&](std::size_t p) {
        return std::pair(excess(field[p], constraints), field.rank(p));
      });
    }
    if (only_looks_cheap) continue;
    better(cheapest, i, [&](std::size_t p) { return rank_of(field[p], Minimized::money); });
  }
  NearestMiss& miss = optimum.nearest.emplace();
  miss.point = field.candidate(*nearest);
  const Outlay& outlay = miss.point.outlay;
  if (!constraints.in_time(outlay.time)) miss.late = outlay.time - *constraints.deadline;
  if (!constraints.in_budget(outlay.money)) miss.over = outlay.money - *constraints.budget;
  optimum.fastest = field.candidate(*fastest);
  optimum.cheapest = field.candidate(*cheapest);
}

std::size_t feasible_of(const Field& field) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < field.size(); ++i) count += field.feasible(i) ? 1 : 0;
  return count;
}

}  // namespace

Optimum optimize(const Axes& axes, const Catalog& catalog, const HostProfile* host,
                 const OptimizeOptions& asked, const SweepProgress& progress) {
  OptimizeOptions options = asked;
  Field field(axes, options);
  Reasons reasons;
  RunOptions of_points = options.run;
  of_points.events = of_points.events && axes.size() <= most_points_by_events;
  simulate_all(field, reasons, catalog, host, of_points, progress);
  reasons.throw_if_all(axes);
  if (!any_price(field)) options.minimized = Minimized::time;
  Optimum optimum;
  optimum.minimized = options.minimized;
  optimum.no_price = options.minimized != asked.minimized;
  optimum.constraints = options.constraints;
  optimum.as_written = as_written(axes, catalog, host, of_points);
  optimum.points = axes.size();
  optimum.unanswered = reasons.count();
  optimum.no_result = commonest(reasons, axes, catalog, host, of_points);
  optimum.other_reasons = reasons.ordered().size() - optimum.no_result.size();
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (!field.answered(i)) continue;
    const Outlay& outlay = field[i];
    if (outlay.total != outlay.money) optimum.hours_count = true;
    if (options.constraints.in_time(outlay.time)) ++optimum.in_time;
    if (options.constraints.in_budget(outlay.money)) ++optimum.in_budget;
  }
  optimum.feasible = feasible_of(field);
  const auto with_unpriced = field.first(options.constraints);
  field.set_unpriced_aside();
  const auto of_all = field.first(options.constraints);
  const std::size_t with_guesses = feasible_of(field);
  field.set_guesses_aside();
  optimum.guessed = with_guesses - feasible_of(field);
  if (const auto first = field.first(options.constraints)) {
    optimum.winner = winner_of(field, *first, catalog, host);
    if (std::string remark = batch_follows(axes); !remark.empty()) {
      optimum.winner->result.remarks.push_back(std::move(remark));
    }
    if (with_unpriced != of_all) {
      optimum.winner->result.caveats.push_back(
          words::cheaper_but_unpriced(setting_words(field.axes().at(*with_unpriced))));
    }
    if (end_of_alike(field.rank(*of_all)) < field.rank(*first)) {
      optimum.winner->unmeasured = field.candidate(*of_all);
      optimum.winner->result.caveats.push_back(words::better_but_guessed(
          setting_words(optimum.winner->unmeasured->set),
          1.0 - field.rank(*of_all).front() / field.rank(*first).front()));
    }
  } else {
    fill_misses(optimum, field);
  }
  return optimum;
}

}  // namespace feedrate::study
