#include "base/portable_math.hpp"

#include <array>
#include <cstdint>
#include <limits>

#include "base/bits.hpp"
#include "base/double_pair.hpp"

namespace feedrate::portable {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// `x` without its last `bits` bits.
constexpr double truncated(double x, int bits) {
  return bits_as<double>(bits_as<std::uint64_t>(x) & (~std::uint64_t{0} << bits));
}

/// 2^e for -1022 ≤ e ≤ 1023.
constexpr double power_of_two(int e) {
  return bits_as<double>(static_cast<std::uint64_t>(e + 1023) << 52U);
}

/// x · 2^e; e may be as large as an exponent times two.
double scaled(double x, int e) {
  const int half = e / 2;
  return x * power_of_two(half) * power_of_two(e - half);
}

/// log(numerator / denominator) = 2 artanh((n - d) / (n + d)), for quotients near 1.
constexpr DoublePair log_of_quotient(double numerator, double denominator) {
  const DoublePair z = quotient_of({numerator - denominator, 0.0}, numerator + denominator);
  const DoublePair square = product_of(z, z);
  DoublePair power = z;
  DoublePair sum = z;
  for (int n = 3; n < 80; n += 2) {
    power = product_of(power, square);
    if (power.high < 1e-36 && power.high > -1e-36) break;
    sum = sum_of(sum, quotient_of(power, n));
  }
  return {2.0 * sum.high, 2.0 * sum.low};
}

constexpr DoublePair ln2 = log_of_quotient(2.0, 1.0);

constexpr int pieces = 64;  // of an octave, for exp

/// ln 2 / 64 in three parts, so that the first two are exact when multiplied by 17 bits.
struct ThreeParts {
  double first, second, third;
};
constexpr ThreeParts piece = [] {
  const double high = ln2.high / pieces;
  const double low = ln2.low / pieces;
  const double first = truncated(high, 20);
  const DoublePair rest = two_sum(high - first, low);
  const double second = truncated(rest.high, 17);
  return ThreeParts{first, second, (rest.high - second) + rest.low};
}();

/// 2^(j/64).
constexpr std::array<DoublePair, pieces> roots = [] {
  std::array<DoublePair, pieces> all{};
  for (int j = 0; j < pieces; ++j) {
    const DoublePair x = product_of(ln2, {static_cast<double>(j) / pieces, 0.0});
    DoublePair term{1.0, 0.0};
    DoublePair sum{1.0, 0.0};
    for (int n = 1; n < 40 && term.high > 1e-36; ++n) {
      term = quotient_of(product_of(term, x), n);
      sum = sum_of(sum, term);
    }
    all[static_cast<std::size_t>(j)] = sum;
  }
  return all;
}();

/// e^x = (1 + more) · roots[root] · 2^exponent.
struct Exponential {
  DoublePair more;
  std::size_t root;
  int exponent;
};

/// For |high| < 1500; low is the rest of the argument.
Exponential exponential(double high, double low) {
  constexpr double per_piece = pieces / ln2.high;
  constexpr double to_whole = 0x1.8p52;
  const double count = (high * per_piece + to_whole) - to_whole;
  const DoublePair r = two_sum(high - count * piece.first, -(count * piece.second));
  const double x = r.high;
  const double rest = (r.low - count * piece.third) + low;
  const double curve =
      x * x *
      (1.0 / 2.0 +
       x * (1.0 / 6.0 +
            x * (1.0 / 24.0 + x * (1.0 / 120.0 + x * (1.0 / 720.0 + x * (1.0 / 5040.0))))));
  const int whole = static_cast<int>(count);
  return {two_sum(x, curve + rest * (1.0 + x)), static_cast<std::size_t>(whole & (pieces - 1)),
          whole >> 6};
}

/// roots[root] · (1 + more): what is multiplied by a power of two.
DoublePair significand(const Exponential& e) {
  const DoublePair root = roots[e.root];
  const DoublePair grown = two_product(root.high, e.more.high);
  const DoublePair sum = quick_two_sum(root.high, grown.high);
  return quick_two_sum(
      sum.high, sum.low + (grown.low + root.high * e.more.low + root.low + root.low * e.more.high));
}

constexpr double overflows = 709.79;
constexpr double vanishes = -745.14;

double exp_of_pair(double high, double low) {
  if (high > overflows + 1.0) return infinity;
  if (high < vanishes - 1.0) return 0.0;
  const Exponential e = exponential(high, low);
  const DoublePair m = significand(e);
  return scaled(m.high + m.low, e.exponent);
}

/// The same of numbers so near to 0 that nothing overflows, with its rest.
DoublePair exp_pair(double high, double low) {
  const Exponential e = exponential(high, low);
  const DoublePair m = significand(e);
  const double factor = power_of_two(e.exponent);
  return {m.high * factor, m.low * factor};
}

constexpr int first_centre = 90;  // of 1/128 each, from below √½ …
constexpr int last_centre = 182;  // … to above √2

/// About 128/i, of few bits, and the logarithm of what it is the inverse of.
struct Centre {
  double inverse;
  DoublePair log;
};
constexpr std::array<Centre, last_centre - first_centre + 1> centres = [] {
  std::array<Centre, last_centre - first_centre + 1> all{};
  for (int i = first_centre; i <= last_centre; ++i) {
    const int in_1024ths = (128 * 1024 + i / 2) / i;
    const DoublePair log = log_of_quotient(1024.0, in_1024ths);
    all[static_cast<std::size_t>(i - first_centre)] = {in_1024ths / 1024.0, log};
  }
  return all;
}();

/// The logarithm of high + low, a number above 0 and below infinity.
struct Logarithm {
  DoublePair fraction;  ///< of what is left between √½ and √2
  double exponent;
};

Logarithm logarithm(double high, double low) {
  constexpr std::uint64_t root_half = bits_as<std::uint64_t>(0x1.6a09e667f3bcdp-1);
  int shift = 0;
  if (high < 0x1p-1022) {
    high *= 0x1p54;
    shift = -54;
  }
  const std::uint64_t bits = bits_as<std::uint64_t>(high);
  const auto exponent = static_cast<int>(static_cast<std::int64_t>(bits - root_half) >> 52);
  const double m = bits_as<double>(bits - (static_cast<std::uint64_t>(exponent) << 52U));
  const auto centre = static_cast<std::size_t>(m * 128.0 + 0.5) - first_centre;
  const double inverse = centres[centre].inverse;
  const DoublePair table = centres[centre].log;
  const double m_high = truncated(m, 27);
  DoublePair r = two_sum(m_high * inverse - 1.0, (m - m_high) * inverse);
  if (low != 0.0) {
    const DoublePair more = two_sum(r.high, scaled(low, -exponent) * inverse);
    r = quick_two_sum(more.high, more.low + r.low);
  }
  const double x = r.high;
  const DoublePair square = two_product(x, x);
  const double curve =
      x * square.high *
      (1.0 / 3.0 -
       x * (1.0 / 4.0 -
            x * (1.0 / 5.0 -
                 x * (1.0 / 6.0 - x * (1.0 / 7.0 - x * (1.0 / 8.0 - x * (1.0 / 9.0 - x * 0.1)))))));
  const DoublePair first = two_sum(table.high, x);
  const DoublePair second = two_sum(first.high, -0.5 * square.high);
  const double rest =
      (first.low + second.low) + (curve + (r.low - x * r.low + (table.low - 0.5 * square.low)));
  return {quick_two_sum(second.high, rest), static_cast<double>(exponent + shift)};
}

/// exponent · unit + fraction.
DoublePair joined(const Logarithm& l, DoublePair unit, DoublePair fraction) {
  const double high = truncated(unit.high, 11);
  const double low = (unit.high - high) + unit.low;
  const DoublePair sum = two_sum(l.exponent * high, fraction.high);
  return quick_two_sum(sum.high, sum.low + (l.exponent * low + fraction.low));
}

DoublePair log_of_pair(double high, double low) {
  const Logarithm l = logarithm(high, low);
  return joined(l, ln2, l.fraction);
}

/// What the logarithms of 0, of numbers below and of no finite numbers are.
double no_logarithm(double x) {
  if (x == 0.0) return -infinity;
  return x > 0.0 ? x : not_a_number;
}

constexpr bool has_logarithm(double x) {
  return x > 0.0 && x < infinity;
}

constexpr DoublePair inverse_of(DoublePair x) {
  const double first = 1.0 / x.high;
  const DoublePair back = product_of({first, 0.0}, x);
  return quick_two_sum(first, ((1.0 - back.high) - back.low) * first);
}

constexpr DoublePair per_ln2 = inverse_of(ln2);
constexpr DoublePair ln10 = sum_of(product_of(ln2, {3.0, 0.0}), log_of_quotient(5.0, 4.0));
constexpr DoublePair per_ln10 = inverse_of(ln10);
constexpr DoublePair log10_of_2 = product_of(ln2, per_ln10);

enum class Parity { none, even, odd };

Parity parity(double y) {
  constexpr double all_even = 0x1p53;
  const double size = std::fabs(y);
  if (size >= all_even) return Parity::even;
  if (std::floor(size) != size) return Parity::none;
  return (static_cast<std::uint64_t>(size) & 1U) != 0 ? Parity::odd : Parity::even;
}

}  // namespace

