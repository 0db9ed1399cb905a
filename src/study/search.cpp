#include "study/search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/append_once.hpp"
#include "base/errors.hpp"
#include "base/random.hpp"
#include "model/metrics.hpp"
#include "resolve/resolve.hpp"
#include "study/bottleneck.hpp"
#include "study/by_events.hpp"
#include "study/drawn_job.hpp"
#include "study/replicate.hpp"
#include "words/cases.hpp"

namespace feedrate::study {
namespace {

/// Values to look at before anything is bisected.
struct Spacing {
  long all_of_first = 64;  ///< so many values at the start of the range are all tried
  long share = 8;          ///< further ones lie a share (one in so many) of the distance apart
};

std::vector<long> values_to_try(long from, long to, Spacing spacing) {
  std::vector<long> values;
  for (long n = from; n < to;) {
    values.push_back(n);
    const long distance = n - from;
    n += distance + 1 < spacing.all_of_first ? 1 : std::max(1L, distance / spacing.share);
  }
  values.push_back(to);
  return values;
}

class Seeker {
 public:
  Seeker(const Search& search, const Setting& with, const MakeScenario& make,
         const Catalog& catalog, const HostProfile* host, const RunOptions& options)
      : search_(search),
        with_(with),
        make_(make),
        catalog_(catalog),
        host_(host),
        options_(options),
        from_(static_cast<long>(search.from)),
        to_(static_cast<long>(search.to)),
        onward_(search.extreme == Extreme::largest ? 1 : -1) {
    options_.replications = 0;
    options_.weigh = false;
    options_.list_inputs = false;
    options_.events = false;
    by_events_ = options.events && !options.exact;
  }

  SearchAnswer answer() {
    SearchAnswer out;
    out.search = search_;
    const std::optional<long> by_mean = seek();
    refuse_if_none_ran();
    if (by_mean) out.by_mean = static_cast<double>(*by_mean);
    const std::optional<long> found = by_events_ ? by_events_from(by_mean) : by_mean;
    if (found) {
      out.there = explained(*found);
      const long next = *found + onward_;
      if (in_range(next)) out.beyond = explained(next);
      const auto fails = first_failure_before(*found);
      if (fails && !shown(*fails).holds) out.exception = explained(*fails);
    } else {
      out.beyond = explained(nearest());
    }
    add_doubts(out.there ? out.there : out.beyond);
    out.by_events = static_cast<std::size_t>(
        std::count_if(points_by_events_.begin(), points_by_events_.end(),
                      [](const auto& entry) { return entry.second.result.by_events; }));
    out.tried = tried_.size();
    out.tried_all = static_cast<long>(out.tried) == to_ - from_ + 1;
    return out;
  }

  /// The answer where the uncertain inputs lie as `draw` says, sought from `start` on; one beyond
  /// the range's start for none.
  long drawn_answer(const resolve::Draw& draw, const Own& own, long start, FigureId figure) {
    const auto holds_at = [&](long n) {
      try {
        const DrawnJob job = drawn_job(scenario(n), catalog_, host_, draw, own);
        return keeps(figure_of(job, figure));
      } catch (const InputError&) {
        return false;
      }
    };
    return walked(start, holds_at);
  }

  /// What `run` simulates of the job at this value; null where there is no such job.
  const Stated* stated_at(long n) {
    shown(n);
    const auto known = stated_.find(n);
    return known == stated_.end() ? nullptr : &known->second;
  }

 private:
  [[nodiscard]] bool in_range(long n) const { return n >= from_ && n <= to_; }

  [[nodiscard]] RunOptions options_of(bool by_events) const {
    RunOptions options = options_;
    options.events = by_events;
    return options;
  }

  /// The last of those that hold without a gap from `start` on, or before it where `start` does
  /// not; one beyond the range's start for none. Looked at are values at doubled distances, and
  /// those of a bisection between two of them.
  [[nodiscard]] long walked(long start, const std::function<bool(long)>& holds) const {
    // Everything below is told as if the largest were sought: the other way round it is mirrored.
    const long first = onward_ > 0 ? from_ : -to_;
    const long last = onward_ > 0 ? to_ : -from_;
    const auto good = [&](long n) { return holds(onward_ * n); };
    long low = onward_ * start;  // holds, once found
    long high = low;             // does not, or lies beyond the range
    if (good(low)) {
      long stride = 1;
      for (high = low + stride; high <= last && good(high); high = low + stride) {
        low = high;
        stride *= 2;
      }
      high = std::min(high, last + 1);
    } else {
      long stride = 1;
      for (low = high - stride; low >= first && !good(low); low = high - stride) {
        high = low;
        stride *= 2;
      }
      low = std::max(low, first - 1);
    }
    while (high - low > 1) {
      const long middle = low + (high - low) / 2;
      (good(middle) ? low : high) = middle;
    }
    return onward_ * low;
  }

