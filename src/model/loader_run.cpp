#include "model/loader_run.hpp"

#include <algorithm>

namespace feedrate {

Duration LoaderRun::each() const {
  std::vector<Duration> sorted = epochs;
  std::sort(sorted.begin(), sorted.end());
  return sorted.at(sorted.size() / 2) / batches;
}

}  // namespace feedrate
