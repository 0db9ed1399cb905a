// Long doubles of this machine know these functions to 2^-64: what ours may be wrong by shows.
#include "base/portable_math.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "catch.hpp"
#include "draw.hpp"

using namespace feedrate;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const bool wide = std::numeric_limits<long double>::digits >= 64;

double units_off(double got, long double wanted) {
  const auto nearest = static_cast<double>(wanted);
  if (got == nearest && (nearest == 0.0 || std::isinf(nearest))) return 0.0;
  const double unit = std::nextafter(std::fabs(nearest), infinity) - std::fabs(nearest);
  return static_cast<double>(std::fabs(got - wanted)) / unit;
}

void hold(const char* name, double most, const std::function<double(double)>& ours,
          const std::function<long double(long double)>& theirs,
          const std::function<double(test::Draw&)>& argument) {
  if (!wide) return;
  test::Draw draw(7);
  for (int i = 0; i < 50'000; ++i) {
    const double x = argument(draw);
    const double off = units_off(ours(x), theirs(x));
    if (off <= most) continue;
    FAIL_CHECK(name << "(" << x << ") is " << off << " units off");
    return;
  }
}

double either(test::Draw& draw, double low, double high) {
  const double size = draw.real(low, high);
  return draw.chance() ? size : -size;
}

}  // namespace

TEST_CASE("portable math: the nearest double, nearly always") {
  constexpr double half = 0.51;
  const auto any = [](test::Draw& d) { return either(d, 1e-9, 700.0); };
  const auto small = [](test::Draw& d) { return either(d, 1e-20, 1.0); };
  const auto positive = [](test::Draw& d) { return d.real(1e-300, 1e300); };
  const auto near_one = [](test::Draw& d) { return 1.0 + either(d, 1e-16, 0.5); };
  hold(
      "exp", half, portable::exp, [](long double x) { return std::exp(x); }, any);
  hold(
      "quick_exp", 0.6, portable::quick_exp, [](long double x) { return std::exp(x); }, any);
  hold(
      "quick_exp", 0.6, portable::quick_exp, [](long double x) { return std::exp(x); }, small);
  hold(
      "expm1", half, portable::expm1, [](long double x) { return std::expm1(x); }, any);
  hold(
      "expm1", half, portable::expm1, [](long double x) { return std::expm1(x); }, small);
  hold(
      "log", half, portable::log, [](long double x) { return std::log(x); }, positive);
  hold(
      "log", half, portable::log, [](long double x) { return std::log(x); }, near_one);
  hold(
      "log1p", half, portable::log1p, [](long double x) { return std::log1p(x); }, positive);
  hold(
      "log1p", half, portable::log1p, [](long double x) { return std::log1p(x); },
      [](test::Draw& d) { return either(d, 1e-20, 0.999); });
  hold(
      "log2", half, portable::log2, [](long double x) { return std::log2(x); }, positive);
  hold(
      "log10", half, portable::log10, [](long double x) { return std::log10(x); }, positive);
  hold(
      "erfc", 5.0, portable::erfc, [](long double x) { return std::erfc(x); },
      [](test::Draw& d) { return either(d, 1e-6, 26.0); });
  for (const double y : {0.5, 2.0, 3.0, 8.0, -1.0, 0.1, 17.3, -0.37}) {
    hold(
        "pow", half, [y](double x) { return portable::pow(x, y); },
        [y](long double x) { return std::pow(x, static_cast<long double>(y)); },
        [](test::Draw& d) { return d.real(1e-15, 1e15); });
  }
}

TEST_CASE("portable math: what is exact comes out exact") {
  for (int n = 0; n <= 22; ++n) {
    const double power = std::stod("1e" + std::to_string(n));
    CHECK(portable::pow(10.0, n) == power);
    CHECK(portable::log10(power) == n);
  }
  for (int n = -1074; n <= 1023; ++n) {
    CHECK(portable::log2(std::ldexp(1.0, n)) == n);
    CHECK(portable::pow(2.0, n) == std::ldexp(1.0, n));
  }
  test::Draw draw(3);
  for (int i = 0; i < 10'000; ++i) {
    const double x = either(draw, 1e-3, 1e3);
    CHECK(portable::pow(x, 2.0) == x * x);
    CHECK(portable::pow(x, 1.0) == x);
  }
  CHECK(portable::exp(0.0) == 1.0);
  for (const double x : {-710.0, -700.0, 700.0, 710.0, 1e300}) {
    CHECK(portable::quick_exp(x) == portable::exp(x));
  }
  CHECK(portable::log(1.0) == 0.0);
  CHECK(portable::erfc(0.0) == 1.0);
  CHECK(portable::hypot(-3.0, 4.0) == 5.0);
  CHECK(portable::hypot(0.0, -0.25) == 0.25);
}

TEST_CASE("portable math: special values are those of the C standard") {
  const double values[] = {0.0,       -0.0,   1.0,    -1.0,   2.0,          -2.0,
                           0.5,       -0.5,   3.0,    -3.0,   1e300,        infinity,
                           -infinity, 1e-310, 5e-324, -1e300, std::nan(""), 709.7,
                           709.9,     -745.2, -744.0, 0x1p53, 0x1p64,       -0x1p64};
  const auto like = [](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return std::signbit(a) == std::signbit(b);
    return std::fabs(a - b) <= 1e-15 * std::fabs(b);
  };
  for (const double x : values) {
    INFO(x);
    CHECK(like(portable::exp(x), std::exp(x)));
    CHECK(like(portable::expm1(x), std::expm1(x)));
    CHECK(like(portable::log(x), std::log(x)));
    CHECK(like(portable::log1p(x), std::log1p(x)));
    CHECK(like(portable::log2(x), std::log2(x)));
    CHECK(like(portable::log10(x), std::log10(x)));
    CHECK(like(portable::erfc(x), std::erfc(x)));
    for (const double y : values) {
      INFO(y);
      CHECK(like(portable::pow(x, y), std::pow(x, y)));
    }
  }
}

TEST_CASE("portable math: these very bits, on every machine") {
  CHECK(portable::exp(0.1) == 0x1.1aec7b35a00d4p+0);
  CHECK(portable::log(3.0) == 0x1.193ea7aad030bp+0);
  CHECK(portable::pow(1.1, 7.3) == 0x1.00abbdb22bbdfp+1);
  CHECK(portable::erfc(0.7) == 0x1.49ee7bdd1d374p-2);
}
