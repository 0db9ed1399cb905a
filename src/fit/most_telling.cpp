// Which further measurement would tell most.
#include <algorithm>
#include <numeric>

#include "fit/coordinates.hpp"
#include "fit/directions.hpp"
#include "fit/statistics.hpp"
#include "fit/unknowns.hpp"

namespace feedrate::fit {

std::optional<Telling> most_telling(const Found& found, std::span<const Unknown> unknowns,
                                    std::span<const Measured> measured,
                                    std::span<const Measured> candidates,
                                    const PredictEach& predict) {
  constexpr double step = 0.01;
  constexpr double worth = 0.8;
  const Box box = box_of(unknowns);
  std::vector<double> at;
  std::vector<double> widths;
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    at.push_back(coordinate_of(unknowns[k], found.unknowns[k].value));
    widths.push_back(box.high[k] - box.low[k]);
  }
  const auto here = predict(values_at(unknowns, at));
  Rows rows(candidates.size(), std::vector<double>(unknowns.size(), 0.0));
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const double by = at[k] + step <= box.high[k] ? step : -step;
    std::vector<double> beside = at;
    beside[k] += by;
    const auto there = predict(values_at(unknowns, beside));
    for (std::size_t c = 0; c < rows.size(); ++c) {
      if (!here[c] || !there[c]) continue;
      Measured as_predicted = candidates[c];
      as_predicted.value = *here[c];
      if (as_predicted.value <= 0.0) continue;
      rows[c][k] = misfit(as_predicted, *there[c]) / by;
    }
  }
  std::vector<double> errors;
  for (const Measured& one : measured) errors.push_back(error_of(one));
  const double typical = median(errors);
  const double error = std::max(typical * found.scatter, same_prediction);
  const auto total = [](const std::vector<double>& deviations) {
    return std::inner_product(deviations.begin(), deviations.end(), deviations.begin(), 0.0);
  };
  Telling best;
  best.deviations_before = deviations_of(found.information, widths);
  std::vector<std::vector<double>> after;
  double least = total(best.deviations_before);
  const double before = least;
  for (const std::vector<double>& row : rows) {
    Rows more = found.information;
    for (std::size_t a = 0; a < unknowns.size(); ++a) {
      for (std::size_t b = 0; b < unknowns.size(); ++b) {
        more[a][b] += row[a] * row[b] / (error * error);
      }
    }
    after.push_back(deviations_of(more, widths));
    least = std::min(least, total(after.back()));
  }
  // Candidates come in the order of their effort: the first that does nearly as well.
  constexpr double nearly = 0.1;
  for (std::size_t c = 0; c < after.size() && best.deviations_after.empty(); ++c) {
    if (total(after[c]) > least + nearly * (before - least)) continue;
    best.candidate = c;
    best.deviations_after = after[c];
  }
  // Of any one unknown: what no measurement touches must not hide what one would tell of others.
  for (std::size_t k = 0; k < best.deviations_after.size(); ++k) {
    if (best.deviations_after[k] <= worth * best.deviations_before[k]) return best;
  }
  return std::nullopt;
}

}  // namespace feedrate::fit
