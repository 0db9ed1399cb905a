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

class Gatherer {
 public:
  void add(const std::string& file, const CaseResult& result) {
    if (result.what.awaited()) {
      ++sum_.awaited;
      return;
    }
    if (result.what.fitted) {
      ++sum_.fitted;
      sum_.fits_missed += result.within ? 0 : 1;
      return;
    }
    if (result.what.identity) {
      ++sum_.identities;
      return;
    }
    switch (error_kind(result.what)) {
      case ErrorKind::bottleneck:
        ++sum_.bottlenecks;
        sum_.bottlenecks_right += result.predicted == result.what.measured ? 1 : 0;
        return;
      case ErrorKind::absolute: ++sum_.zeros; return;
      case ErrorKind::points: ++sum_.in_points; break;
      case ErrorKind::relative: break;
    }
    add_error(file, result);
    add_repeats(result);
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

  void add_error(const std::string& file, const CaseResult& result) {
    const double error = counted(result.error);
    const double size = std::abs(error);
    if (sizes_.empty() || size > sum_.worst) {
      sum_.worst = size;
      sum_.worst_case = result.what.name;
      sum_.worst_file = file;
      sum_.worst_in_points = error_kind(result.what) == ErrorKind::points;
    }
    sizes_.push_back(size);
    sum_.bias += error;
    sum_.near += size <= CaseSummary::nearness ? 1 : 0;
    if (!result.what.tolerance) return;
    ++sum_.judged;
    sum_.within += result.within ? 1 : 0;
  }

  CaseSummary sum_;
  std::vector<double> sizes_;
  std::vector<double> adjusted_;
};

}  // namespace

CaseSummary summary_of(std::span<const ScenarioCases> scenarios) {
  Gatherer gathered;
  for (const ScenarioCases& of : scenarios) {
    for (const CaseResult& result : of.cases) gathered.add(of.file, result);
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
