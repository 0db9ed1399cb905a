#include "fit/nnls.hpp"

#include <Eigen/QR>
#include <limits>

namespace feedrate::fit {
namespace {

/// Unconstrained solution over the passive columns, zero elsewhere.
Eigen::VectorXd solve_passive(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                              const std::vector<bool>& passive) {
  std::vector<Eigen::Index> columns;
  for (std::size_t j = 0; j < passive.size(); ++j) {
    if (passive[j]) columns.push_back(static_cast<Eigen::Index>(j));
  }
  Eigen::VectorXd x = Eigen::VectorXd::Zero(a.cols());
  if (columns.empty()) return x;
  const Eigen::MatrixXd some = a(Eigen::all, columns);
  const Eigen::VectorXd solution = some.colPivHouseholderQr().solve(b);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    x(columns[k]) = solution(static_cast<Eigen::Index>(k));
  }
  return x;
}

}  // namespace

std::vector<double> non_negative_least_squares(std::span<const Equation> equations) {
  const auto rows = static_cast<Eigen::Index>(equations.size());
  const auto columns = static_cast<Eigen::Index>(equations.front().columns.size());
  Eigen::MatrixXd a(rows, columns);
  Eigen::VectorXd b(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const Equation& equation = equations[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < columns; ++j) {
      a(i, j) = equation.weight * equation.columns[static_cast<std::size_t>(j)];
    }
    b(i) = equation.weight * equation.target;
  }
  // Columns of one size, so that one tolerance serves all.
  Eigen::VectorXd scale = a.colwise().norm();
  for (Eigen::Index j = 0; j < columns; ++j) {
    if (scale(j) <= 0.0) scale(j) = 1.0;
    a.col(j) /= scale(j);
  }
  const double tolerance = 1e-12 * (1.0 + b.norm());
  std::vector<bool> passive(static_cast<std::size_t>(columns), false);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(columns);
  for (Eigen::Index round = 0; round < 3 * columns; ++round) {
    const Eigen::VectorXd gradient = a.transpose() * (b - a * x);
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < columns; ++j) {
      if (passive[static_cast<std::size_t>(j)] || gradient(j) <= tolerance) continue;
      if (best < 0 || gradient(j) > gradient(best)) best = j;
    }
    if (best < 0) break;
    passive[static_cast<std::size_t>(best)] = true;
    while (true) {
      const Eigen::VectorXd candidate = solve_passive(a, b, passive);
      // Walk towards the candidate until the first coefficient would turn negative; drop that one.
      double step = 1.0;
      for (Eigen::Index j = 0; j < columns; ++j) {
        if (passive[static_cast<std::size_t>(j)] && candidate(j) <= 0.0) {
          step = std::min(step, x(j) / (x(j) - candidate(j) + std::numeric_limits<double>::min()));
        }
      }
      x += step * (candidate - x);
      if (step >= 1.0) break;
      for (Eigen::Index j = 0; j < columns; ++j) {
        if (passive[static_cast<std::size_t>(j)] && x(j) <= tolerance) {
          passive[static_cast<std::size_t>(j)] = false;
          x(j) = 0.0;
        }
      }
    }
  }
  std::vector<double> coefficients(static_cast<std::size_t>(columns));
  for (Eigen::Index j = 0; j < columns; ++j) {
    coefficients[static_cast<std::size_t>(j)] = x(j) / scale(j);
  }
  return coefficients;
}

}  // namespace feedrate::fit