  /// Where the closed form and the events part, the answer lies near the closed form's.
  std::optional<long> by_events_from(std::optional<long> by_mean) {
    const long at = walked(by_mean.value_or(nearest()), [&](long n) { return shown(n).holds; });
    return in_range(at) ? std::optional(at) : std::nullopt;
  }

  /// What is doubtful of the inputs, which is not asked at each point.
  void add_doubts(std::optional<SearchPoint>& shown) {
    if (!shown || !shown->problems.empty()) return;
    const Scenario& of = scenario(static_cast<long>(shown->at));
    for (std::string& doubt : resolve::resolve(of, catalog_, host_).caveats) {
      append_once(shown->result.caveats, std::move(doubt));
    }
  }

  /// The last digits of a sum make no difference.
  [[nodiscard]] bool keeps(double value) const {
    constexpr double noise = 1e-9;
    const Limit& condition = search_.condition;
    const bool same = std::abs(value - condition.bound) <= noise * std::abs(condition.bound);
    return holds(same ? condition.bound : value, condition.comparison, condition.bound);
  }

  const Scenario& scenario(long n) {
    const auto known = scenarios_.find(n);
    if (known != scenarios_.end()) return known->second;
    Setting set = with_;
    set.emplace_back(search_.key, std::to_string(n));
    return scenarios_.emplace(n, make_(set)).first->second;
  }

  const SearchPoint& point(long n) {
    tried_.insert(n);
    return point_in(points_, n, false);
  }
  /// As an answer shows it.
  const SearchPoint& shown(long n) {
    return by_events_ ? point_in(points_by_events_, n, true) : point(n);
  }

  const SearchPoint& point_in(std::map<long, SearchPoint>& points, long n, bool by_events) {
    const auto known = points.find(n);
    if (known != points.end()) return known->second;
    SearchPoint made;
    made.at = static_cast<double>(n);
    try {
      Stated stated;
      made.result = run(scenario(n), catalog_, host_, options_of(by_events), &stated);
      if (by_events == by_events_) stated_.emplace(n, std::move(stated));
    } catch (const InputError& error) {
      made.problems = error.problems();
    }
    if (made.problems.empty()) {
      const Limit& condition = search_.condition;
      const auto value = metric(made.result, condition.metric);
      if (!value) {
        throw InputError(std::vector<Problem>{
            {"", 0, search_.pointer, words::no_such_figure("figure", condition.metric)}});
      }
      made.value = value;
      made.holds = keeps(*value);
    }
    return points.emplace(n, std::move(made)).first->second;
  }

  /// With what GPUs wait for and what their samples weigh.
  SearchPoint explained(long n) {
    SearchPoint made = shown(n);
    if (!made.problems.empty()) return made;
    const pipeline::Outcome& outcome = stated_at(n)->outcome;
    PerStage<Duration> waits = outcome.trained.stall;
    waits[Stage::checkpoint] += outcome.checkpoints;
    // What they wait longest for need not be what keeps that stage waiting.
    const std::optional<Stage> bottleneck = made.result.bottleneck.stage;
    if (bottleneck && waits[*bottleneck] >= least_gain * outcome.trained.wall) {
      made.waits_for = bottleneck;
    } else {
      constexpr auto stages = all_stages();
      const Stage longest = *std::max_element(
          stages.begin(), stages.end(), [&](Stage a, Stage b) { return waits[a] < waits[b]; });
      if (waits[longest] > Duration{}) made.waits_for = longest;
    }
    const DataPerSample stored = resolve::bytes_in_chain(scenario(n)).stored;
    if (made.result.throughput && stored > DataPerSample{}) {
      made.bytes = *made.result.throughput * stored;
    }
    return made;
  }

  bool good(long n) { return point(n).holds; }

  /// Between a value that holds and one that does not: the last of those from `yes` on that hold.
  long edge(long yes, long no) {
    while (std::abs(no - yes) > 1) {
      const long middle = yes + (no - yes) / 2;
      (good(middle) ? yes : no) = middle;
    }
    return yes;
  }

  std::optional<long> seek() {
    const Spacing spacing = options_.exact ? Spacing{1, 1} : Spacing{};
    std::vector<long> values = values_to_try(from_, to_, spacing);
    for (const long n : values) good(n);
    if (onward_ < 0) std::reverse(values.begin(), values.end());
    const auto last = std::find_if(values.rbegin(), values.rend(), [&](long n) { return good(n); });
    if (last == values.rend()) return std::nullopt;
    if (last == values.rbegin()) return *last;
    const long fails = *(last - 1);
    long found = edge(*last, fails);
    return options_.exact ? found : last_near(found);
  }

