#pragma once
// How much of an epoch's reading the page cache saves.
//
// In each epoch every one of `readers` instances reads its own random 1/readers of the dataset, in
// fresh random order, and has room for the fraction `cached` of it. Sharded data has one reader.
// No call allocates; each takes well below a microsecond.
#include "model/scenario.hpp"

namespace feedrate::pipeline {

/// Hit ratio of a steady epoch.
///
/// no_eviction: f. lru with one reader: f + (1 − f)·ln(1 − f), exact. lru with more: by the
/// characteristic-time argument (Che, Tung, Wang 2002) for the gap between two reads of an item,
/// within 0.01 of a simulated cache. linux_two_lists: between these two by a table, within 0.02 of
/// a simulation of the kernel's active and inactive lists in 100 GB. All tend to f as readers grow.
double hit_ratio(double cached, CachePolicy policy, double readers);

/// Share of an epoch's reads that the instance has read in an earlier epoch: 1 − (1 − 1/N)^(k − 1),
/// for each earlier epoch gave it an independent 1/N. An unlimited cache hits as often.
/// Epochs count from 1.
double seen_before(double readers, double epoch);

/// Hit ratio of one epoch, counted from 1: 0 in the first, then what was seen before until the
/// cache is full, then towards hit_ratio(). `staged`: File mode has just written all data through
/// the cache, so that even the first epoch is taken to be a steady one.
double hit_in_epoch(double cached, CachePolicy policy, double readers, double epoch, bool staged);

/// An epoch from which on hit_in_epoch() stays within 1e-6 of hit_ratio(): the first, or little
/// later. Linux's active list takes about 1.6/f epochs to grow where f is small.
double epochs_until_steady(double cached, CachePolicy policy, double readers, bool staged);

}  // namespace feedrate::pipeline
