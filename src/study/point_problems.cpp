#include "study/point_problems.hpp"
#include "words/cases.hpp"

#include <algorithm>

namespace feedrate::study {
namespace {

/// More of them are read by nobody.
constexpr std::size_t most_kept = 8;

}  // namespace

void PointProblems::add(std::size_t point, const InputError& error) {
  ++count_;
  const auto same = std::find_if(reasons_.begin(), reasons_.end(), [&](const Reason& reason) {
    return reason.problems == error.problems();
  });
  if (same != reasons_.end()) {
    same->first = std::min(same->first, point);
  } else {
    reasons_.push_back({error.problems(), point});
  }
  if (reasons_.size() <= most_kept) return;
  // Whichever comes last among the points goes: what is kept then hangs on no order of adding.
  more_ = true;
  reasons_.erase(
      std::max_element(reasons_.begin(), reasons_.end(),
                       [](const Reason& a, const Reason& b) { return a.first < b.first; }));
}

void PointProblems::throw_if_all(std::size_t points,
                                 const std::function<std::string(std::size_t)>& setting) const {
  if (points == 0 || count_ < points) return;
  std::vector<Reason> reasons = reasons_;
  std::sort(reasons.begin(), reasons.end(),
            [](const Reason& a, const Reason& b) { return a.first < b.first; });
  std::vector<Problem> problems;
  for (Reason& reason : reasons) {
    const std::string at =
        reasons.size() == 1 && points > 1 ? "every point" : setting(reason.first);
    for (Problem& problem : reason.problems) {
      if (!at.empty()) problem.message += " (at " + at + ")";
      problems.push_back(std::move(problem));
    }
  }
  if (more_) problems.push_back({"", 0, "", std::string(words::other_problems)});
  throw InputError(std::move(problems));
}

}  // namespace feedrate::study
