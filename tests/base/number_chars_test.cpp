// What stands in for std::from_chars and std::to_chars where a library lacks them for doubles.
#include "base/number_chars.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "catch.hpp"
#include "draw.hpp"

using namespace feedrate;

namespace {

using Writer = std::to_chars_result (*)(char*, char*, double);

std::string written(Writer write, double value) {
  std::array<char, 400> buffer{};
  const auto end = write(buffer.data(), buffer.data() + buffer.size(), value);
  REQUIRE(end.ec == std::errc());
  return {buffer.data(), end.ptr};
}

void same(double value) {
  INFO(value);
  CHECK(written(replacement::write_shortest, value) == written(write_shortest, value));
  CHECK(written(replacement::write_fixed, value) == written(write_fixed, value));
  CHECK(written(replacement::write_general, value) == written(write_general, value));
  const Writer ours = [](char* a, char* b, double x) {
    return replacement::write_digits(a, b, x, 15);
  };
  const Writer theirs = [](char* a, char* b, double x) { return write_digits(a, b, x, 15); };
  CHECK(written(ours, value) == written(theirs, value));
}

}  // namespace

TEST_CASE("number chars: a double's text is that of the standard library") {
  for (const double value : {0.0, -0.0, 1.0, 0.1, 100000.0, 1e5, 123456.0, 1234567.0, 1e15, 1e16,
                             1e21, 1e22, 1e23, 5e-324, 1e-5, 0.0001, 1.5e-4, 9007199254740993.0}) {
    same(value);
    same(-value);
  }
  test::Draw draw(11);
  for (int i = 0; i < 20'000; ++i) {
    same(draw.real(1e-30, 1e30));
    same(std::floor(draw.real(1.0, 1e18)));
    same(std::round(draw.real(0.1, 1e6) * 1000.0) / 1000.0);
  }
}

TEST_CASE("number chars: a text is read as the standard library reads it") {
  const auto compare = [](const std::string& text) {
    INFO(text);
    double ours = -7.0;
    double theirs = -7.0;
    const char* const last = text.data() + text.size();
    const auto a = replacement::read_double(text.data(), last, ours);
    const auto b = read_double(text.data(), last, theirs);
    CHECK((a.ec == b.ec));
    if (b.ec != std::errc::result_out_of_range) CHECK(a.ptr == b.ptr);
    CHECK(std::memcmp(&ours, &theirs, sizeof ours) == 0);
  };
  for (const char* text :
       {"",       "-",        "+1",    ".",     "-.",     "1",     "1.",     ".5",    "-.5",
        "1e",     "1e+",      "1e5",   "1E-5x", "1.5.5",  "0x10",  " 1",     "1 ",    "1e999",
        "-1e999", "12,5",     "1_000", "e5",    "4.5 ms", "00012", "1e-310", "0e999", "inf",
        "-inf",   "infinity", "INF",   "infin", "nan",    "in",    "--1",    "1e5.5"}) {
    compare(text);
  }
  test::Draw draw(5);
  for (int i = 0; i < 20'000; ++i) {
    compare(written(write_shortest, draw.real(1e-200, 1e200)));
    std::string noise;
    for (int k = 0; k < 6; ++k)
      noise += "0123456789.e-+ "[static_cast<std::size_t>(draw.whole(1, 15)) - 1];
    compare(noise);
  }
}
