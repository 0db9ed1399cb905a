#include "bench/cuda/operations.hpp"
#include "bench/host.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {

HostFacts host_facts(const Settings& settings) {
  HostFacts facts = system_facts(settings);
  gpu::add_facts(facts);
  return facts;
}

}  // namespace feedrate::bench
