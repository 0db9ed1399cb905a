#pragma once
// Enumerations and their words.
#include <array>
#include <cstddef>
#include <string_view>

namespace feedrate {

/// Whether there is a word for each enumerator of which this is the last.
template <class E, std::size_t n>
constexpr bool names_all(const std::array<std::string_view, n>&, E last) {
  return n == static_cast<std::size_t>(last) + 1;
}

}  // namespace feedrate
