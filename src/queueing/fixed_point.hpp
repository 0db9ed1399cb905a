#pragma once
// The number that gives itself.
#include <cmath>

namespace feedrate::queueing {

/// The x > 0 with next(x) = x, where `next` does not rise: a longer period leaves the cores freer,
/// and of more throughput each has less of them. So there is one between next(∞) and
/// next(next(∞)) (Illinois method). `next` was asked last for about what is returned.
template <class Next>
double fixed_point(const Next& next) {
  double a = next(1e300);
  if (a <= 0.0) return a;
  double fa = next(a) - a;
  if (fa <= 1e-14 * a) return a;
  double b = a + fa;
  double fb = next(b) - b;
  double best = b;
  for (int i = 0; i < 80 && fb < 0.0 && b - a > 1e-14 * b; ++i) {
    double middle = (a * fb - b * fa) / (fb - fa);
    if (!(middle > a && middle < b)) middle = (a + b) / 2.0;
    const double f = next(middle) - middle;
    best = middle;
    if (std::abs(f) <= 1e-14 * middle) break;
    if (f > 0.0) {
      a = middle;
      fa = f;
      fb /= 2.0;
    } else {
      b = middle;
      fb = f;
      fa /= 2.0;
    }
  }
  return best;
}

}  // namespace feedrate::queueing