double exp(double x) {
  if (!(x < overflows)) return x > 0.0 ? infinity : x;
  if (x < vanishes) return 0.0;
  return exp_of_pair(x, 0.0);
}

double quick_exp(double x) {
  constexpr double no_single_power = 700.0;
  if (!(std::fabs(x) < no_single_power)) return exp(x);
  constexpr double per_piece = pieces / ln2.high;
  constexpr double to_whole = 0x1.8p52;
  const double count = (x * per_piece + to_whole) - to_whole;
  const double r = (x - count * piece.first) - count * piece.second;
  const double square = r * r;
  const double cubic = 1.0 / 2.0 + r * (1.0 / 6.0);
  const double more =
      r + square * (cubic + square * (1.0 / 24.0 + r * (1.0 / 120.0) + square * (1.0 / 720.0)));
  const int whole = static_cast<int>(count);
  const DoublePair root = roots[static_cast<std::size_t>(whole & (pieces - 1))];
  return (root.high + (root.low + root.high * more)) * power_of_two(whole >> 6);
}

double expm1(double x) {
  constexpr double itself = 0x1p-54;
  constexpr double minus_one = -40.0;
  if (!(std::fabs(x) > itself)) return x;
  if (!(x < overflows)) return x > 0.0 ? infinity : x;
  if (x < minus_one) return -1.0;
  const Exponential e = exponential(x, 0.0);
  if (e.root == 0 && e.exponent == 0) return e.more.high + e.more.low;
  const DoublePair m = significand(e);
  constexpr int one_is_nothing = 120;
  if (e.exponent > one_is_nothing) return scaled(m.high + m.low, e.exponent);
  const double factor = power_of_two(e.exponent);
  const DoublePair sum = two_sum(m.high * factor, -1.0);
  return sum.high + (sum.low + m.low * factor);
}

