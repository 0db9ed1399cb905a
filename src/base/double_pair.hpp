#pragma once
// A number as the unevaluated sum of two doubles, about 106 bits (Dekker 1971, Knuth's two-sum).
#include <cmath>

namespace feedrate {

struct DoublePair {
  double high = 0.0;
  double low = 0.0;
};

/// a + b, exactly.
constexpr DoublePair two_sum(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// a + b, exactly, where |a| ≥ |b| or a = 0.
constexpr DoublePair quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a · b, exactly, below 2^996 and where the product's last bits do not underflow.
constexpr DoublePair two_product(double a, double b) {
  constexpr double splitter = 0x1p27 + 1.0;
  const double a_far = splitter * a;
  const double b_far = splitter * b;
  const double a_high = a_far - (a_far - a);
  const double b_high = b_far - (b_far - b);
  const double a_low = a - a_high;
  const double b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

constexpr DoublePair sum_of(DoublePair a, DoublePair b) {
  const DoublePair high = two_sum(a.high, b.high);
  const DoublePair low = two_sum(a.low, b.low);
  const DoublePair middle = quick_two_sum(high.high, high.low + low.high);
  return quick_two_sum(middle.high, middle.low + low.low);
}

constexpr DoublePair product_of(DoublePair a, DoublePair b) {
  const DoublePair product = two_product(a.high, b.high);
  return quick_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

constexpr DoublePair quotient_of(DoublePair a, double b) {
  const double first = a.high / b;
  const DoublePair back = two_product(first, b);
  const double rest = ((a.high - back.high) - back.low) + a.low;
  return quick_two_sum(first, rest / b);
}

}  // namespace feedrate
