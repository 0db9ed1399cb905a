#pragma once
// What a job keeps in an instance's memory beside the page cache.
#include "base/units.hpp"
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// Memory of an instance: given, else the machine's; empty where neither is known.
std::optional<Bytes> memory_of_instance(const Context& context);

/// Batches of the loader that exist at once on an instance.
Bytes batches_ahead(const Context& context);

/// Decoded samples of an instance's share of the dataset; nothing where none are kept.
Bytes kept_samples(const Context& context);

/// With the memory that is assumed recorded, and drawn; kept in Context::memory.
const MemoryNeeds& memory_needs(Context& context);

/// The most workers a GPU for which the least needs fit `room`; below 1 where none do.
double most_workers(const Context& context, Bytes room);

/// At the least: what is assumed at the low ends of its ranges. A job that needs more cannot run.
MemoryNeeds least_memory_needs(const Context& context);

}  // namespace feedrate::resolve
