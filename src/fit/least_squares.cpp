#include "fit/least_squares.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "fit/matrix_index.hpp"

namespace feedrate::fit {
namespace {

/// Of a coordinate whose large step is 1: far above the digits of a simulation, far below what
/// bends.
constexpr double probe_step = 1e-4;
/// A step of more than this many large ones trusts a slope too far.
constexpr double longest_step = 2.0;
constexpr double converged = 1e-11;

/// d residuals / d coordinate j, from `here` to the point `by` further; empty without an answer.
std::vector<double> slope(const Residuals& residuals, std::span<const double> at,
                          std::span<const double> here, std::size_t j, double by) {
  std::vector<double> beside(at.begin(), at.end());
  beside[j] += by;
  std::vector<double> there = residuals(beside);
  for (std::size_t i = 0; i < there.size(); ++i) there[i] = (there[i] - here[i]) / by;
  return there;
}

/// Slopes to one side, the one that the box and the residuals allow.
Eigen::MatrixXd quick_slopes(const Residuals& residuals, const Box& box, std::span<const double> at,
                             std::span<const double> here) {
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(index(here.size()), index(at.size()));
  for (std::size_t j = 0; j < at.size(); ++j) {
    if (box.high[j] <= box.low[j]) continue;
    const double step = std::min(probe_step, 0.5 * (box.high[j] - box.low[j]));
    const double first = at[j] + step <= box.high[j] ? step : -step;
    std::vector<double> column = slope(residuals, at, here, j, first);
    const double other = at[j] - first;
    if (column.empty() && other >= box.low[j] && other <= box.high[j]) {
      column = slope(residuals, at, here, j, -first);
    }
    for (std::size_t i = 0; i < column.size(); ++i) jacobian(index(i), index(j)) = column[i];
  }
  return jacobian;
}

/// Coordinates that lie at an end of the box and would only leave it.
std::vector<bool> held(const Box& box, std::span<const double> at,
                       const Eigen::VectorXd& gradient) {
  std::vector<bool> fixed(at.size());
  for (std::size_t j = 0; j < at.size(); ++j) {
    const double g = gradient(index(j));
    fixed[j] = (at[j] <= box.low[j] && g >= 0.0) || (at[j] >= box.high[j] && g <= 0.0);
  }
  return fixed;
}

}  // namespace

double sum_of_squares(std::span<const double> residuals) {
  double sum = 0.0;
  for (const double r : residuals) sum += r * r;
  return sum;
}

Rows slopes_at(const Residuals& residuals, const Box& box, std::span<const double> at) {
  const std::vector<double> here = residuals(at);
  Rows rows(here.size(), std::vector<double>(at.size(), 0.0));
  for (std::size_t j = 0; j < at.size(); ++j) {
    std::vector<std::vector<double>> sides;
    for (const double by : {-probe_step, probe_step}) {
      if (at[j] + by < box.low[j] || at[j] + by > box.high[j]) continue;
      std::vector<double> side = slope(residuals, at, here, j, by);
      if (!side.empty()) sides.push_back(std::move(side));
    }
    for (const std::vector<double>& side : sides) {
      for (std::size_t i = 0; i < here.size(); ++i) {
        rows[i][j] += side[i] / static_cast<double>(sides.size());
      }
    }
  }
  return rows;
}

Minimum descend(const Residuals& residuals, const Box& box, std::span<const double> start,
                int most_steps) {
  Minimum best{{start.begin(), start.end()}, residuals(start), 0.0};
  if (!best.found()) return best;
  best.squares = sum_of_squares(best.residuals);
  double damping = -1.0;
  double raise = 2.0;
  for (int step = 0; step < most_steps && best.squares > 0.0; ++step) {
    const Eigen::MatrixXd jacobian = quick_slopes(residuals, box, best.at, best.residuals);
    const Eigen::Map<const Eigen::VectorXd> r(best.residuals.data(), index(best.residuals.size()));
    Eigen::VectorXd gradient = jacobian.transpose() * r;
    Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
    const std::vector<bool> fixed = held(box, best.at, gradient);
    for (std::size_t j = 0; j < fixed.size(); ++j) {
      if (!fixed[j]) continue;
      gradient(index(j)) = 0.0;
      normal.row(index(j)).setZero();
      normal.col(index(j)).setZero();
    }
    const double scale = normal.diagonal().maxCoeff();
    if (!(scale > 0.0)) return best;
    if (damping < 0.0) damping = 1e-3 * scale;
    bool moved = false;
    double gained = 0.0;
    while (!moved && damping < 1e12 * scale) {
      Eigen::MatrixXd damped = normal;
      damped.diagonal().array() += damping;
      Eigen::VectorXd change = -damped.ldlt().solve(gradient);
      const double length = change.cwiseAbs().maxCoeff();
      if (length > longest_step) change *= longest_step / length;
      Minimum next;
      next.at = best.at;
      for (std::size_t j = 0; j < next.at.size(); ++j) {
        next.at[j] = std::clamp(next.at[j] + change(index(j)), box.low[j], box.high[j]);
      }
      if (length < converged || next.at == best.at) return best;
      next.residuals = residuals(next.at);
      next.squares = sum_of_squares(next.residuals);
      moved = next.found() && next.squares < best.squares;
      if (moved) {
        gained = 1.0 - next.squares / best.squares;
        best = std::move(next);
        damping = std::max(damping / 5.0, 1e-12 * scale);
        raise = 2.0;
      } else {
        damping *= raise;
        raise *= 2.0;
      }
    }
    if (!moved || gained < converged) return best;
  }
  return best;
}

}  // namespace feedrate::fit
