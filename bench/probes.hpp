#pragma once
// Every probe has a file, probe_NAME.cpp, that defines it; probes.cpp lists them.
#include "bench/probe.hpp"

namespace feedrate::bench {

extern const Probe probe_download;
extern const Probe probe_disk;
extern const Probe probe_decode;
extern const Probe probe_memcpy;
extern const Probe probe_h2d;
extern const Probe probe_gpu;
extern const Probe probe_gpu_preprocess;
extern const Probe probe_allreduce;
extern const Probe probe_loader;

}  // namespace feedrate::bench
