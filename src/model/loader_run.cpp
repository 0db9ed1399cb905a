#include "model/loader_run.hpp"

#include "base/statistics.hpp"

namespace feedrate {

Duration LoaderRun::each() const {
  return median(epochs) / batches;
}

}  // namespace feedrate
