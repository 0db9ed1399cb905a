#include "study/case_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace feedrate::study {
namespace {

/// A prediction that is no number is infinitely wrong.
double counted(double error) {
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

class Gatherer {
 public:
  void add(const std::string& file, const CaseResult& result) {
    if (result.what.fitted) {
      ++sum_.fitted;
      sum_.fits_missed += result.within ? 0 : 1;
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
  }

  CaseSummary finish() && {
    if (sizes_.empty()) return std::move(sum_);
    const auto count = static_cast<double>(sizes_.size());
    for (const double size : sizes_) sum_.mean += size / count;
    sum_.bias /= count;
    sum_.predictions = sizes_.size();
    sum_.share_near = static_cast<double>(sum_.near) / count;
    std::sort(sizes_.begin(), sizes_.end());
    const std::size_t half = sizes_.size() / 2;
    sum_.median = sizes_.size() % 2 == 1 ? sizes_[half] : 0.5 * (sizes_[half - 1] + sizes_[half]);
    return std::move(sum_);
  }

 private:
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
};

}  // namespace

CaseSummary summary_of(std::span<const ScenarioCases> scenarios) {
  Gatherer gathered;
  for (const ScenarioCases& of : scenarios) {
    for (const CaseResult& result : of.cases) gathered.add(of.file, result);
  }
  return std::move(gathered).finish();
}

}  // namespace feedrate::study
