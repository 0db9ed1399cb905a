#include "study/case_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/statistics.hpp"

namespace feedrate::study {
namespace {

/// A prediction that is not a number counts as infinitely wrong.
double counted(double error) {
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

/// The same figure of the same setting, and so the same prediction.
bool measures_again(const CaseResult& a, const CaseResult& b) {
  const Case& one = a.what;
  const Case& other = b.what;
  return one.metric == other.metric && one.set == other.set &&
         one.relative_to == other.relative_to && one.known == other.known &&
         a.predicted == b.predicted;
}

using Repeats = std::vector<const CaseResult*>;

double mean_measured(const Repeats& of) {
  double sum = 0.0;
  for (const CaseResult* const one : of) sum += one->what.measured;
  return sum / static_cast<double>(of.size());
}

class Gatherer {
 public:
  void add(const ScenarioCases& of) {
    std::vector<Repeats> settings;
    for (const CaseResult& result : of.cases) {
      if (!is_counted(result)) continue;
      add_repeats(result);
      const auto same = std::find_if(settings.begin(), settings.end(), [&](const Repeats& one) {
        return measures_again(*one.front(), result);
      });
      if (same == settings.end()) {
        settings.push_back({&result});
      } else {
        same->push_back(&result);
        ++sum_.again;
      }
    }
    for (const Repeats& setting : settings) add_setting(of.file, setting);
  }

  CaseSummary finish() && {
    if (sizes_.empty()) return std::move(sum_);
    const auto count = static_cast<double>(sizes_.size());
    for (const double size : sizes_) sum_.mean += size / count;
    sum_.bias /= count;
    sum_.predictions = sizes_.size();
    sum_.share_near = static_cast<double>(sum_.near) / count;
    sum_.median = median(sizes_);
    finish_adjusted();
    return std::move(sum_);
  }

 private:
  /// Counts what is no prediction.
  bool is_counted(const CaseResult& result) {
    if (result.what.awaited()) {
      ++sum_.awaited;
    } else if (result.what.fitted) {
      ++sum_.fitted;
      sum_.fits_missed += result.within ? 0 : 1;
    } else if (result.what.identity) {
      ++sum_.identities;
    } else if (error_kind(result.what) == ErrorKind::absolute) {
      ++sum_.zeros;
    } else {
      return true;
    }
    return false;
  }

  void add_setting(const std::string& file, const Repeats& setting) {
    if (error_kind(setting.front()->what) != ErrorKind::bottleneck) {
      return add_prediction(file, setting);
    }
    const auto right = std::count_if(setting.begin(), setting.end(), [](const CaseResult* one) {
      return one->predicted == one->what.measured;
    });
    ++sum_.bottlenecks;
    sum_.bottlenecks_right += 2 * static_cast<std::size_t>(right) > setting.size() ? 1 : 0;
  }

  void finish_adjusted() {
    if (adjusted_.empty()) return;
    const auto count = static_cast<double>(adjusted_.size());
    sum_.adjusted = adjusted_.size();
    for (const double size : adjusted_) sum_.adjusted_mean += size / count;
    sum_.adjusted_bias /= count;
    sum_.adjusted_median = median(adjusted_);
  }

  /// Counts the measured figures that lie in their band, and the errors of repeats once each is
  /// adjusted by the canary of its turn.
  void add_repeats(const CaseResult& result) {
    if (error_kind(result.what) == ErrorKind::bottleneck) return;
    const std::vector<double> once{result.what.measured};
    const std::vector<double>& each = result.what.repeats.empty() ? once : result.what.repeats;
    for (const double measured : result.band ? each : std::vector<double>{}) {
      ++sum_.banded;
      sum_.inside += in_band(result, measured) ? 1 : 0;
    }
    for (std::size_t i = 0; i < std::min(result.adjusted.size(), result.what.repeats.size()); ++i) {
      if (result.what.repeats[i] == 0.0) continue;
      const double error = counted(result.adjusted[i] / result.what.repeats[i] - 1.0);
      adjusted_.push_back(std::abs(error));
      sum_.adjusted_bias += error;
    }
  }

  void add_prediction(const std::string& file, const Repeats& setting) {
    const CaseResult& first = *setting.front();
    const bool in_points = error_kind(first.what) == ErrorKind::points;
    Case mean = first.what;
    mean.measured = mean_measured(setting);
    const double error = counted(error_of(mean, first.predicted));
    const double size = std::abs(error);
    if (sizes_.empty() || size > sum_.worst) {
      sum_.worst = size;
      sum_.worst_case = first.what.name;
      sum_.worst_file = file;
      sum_.worst_in_points = in_points;
    }
    sizes_.push_back(size);
    sum_.bias += error;
    sum_.in_points += in_points ? 1 : 0;
    sum_.near += size <= CaseSummary::nearness ? 1 : 0;
    if (first.band) {
      sum_.draws = sum_.intervals == 0 ? first.draws : std::min(sum_.draws, first.draws);
      ++sum_.intervals;
      sum_.held += in_band(first, mean.measured) ? 1 : 0;
    }
    const auto judges = [](const CaseResult* one) { return one->what.tolerance.has_value(); };
    if (std::none_of(setting.begin(), setting.end(), judges)) return;
    ++sum_.judged;
    const bool within = std::all_of(setting.begin(), setting.end(),
                                    [](const CaseResult* one) { return one->within; });
    sum_.within += within ? 1 : 0;
  }

  CaseSummary sum_;
  std::vector<double> sizes_;
  std::vector<double> adjusted_;
};

}  // namespace

CaseSummary summary_of(std::span<const ScenarioCases> scenarios) {
  Gatherer gathered;
  for (const ScenarioCases& of : scenarios) {
    gathered.add(of);
  }
  return std::move(gathered).finish();
}

bool covers(const CaseSummary& summary, const Bars& bars) {
  if (summary.banded < Bars::least_banded) return true;
  return static_cast<double>(summary.inside) >=
         bars.min_coverage * static_cast<double>(summary.banded);
}

bool holds(const CaseSummary& summary, const Bars& bars) {
  return summary.mean <= bars.max_error && covers(summary, bars);
}

}  // namespace feedrate::study
