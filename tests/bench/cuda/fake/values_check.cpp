// Compiled in builds with CUDA, against CUDA's own headers: the simulated runtime's numbers are
// CUDA's.
#include <cuda_runtime_api.h>

#define FEEDRATE_CUDA_VALUE(group, name, value) \
  static_assert(static_cast<long long>(name) == (value), #name);
#include "include/cuda_values.def"
