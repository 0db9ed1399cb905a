#pragma once
// Page caches simulated item by item, against which the formulas are held.
#include <cstddef>
#include <vector>

namespace simulated {

struct Reading {
  int items = 20000;    ///< of the dataset
  double cached = 0.5;  ///< how much of it the cache has room for
  int readers = 1;      ///< this instance reads a random 1/readers of the items in an epoch
  int epochs = 12;
  double memory_gb = 100.0;  ///< of the cache; sets how short Linux lets the inactive list get
};

/// Hit ratio of each epoch, from an empty cache on; every epoch in fresh random order.
std::vector<double> lru(const Reading& reading);

/// The same under Linux's two lists for file pages, as in kernels 4.7 to 6.x without
/// CONFIG_LRU_GEN. One item stands for one page, and pages are reclaimed one by one.
///
/// Left out: since 4.12 a reclaim that finds refaults counted since the last one takes pages from
/// the active list too, however short that is. In a memory control group the counts are brought up
/// to date every two seconds only, and the kernel measured in page_cache_test.cpp shows no trace of
/// it; where every reclaim sees them, hits fall towards LRU's.
std::vector<double> linux_two_lists(const Reading& reading);

/// What a cache beneath either, least recently used first out and with room for `disk` of the
/// items, has of the reads of each epoch that memory lacks.
std::vector<double> beneath_lru(const Reading& memory, double disk);
std::vector<double> beneath_two_lists(const Reading& memory, double disk);

/// Mean of the second half of the epochs.
double steady(const std::vector<double>& hits);

}  // namespace simulated
