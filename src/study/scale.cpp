#include "study/scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <mutex>
#include <set>

#include "base/number_text.hpp"
#include "base/parallel.hpp"
#include "base/portable_math.hpp"
#include "model/efficiency.hpp"
#include "study/drawn_job.hpp"
#include "study/interruptions.hpp"
#include "study/replicate.hpp"
#include "study/run.hpp"
#include "study/scale_out.hpp"
#include "words/job.hpp"

namespace feedrate::study {
namespace {

/// With the global batch kept, a job on one instance is one with all of it, and not `many`'s own
/// small batch alone: what several lose is told against `one`, as a run tells it of equal batches.
void tell_against(const Result& one, Result& many) {
  const auto epochs = [](const Result& r) {
    return r.times.total - r.times.startup - r.times.staging - r.stages[Stage::checkpoint].stall;
  };
  many.efficiency = epochs(one) / (many.instances * epochs(many));
  many.job_efficiency = one.times.total / (many.instances * many.times.total);
  PerStage<double> lost;
  const auto share = [&](Duration alone, Duration time) {
    return or_nothing((time - alone / many.instances) / many.times.total);
  };
  for (const Stage stage : all_stages()) {
    lost[stage] = share(one.stages[stage].stall, many.stages[stage].stall);
  }
  lost[Stage::gpu] += share(one.gpu_busy_time, many.gpu_busy_time);
  many.lost_to_scaling = lost;
}

class TimeCurve {
 public:
  TimeCurve(const Setting& set, const MakeScenario& make, const Catalog& catalog,
            const HostProfile* host, const ScaleOptions& options)
      : set_(set), make_(make), catalog_(catalog), host_(host), options_(options), job_(make(set)) {
    made_.set = set;
    made_.instance = job_.cluster.instance.value_or("");
    made_.to = static_cast<double>(options.to);
    // Of a job that is given by its duration the batch is what it was, however it is shared.
    if (options.kept != BatchKept::global || job_.job.duration_on_one_instance) return;
    if (!job_.loader.batch_size) {
      throw InputError(
          std::vector<Problem>{{"", 0, "/loader/batch_size", std::string(words::expected_batch)}});
    }
    // The fewest samples that a GPU can have: one.
    const double most = std::floor(gpu_share(job_, 1.0).samples);
    if (most < made_.to) {
      made_.end_of_batch = most;
      made_.to = most;
    }
  }

  ScaleCurve answer(const SweepProgress& progress) {
    look_at_all(progress);
    choose();
    add_rows();
    // What is least may be another number by the events, which is then a row as well.
    constexpr int most_rounds = 3;
    by_mean_ = outlays_;
    for (int round = 0; options_.events && round < most_rounds; ++round) {
      bring_to_rows();
      choose();
      if (!add_rows()) break;
    }
    find_bound();
    if (options_.kept == BatchKept::global) compare_with_one();
    std::vector<SweepPoint> points;
    for (const ScaleRow& row : made_.rows) {
      // Beside the fewest of the same job: what keeps the global batch belongs to the number.
      points.push_back(row.point);
      points.back().set = {{"/cluster/instances", whole_text(row.instances)}};
    }
    const auto beside = scale_out(points);
    for (std::size_t i = 0; i < beside.size(); ++i) made_.rows[i].point.scale_out = beside[i];
    return std::move(made_);
  }

 private:
  [[nodiscard]] Setting setting(double n) const {
    Setting all = set_;
    for (auto& one : instances_setting(job_, n, options_.kept)) all.push_back(std::move(one));
    return all;
  }

  void look_at_all(const SweepProgress& progress) {
    const auto count = static_cast<std::size_t>(made_.to);
    outlays_.resize(count);
    std::mutex guard;
    std::size_t done = 0;
    std::optional<std::pair<std::size_t, std::vector<Problem>>> first;
    for_each_index(count, options_.jobs, [&](std::size_t i) {
      std::vector<Problem> problems;
      try {
        outlays_[i] =
            outlay_of(drawn_job(make_(setting(static_cast<double>(i + 1))), catalog_, host_, {}));
      } catch (const InputError& error) {
        problems = error.problems();
      }
      const std::lock_guard lock(guard);
      if (!outlays_[i] && (!first || i < first->first)) first.emplace(i, std::move(problems));
      if (progress) progress(++done, count);
    });
    for (const auto& outlay : outlays_) made_.unanswered += outlay ? 0.0 : 1.0;
    if (first && made_.unanswered == made_.to) throw InputError(std::move(first->second));
  }

