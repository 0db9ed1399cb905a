#include "bench/probes.hpp"

#include <array>

namespace feedrate::bench {

std::span<const Probe> probes() {
  static const std::array all = {probe_download,       probe_disk,      probe_decode,
                                 probe_memcpy,         probe_h2d,       probe_gpu,
                                 probe_gpu_preprocess, probe_allreduce, probe_loader};
  return all;
}

}  // namespace feedrate::bench
