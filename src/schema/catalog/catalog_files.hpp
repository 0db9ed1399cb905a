#pragma once
// The price folder's files that are not named after a family of machines.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace feedrate::schema {

/// Providers without a file of their own share one.
inline constexpr std::string_view other_providers = "rental.json";
inline constexpr std::array<std::string_view, 4> other_clouds = {"azure.json", "gcp.json",
                                                                 "lambda.json", other_providers};

/// The file that has the machines of a cloud other than AWS.
inline std::string file_of_cloud(const std::string& cloud) {
  const std::string own = cloud + ".json";
  const bool known = std::find(other_clouds.begin(), other_clouds.end(), own) != other_clouds.end();
  return known ? own : std::string(other_providers);
}

}  // namespace feedrate::schema
