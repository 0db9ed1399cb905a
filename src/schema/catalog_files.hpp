#pragma once
// The price folder's files that are not named after a family of machines.
#include <array>
#include <string_view>

namespace feedrate::schema {

inline constexpr std::array<std::string_view, 3> other_clouds = {"azure.json", "gcp.json",
                                                                 "lambda.json"};

}  // namespace feedrate::schema
