#pragma once
// Columns of fractions where percentages are expected: 0.35, read as 0.35 %, would be a job at
// rest.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/trimmed.hpp"

namespace feedrate::schema {

/// Looks at the percentages of one file, column by column. Whole numbers (0 and 1 of an idle GPU)
/// and values with their sign ("0.3 %") are percentages, whatever they are.
class FractionColumns {
 public:
  /// Which columns that never exceed 1, and are not whole, have to be fractions.
  enum class Are {
    percentages,       ///< none: a disk or link at rest is often below 1 %
    fractions_if_all,  ///< where no column of the file exceeds 1: a host with many CPUs may rest
    fractions          ///< in any file: its tools tell whole percentages
  };

  /// `field`: as written; what is no number is passed over. `line`: 0 where it is not known.
  void add(const std::string& column, std::string_view field, Are are, int line = 0) {
    constexpr std::string_view blank = " \t";
    field = trimmed(field, blank);
    const bool sign = field.ends_with('%');
    const auto value = number_of(trimmed(field.substr(0, field.size() - (sign ? 1 : 0)), blank));
    if (!value) return;
    most_ = std::max(most_, *value);
    Column& of = columns_[column];
    of.are = are;
    of.most = std::max(of.most, *value);
    of.sign = of.sign || sign;
    if (of.first.empty() && *value > 0.0 && *value < 1.0) {
      of.first = field;
      of.value = *value;
      of.line = line;
    }
  }

  /// One for each column that has to be of fractions; `file` is what they call it.
  [[nodiscard]] std::vector<Problem> problems(const std::string& file) const {
    std::vector<Problem> all;
    for (const auto& [name, of] : columns_) {
      const bool may_be = !of.first.empty() && !of.sign && of.most <= 1.0;
      const bool has_to =
          of.are == Are::fractions || (of.are == Are::fractions_if_all && most_ <= 1.0);
      if (!may_be || !has_to) continue;
      const std::string hundred = three_digits(100.0 * of.value);
      all.push_back({file, of.line, "",
                     fmt::format("{}: expected percentages such as 35, got {} and nothing above 1: "
                                 "are these fractions? Multiply the column by 100 ({}), or write "
                                 "the sign behind its values ({} %)",
                                 name, in_quotes(of.first), hundred, of.first)});
    }
    return all;
  }

 private:
  struct Column {
    Are are{};
    double most = 0.0;
    bool sign = false;
    std::string first;  ///< that is not whole; "" for none
    double value = 0.0;
    int line = 0;
  };
  std::map<std::string, Column> columns_;
  double most_ = 0.0;
};

}  // namespace feedrate::schema
