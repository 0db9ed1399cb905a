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
/// `whole_objects`, `times_read`, `read_before`. Before the source is resolved.
void resolve_division(Context& context);

/// Bytes of the dataset that reading it once brings into memory.
Bytes read_dataset(const Context& context);

/// Stored bytes that a worker holds at least, beyond the sample that it makes: a group of rows, and
/// what its shuffle buffer holds. With a pool's threads, `of_rank` is what they hold together.
struct HeldStored {
  Bytes of_worker;
  Bytes of_rank;
};
HeldStored held_stored(const Context& context);

/// The scenario of the samples that the job trains on, where stored ones fill them; nothing where
/// each is one.
std::optional<Scenario> packed(const Scenario& scenario);
/// What is said of that; and of a job that pads what it could pack.
std::string words_of_packing(const Scenario& scenario);
void tell_of_padding(Context& context);

}  // namespace feedrate::resolve
