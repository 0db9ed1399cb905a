#include "base/unit_text.hpp"

#include <cmath>
#include <cstdint>
#include <random>

#include "tests/catch.hpp"

using namespace feedrate;

namespace {

constexpr Dimension duration{1, 0, 0, 0};
constexpr Dimension amount{0, 1, 0, 0};
constexpr Dimension money{0, 0, 1, 0};
constexpr Dimension bandwidth{-1, 1, 0, 0};
constexpr Dimension rate{-1, 0, 0, 0};
constexpr Dimension throughput{-1, 0, 0, 1};
constexpr Dimension price{-1, 0, 1, 0};
constexpr Dimension storage_price{-1, -1, 1, 0};
constexpr Dimension data_price{0, -1, 1, 0};
constexpr Dimension sample_size{0, 1, 0, -1};
constexpr Dimension sample_time{1, 0, 0, -1};
constexpr Dimension byte_time{1, -1, 0, 0};

double read(std::string_view text, Dimension dimension) {
  const ParsedQuantity parsed = parse_quantity(text, dimension);
  INFO(text << ": " << parsed.problem);
  REQUIRE(parsed.ok());
  return parsed.base;
}

std::string problem(std::string_view text, Dimension dimension) {
  return parse_quantity(text, dimension).problem;
}

TEST_CASE("unit text: every kind of quantity is read in base units") {
  CHECK(read("2.1 GB/s", bandwidth) == 2.1e9);
  CHECK(read("10 Gbit/s", bandwidth) == 1.25e9);
  CHECK(read("1 KiB", amount) == 1024.0);
  CHECK(read("3 PB", amount) == 3e15);
  CHECK(read("8 Kbit", amount) == 1000.0);
  CHECK(read("300 ms", duration) == 0.3);
  CHECK(read("5 µs", duration) == 5e-6);
  CHECK(read("5 us", duration) == 5e-6);
  CHECK(read("7ns", duration) == 7e-9);
  CHECK(read("57 min", duration) == 3420.0);
  CHECK(read("24 h", duration) == 86400.0);
  CHECK(read("2 days", duration) == 172800.0);
  CHECK(read("1 month", duration) == 730.0 * 3600.0);
  CHECK(read("1 year", duration) == 12.0 * 730.0 * 3600.0);
  CHECK(read("102 USD", money) == 102.0);
  CHECK(read("$102", money) == 102.0);
  CHECK(read("3.825 USD/h", price) == 3.825 / 3600.0);
  CHECK(read("$3.825/h", price) == 3.825 / 3600.0);
  CHECK(read("0.09 USD/GB", data_price) == Approx(0.09e-9).epsilon(1e-15));
  CHECK(read("0.14 USD/GB/month", storage_price) == Approx(0.14 / 1e9 / 2628000.0).epsilon(1e-15));
  CHECK(read("0.14 USD/GB-month", storage_price) == read("0.14 USD/GB/month", storage_price));
  CHECK(read("0.04 USD/(MB/s)-month", data_price) == read("0.04 USD/(MB/s)/month", data_price));
  CHECK(read("0.005 USD/IOPS-month", money) == 0.005 / 2628000.0 * 1.0 * 1.0);
  CHECK(read("0.4 USD per 1,000 requests", money) == 0.0004);
  CHECK(read("0.4 USD/1000 requests", money) == 0.0004);
  CHECK(read("3 USD per h", price) == read("3 USD/h", price));
  CHECK(read("6 USD/(MB/s)/month", data_price) == Approx(6.0 / 1e6 / 2628000.0).epsilon(1e-15));
  CHECK(read("200 MB/s/TiB", rate) == Approx(200e6 / 1099511627776.0).epsilon(1e-15));
  CHECK(read("5500 /s", rate) == 5500.0);
  CHECK(read("5500 requests/s", rate) == 5500.0);
  CHECK(read("3000 IOPS", rate) == 3000.0);
  CHECK(read("1500 images/s", throughput) == 1500.0);
  CHECK(read("1e3 s", duration) == 1000.0);
  CHECK(read("-2 s", duration) == -2.0);
}

TEST_CASE("unit text: per sample may be left out, and 0.65 ms/MB is the same double as 0.65 ns/B") {
  CHECK(read("8.5 ms", sample_time) == read("8.5 ms/sample", sample_time));
  CHECK(read("8.5 ms/image", sample_time) == 0.0085);
  CHECK(read("110 KB", sample_size) == 110000.0);
  CHECK(read("0.65 ms/MB", byte_time) == read("0.65 ns/B", byte_time));
}

TEST_CASE(
    "unit text: the time of a sample or of a byte may be a rate of them, and nothing else may") {
  CHECK(read("250 images/s", sample_time) == 0.004);
  CHECK(read("2 GB/s", byte_time) == 0.5e-9);
  const auto refused = [](const char* text, Dimension dimension) {
    return !parse_quantity(text, dimension).ok();
  };
  CHECK(refused("300 /s", sample_time));
  CHECK(refused("0 images/s", sample_time));
  CHECK(refused("-1 images/s", sample_time));
  CHECK(refused("2 GB/s", sample_time));
  CHECK(refused("250 images/s", byte_time));
  CHECK(refused("250 images/s", duration));
  CHECK(refused("4 ms/image", throughput));
  CHECK(refused("0.5 ns/B", bandwidth));
}

TEST_CASE("unit text: what could be bits or bytes is refused with both ways to write it") {
  CHECK(problem("10 Gbps", bandwidth) ==
        "expected a bandwidth such as \"2.1 GB/s\", got \"10 Gbps\" (bits or bytes? write \"10 "
        "Gbit/s\" or \"1.25 GB/s\" for bits, \"10 GB/s\" for bytes)");
  CHECK(problem("500 Mbps", bandwidth).find("write \"500 Mbit/s\" or \"62.5 MB/s\" for bits") !=
        std::string::npos);
  CHECK(problem("10 Gb/s", bandwidth).find("bits or bytes?") != std::string::npos);
  CHECK(problem("10 MBps", bandwidth).find("bits or bytes?") != std::string::npos);
  CHECK(problem("3 mb", amount) ==
        "expected an amount of data such as \"50 GB\", got \"3 mb\" (\"mb\" is unclear: bits "
        "(\"Mbit\", \"Gbit\") or bytes (\"MB\", \"GB\")?)");
  CHECK(problem("3 Gb", amount).find("is unclear") != std::string::npos);
}

TEST_CASE("unit text: other mistakes are named") {
  CHECK(problem("12", bandwidth) ==
        "expected a bandwidth such as \"2.1 GB/s\", got \"12\" (the unit is missing)");
  CHECK(problem("10 GB", bandwidth) ==
        "expected a bandwidth such as \"2.1 GB/s\", got \"10 GB\" (that is an amount of data)");
  CHECK(problem("3 GBs", amount) ==
        "expected an amount of data such as \"50 GB\", got \"3 GBs\" (\"GBs\" is no unit (did you "
        "mean \"GB\"?))");
  CHECK(problem("1,000 MB", amount).find("without separators") != std::string::npos);
  CHECK(problem("1 000 MB", amount).find("without spaces") != std::string::npos);
  CHECK(problem("5 m", duration).find("minutes are \"min\"") != std::string::npos);
  CHECK(problem("", duration) == "expected a duration such as \"300 ms\", got \"\" (it is empty)");
  CHECK(problem("fast", duration).find("(no number)") != std::string::npos);
  CHECK(problem("3 s/", duration).find("a unit is missing after \"/\"") != std::string::npos);
  CHECK(problem("3 USD/(MB/s", price).find("a \")\" is missing") != std::string::npos);
  CHECK(problem("5 %", duration).find("\"%\" is no unit") != std::string::npos);
  for (const auto& [typed, unit] :
       {std::pair{"msec", "ms"}, {"usec", "us"}, {"secs", "s"}, {"mins", "min"}, {"hrs", "h"}}) {
    const std::string meant = std::string("(did you mean \"") + unit + "\"?)";
    CHECK(problem(std::string("5 ") + typed, duration).find(meant) != std::string::npos);
    CHECK(parse_quantity(std::string("5 ") + unit, duration).ok());
  }
}

TEST_CASE("unit text: a duration may be a sum, from the largest unit to the smallest") {
  const auto read = [](const char* text) {
    const ParsedQuantity parsed = parse_quantity(text, duration);
    INFO(text << ": " << parsed.problem);
    CHECK(parsed.ok());
    return parsed.base;
  };
  CHECK(read("20 h 1 min") == 72060.0);
  CHECK(read("1h 2min 3s") == 3723.0);
  CHECK(read("2 days 3 h 4 min 5 s 6 ms") == 2 * 86400.0 + 3 * 3600.0 + 4 * 60.0 + 5.006);
  CHECK(read("17 min 52 s") == 1072.0);
  CHECK(read("-4 min 20 s") == -260.0);
  CHECK(read(" 1 h  30 min ") == 5400.0);
  CHECK(problem("1 min 2 h", duration).find("the largest unit first") != std::string::npos);
  CHECK(problem("1 h 2 h", duration).find("the largest unit first") != std::string::npos);
  CHECK(problem("1 h 20", duration).find("the last number has no unit") != std::string::npos);
  CHECK(problem("1 h 20 GB", duration).find("not all of it is a duration") != std::string::npos);
  CHECK(problem("1 h 20 mnts", duration).find("is no unit") != std::string::npos);
  CHECK(problem("1 h -20 min", duration).find("h -20 min") != std::string::npos);
  CHECK_FALSE(parse_quantity("1 GB 20 MB", amount).ok());
}

TEST_CASE("unit text: NaN, infinity and what no double can hold are refused") {
  for (const char* text : {"nan s", "NaN", "inf s", "-inf s", "Infinity s", "1e309 s"}) {
    INFO(text);
    CHECK_FALSE(parse_quantity(text, duration).ok());
  }
  CHECK(problem("1e300 PB", amount).find("too large to hold") != std::string::npos);
}

TEST_CASE("unit text: hostile text is quoted on one short line") {
  const std::string text = problem(std::string(1000, 'x') + "\n\x01", duration);
  CHECK(text.size() < 200);
  CHECK(text.find('\n') == std::string::npos);
}

TEST_CASE("unit text: written as people write it") {
  CHECK(format_quantity(2.1e9, bandwidth) == "2.1 GB/s");
  CHECK(format_quantity(3.825 / 3600.0, price) == "3.825 USD/h");
  CHECK(format_quantity(0.0085, sample_time) == "8.5 ms/sample");
  CHECK(format_quantity(0.3, duration) == "300 ms");
  CHECK(format_quantity(86400.0, duration) == "24 h");
  CHECK(format_quantity(260.0, duration) == "260 s");
  CHECK(format_quantity(3420.0, duration) == "57 min");
  CHECK(format_quantity(0.0, duration) == "0 s");
  CHECK(format_quantity(110000.0, sample_size) == "110 KB/sample");
  CHECK(format_quantity(1200.0 * 1073741824.0, amount) == "1200 GiB");
  CHECK(format_quantity(5500.0, rate) == "5500 /s");
  CHECK(format_in(200e6 / 1099511627776.0, "MB/s/TiB") == "200 MB/s/TiB");
  CHECK(format_quantity(read("0.14 USD/GB/month", storage_price), storage_price) ==
        "0.14 USD/GB-month");
}

TEST_CASE("unit text: in few digits, in the unit that has 1 to 1,000 of it") {
  CHECK(format_short(0.0899, duration, 3) == "89.9 ms");
  CHECK(format_short(0.0999996, duration, 3) == "100 ms");
  CHECK(format_short(38.1e-6, duration, 3) == "38.1 us");
  CHECK(format_short(3.08e-6, sample_time, 2) == "3.1 us/sample");
  CHECK(format_short(1.25e9, bandwidth, 3) == "1.25 GB/s");
  // Where there is no such unit, in the one that people write.
  CHECK(format_short(5512.3, rate, 2) == "5500 /s");
  CHECK(format_short(0.0, duration, 3) == format_quantity(0.0, duration));
}

TEST_CASE("unit text: what is written reads back as exactly the same double") {
  std::mt19937_64 random(20240917);
  std::uniform_real_distribution<double> mantissa(1.0, 10.0);
  std::uniform_int_distribution<int> exponent(-18, 18);
  for (const Dimension dimension :
       {duration, amount, money, bandwidth, rate, throughput, price, storage_price, data_price,
        sample_size, sample_time, byte_time, Dimension{2, -1, 1, 0}}) {
    for (int i = 0; i < 300; ++i) {
      double value = mantissa(random) * std::pow(10.0, exponent(random));
      if (i % 3 == 0) value = std::round(value * 100.0) / 100.0;
      const std::string text = format_quantity(value, dimension);
      INFO(text);
      REQUIRE(read(text, dimension) == value);
    }
  }
  // Odd bit patterns, the smallest and the largest numbers included.
  for (int i = 0; i < 3000; ++i) {
    const double value = std::ldexp(mantissa(random), static_cast<int>(random() % 2000) - 1000);
    REQUIRE(read(format_quantity(value, price), price) == value);
  }
}

}  // namespace