double log(double x) {
  if (!has_logarithm(x)) return no_logarithm(x);
  const DoublePair l = log_of_pair(x, 0.0);
  return l.high + l.low;
}

double log1p(double x) {
  constexpr double itself = 0x1p-54;
  if (std::fabs(x) < itself) return x;
  if (!(x > -1.0 && x < infinity)) return x == -1.0 ? -infinity : x > 0.0 ? x : not_a_number;
  const DoublePair sum = two_sum(1.0, x);
  const DoublePair l = log_of_pair(sum.high, sum.low);
  return l.high + l.low;
}

double log2(double x) {
  if (!has_logarithm(x)) return no_logarithm(x);
  const Logarithm l = logarithm(x, 0.0);
  const DoublePair sum = joined(l, {1.0, 0.0}, product_of(l.fraction, per_ln2));
  return sum.high + sum.low;
}

double log10(double x) {
  if (!has_logarithm(x)) return no_logarithm(x);
  const Logarithm l = logarithm(x, 0.0);
  const DoublePair sum = joined(l, log10_of_2, product_of(l.fraction, per_ln10));
  return sum.high + sum.low;
}

double pow(double x, double y) {
  if (x == 1.0 || y == 0.0) return 1.0;
  if (x != x || y != y) return not_a_number;
  const double size = std::fabs(x);
  const Parity whole = parity(y);
  const double sign = x < 0.0 || (x == 0.0 && 1.0 / x < 0.0) ? -1.0 : 1.0;
  const double factor = whole == Parity::odd ? sign : 1.0;
  constexpr double beyond = 0x1p64;  // every number but ±1 leaves the range of doubles
  if (std::fabs(y) >= beyond) {
    if (size == 1.0) return 1.0;
    return (size > 1.0) == (y > 0.0) ? infinity : 0.0;
  }
  if (size == 0.0) return y > 0.0 ? factor * 0.0 : factor * infinity;
  if (size == infinity) return y > 0.0 ? factor * infinity : factor * 0.0;
  if (x < 0.0 && whole == Parity::none) return not_a_number;
  const DoublePair l = log_of_pair(size, 0.0);
  const DoublePair product = two_product(y, l.high);
  const DoublePair exponent = quick_two_sum(product.high, product.low + y * l.low);
  return factor * exp_of_pair(exponent.high, exponent.low);
}

double erfc(double x) {
  if (x != x) return x;
  const double size = std::fabs(x);
  const DoublePair square = two_product(size, size);
  constexpr double nothing = 27.3;
  constexpr double series_below = 1.0;
  constexpr double per_root_pi = 0.56418958354775628695;
  if (size < series_below) {
    // erf(x) = 2/√π e^(-x²) Σ 2^n x^(2n+1) / (1·3·…·(2n+1)).
    DoublePair term{size, 0.0};
    DoublePair sum = term;
    for (int n = 3; term.high > sum.high * 1e-18; n += 2) {
      term = quotient_of(product_of(term, {2.0 * square.high, 2.0 * square.low}), n);
      sum = sum_of(sum, term);
    }
    const DoublePair below =
        product_of(exp_pair(-square.high, -square.low),
                   product_of({2.0 * per_root_pi, 1.533545961316588e-17}, sum));
    const DoublePair rest = sum_of({1.0, 0.0}, {-below.high, -below.low});
    return x < 0.0 ? 1.0 + below.high : rest.high;
  }
  double above = 0.0;
  if (size < nothing) {
    // The continued fraction of Laplace: x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …))).
    double tail = size;
    constexpr double terms_at_one = 180.0;
    for (int n = 10 + static_cast<int>(terms_at_one / square.high); n > 0; --n) {
      tail = size + 0.5 * n / tail;
    }
    above = per_root_pi * exp_of_pair(-square.high, -square.low) / tail;
  }
  return x < 0.0 ? 2.0 - above : above;
}

double hypot(double x, double y) {
  return std::sqrt(x * x + y * y);
}

}  // namespace feedrate::portable
