#pragma once
// Quantities with the dimension in the type, so that bytes never meet seconds by mistake.
// Values are held in base units: seconds, bytes, US dollars, samples.
#include <compare>

namespace feedrate {

/// A real number times seconds^T * bytes^B * dollars^M * samples^S.
template <int T, int B, int M, int S>
class Quantity {
 public:
  constexpr Quantity() = default;

  /// From a number in base units (s, B, USD, samples and their products).
  static constexpr Quantity of(double base_units) { return Quantity(base_units); }

  /// The number in base units.
  [[nodiscard]] constexpr double base() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity operator-() const { return Quantity(-value_); }
  constexpr Quantity& operator+=(Quantity other) { return value_ += other.value_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return value_ -= other.value_, *this; }
  constexpr Quantity& operator*=(double factor) { return value_ *= factor, *this; }
  constexpr Quantity& operator/=(double divisor) { return value_ /= divisor, *this; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, double factor) { return a *= factor; }
  friend constexpr Quantity operator*(double factor, Quantity a) { return a *= factor; }
  friend constexpr Quantity operator/(Quantity a, double divisor) { return a /= divisor; }

 private:
  constexpr explicit Quantity(double value) : value_(value) {}
  double value_ = 0.0;
};

namespace detail {
/// A product without dimension is a plain number.
template <int T, int B, int M, int S>
constexpr auto with_dimension(double value) {
  if constexpr (T == 0 && B == 0 && M == 0 && S == 0) {
    return value;
  } else {
    return Quantity<T, B, M, S>::of(value);
  }
}
}  // namespace detail

template <int T, int B, int M, int S, int T2, int B2, int M2, int S2>
constexpr auto operator*(Quantity<T, B, M, S> a, Quantity<T2, B2, M2, S2> b) {
  return detail::with_dimension<T + T2, B + B2, M + M2, S + S2>(a.base() * b.base());
}

template <int T, int B, int M, int S, int T2, int B2, int M2, int S2>
constexpr auto operator/(Quantity<T, B, M, S> a, Quantity<T2, B2, M2, S2> b) {
  return detail::with_dimension<T - T2, B - B2, M - M2, S - S2>(a.base() / b.base());
}

template <int T, int B, int M, int S>
constexpr auto operator/(double a, Quantity<T, B, M, S> b) {
  return Quantity<-T, -B, -M, -S>::of(a / b.base());
}

using Duration = Quantity<1, 0, 0, 0>;            ///< s; also core-seconds of CPU work
using Bytes = Quantity<0, 1, 0, 0>;               ///< B
using Money = Quantity<0, 0, 1, 0>;               ///< USD
using Samples = Quantity<0, 0, 0, 1>;             ///< training samples
using Bandwidth = Quantity<-1, 1, 0, 0>;          ///< B/s
using Throughput = Quantity<-1, 0, 0, 1>;         ///< samples/s
using Frequency = Quantity<-1, 0, 0, 0>;          ///< 1/s: requests, IOPS
using HourlyPrice = Quantity<-1, 0, 1, 0>;        ///< USD/s, written as USD/h
using StoragePrice = Quantity<-1, -1, 1, 0>;      ///< USD/(B s), written as USD/GB-month
using TransferPrice = Quantity<0, -1, 1, 0>;      ///< USD/B, written as USD/GB
using BandwidthPrice = Quantity<0, -1, 1, 0>;     ///< USD/(B/s)/s, written as USD/(MB/s)/month
using DataPerSample = Quantity<0, 1, 0, -1>;      ///< B/sample
using DurationPerSample = Quantity<1, 0, 0, -1>;  ///< s/sample
using DurationPerByte = Quantity<1, -1, 0, 0>;    ///< s/B
using SpecificBandwidth = Quantity<-1, 0, 0, 0>;  ///< (B/s)/B, written as MB/s/TiB

constexpr Duration seconds(double n) {
  return Duration::of(n);
}
constexpr Duration milliseconds(double n) {
  return Duration::of(n / 1e3);
}
constexpr Duration microseconds(double n) {
  return Duration::of(n / 1e6);
}
constexpr Duration minutes(double n) {
  return Duration::of(n * 60.0);
}
constexpr Duration hours(double n) {
  return Duration::of(n * 3600.0);
}
/// A billing month of AWS: 730 hours.
constexpr Duration months(double n) {
  return hours(n * 730.0);
}
constexpr Bytes bytes(double n) {
  return Bytes::of(n);
}
constexpr Bytes kilobytes(double n) {
  return Bytes::of(n * 1e3);
}
constexpr Bytes megabytes(double n) {
  return Bytes::of(n * 1e6);
}
constexpr Bytes gigabytes(double n) {
  return Bytes::of(n * 1e9);
}
constexpr Bytes gibibytes(double n) {
  return Bytes::of(n * 1073741824.0);
}
constexpr Bytes tebibytes(double n) {
  return Bytes::of(n * 1099511627776.0);
}
constexpr Bandwidth bytes_per_second(double n) {
  return Bandwidth::of(n);
}
constexpr Bandwidth gigabits_per_second(double n) {
  return Bandwidth::of(n * 1e9 / 8.0);
}
constexpr Money usd(double n) {
  return Money::of(n);
}
constexpr HourlyPrice usd_per_hour(double n) {
  return HourlyPrice::of(n / 3600.0);
}
constexpr Samples samples(double n) {
  return Samples::of(n);
}
constexpr Frequency per_second(double n) {
  return Frequency::of(n);
}
constexpr DurationPerSample seconds_per_sample(double n) {
  return DurationPerSample::of(n);
}
constexpr DataPerSample bytes_per_sample(double n) {
  return DataPerSample::of(n);
}

}  // namespace feedrate
