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

using study::Vary;

/// Splits "KEY=VALUE" at the first "=". InputError, naming `flag`, without a key or a value.
std::pair<std::string, std::string> parse_setting(std::string_view text, std::string_view flag);

/// KEY=A,B,C (commas inside quotes, [] and {} do not split), KEY=FROM:TO:STEP, or
/// KEY=FROM:TO:*FACTOR; TO is included where a step lands on it. FROM and TO may carry units ("5
/// KB:5 GB:*10"), then STEP carries one as well. InputError for an empty list or item, a step of 0
/// or in the wrong direction, numbers that are not finite, more than max_points values.
/// `flag` names the option in complaints.
Vary parse_vary(std::string_view text, std::string_view flag = "--vary");

/// A grid that somebody asked for.
class Grid : public study::Grid {
 public:
  /// InputError when a key comes twice or when there are more than max_points.
  explicit Grid(std::vector<Vary> varied, std::string_view flag = "--vary");
};

}  // namespace feedrate::api
