#include "bench/canary.hpp"
#include "cli/probes/work.hpp"
#include "cli/with_probes.hpp"

namespace feedrate::cli {

void bring_probes() {
  static const ProbeWork work = {calibrate, run_loader, bench::run_canary, download};
  install(work);
}

}  // namespace feedrate::cli