  [[nodiscard]] std::optional<ScalePoint> at(double n) const {
    if (n < 1.0 || n > made_.to) return std::nullopt;
    const auto& outlay = outlays_[static_cast<std::size_t>(n) - 1];
    if (!outlay) return std::nullopt;
    return ScalePoint{n, *outlay};
  }

  /// Whether so many instances share the global batch that is to be kept by rounding alone.
  [[nodiscard]] bool rounds(double n) const {
    return options_.kept == BatchKept::global && gpu_share(job_, n).off() > 1e-9;
  }

  /// The first of all that has least of it.
  template <class Of>
  [[nodiscard]] std::optional<ScalePoint> least(const Of& of, const Constraints& within) const {
    // A step that is a guess at its batch serves where nothing else does, and so does another
    // global batch than the one to be kept: with more samples in it a job is done sooner anyway.
    for (const bool rounded : {false, true}) {
      for (const bool guesses : {false, true}) {
        if (auto found = least(of, within, guesses, rounded)) return found;
      }
    }
    return std::nullopt;
  }
  template <class Of>
  [[nodiscard]] std::optional<ScalePoint> least(const Of& of, const Constraints& within,
                                                bool guesses, bool rounded) const {
    std::optional<ScalePoint> best;
    for (double n = 1.0; n <= made_.to; n += 1.0) {
      const auto one = at(n);
      if (!one || !within.in_time(one->outlay.time)) continue;
      if (one->outlay.step_is_guess && !guesses) continue;
      if (rounds(n) && !rounded) continue;
      if (!best || of(one->outlay) < of(best->outlay)) best = one;
    }
    return best;
  }

  void choose() {
    const auto total = [](const Outlay& outlay) { return outlay.total; };
    const auto time = [](const Outlay& outlay) { return outlay.time; };
    made_.least = *least(total, {});
    const auto of_all = least(total, {}, true, false);
    if (of_all && of_all->outlay.total < (1.0 - alike_share) * made_.least.outlay.total) {
      made_.unmeasured = of_all;
    }
    const auto rounding = least(total, {}, false, true);
    made_.evenly =
        rounding && rounding->outlay.total < (1.0 - alike_share) * made_.least.outlay.total;
    made_.before = beside_least(-1.0);
    made_.after = beside_least(1.0);
    made_.fastest = *least(time, {});
    const auto quickest = least(time, {}, true, true);
    quickest_ = quickest->instances;
    if (!options_.deadline) return;
    const Constraints within{options_.deadline, {}};
    made_.least_in_time = least(total, within);
    made_.fewest_in_time = least([](const Outlay&) { return 0.0; }, within);
  }

  /// The next number below or above the one of least cost that may be chosen as it is.
  [[nodiscard]] std::optional<ScalePoint> beside_least(double step) const {
    const ScalePoint& from = made_.least;
    double n = from.instances + step;
    while (n >= 1.0 && n <= made_.to && rounds(n) && !rounds(from.instances)) n += step;
    auto found = at(n);
    if (found && found->outlay.step_is_guess && !from.outlay.step_is_guess) return std::nullopt;
    return found;
  }

  [[nodiscard]] std::set<double> numbers_shown() const {
    std::set<double> shown;
    for (const double n : scale_ladder(made_.to)) shown.insert(n);
    for (const auto* one :
         {&made_.before, &made_.after, &made_.fewest_in_time, &made_.least_in_time}) {
      if (*one) shown.insert((*one)->instances);
    }
    // What the scenario says, for readers to find their own job among the rows.
    if (job_.cluster.instances <= made_.to) shown.insert(job_.cluster.instances);
    shown.insert(made_.least.instances);
    shown.insert(made_.fastest.instances);
    shown.insert(quickest_);
    return shown;
  }

  /// With bands, where the row is to be shown.
  ScaleRow row_of(double n, bool shown = true) const {
    ScaleRow row;
    row.instances = n;
    row.point.set = setting(n);
    row.rounded = rounds(n);
    if (const auto one = at(n)) row.step_is_guess = one->outlay.step_is_guess;
    RunOptions options;
    options.list_inputs = shown;  // caveats and remarks come with them
    options.replications = shown ? options_.draws : 0;
    options.bottlenecks = false;
    options.seed = options_.seed;
    options.events = options_.events && shown;
    options.as_many_samples = true;
    options.gains = Gains::name;
    options.refuse_unheld = true;
    try {
      const Scenario job = make_(row.point.set);
      row.point.result = run(job, catalog_, host_, options);
      if (options_.deadline && options.replications > 0) {
        row.chance_in_time = share_in_time(job, catalog_, host_, options, *options_.deadline);
      }
    } catch (const InputError& error) {
      row.point.problems = error.problems();
    }
    return row;
  }

