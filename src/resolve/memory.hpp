#pragma once
// What a job keeps in an instance's memory beside the page cache.
#include "base/units.hpp"
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// Memory of an instance: given, else that of its type; empty where neither is known.
std::optional<Bytes> memory_of_instance(const Context& context);

/// Bytes that a sample has in a batch; 0 where the scenario does not say.
DataPerSample bytes_to_gpu(const Context& context);

/// Bytes of all batches that exist on an instance at a time.
Bytes batches_ahead(const Context& context);

/// Of these, what workers hand over in shared memory.
Bytes batches_of_workers(const Context& context);

/// Bytes of the decoded samples that an instance keeps of its share of the dataset; 0 where the
/// loader keeps none.
Bytes kept_samples(const Context& context);

/// The needs with assumed memory recorded and drawn; computed once and kept in Context::memory.
const MemoryNeeds& memory_needs(Context& context);

/// The largest number of workers per GPU whose least needs fit `room`; below 1 where even one does
/// not fit.
double most_workers(const Context& context, Bytes room);

/// The needs with all assumptions at the low ends of their ranges: a job that needs more memory
/// than there is even then cannot run.
MemoryNeeds least_memory_needs(const Context& context);
/// The same with what is given or assumed, where nothing that is simulated asks for it: the page
/// cache is given.
MemoryNeeds usual_memory_needs(const Context& context);

}  // namespace feedrate::resolve
