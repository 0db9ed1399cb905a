#include "observe/flow_of_bytes.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace feedrate::observe {
namespace {

/// A string that is drawn tight between the bounds from a point of it: where it bends next.
struct Bend {
  std::size_t at = 0;  ///< index of a bound
  double sum = 0.0;    ///< that has gone by there
};

/// `rate`: of the flow before that point.
Bend next_bend(const std::vector<FlowBounds>& bounds, std::size_t first, Duration from, double sum,
               std::optional<double> rate) {
  double highest = std::numeric_limits<double>::infinity();
  double lowest = -highest;
  Bend by_most;
  Bend by_least;
  for (std::size_t i = first; i < bounds.size(); ++i) {
    const FlowBounds& bound = bounds[i];
    const double time = (bound.at - from).base();
    const double at_least = (bound.least - sum) / time;
    const double at_most = (bound.most - sum) / time;
    if (at_least > highest) return by_most;
    if (at_most < lowest) return by_least;
    if (at_most <= highest) {
      highest = at_most;
      by_most = {i, bound.most};
    }
    if (at_least >= lowest) {
      lowest = at_least;
      by_least = {i, bound.least};
    }
  }
  const double middle = lowest + 0.5 * (highest - lowest);
  const double goes_on = std::clamp(rate.value_or(middle), lowest, highest);
  const FlowBounds& last = bounds.back();
  return {bounds.size() - 1,
          std::clamp(sum + goes_on * (last.at - from).base(), last.least, last.most)};
}

/// What the pieces are together, a second, from each of these times on.
std::map<Duration, double> added_up(const std::vector<Piece>& pieces, Duration end) {
  std::map<Duration, double> changes;
  changes[Duration{}] += 0.0;
  changes[end] += 0.0;
  for (const Piece& piece : pieces) {
    changes[piece.begin] += piece.busy;
    changes[piece.end] -= piece.busy;
  }
  double now = 0.0;
  for (auto& [at, rate] : changes) rate = now = now + rate;
  return changes;
}

}  // namespace

std::vector<Piece> steadiest(const std::vector<FlowBounds>& bounds) {
  std::vector<Piece> pieces;
  Duration from;
  double sum = 0.0;
  std::optional<double> rate;
  for (std::size_t first = 0; first < bounds.size();) {
    const Bend bend = next_bend(bounds, first, from, sum, rate);
    const Duration at = bounds[bend.at].at;
    rate = (bend.sum - sum) / (at - from).base();
    if (bend.sum > sum) pieces.push_back({from, at, *rate});
    from = at;
    sum = bend.sum;
    first = bend.at + 1;
  }
  return pieces;
}

std::vector<Piece> limited(const std::vector<Piece>& pieces, double most, Duration end) {
  std::vector<Piece> within;
  double left = 0.0;
  const auto rates = added_up(pieces, end);
  for (auto one = rates.begin(); one != rates.end() && std::next(one) != rates.end(); ++one) {
    const Duration until = std::min(end, std::next(one)->first);
    if (until <= one->first) continue;
    const double time = (until - one->first).base();
    const double all = std::max(0.0, one->second) * time + left;
    const double passed = std::min(all, most * time);
    left = all - passed;
    within.push_back({one->first, until, passed / time});
  }
  for (auto one = within.rbegin(); one != within.rend() && left > 0.0; ++one) {
    const double time = (one->end - one->begin).base();
    const double more = std::min(left, std::max(0.0, most - one->busy) * time);
    one->busy += more / time;
    left -= more;
  }
  return within;
}

}  // namespace feedrate::observe
