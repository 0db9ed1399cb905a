#pragma once
// Numbers as people read them: three significant digits, times in the unit that suits them.
// None of this is read back by a program; JSON and CSV hold every digit.
#include <cstddef>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "model/scenario.hpp"

namespace feedrate::report {

/// Three significant digits, without an exponent between 1e-6 and 1e15: "0.00123", "96.2".
std::string number(double value);

/// "850 ms", "96.2 s", "4 min 20 s", "3.33 h", "12.5 days".
std::string duration(Duration value);
/// Both ends of a range, in the unit of the later: "0.930 h to 1.36 h"; less than a tenth of it is
/// in its own.
std::string duration_range(Duration from, Duration to, std::string_view between = " to ");

/// Cents from one cent up, two significant digits below: "$102.00", "$0.0034", "<$0.0001",
/// "-$1.10".
std::string money(Money value);

/// While one lives, money() and signed_money() of its thread write amounts in a currency: "3.52
/// EUR". Precondition: the currency lives as long, and no other of the thread.
class ShownMoney {
 public:
  explicit ShownMoney(const Currency& currency);
  ~ShownMoney();
  ShownMoney(const ShownMoney&) = delete;
  ShownMoney& operator=(const ShownMoney&) = delete;
};

/// Samples per second, as "850", "8.34 k", "1.20 M": the column says "/s".
std::string rate(Throughput value);

/// A share, 0…1, as whole percents from 10 % up: "63 %", "4.2 %", "0 %".
std::string percent(double share);

/// A relative difference with its sign: "+11.1 %", "-86.1 %".
std::string signed_percent(double difference);

/// The same of a difference of shares, in percentage points: "-5.8 points".
std::string signed_points(double difference);

/// "1 case", "3 cases", "1,200 points".
std::string counted(std::size_t n, std::string_view what);
std::string counted(double n, std::string_view what);

/// A whole number with thousands separated, others as number(): "30,600".
std::string count(double value);

/// A money difference with its sign: "+$1.20".
std::string signed_money(Money value);

/// Every digit that a double has, the shortest text that reads back as the same; for CSV.
std::string exact(double value);

}  // namespace feedrate::report
