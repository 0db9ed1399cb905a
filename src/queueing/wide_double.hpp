#pragma once
// Doubles of any magnitude: value · 2^(512 · digits). A long double reaches as far on x86, but is
// another type on other processors and in WebAssembly, so its results would differ there.
#include <algorithm>
#include <cstdint>

namespace feedrate::queueing {

class WideDouble {
 public:
  constexpr WideDouble() = default;
  template <class Number>
  constexpr explicit WideDouble(Number value) : value_(static_cast<double>(value)) {
    settle();
  }

  constexpr explicit operator double() const {
    double value = value_;
    constexpr std::int32_t beyond = 4;  // infinity, or 0
    for (std::int32_t d = std::min(digits_, beyond); d > 0; --d) value *= up;
    for (std::int32_t d = std::max(digits_, -beyond); d < 0; ++d) value *= down;
    return value;
  }

  friend constexpr WideDouble operator*(WideDouble a, WideDouble b) {
    return {a.value_ * b.value_, a.digits_ + b.digits_};
  }
  /// Precondition: b is not 0.
  friend constexpr WideDouble operator/(WideDouble a, WideDouble b) {
    return {a.value_ / b.value_, a.digits_ - b.digits_};
  }
  friend constexpr WideDouble operator+(WideDouble a, WideDouble b) {
    if (a.digits_ == b.digits_) return {a.value_ + b.value_, a.digits_};
    if (a.value_ == 0.0) return b;
    if (b.value_ == 0.0) return a;
    const WideDouble& large = a.digits_ > b.digits_ ? a : b;
    const WideDouble& small = a.digits_ > b.digits_ ? b : a;
    if (large.digits_ - small.digits_ > 1) return large;
    return {large.value_ + small.value_ * down, large.digits_};
  }
  constexpr WideDouble& operator+=(WideDouble b) { return *this = *this + b; }

  /// value() · 2^(512 · digits()): values of the same digits are added as they are.
  [[nodiscard]] constexpr double value() const { return value_; }
  [[nodiscard]] constexpr std::int32_t digits() const { return digits_; }
  /// Of a magnitude of 2^768 at most.
  [[nodiscard]] static constexpr WideDouble of(double value, std::int32_t digits) {
    return {value, digits};
  }
  /// What is added to one of a digit more.
  static constexpr double down = 0x1p-512;

  friend constexpr bool is_negative(WideDouble a) { return a.value_ < 0.0; }
  friend constexpr bool is_positive(WideDouble a) { return a.value_ > 0.0; }

 private:
  static constexpr double up = 0x1p512;
  static constexpr double huge = 0x1p256;
  static constexpr double tiny = 0x1p-256;

  constexpr WideDouble(double value, std::int32_t digits) : value_(value), digits_(digits) {
    settle();
  }
  /// The magnitude into [2^-256, 2^256), where a product neither over- nor underflows.
  constexpr void settle() {
    const double size = value_ < 0.0 ? -value_ : value_;
    if (size >= huge) {
      value_ *= down;
      ++digits_;
    } else if (size < tiny) {
      if (size == 0.0) {
        digits_ = 0;
      } else {
        value_ *= up;
        --digits_;
      }
    }
  }

  double value_ = 0.0;
  std::int32_t digits_ = 0;
};

}  // namespace feedrate::queueing
