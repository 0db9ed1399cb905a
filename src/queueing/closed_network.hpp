#pragma once
// What a closed network delivers when n customers circulate in it, for every n at once.
//
// Customers visit delays (each has its own) and shared stations (processor sharing over a curve of
// total rates). For such networks the long-run throughput depends on the mean demands alone, not on
// their distributions (Baskett, Chandy, Muntz, Palacios 1975), and is a ratio of normalisation
// constants, X(n) = G(n-1)/G(n), which are convolutions of the stations' factors (Buzen 1973). All
// terms are positive, so nothing cancels; equal to mean value analysis with load-dependent stations
// (Reiser and Lavenberg 1980), which subtracts and is unstable.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "queueing/wide_double.hpp"

namespace feedrate::queueing {

/// Customers in one network at most; X(n) is flat long before.
inline constexpr int most_customers = 8192;

/// `whole` as a function of any number of customers, linear between whole ones. The next whole
/// number is asked for only where `n` lies between two.
template <class Whole>
double linear_between(double n, const Whole& whole) {
  const double below = std::floor(n);
  const double share = n - below;
  const double first = whole(below);
  return share > 0.0 ? first + share * (whole(below + 1.0) - first) : first;
}

/// One cycle of a customer is a visit to each station; rates and throughputs are cycles per second.
class ClosedNetwork {
 public:
  /// For 1 … `customers` of them; more than `most_customers` count as that many.
  explicit ClosedNetwork(int customers);

  /// Seconds of every cycle that need nothing shared.
  void add_delay(double seconds);
  /// A shared station: `rates[j-1]` cycles a second in all while j customers are there, flat after
  /// the last. Rates are positive; none is an empty vector.
  void add_shared(const std::vector<double>& rates);
  /// Adds the one station whose rates are changed afterwards: what the others make of it is
  /// kept, so each change costs O(customers). One a network, after all others.
  void set_last(std::vector<double> rates);

  [[nodiscard]] int customers() const { return customers_; }
  /// `n` as a number of customers that this network can have.
  [[nodiscard]] double within(double n) const {
    return std::clamp(n, 0.0, static_cast<double>(customers_));
  }
  /// X(n), cycles a second, for 0 ≤ n ≤ customers; between whole numbers linear in n.
  [[nodiscard]] double throughput(double n) const;
  /// Mean number of customers at the last station with n in all.
  [[nodiscard]] double at_last(double n) const;

 private:
  /// Factors of all stations but the last, of the last, and what was asked for of their convolution
  /// (below 0: not yet), all scaled by scale_^n.
  template <class Real>
  struct Factors {
    std::vector<Real> others, last, constants;
  };

  [[nodiscard]] double whole(double n) const;
  [[nodiscard]] double whole_at_last(double n) const;
  void settle() const;
  template <class Real>
  void settle(Factors<Real>& f) const;
  /// Empty where its factors are beyond what `Real` holds.
  template <class Real>
  std::optional<double> ratio(Factors<Real>& f, int n) const;
  void widen() const;
  template <class Real>
  double users_at_last(const Factors<Real>& f, int n) const;
  [[nodiscard]] bool fits_double() const;

  int customers_;
  double delay_ = 0.0;
  std::vector<std::vector<double>> shared_;
  std::vector<double> last_;
  mutable bool settled_ = false;
  mutable bool last_settled_ = false;
  mutable bool wide_ = false;
  mutable double scale_ = 1.0;
  // Scaled factors stay below exp(customers): doubles hold that for some hundred, unless the last
  // station is much slower than the one that the scale was made for.
  mutable Factors<double> few_;
  mutable Factors<WideDouble> many_;
};

}  // namespace feedrate::queueing
