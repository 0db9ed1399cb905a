#pragma once
// In what pieces a sample is read, and by whom: groups of rows, objects that workers have for
// themselves, documents that fill sequences.
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// Of a sample that is read while the job trains; all ranks that read it counted.
struct Pieces {
  DataPerSample bytes;
  double requests = 1.0;
  Bytes request;           ///< mean size of one
  bool in_groups = false;  ///< groups of rows, each a request or several; else whole objects
};

/// `objects` of the dataset that hold `stored` bytes a sample.
Pieces pieces_of(Context& context, double objects, DataPerSample stored, Stage stage);

/// Who reads which objects, and what a shuffle buffer asks for: Inputs' `per_object`,
/// `whole_objects`, `own_batches`, `times_read`, `read_before`. Before the source is resolved.
void resolve_division(Context& context);

/// Whether whoever makes batches streams objects of its own, a worker's process or a helper's.
bool streams_objects(const Context& context);

/// Bytes of the dataset that reading it once brings into memory.
Bytes read_dataset(const Context& context);

/// Stored bytes that a worker holds at least, beyond the sample that it makes: a group of rows, and
/// what its shuffle buffer holds. With a pool's threads, `of_rank` is what they hold together.
struct HeldStored {
  Bytes of_worker;
  Bytes of_rank;
};
HeldStored held_stored(const Context& context);

/// The thread of each worker that downloads ahead of it, as the loader's name brings it:
/// Inputs::download_thread. After pack().
void resolve_download_thread(Context& context);

/// Documents that a training sample has room for, as far as the tokens of both are given.
std::optional<double> documents_that_fit(const Scenario& scenario);
/// Stored samples in a training sample, where they are packed into it; 1 where each is one.
double documents_in_sample(const Scenario& scenario);
/// After the step is known, as it was told of training samples: makes inputs those of documents.
void pack(Context& context);
/// Samples of a step, as the loader is told: those of `Inputs::batch` where nothing is packed.
inline double training_batch(const Context& context) {
  return context.out.inputs.batch / documents_in_sample(context.scenario);
}
/// What is said of a job that pads what it could pack.
void tell_of_padding(Context& context);

/// What is said where workers drop last batches of their own, which they have read.
void tell_of_dropped_batches(Context& context);

}  // namespace feedrate::resolve
