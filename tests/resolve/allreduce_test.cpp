#include "resolve/allreduce.hpp"

#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::resolve;

TEST_CASE("all-reduce: a ring over 8 ranks moves 2*7/8 of the bytes and makes 14 hops") {
  const Duration time = ring(megabytes(100.0), 8.0, {bytes_per_second(10e9), microseconds(20.0)});
  CHECK(time.base() == Approx(2.0 * 7.0 / 8.0 * 100e6 / 10e9 + 14.0 * 20e-6).epsilon(1e-12));
  CHECK(ring(megabytes(100.0), 1.0, {bytes_per_second(10e9), microseconds(20.0)}).base() == 0.0);
}

TEST_CASE("all-reduce: hierarchical is a ring inside plus a ring between instances") {
  const Duration time =
      hierarchical(megabytes(100.0), 4.0, 8.0, {bytes_per_second(100e9), microseconds(2.0)},
                   {bytes_per_second(3e9), microseconds(10.0)});
  const double inside = 2.0 * 7.0 / 8.0 * 100e6 / 100e9 + 14.0 * 2e-6;
  const double between = 2.0 * 3.0 / 4.0 * 100e6 / 3e9 + 6.0 * 10e-6;
  CHECK(time.base() == Approx(inside + between).epsilon(1e-12));
}

TEST_CASE("all-reduce: a fit is 1 on one instance and its formula on eight") {
  const ScalingFit fit{0.02, 0.001, 0.0};
  CHECK(from_fit(fit, 1.0) == 1.0);
  CHECK(from_fit(fit, 8.0) ==
        Approx((1.0 + 0.02 * 2.0 * 7.0 / 8.0 + 0.001 * 14.0) / 8.0).epsilon(1e-12));
}
