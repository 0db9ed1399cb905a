#pragma once

#include "engine/simulate.hpp"

namespace feedrate::engine {

// The same as simulate(). A run that nobody watches and that came to its end is kept, as far as
// there is room, and answers for the same model and seed from then on: questions about a job come
// upon the job as it is, and upon the same changes of it, again and again. From any thread.
Outcome simulate_once(const Model& model, const Options& options);

}  // namespace feedrate::engine
