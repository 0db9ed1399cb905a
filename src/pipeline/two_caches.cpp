#include "pipeline/two_caches.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "pipeline/page_cache.hpp"

namespace feedrate::pipeline {
namespace {

/// Of what memory lacks, the percentage that the disk has once both are full: memory that holds 0.1
/// to 0.9 of the dataset by rows, disks that do by columns; for 1, 2, and 4 or more readers. Under
/// LRU both have more than the larger alone, since what is read early in an epoch and late in the
/// next leaves memory first; under Linux's lists memory keeps what it lacked last. Source: the
/// simulation in tests/pipeline/support/simulated_cache.cpp with 8,000 items a reader.
// clang-format off
using Found = std::array<std::array<int, 9>, 9>;
constexpr Found lru_of_one = {{
    {0, 2, 5, 9, 15, 23, 34, 47, 67},
    {0, 0, 3, 7, 14, 22, 33, 47, 66},
    {0, 0, 1, 5, 11, 20, 31, 46, 66},
    {0, 0, 0, 2, 8, 17, 29, 44, 65},
    {0, 0, 0, 0, 4, 13, 26, 42, 65},
    {0, 0, 0, 0, 2, 9, 23, 41, 64},
    {0, 0, 0, 0, 2, 9, 26, 44, 66},
    {0, 0, 0, 1, 5, 19, 35, 53, 75},
    {0, 0, 1, 8, 22, 36, 51, 67, 83}}};
constexpr Found lru_of_two = {{
    {0, 3, 9, 18, 30, 44, 58, 72, 86},
    {0, 0, 6, 15, 28, 42, 57, 71, 86},
    {0, 0, 1, 11, 24, 39, 54, 69, 85},
    {0, 0, 0, 6, 19, 33, 49, 66, 83},
    {0, 0, 0, 2, 15, 29, 44, 62, 80},
    {0, 0, 0, 1, 13, 26, 41, 59, 78},
    {0, 0, 0, 2, 14, 27, 42, 59, 79},
    {0, 0, 0, 8, 20, 33, 49, 65, 82},
    {0, 0, 7, 18, 32, 45, 59, 73, 86}}};
constexpr Found lru_of_four = {{
    {0, 7, 18, 29, 41, 53, 65, 77, 88},
    {0, 1, 12, 24, 37, 50, 62, 75, 87},
    {0, 0, 5, 16, 29, 43, 57, 72, 86},
    {0, 0, 0, 10, 22, 36, 51, 67, 83},
    {0, 0, 0, 5, 17, 30, 45, 62, 81},
    {0, 0, 0, 3, 14, 27, 42, 60, 79},
    {0, 0, 0, 4, 15, 28, 43, 60, 79},
    {0, 0, 0, 8, 20, 33, 49, 65, 82},
    {0, 0, 7, 19, 32, 45, 59, 72, 86}}};
constexpr Found lists_of_one = {{
    {1, 3, 6, 11, 19, 29, 43, 63, 94},
    {1, 3, 7, 14, 24, 37, 55, 82, 97},
    {1, 4, 9, 17, 29, 45, 66, 89, 91},
    {1, 5, 11, 20, 33, 49, 68, 79, 81},
    {1, 5, 12, 22, 34, 49, 62, 66, 73},
    {1, 6, 13, 23, 33, 43, 48, 50, 68},
    {2, 6, 13, 20, 26, 29, 31, 36, 62},
    {1, 4, 7, 9, 10, 10, 10, 19, 58},
    {0, 0, 0, 0, 0, 0, 0, 12, 84}}};
constexpr Found lists_of_two = {{
    {1, 5, 12, 23, 37, 52, 67, 82, 95},
    {2, 6, 15, 28, 43, 57, 71, 83, 91},
    {2, 8, 17, 30, 44, 56, 67, 75, 82},
    {2, 8, 18, 31, 42, 51, 58, 63, 80},
    {2, 9, 19, 29, 37, 43, 48, 56, 78},
    {2, 9, 18, 25, 31, 35, 37, 49, 75},
    {2, 9, 15, 20, 23, 25, 26, 40, 73},
    {2, 7, 9, 11, 12, 12, 13, 30, 73},
    {1, 1, 2, 2, 2, 2, 2, 48, 81}}};
constexpr Found lists_of_four = {{
    {3, 10, 22, 35, 47, 59, 71, 82, 92},
    {3, 12, 24, 36, 47, 58, 67, 76, 86},
    {3, 13, 24, 35, 44, 53, 60, 69, 85},
    {4, 13, 24, 33, 41, 48, 53, 65, 83},
    {4, 14, 23, 31, 37, 42, 45, 60, 80},
    {4, 13, 21, 27, 31, 34, 36, 53, 77},
    {5, 12, 17, 21, 23, 25, 26, 45, 75},
    {4, 8, 10, 12, 12, 13, 13, 37, 76},
    {1, 2, 2, 2, 2, 2, 2, 58, 80}}};
// clang-format on

/// Of the table, between what holds where memory or the disk holds nothing or all. From one column
/// to the next it rises as the disk alone does.
double found(const Found& table, double memory, double disk, double readers) {
  const auto alone = [&](double held) { return hit_ratio(held, CachePolicy::lru, readers); };
  const auto alone_at = [&](std::size_t column) {
    return alone(0.1 * static_cast<double>(column));
  };
  const auto at = [&](std::size_t row, std::size_t column) {
    if (column == 0) return 0.0;
    if (column == 10) return 1.0;
    return row == 0 ? alone_at(column)
                    : table[std::min(row, std::size_t{9}) - 1][column - 1] / 100.0;
  };
  const double rows = 10.0 * std::clamp(memory, 0.0, 1.0);
  const double columns = 10.0 * std::clamp(disk, 0.0, 1.0);
  const std::size_t i = std::min(static_cast<std::size_t>(rows), std::size_t{9});
  const std::size_t k = std::min(static_cast<std::size_t>(columns), std::size_t{9});
  const double right = (alone(0.1 * columns) - alone_at(k)) / (alone_at(k + 1) - alone_at(k));
  return std::lerp(std::lerp(at(i, k), at(i, k + 1), right),
                   std::lerp(at(i + 1, k), at(i + 1, k + 1), right), rows - static_cast<double>(i));
}

/// Of what memory lacks, the share that the disk has once both are full.
double steady(const TwoCaches& caches) {
  const double memory = caches.memory;
  if (caches.policy == CachePolicy::no_eviction) {  // the disk has the rest for itself
    return hit_ratio(caches.disk / (1.0 - memory), CachePolicy::lru, caches.readers);
  }
  const bool lru = caches.policy == CachePolicy::lru;
  const auto look = [&](const Found& table) {
    return found(table, memory, caches.disk, caches.readers);
  };
  const double two = look(lru ? lru_of_two : lists_of_two);
  const double r = 1.0 / caches.readers;
  if (r > 0.5) return std::lerp(two, look(lru ? lru_of_one : lists_of_one), 2.0 * r - 1.0);
  return std::lerp(look(lru ? lru_of_four : lists_of_four), two, std::max(4.0 * r - 1.0, 0.0));
}

}  // namespace

double read_beneath(const TwoCaches& caches, double epoch) {
  if (!(caches.disk > 0.0) || caches.memory >= 1.0 || epoch < 2.0) return 0.0;
  const double lacked =
      1.0 - hit_in_epoch(caches.memory, caches.policy, caches.readers, epoch, false);
  const double larger = std::min(1.0, std::max(caches.memory, caches.disk));
  // Until the larger has lost something, both hold what it does alone.
  const double alone = hit_in_epoch(caches.disk, CachePolicy::lru, caches.readers, epoch, false);
  const double kept = std::max(0.0, alone - (1.0 - lacked));
  const double seen = seen_before(caches.readers, epoch + 0.5);
  const double lost =
      larger < 1.0 ? std::clamp(1.4 * (seen - larger) / (1.0 - larger), 0.0, 1.0) : 0.0;
  return std::lerp(kept, lacked * steady(caches), lost);
}

double epochs_until_steady(const TwoCaches& caches) {
  return std::max(epochs_until_steady(caches.memory, caches.policy, caches.readers, false),
                  epochs_until_steady(std::max(caches.memory, caches.disk), CachePolicy::lru,
                                      caches.readers, false));
}

}  // namespace feedrate::pipeline
