#pragma once
// How much of an epoch's reading the page cache saves.
#include "model/scenario.hpp"

namespace feedrate::pipeline {

/// Hit ratio of a steady epoch in which each of `readers` instances reads its own random 1/readers
/// of the dataset, in fresh random order, with room for the fraction `cached` of the dataset.
///
/// no_eviction: f. lru with one reader: f + (1 − f)·ln(1 − f), exact. lru with more: by the
/// characteristic-time argument (Che, Tung, Wang 2002) for the gap between two reads of an item,
/// within 0.02 of a simulated cache; it tends to f as readers grow.
double hit_ratio(double cached, CachePolicy policy, double readers);

}  // namespace feedrate::pipeline
