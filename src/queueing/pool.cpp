#include "queueing/pool.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/portable_math.hpp"
#include "queueing/remembered.hpp"

namespace feedrate::queueing {
namespace {

/// Lognormal times of mean 1.
struct Times {
  double sigma;

  [[nodiscard]] static double above(double z) {
    return 0.5 * portable::erfc(z / std::numbers::sqrt2);
  }
  /// The chance of more than y.
  [[nodiscard]] double tail(double y) const {
    return above((portable::log(y) + sigma * sigma / 2.0) / sigma);
  }
  /// E[(X − y)⁺].
  [[nodiscard]] double beyond(double y) const {
    const double z = (portable::log(y) + sigma * sigma / 2.0) / sigma;
    return above(z - sigma) - y * above(z);
  }
};

/// When the last of many samples ends.
struct Latest {
  Times times;
  double samples;
  double spread;   ///< over which their begins are
  double at_once;  ///< share of them that begins first

  /// The chance that it ends more than y after the last begin.
  [[nodiscard]] double tail(double y) const {
    // Begins closer than a millionth of a sample's time are one; the difference has lost its
    // digits.
    double one = times.tail(y);
    if (spread > 1e-6) {
      one = (times.beyond(y) - times.beyond(y + spread)) / spread;
      one += at_once * (times.tail(y + spread) - one);
    }
    return one < 1.0 ? -portable::expm1(samples * portable::log1p(-std::max(0.0, one))) : 1.0;
  }

  /// The mean of what it ends more than `after` after the last begin: the integral of tail() over
  /// the normal deviate, by Gauss and Legendre in panels that begin there, so that it is smooth.
  [[nodiscard]] double beyond(double after) const {
    constexpr std::array<double, 4> nodes = {0.1834346424956498, 0.5255324099163290,
                                             0.7966664774136267, 0.9602898564975363};
    constexpr std::array<double, 4> weights = {0.3626837833783620, 0.3137066458778873,
                                               0.2223810344533745, 0.1012285362903763};
    constexpr double least = -4.0;  // hardly a sample is shorter
    constexpr double reach = 7.0;
    constexpr int panels = 4;
    const double sigma = times.sigma;
    const auto over = [&](double from, double to, auto&& integrand) {
      double sum = 0.0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const double off = nodes[i] * (to - from) / 2.0;
        const double middle = (from + to) / 2.0;
        sum += weights[i] * (integrand(middle - off) + integrand(middle + off));
      }
      return sum * (to - from) / 2.0;
    };
    const auto time = [&](double z) { return portable::exp(sigma * z - sigma * sigma / 2.0); };
    double from = least;
    if (after > 0.0) from = std::max(from, (portable::log(after) + sigma * sigma / 2.0) / sigma);
    double sum = 0.0;
    if (from <= least) sum = over(after, time(least), [&](double y) { return tail(y); });
    const double width = (sigma + reach - from) / panels;
    if (width <= 0.0) return 0.0;
    for (int p = 0; p < panels; ++p) {
      sum += over(from + p * width, from + (p + 1) * width, [&](double z) {
        const double y = time(z);
        return sigma * y * tail(y);
      });
    }
    return sum;
  }
};

double in_order(const Pool& pool, double threads) {
  const double a = pool.batch / threads;
  const double b = threads / (pool.batch * pool.ahead);
  double spread = a * (1.0 - b * b);
  if (pool.ahead < 2.0) {
    constexpr double before = 0.75;
    const double few = (1.0 - b) * (1.0 - b);
    spread -= (2.0 - pool.ahead) * a * b * before * few * few;
  }
  const double others = (threads - 1.0 + std::sqrt(b)) / threads;  // of one that is late
  const double after = (pool.ahead - 1.0) * spread / others;
  const double exponent = 1.0 - std::sqrt(b) / (1.0 + 2.0 * pool.cv);
  const double samples = pool.batch * portable::pow(pool.ahead, exponent);
  // Threads are done with a batch that is alone half a sample apart, on average over how many of
  // its samples a round of all of them leaves over; none where each makes one.
  const double alike = pool.ahead < 2.0 ? a + (threads - 1.0) / (2.0 * threads) * (1.0 - b) : a;
  if (pool.cv <= 0.0) return a / alike;
  const Latest latest{{std::sqrt(portable::log1p(pool.cv * pool.cv))}, samples, spread, 0.5 * b};
  // No more than all of them together are; mostly that says that the threads always work.
  const double most = after > 0.0 ? samples * latest.times.beyond(after) : 1e300;
  if (spread + others * most / pool.ahead <= a) return a / alike;
  const double late = std::max(alike, spread + others * latest.beyond(after) / pool.ahead);
  // Compared with simulated pools from here on; below, what varies less matters less, down to none.
  constexpr double compared_from = 0.1;
  return a / (alike + (late - alike) * std::min(1.0, pool.cv / compared_from));
}

/// in_order(), remembered; of one batch that is begun, it is that of any order as well.
double found(Pool pool, double threads) {
  static thread_local Remembered<Pool, double, 4> asked;
  pool.threads = threads;
  pool.in_order = true;
  return asked.of(pool, [&] { return in_order(pool, threads); });
}

}  // namespace

double share_at_work(const Pool& pool) {
  const double places = pool.batch * pool.ahead;
  const double threads = std::min(pool.threads, places);
  const double begun = threads / pool.threads;
  if (threads <= 1.0) return begun;
  if (pool.in_order || pool.ahead < 2.0) return begun * found(pool, threads);
  const double more = std::max(0.0, threads - (places - pool.batch) - 1.0);
  return begun * (1.0 - more * (more + 1.0) / (2.0 * pool.batch * threads));
}

}  // namespace feedrate::queueing