  /// The last that holds before so many in a row do not: where samples divide evenly among
  /// instances or batches, a value holds again that bisection did not look at. Of a condition that
  /// holds for each multiple of something there is no such end before that of the range.
  long last_near(long found) {
    constexpr long in_a_row = 64;
    constexpr long most = 4096;
    const long edge = found;
    for (long n = found + onward_; n >= from_ && n <= to_; n += onward_) {
      if (std::abs(n - found) > in_a_row || std::abs(n - edge) > most) break;
      if (holds_in_passing(n)) found = n;
    }
    return found;
  }

  /// As good(), of one in a long row: where it does not hold, nothing else is kept of it.
  bool holds_in_passing(long n) {
    if (points_.find(n) != points_.end() || good(n)) return good(n);
    points_.erase(n);
    stated_.erase(n);
    scenarios_.erase(n);
    return false;
  }

  std::optional<long> first_failure_before(long found) {
    std::vector<long> tried;
    for (const auto& [n, one] : points_) tried.push_back(n);
    if (onward_ < 0) std::reverse(tried.begin(), tried.end());
    std::optional<long> held;
    for (const long n : tried) {
      if (onward_ * n >= onward_ * found) return std::nullopt;
      if (good(n)) {
        held = n;
      } else {
        return held ? edge(*held, n) + onward_ : n;
      }
    }
    return std::nullopt;
  }

  /// Where the condition holds for none of the values that were tried: the one that comes nearest.
  long nearest() const {
    long at = onward_ > 0 ? from_ : to_;
    std::optional<double> least;
    for (const auto& [n, point] : points_) {
      if (!point.value) continue;
      const double off = std::abs(*point.value - search_.condition.bound);
      if (least && off >= *least) continue;
      least = off;
      at = n;
    }
    return at;
  }

  void refuse_if_none_ran() {
    const auto ran = [](const auto& entry) { return entry.second.problems.empty(); };
    if (std::any_of(points_.begin(), points_.end(), ran)) return;
    throw InputError(points_.begin()->second.problems);
  }

  const Search& search_;
  const Setting& with_;
  const MakeScenario& make_;
  const Catalog& catalog_;
  const HostProfile* host_;
  RunOptions options_;
  long from_;
  long to_;
  long onward_;  ///< 1 where the largest is sought, else -1
  bool by_events_ = false;
  std::map<long, SearchPoint> points_;
  std::map<long, SearchPoint> points_by_events_;
  std::map<long, Stated> stated_;  ///< of the points that are shown
  std::map<long, Scenario> scenarios_;
  std::set<long> tried_;  ///< also those of which nothing is kept
};

/// The k-th of n in order, as near as whole answers come to the quantile.
double order_statistic(const std::vector<double>& sorted, double p) {
  const double at = std::round(p * static_cast<double>(sorted.size() - 1));
  return sorted[static_cast<std::size_t>(at)];
}

}  // namespace

SearchAnswer search(const Search& search, const Setting& with, const MakeScenario& make,
                    const Catalog& catalog, const HostProfile* host, const RunOptions& options) {
  Seeker seeker(search, with, make, catalog, host, options);
  SearchAnswer answer = seeker.answer();
  const Figure* const figure = find_figure(search.condition.metric);
  if (options.replications <= 0 || figure == nullptr || figure->band == nullptr) return answer;
  const bool largest = search.extreme == Extreme::largest;
  const double start = answer.there ? answer.there->at : (largest ? search.from : search.to);
  const Stated* const stated = seeker.stated_at(static_cast<long>(start));
  const double stretch = stated != nullptr ? stated->stretch() : 1.0;
  std::vector<double> values;
  answer.draws = each_replication(options, [&](std::uint64_t stream) {
    const resolve::Draw draw = [&](std::string_view key) {
      return uniform_of(options.seed, stream, key);
    };
    Own own;
    own.course = Own::of(options.seed, stream).course;
    own.class_errors = options.class_errors;
    own.stretch = stretch;
    values.push_back(
        static_cast<double>(seeker.drawn_answer(draw, own, static_cast<long>(start), figure->id)));
  });
  std::sort(values.begin(), values.end());
  answer.band = Band{order_statistic(values, 0.05), order_statistic(values, 0.5),
                     order_statistic(values, 0.95)};
  return answer;
}

}  // namespace feedrate::study
