#pragma once
// Which points of a sweep a machine takes when several share it.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "model/result.hpp"

namespace feedrate {

/// As many as the largest sweep has points.
inline constexpr std::size_t most_shares = 1'000'000;

/// The `number`-th of `of` shares, 1 ≤ number ≤ of. Of each `of` points that follow each other
/// every share has one, so that shares differ by a point at most; and which one moves on from block
/// to block by the golden section, so that no period of the grid falls together with that of the
/// shares: a share does not get all the points of the largest cluster.
struct SweepShare {
  std::size_t number = 1;
  std::size_t of = 1;

  bool operator==(const SweepShare&) const = default;

  /// Its points of a sweep of `points`.
  [[nodiscard]] std::size_t size(std::size_t points) const {
    const std::size_t blocks = points / of;
    return blocks + (place_in(blocks) < points % of ? 1 : 0);
  }
  /// The `i`-th of them, ascending. Precondition: i < size().
  [[nodiscard]] std::size_t point(std::size_t i) const { return i * of + place_in(i); }

 private:
  [[nodiscard]] std::size_t place_in(std::size_t block) const {
    // The fraction of block / golden ratio, in units of 2⁻³².
    const std::uint64_t turned = (block * std::uint64_t{0x9e3779b97f4a7c15U}) >> 32U;
    const auto moved = static_cast<std::size_t>((turned * of) >> 32U);
    return (number - 1 + moved) % of;
  }
};

/// The number of the share that has `point`, the inverse of SweepShare::point.
inline std::size_t share_of_point(std::size_t point, std::size_t of) {
  const SweepShare first{1, of};
  const std::size_t place = first.point(point / of) % of;
  return (point % of + of - place) % of + 1;
}

/// What a share keeps of one of its points.
struct SharedPoint {
  std::size_t point = 0;         ///< of the whole sweep
  std::optional<Result> result;  ///< empty where there is none, and in a share of rows
  std::string row;               ///< of the CSV; "" in a share of whole results
  Duration time;                 ///< of a row: the whole job's
  Money total, money;            ///< of a row
  std::vector<Problem> problems;
};

}  // namespace feedrate
