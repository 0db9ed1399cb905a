#pragma once
// What NVIDIA's GPUs do.
#include <memory>
#include <string>

#include "bench/observe/source.hpp"

namespace feedrate::bench::observe {

class GpuSource : public Source {
 public:
  [[nodiscard]] virtual double count() const = 0;
};

/// `library`: NVML's file. `interval`: between looks. Where there is no library or no GPU, the
/// first look says so.
std::unique_ptr<GpuSource> gpu_source(const std::string& library, Duration interval);

}  // namespace feedrate::bench::observe
