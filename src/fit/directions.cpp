#include "fit/directions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/matrix_index.hpp"

namespace feedrate::fit {
namespace {

/// Of a prediction, for a step of 1: below it lies what the simulator's own bends and roundings
/// make of two inputs that mean the same.
constexpr double told = 0.002;
/// Of a unit vector: smaller shares are what two directions that are nearly the same leave.
constexpr double takes_part = 0.02;

Eigen::MatrixXd matrix_of(const Rows& rows, std::size_t columns) {
  Eigen::MatrixXd matrix(index(rows.size()), index(columns));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) matrix(index(i), index(j)) = rows[i][j];
  }
  return matrix;
}

struct Split {
  Eigen::MatrixXd open;   ///< a column each
  Eigen::MatrixXd fixed;  ///< likewise, times 1/singular value
};

Split split(const Rows& slopes, std::span<const double> errors, std::size_t unknowns) {
  // Square, so that there are as many right vectors as unknowns.
  Eigen::MatrixXd weighted =
      Eigen::MatrixXd::Zero(index(std::max(slopes.size(), unknowns)), index(unknowns));
  weighted.topRows(index(slopes.size())) = matrix_of(slopes, unknowns);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(weighted, Eigen::ComputeThinU | Eigen::ComputeThinV);
  Split split{Eigen::MatrixXd(index(unknowns), 0), Eigen::MatrixXd(index(unknowns), 0)};
  for (Eigen::Index k = 0; k < index(unknowns); ++k) {
    const Eigen::VectorXd direction = svd.matrixV().col(k);
    const Eigen::VectorXd changes = weighted * direction;
    double most = 0.0;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      most = std::max(most, std::abs(changes(index(i))) * errors[i]);
    }
    const bool open = most < told;
    Eigen::MatrixXd& into = open ? split.open : split.fixed;
    into.conservativeResize(Eigen::NoChange, into.cols() + 1);
    into.col(into.cols() - 1) = open ? direction : direction / svd.singularValues()(k);
  }
  return split;
}

/// Unknowns that open directions move together.
std::vector<std::vector<std::size_t>> groups_of(const Eigen::MatrixXd& projector) {
  const auto n = static_cast<std::size_t>(projector.rows());
  std::vector<std::size_t> group(n);
  std::iota(group.begin(), group.end(), 0U);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      if (std::abs(projector(index(a), index(b))) < takes_part || group[a] == group[b]) continue;
      const std::size_t from = std::max(group[a], group[b]);
      const std::size_t to = std::min(group[a], group[b]);
      std::replace(group.begin(), group.end(), from, to);
    }
  }
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t name = 0; name < n; ++name) {
    std::vector<std::size_t> members;
    for (std::size_t k = 0; k < n; ++k) {
      const bool part = projector(index(k), index(k)) > takes_part * takes_part;
      if (group[k] == name && part) members.push_back(k);
    }
    if (!members.empty()) groups.push_back(std::move(members));
  }
  return groups;
}

/// The one direction among `members` that is fixed; empty where there are more or none.
std::vector<double> fixed_among(const Eigen::MatrixXd& projector,
                                std::span<const std::size_t> members) {
  double open = 0.0;
  for (const std::size_t k : members) open += projector(index(k), index(k));
  const double fixed = static_cast<double>(members.size()) - open;
  if (members.size() < 2 || std::abs(fixed - 1.0) > 0.2) return {};
  // 1 − projector is u·uᵀ there: any large column of it is u.
  std::size_t best = 0;
  for (std::size_t a = 1; a < members.size(); ++a) {
    const auto free_of = [&](std::size_t at) {
      return 1.0 - projector(index(members[at]), index(members[at]));
    };
    if (free_of(a) > free_of(best)) best = a;
  }
  std::vector<double> direction;
  for (std::size_t a = 0; a < members.size(); ++a) {
    direction.push_back((a == best ? 1.0 : 0.0) -
                        projector(index(members[a]), index(members[best])));
  }
  return direction;
}

/// Eigen takes a row of no columns by an offset to a null pointer.
double norm_of_row(const Eigen::MatrixXd& matrix, Eigen::Index row) {
  return matrix.cols() == 0 ? 0.0 : matrix.row(row).norm();
}

}  // namespace

Directions directions_of(const Rows& slopes, std::span<const double> errors, std::size_t unknowns) {
  const Split parts = split(slopes, errors, unknowns);
  const Eigen::MatrixXd projector = parts.open * parts.open.transpose();
  Directions out;
  out.tangled.resize(unknowns, false);
  for (std::vector<std::size_t>& members : groups_of(projector)) {
    for (const std::size_t k : members) out.tangled[k] = true;
    std::vector<double> fixed = fixed_among(projector, members);
    out.tangles.push_back({std::move(members), std::move(fixed)});
  }
  for (std::size_t k = 0; k < unknowns; ++k) {
    out.deviations.push_back(norm_of_row(parts.fixed, index(k)));
    out.leaning.push_back(norm_of_row(parts.open, index(k)));
  }
  const Eigen::MatrixXd left = matrix_of(slopes, unknowns) * parts.fixed;
  for (std::size_t k = 0; k < unknowns; ++k) {
    std::vector<double>& of = out.variances.emplace_back(slopes.size(), 0.0);
    for (Eigen::Index c = 0; c < left.cols(); ++c) {
      for (std::size_t i = 0; i < of.size(); ++i)
        of[i] += parts.fixed(index(k), c) * left(index(i), c);
    }
    for (double& each : of) each *= each;
  }
  for (Eigen::Index c = 0; c < parts.open.cols(); ++c) {
    std::vector<double> direction;
    for (std::size_t k = 0; k < unknowns; ++k) direction.push_back(parts.open(index(k), c));
    out.open.push_back(std::move(direction));
  }
  return out;
}

bool alone_fixes(const Rows& slopes, std::span<const double> errors, std::size_t i,
                 std::size_t unknowns) {
  Rows rest = slopes;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
  std::vector<double> rest_errors(errors.begin(), errors.end());
  rest_errors.erase(rest_errors.begin() + static_cast<std::ptrdiff_t>(i));
  const Split parts = split(rest, rest_errors, unknowns);
  const Eigen::VectorXd along =
      parts.open.transpose() * matrix_of({slopes[i]}, unknowns).transpose();
  return along.size() > 0 && along.cwiseAbs().maxCoeff() * errors[i] >= told;
}

Rows normal_of(const Rows& slopes, std::size_t unknowns) {
  Rows normal(unknowns, std::vector<double>(unknowns, 0.0));
  for (const std::vector<double>& row : slopes) {
    for (std::size_t a = 0; a < unknowns; ++a) {
      for (std::size_t b = 0; b < unknowns; ++b) normal[a][b] += row[a] * row[b];
    }
  }
  return normal;
}

std::vector<double> deviations_of(const Rows& information, std::span<const double> widths) {
  Eigen::MatrixXd all = matrix_of(information, widths.size());
  for (std::size_t k = 0; k < widths.size(); ++k) {
    all(index(k), index(k)) += 12.0 / (widths[k] * widths[k]);
  }
  const Eigen::MatrixXd covariance =
      all.ldlt().solve(Eigen::MatrixXd::Identity(all.rows(), all.cols()));
  std::vector<double> deviations;
  for (Eigen::Index k = 0; k < covariance.rows(); ++k) {
    deviations.push_back(std::sqrt(std::max(0.0, covariance(k, k))));
  }
  return deviations;
}

}  // namespace feedrate::fit
