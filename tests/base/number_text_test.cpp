#include "base/number_text.hpp"

#include "catch.hpp"

using namespace feedrate;

TEST_CASE("numbers: the one in front, and what stands behind it as it is") {
  const auto found = leading_number("4.5 ms");
  REQUIRE(found);
  CHECK(found->value == 4.5);
  CHECK(found->rest == " ms");
  REQUIRE(leading_number("-1e3"));
  CHECK(leading_number("-1e3")->rest.empty());
  for (const char* none : {"", "ms", " 4", "+4", "inf", "nan", "1e999"}) {
    INFO(none);
    CHECK_FALSE(leading_number(none));
  }
}

TEST_CASE("numbers: the whole text or none of it") {
  CHECK(number_of("0.25") == 0.25);
  for (const char* none : {"", "4 ms", "4 ", "1,5", "0x10", "inf"}) {
    INFO(none);
    CHECK_FALSE(number_of(none));
  }
}

TEST_CASE("numbers: three digits as people write them, never 1.46e+03") {
  CHECK(three_digits(0.0) == "0");
  CHECK(three_digits(0.25) == "0.25");
  CHECK(three_digits(7.5591) == "7.56");
  CHECK(three_digits(999.4) == "999");
  CHECK(three_digits(999.6) == "1,000");
  CHECK(three_digits(1456.0) == "1,460");
  CHECK(three_digits(-1456.0) == "-1,460");
  CHECK(three_digits(1234567.0) == "1,230,000");
}