  /// Those of the numbers shown that are no rows yet; whether there were any.
  bool add_rows() {
    std::vector<double> numbers;
    for (const double n : numbers_shown()) {
      const bool there = std::any_of(made_.rows.begin(), made_.rows.end(),
                                     [&](const ScaleRow& row) { return row.instances == n; });
      if (!there) numbers.push_back(n);
    }
    std::vector<ScaleRow> rows(numbers.size());
    for_each_index(numbers.size(), options_.jobs,
                   [&](std::size_t i) { rows[i] = row_of(numbers[i]); });
    std::move(rows.begin(), rows.end(), std::back_inserter(made_.rows));
    std::sort(made_.rows.begin(), made_.rows.end(),
              [](const ScaleRow& a, const ScaleRow& b) { return a.instances < b.instances; });
    return !numbers.empty();
  }

  /// What rows have, and in between the mean times what it lacks at its neighbours, in proportion
  /// to the logarithm of the number.
  void bring_to_rows() {
    const auto lacks = [&](const ScaleRow& row) {
      const Outlay& mean = *by_mean_[static_cast<std::size_t>(row.instances) - 1];
      const Result& result = row.point.result;
      return std::array{or_nothing(result.times.total / mean.time),
                        or_nothing(result.bill.money / mean.money),
                        or_nothing(result.bill.total / mean.total)};
    };
    std::optional<std::pair<double, std::array<double, 3>>> before;
    double next = 1.0;
    const auto fill = [&](double to, const auto& at_end, double end) {
      for (; next <= to; next += 1.0) {
        auto& outlay = outlays_[static_cast<std::size_t>(next) - 1];
        if (!outlay) continue;
        outlay = by_mean_[static_cast<std::size_t>(next) - 1];
        const double share =
            before ? portable::log(next / before->first) / portable::log(end / before->first) : 1.0;
        const auto times = [&](std::size_t i) {
          return before ? before->second[i] + share * (at_end[i] - before->second[i]) : at_end[i];
        };
        outlay->time *= times(0);
        outlay->money *= times(1);
        outlay->total *= times(2);
      }
    };
    for (const ScaleRow& row : made_.rows) {
      if (!row.point.answered() || !at(row.instances)) continue;
      const auto end = lacks(row);
      fill(row.instances, end, row.instances);
      before.emplace(row.instances, end);
    }
    if (before) fill(made_.to, before->second, 2.0 * before->first);
  }

  void compare_with_one() {
    const ScaleRow& one = made_.rows.front();
    for (auto row = made_.rows.begin() + 1; row != made_.rows.end(); ++row) {
      if (!row->point.answered()) continue;
      if (one.instances == 1.0 && one.point.answered()) {
        tell_against(one.point.result, row->point.result);
      } else {
        row->point.result.efficiency.reset();
        row->point.result.job_efficiency.reset();
        row->point.result.lost_to_scaling.reset();
      }
    }
  }

  /// Between a row that shares without waiting and the next one that waits: the first that does.
  void find_bound() {
    const auto binds = [](const ScaleRow& row) {
      return row.point.answered() && row.point.result.shared_limit &&
             row.point.result.shared_limit->binds;
    };
    const auto first = std::find_if(made_.rows.begin(), made_.rows.end(), binds);
    if (first == made_.rows.end()) return;
    ScaleRow bound = *first;
    double free = first == made_.rows.begin() ? 0.0 : std::prev(first)->instances;
    while (bound.instances - free > 1.0) {
      const double middle = std::floor((free + bound.instances) / 2.0);
      ScaleRow row = row_of(middle, false);
      if (binds(row)) {
        bound = std::move(row);
      } else {
        free = middle;
      }
    }
    made_.bound = bound.point.result.shared_limit;
    made_.bound->from = bound.instances;
    if (bound.instances == first->instances) return;
    made_.rows.insert(first, row_of(bound.instances));
  }

  const Setting& set_;
  const MakeScenario& make_;
  const Catalog& catalog_;
  const HostProfile* host_;
  const ScaleOptions& options_;
  const Scenario job_;
  ScaleCurve made_;
  double quickest_ = 1.0;                       ///< whatever its batch and its step
  std::vector<std::optional<Outlay>> outlays_;  ///< with 1, 2, … instances; empty: no result
  std::vector<std::optional<Outlay>> by_mean_;
};

}  // namespace

ScaleCurve scale_curve(const Setting& set, const MakeScenario& make, const Catalog& catalog,
                       const HostProfile* host, const ScaleOptions& options,
                       const SweepProgress& progress) {
  return TimeCurve(set, make, catalog, host, options).answer(progress);
}

}  // namespace feedrate::study
