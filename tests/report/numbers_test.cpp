#include "report/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/unit_text.hpp"
#include "catch.hpp"
#include "draw.hpp"

using namespace feedrate;
using namespace feedrate::report;

TEST_CASE("numbers: three significant digits, judged after rounding") {
  CHECK(number(0.0) == "0");
  CHECK(number(96.24) == "96.2");
  CHECK(number(0.0012345) == "0.00123");
  CHECK(number(99.96) == "100");
  CHECK(number(999.6) == "1000");
  CHECK(number(9.996) == "10.0");
  CHECK(number(-2.5) == "-2.50");
  CHECK(number(1e-9) == "1.00e-09");
}

TEST_CASE("numbers: a time takes the unit that suits it") {
  CHECK(duration(seconds(0.0)) == "0 s");
  CHECK(duration(microseconds(12.34)) == "12.3 us");
  CHECK(duration(milliseconds(850)) == "850 ms");
  CHECK(duration(seconds(96.24)) == "1 min 36 s");
  CHECK(duration(seconds(59.94)) == "59.9 s");
  CHECK(duration(seconds(59.96)) == "1 min");
  CHECK(duration(seconds(260)) == "4 min 20 s");
  CHECK(duration(seconds(3599.6)) == "1.00 h");
  CHECK(duration(hours(10.0 / 3.0)) == "3.33 h");
  CHECK(duration(hours(300)) == "12.5 days");
  CHECK(duration(seconds(-260)) == "-4 min 20 s");
}

TEST_CASE("numbers: money has cents, and more only where cents say nothing") {
  CHECK(money(usd(102)) == "$102.00");
  CHECK(money(usd(0)) == "$0.00");
  CHECK(money(usd(0.004)) == "$0.0040");
  CHECK(money(usd(0.0149)) == "$0.015");
  CHECK(money(usd(0.0996)) == "$0.10");
  CHECK(money(usd(0.149)) == "$0.15");
  CHECK(money(usd(8.2e-6)) == "<$0.0001");
  CHECK(money(usd(-1.1)) == "-$1.10");
  CHECK(money(usd(1234567.891)) == "$1,234,567.89");
  CHECK(signed_money(usd(1.2)) == "+$1.20");
}

TEST_CASE("numbers: only what is whole says 100 %, only nothing says 0 %") {
  CHECK(percent(0.0) == "0 %");
  CHECK(percent(0.0001) == "<0.1 %");
  CHECK(percent(0.042) == "4.2 %");
  CHECK(percent(0.63) == "63 %");
  CHECK(percent(0.997) == "99.7 %");
  CHECK(percent(0.9999) == ">99.9 %");
  CHECK(percent(0.9996) == ">99.9 %");
  CHECK(percent(0.999) == "99.9 %");
  CHECK(percent(1.0) == "100 %");
}

TEST_CASE("numbers: a difference has a sign unless it rounds to none") {
  CHECK(signed_percent(0.111) == "+11.1 %");
  CHECK(signed_percent(-0.861) == "-86.1 %");
  CHECK(signed_percent(0.0) == "0.0 %");
  CHECK(signed_percent(-0.0001) == "0.0 %");
  CHECK(signed_percent(12.5) == "+1,250 %");
}

TEST_CASE("numbers: rates and counts keep their size readable") {
  CHECK(rate(Throughput::of(85.04)) == "85.0");
  CHECK(rate(Throughput::of(1234.4)) == "1,234");
  CHECK(rate(Throughput::of(12345)) == "12.3 k");
  CHECK(rate(Throughput::of(1.2e6)) == "1.20 M");
  CHECK(count(30600) == "30,600");
  CHECK(count(1e10) == "10,000,000,000");
  CHECK(count(2.5) == "2.50");
}

TEST_CASE("numbers: what is no number is a dash for people and nothing for programs") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(number(nan) == "-");
  CHECK(duration(seconds(infinite)) == "-");
  CHECK(money(usd(nan)) == "-");
  CHECK(percent(nan) == "-");
  CHECK(exact(nan).empty());
  CHECK(exact(infinite).empty());
  CHECK(exact(0.1) == "0.1");
}

TEST_CASE("numbers: amounts in another currency, and in dollars again") {
  const Currency euro{"EUR", 1.25, ""};
  {
    const ShownMoney shown(euro);
    CHECK(money(usd(125.0)) == "100.00 EUR");
    CHECK(money(usd(-1500.0)) == "-1,200.00 EUR");
    CHECK(money(usd(0.0)) == "0.00 EUR");
    CHECK(money(usd(1e-6)) == "<0.0001 EUR");
    CHECK(signed_money(usd(2.5)) == "+2.00 EUR");
  }
  CHECK(money(usd(125.0)) == "$125.00");
}

TEST_CASE("durations: law: what a report prints is read back, to the digits that it prints") {
  test::Draw draw(1);
  for (int i = 0; i < 20000; ++i) {
    const double stated = draw.real(1e-8, 1e13);
    const std::string text = report::duration(seconds(stated));
    const ParsedQuantity read = parse_quantity(text, dimension_of(Duration{}));
    INFO(stated << " " << text << " " << read.problem);
    REQUIRE(read.ok());
    // Three digits, or whole seconds of minutes.
    const double step = std::max(5.1e-3 * stated, stated >= 59.95 && stated < 3600.0 ? 0.51 : 0.0);
    CHECK(std::abs(read.base - stated) <= step);
    const ParsedQuantity negative =
        parse_quantity(report::duration(seconds(-stated)), dimension_of(Duration{}));
    CHECK(negative.base == -read.base);
  }
}

TEST_CASE("durations: what is under a tick is nothing, thousands of days are counted") {
  CHECK(report::duration(seconds(1e-13)) == "0 s");
  CHECK(report::duration(seconds(2e-6)) == "2.00 us");
  CHECK(report::duration(hours(24.0 * 14368.0)) == "14368 days");
  CHECK(report::duration(hours(24.0 * 999.0)) == "999 days");
}
