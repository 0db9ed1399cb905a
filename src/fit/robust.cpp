#include "fit/robust.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/portable_math.hpp"
#include "fit/nnls.hpp"
#include "fit/statistics.hpp"

namespace feedrate::fit {
namespace {

constexpr double huber = 1.345;       ///< 95 % as good as least squares on normal residuals
constexpr double least_error = 0.01;  ///< no host repeats itself better: keeps one point from
                                      ///< outweighing all others
constexpr int most_rounds = 30;

double value_of(const Observation& o, const std::vector<double>& coefficients) {
  double sum = 0.0;
  for (std::size_t j = 0; j < coefficients.size(); ++j) sum += o.columns[j] * coefficients[j];
  return sum;
}

/// 1 over the target's absolute error.
double weight_of(const Observation& o) {
  return 1.0 / (o.target * portable::hypot(o.relative_error, least_error));
}

/// Huber's weights for these coefficients; the scale is the residuals' own.
std::vector<double> trust(std::span<const Observation> observations,
                          const std::vector<double>& coefficients) {
  std::vector<double> standardized;
  for (const Observation& o : observations) {
    standardized.push_back(weight_of(o) * (o.target - value_of(o, coefficients)));
  }
  // With hardly more points than coefficients most residuals are 0 whatever the noise.
  const double scale = std::max(1.0, robust_deviation(standardized));
  std::vector<double> weights;
  for (const double r : standardized) {
    weights.push_back(std::min(1.0, huber * scale / std::max(std::abs(r), 1e-300)));
  }
  return weights;
}

/// Standard errors of the columns that are in use, 0 of the others.
void add_errors(std::span<const Observation> observations, const std::vector<double>& trusted,
                RobustFit& fit) {
  const std::vector<double>& coefficients = fit.coefficients;
  fit.standard_errors.assign(coefficients.size(), 0.0);
  fit.misfits.assign(coefficients.size(), 0.0);
  std::vector<std::size_t> used;
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    if (coefficients[j] > 0.0) used.push_back(j);
  }
  if (used.empty()) return;
  const auto rows = static_cast<Eigen::Index>(observations.size());
  const auto columns = static_cast<Eigen::Index>(used.size());
  Eigen::MatrixXd a(rows, columns);
  Eigen::VectorXd own(rows);
  double scatter = 0.0;
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Observation& o = observations[at];
    const double weight = weight_of(o) * std::sqrt(trusted[at]);
    for (Eigen::Index k = 0; k < columns; ++k) {
      a(i, k) = weight * o.columns[used[static_cast<std::size_t>(k)]];
    }
    own(i) = weight * o.target * o.relative_error;
    const double residual = weight * (o.target - value_of(o, coefficients));
    scatter += residual * residual;
  }
  // Columns of one size: seconds and seconds per byte differ by nine orders of magnitude.
  const Eigen::VectorXd size = a.colwise().norm();
  for (Eigen::Index k = 0; k < columns; ++k) a.col(k) /= size(k);
  const Eigen::MatrixXd pseudo = a.completeOrthogonalDecomposition().pseudoInverse();
  const auto free = static_cast<double>(rows - columns);
  for (Eigen::Index k = 0; k < columns; ++k) {
    const double by_scatter = free > 0.0 ? pseudo.row(k).squaredNorm() * scatter / free : 0.0;
    const double by_samples = (pseudo.row(k).transpose().cwiseProduct(own)).squaredNorm();
    const std::size_t j = used[static_cast<std::size_t>(k)];
    fit.misfits[j] = std::sqrt(by_scatter) / size(k);
    fit.standard_errors[j] = std::sqrt(std::max(by_scatter, by_samples)) / size(k);
  }
}

}  // namespace

Uncertainty RobustFit::uncertainty(std::size_t j) const {
  if (coefficients[j] <= 0.0) return {};
  return {standard_errors[j] / coefficients[j], misfits[j] / coefficients[j]};
}

RobustFit robust_non_negative(std::span<const Observation> observations) {
  std::vector<Equation> equations;
  for (const Observation& o : observations) {
    equations.push_back({o.columns, o.target, weight_of(o)});
  }
  RobustFit fit;
  std::vector<double> trusted(observations.size(), 1.0);
  for (int round = 0; round < most_rounds; ++round) {
    for (std::size_t i = 0; i < observations.size(); ++i) {
      equations[i].weight = weight_of(observations[i]) * std::sqrt(trusted[i]);
    }
    fit.coefficients = non_negative_least_squares(equations);
    const std::vector<double> before = trusted;
    trusted = trust(observations, fit.coefficients);
    double change = 0.0;
    for (std::size_t i = 0; i < trusted.size(); ++i) {
      change = std::max(change, std::abs(trusted[i] - before[i]));
    }
    if (change < 1e-6) break;
  }
  add_errors(observations, trusted, fit);
  for (const Observation& o : observations) {
    const double value = value_of(o, fit.coefficients);
    fit.residuals.push_back(value > 0.0 ? o.target / value - 1.0 : 0.0);
  }
  return fit;
}

ConcaveFit concave_curve(std::vector<RatePoint> found) {
  std::stable_sort(found.begin(), found.end(),
                   [](const RatePoint& a, const RatePoint& b) { return a.users < b.users; });
  std::vector<double> knots;
  for (const RatePoint& point : found) {
    if (knots.empty() || point.users > knots.back() * (1.0 + 1e-9)) knots.push_back(point.users);
  }
  std::vector<Observation> observations;
  for (const RatePoint& point : found) {
    Observation o{{}, point.total, point.relative_error};
    for (const double knot : knots) o.columns.push_back(std::min(point.users, knot));
    observations.push_back(std::move(o));
  }
  const RobustFit fit = robust_non_negative(observations);
  ConcaveFit curve;
  curve.residuals = fit.residuals;
  for (const double users : knots) {
    double total = 0.0;
    for (std::size_t k = 0; k < knots.size(); ++k) {
      total += fit.coefficients[k] * std::min(users, knots[k]);
    }
    curve.points.push_back({users, total, 0.0});
  }
  double own = 0.0;
  double scatter = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    own += found[i].relative_error * found[i].relative_error;
    scatter += curve.residuals[i] * curve.residuals[i];
  }
  const auto n = static_cast<double>(found.size());
  const auto bends = static_cast<double>(std::count_if(
      fit.coefficients.begin(), fit.coefficients.end(), [](double c) { return c > 0.0; }));
  curve.uncertainty.misfit = n > bends ? std::sqrt(scatter / (n - bends)) : 0.0;
  curve.uncertainty.sampling = std::max(std::sqrt(own / n), curve.uncertainty.misfit);
  return curve;
}

}  // namespace feedrate::fit
