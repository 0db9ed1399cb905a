#pragma once
// A cache on disk beneath the page cache, which sees only what memory lacks: the page cache of a
// mount, above the cache that the mount keeps.
#include "model/scenario.hpp"

namespace feedrate::pipeline {

/// What lies in memory and beneath it, as fractions of the dataset; both begin empty.
struct TwoCaches {
  double memory = 0.0;
  CachePolicy policy = CachePolicy::lru;  ///< of memory; the disk loses the least recently used
  double disk = 0.0;
  double readers = 1.0;  ///< each reads a random 1/readers of the dataset in an epoch
};

/// Share of the reads of epoch 1, 2, … that memory lacks and the disk has: within 0.04 of two
/// simulated caches from the third epoch on, and within 0.13 before.
double read_beneath(const TwoCaches& caches, double epoch);

/// An epoch from which on read_beneath() stays as it is.
double epochs_until_steady(const TwoCaches& caches);

}  // namespace feedrate::pipeline
