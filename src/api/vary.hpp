#pragma once
// `--vary KEY=…`: one key and the values that a sweep gives it.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study/setting.hpp"

namespace feedrate::api {

/// More points than anyone waits for; a slip of a digit in a range gets here first.
inline constexpr std::size_t max_points = 1'000'000;

struct Vary {
  std::string key;
  std::vector<std::string> values;  ///< as for --set, at least one
  std::vector<Vary> with{};         ///< keys that change along with it, as many values each
};

/// Splits "KEY=VALUE" at the first "=". InputError, naming `flag`, without a key or a value.
std::pair<std::string, std::string> parse_setting(std::string_view text, std::string_view flag);

/// KEY=A,B,C (commas inside quotes, [] and {} do not split), KEY=FROM:TO:STEP, or
/// KEY=FROM:TO:*FACTOR; TO is included where a step lands on it. FROM and TO may carry units ("5
/// KB:5 GB:*10"), then STEP carries one as well. InputError for an empty list or item, a step of 0
/// or in the wrong direction, numbers that are not finite, more than max_points values.
/// `flag` names the option in complaints.
Vary parse_vary(std::string_view text, std::string_view flag = "--vary");

/// Every combination of what is varied, made when it is asked for; the last key varies fastest.
class Grid {
 public:
  /// InputError when a key comes twice or when there are more than max_points.
  explicit Grid(std::vector<Vary> varied, std::string_view flag = "--vary");

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<Vary>& varied() const { return varied_; }
  [[nodiscard]] study::Setting at(std::size_t point) const;
  /// Which of its values each key has, in the order of varied(); those along with it have the same.
  [[nodiscard]] std::vector<std::size_t> values_at(std::size_t point) const;
  /// The point that has these values.
  [[nodiscard]] std::size_t point_of(const std::vector<std::size_t>& values) const;

 private:
  std::vector<Vary> varied_;
  std::size_t size_ = 1;
};

}  // namespace feedrate::api
